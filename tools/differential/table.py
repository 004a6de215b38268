"""The table of generators: every op of the stablehlo and chlo registries has one, or a reason in LEFT_OUT."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hlo.tools.differential.draft import Draft

Generate = Callable[[Draft, str], Any]

GENERATORS: dict[str, Generate] = {}
WEIGHTS: dict[str, int] = {}
"""How often an op is tried; 10 is usual."""


def generates(*names: str, weight: int = 10) -> Callable[[Generate], Generate]:
    """Marks a function as the generator of ops: it builds one (with what it needs) and returns its results."""

    def register(function: Generate) -> Generate:
        for name in names:
            full = name if "." in name else f"stablehlo.{name}"
            assert full not in GENERATORS, full
            GENERATORS[full], WEIGHTS[full] = function, weight
        return function

    return register


LEFT_OUT = {
    "chlo._asin_acos_kernel": "a step of upstream's decomposition of asin and acos, which is not compiled",
    "stablehlo.return": "ends regions; every program with a region has one",
    "stablehlo.custom_call": "its meaning is its target's; test/python/linalg/test_linalg_linear_algebra.py and others call them",
    "stablehlo.infeed": "waits for a host",
    "stablehlo.outfeed": "needs a host that takes what comes",
    "stablehlo.recv": "waits for a host",
    "stablehlo.send": "needs a host that takes what comes",
    "stablehlo.set_dimension_size": "its result has a dynamic dimension; test/python/stablehlo/test_dynamic_shapes.py",
    "stablehlo.compute_reshape_shape": "of index values, which are no tensors",
    "stablehlo.cstr_reshapable": "its result is a witness, no tensor",
}
"""Ops without a generator, and why. May only shrink."""
