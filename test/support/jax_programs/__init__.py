"""Programs by area, each a table of rows (name, function, arguments, tolerance): test_jax_areas.py compares what hlo and
JAX make of them."""

AREAS = (
    "elementwise",
    "reductions",
    "indexing",
    "linear_algebra",
    "transforms",
    "random_numbers",
    "convolutions",
    "control_flow",
    "models",
)
SLOW = {"models", "random_numbers"}
"""Areas whose programs are large: `pytest -m "not slow"` leaves them out."""
