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

PLAIN_VECTOR_OPS = frozenset(
    f"vector.{name}"
    for name in (
        *(
            "bitcast",
            "broadcast",
            "compressstore",
            "deinterleave",
            "expandload",
            "extract",
            "fma",
            "from_elements",
            "gather",
            "insert",
        ),
        *("interleave", "load", "maskedload", "maskedstore", "reduction", "scatter", "shuffle", "store"),
    )
)
"""Ops that `convert-to-llvm` takes, on vectors of one dimension, which all are. `convert-vector-to-llvm` prepares its
patterns anew for each program, and its first half, which rewrites other ops, visits all."""
X86_VECTOR_OPS = frozenset(
    f"x86vector.{name}"
    for name in (
        *(
            "avx.cvt.packed.even.indexed_to_f32",
            "avx.cvt.packed.odd.indexed_to_f32",
            "avx.dot.i8",
            "avx.rsqrt",
            "avx512.dot",
        ),
        *("avx512.mask.compress", "avx512.mask.rndscale", "avx512.mask.scalef", "avx512.vp2intersect"),
    )
)
"""All of that dialect, for which there are no bindings."""

OURS = {
    "block-scans": frozenset({"stablehlo.reduce_window"}),
    "call-programs": frozenset({"interpreter.run_parallel"}),
    "expand-maps": frozenset(
        f"stablehlo.{name}" for name in ("map", "reduce", "reduce_window", "scatter", "select_and_scatter", "sort")
    ),
    "hoist-loop-invariants": frozenset({"stablehlo.while"}),
    "inline-async": frozenset({"stablehlo.async_start"}),
    "keep-called-computations": frozenset({"stablehlo.custom_call"}),
    "legalize-chlo": frozenset(name for name in OPS if name.startswith("chlo.")),
    "multiply-steps-together": frozenset({"stablehlo.while"}),
    "narrow-results": frozenset({"stablehlo.slice"}),
    "split-factorisations": frozenset({"stablehlo.cholesky", "stablehlo.custom_call", "stablehlo.triangular_solve"}),
    "transpose-factorisations": frozenset({"stablehlo.custom_call"}),
}
"""Of the CPU's passes in Python, those that change ops of certain names, or what is in them or around them, whatever
their options are, and do nothing else."""


@functools.cache
def _needs() -> dict[str, frozenset[str]]:
    math, affine = _ops("math"), _ops("affine")
    return OURS | {
        "convert-complex-to-standard": _ops("complex"),
        "convert-math-to-libm": math,
        "convert-math-to-llvm": math,
        "convert-vector-to-llvm": (_ops("vector") - PLAIN_VECTOR_OPS) | X86_VECTOR_OPS,
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
