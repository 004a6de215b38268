"""What each op means: one small numpy function an op, written from the specification.

Slow and simple: the yardstick for what is compiled. `hlo.compile(module, target="reference")` runs a whole program.
Floats of at most 16 bits are computed wider and rounded after each op; transcendentals, dot products and convolutions
are computed in f64. A long reduction combines neighbours pairwise, a short one runs from left to right."""
