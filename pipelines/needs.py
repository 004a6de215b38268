"""Passes that have nothing to do in a module without certain ops. Running one of upstream's costs 0.1 to 0.6 ms a program, importing one of
ours 1 to 7 ms a process, looking for the ops 0.01."""

from __future__ import annotations

import functools
import re

from mlir import ir

import hlo.dialect.chlo  # noqa: F401  (registers its ops)
from hlo.dialect.definition import OPS
from hlo.lowering.finding import ops_named


def _ops(dialect: str) -> frozenset[str]:
    """All ops of a dialect that has bindings."""
    from importlib import import_module

    module = import_module(f"mlir.dialects._{dialect}_ops_gen")
    return frozenset(c.OPERATION_NAME for c in vars(module).values() if hasattr(c, "OPERATION_NAME"))


VIEWS = frozenset(
    f"memref.{name}" for name in ("collapse_shape", "expand_shape", "extract_strided_metadata", "subview")
)
"""Ops that `expand-strided-metadata` is there for. (Others that describe memory have conversions of their own.)"""


OURS = {
    "block-scans": frozenset({"stablehlo.reduce_window"}),
    "call-programs": frozenset({"interpreter.run_parallel"}),
    "inline-async": frozenset({"stablehlo.async_start"}),
    "keep-called-computations": frozenset({"stablehlo.custom_call"}),
    "legalize-chlo": frozenset(name for name in OPS if name.startswith("chlo.")),
    "split-factorisations": frozenset({"stablehlo.cholesky", "stablehlo.triangular_solve"}),
}
"""Of the CPU's passes in Python, those that replace ops of certain names, whatever their options are, and do nothing else."""


@functools.cache
def _needs() -> dict[str, frozenset[str]]:
    math, affine = _ops("math"), _ops("affine")
    return OURS | {
        "convert-complex-to-standard": _ops("complex"),
        "convert-math-to-libm": math,
        "convert-math-to-llvm": math,
        "expand-strided-metadata": VIEWS,
        "lower-affine": affine,
        "math-extend-to-supported-types": math,
    }


def is_idle(module: ir.Module, pipeline: str) -> bool:
    """Whether no pass of a pipeline has anything to do."""
    wanted = _wanted(pipeline)
    if wanted is None:
        return False
    with module.context:
        return not ops_named(module, wanted)


@functools.cache
def _wanted(pipeline: str) -> frozenset[str] | None:
    """What the passes of a pipeline look for; None if one is not in the table."""
    names = re.findall(r"[\w.-]+(?![\w.(=-])", re.sub(r"\{.*?\}", "", pipeline))
    needs = [_needs().get(name) for name in names]
    return None if None in needs else frozenset().union(*(n for n in needs if n is not None))
