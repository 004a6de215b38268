"""Programs by area, each a table of rows (name, function, arguments, tolerance): test_jax_areas.py compares what hlo and
JAX make of them."""

AREAS = ("elementwise", "reductions", "indexing", "linear_algebra", "transforms")
