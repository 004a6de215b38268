"""Every primitive of `jax.lax` over shapes, parameters and element types: tables of rows, one file a family.

test_lax_grid.py compiles the cells of a row in one program and compares with JAX on the CPU; census.py lists the
primitives of the installed JAX and those that are left out, each with its reason."""

FAMILIES = (
    "unary",
    "binary",
    "conversions",
    "shapes",
    "indexing",
    "reductions",
    "windows",
    "contractions",
    "linear_algebra",
    "special_functions",
    "sorting",
    "control_flow",
    "random_bits",
    "transforms",
    "parallel",
)
