"""The pass `expand-math`: math ops on f32 and f64, scalar or vector, become arithmetic (lowering/vector/math).

Before:  %1 = math.exp %0 : vector<16xf32>
After:   %1 = ... math.roundeven, math.fma, arith ...

What has no expansion (a row missing in EXPANSIONS) stays, for libm. Angles too large for the reduction are handed to
libm by a branch that ordinary programs never take."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mlir import ir
from mlir.dialects import arith, scf, vector

from hlo.lowering.finding import ops_named
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.vector.math import error_function, exponential, hyperbolic, logarithm, power, trigonometric
from hlo.lowering.vector.math.number import Number, absolute, any_lane, compare

BOTH, SINGLE = (32, 64), (32,)

EXPANSIONS: dict[str, tuple[Callable[..., Number], tuple[int, ...]]] = {
    "math.exp": (exponential.exp, BOTH),
    "math.exp2": (exponential.exp2, BOTH),
    "math.expm1": (exponential.expm1, BOTH),
    "math.log": (logarithm.log, BOTH),
    "math.log1p": (logarithm.log1p, BOTH),
    "math.log2": (logarithm.log2, BOTH),
    "math.log10": (logarithm.log10, BOTH),
    "math.tanh": (hyperbolic.tanh, BOTH),
    "math.sin": (trigonometric.sin, BOTH),
    "math.cos": (trigonometric.cos, BOTH),
    "math.tan": (trigonometric.tan, BOTH),
    "math.atan": (trigonometric.atan, BOTH),
    "math.atan2": (trigonometric.atan2, BOTH),
    "math.erf": (error_function.erf, SINGLE),
    "math.powf": (power.pow, BOTH),
    "math.cbrt": (power.cbrt, BOTH),
    "math.rsqrt": (power.rsqrt, BOTH),
}
"""The expansion of each op and the element widths it is for."""

NARROW: dict[str, Callable[[Number], Number]] = {"math.erf": error_function.narrow_erf}
"""Expansions in f32 whose results are only used rounded to bf16 or f16."""

SCALAR_ONLY = {
    f"math.{name}"
    for name in ("acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "cosh", "erf", "erfc", "sinh")
}
"""Ops that LLVM has no vector form for: without an expansion each lane is a call of libm."""

BOUNDED = {"math.sin", "math.cos", "math.tan"}


@register_pass
@dataclass(frozen=True)
class ExpandMath(Pass):
    """Replaces elementary functions by vector arithmetic."""

    def run(self, module: ir.Module) -> None:
        with module.context:
            for op in ops_named(module, {*EXPANSIONS, *SCALAR_ONLY}):
                if _width(op.operands[0].type) in EXPANSIONS.get(op.name, (None, ()))[1]:
                    _expand(op)
                elif op.name in SCALAR_ONLY and isinstance(op.operands[0].type, ir.VectorType):
                    _unroll(op)


def _width(type: ir.Type) -> int:
    """32 or 64 for f32, f64 and vectors of them; 0 for anything else."""
    return {ir.F32Type: 32, ir.F64Type: 64}.get(_element(type).__class__, 0)


def _expand(op: ir.Operation) -> None:
    operands = [Number(v) for v in op.operands]
    expansion = NARROW[op.name] if op.name in NARROW and _is_narrow(op) else EXPANSIONS[op.name][0]
    with op.location, ir.InsertionPoint(op):
        result = _with_fallback(op, operands) if op.name in BOUNDED else expansion(*operands).value
    op.results[0].replace_all_uses_with(result)
    op.erase()


def _is_narrow(op: ir.Operation) -> bool:
    """Whether the result is only used rounded to 16 bits or fewer."""
    users = [use.owner for use in op.results[0].uses]
    return all(u.name == "arith.truncf" and _element(u.results[0].type).width <= 16 for u in users)


def _element(type: ir.Type) -> ir.Type:
    return ir.VectorType(type).element_type if isinstance(type, ir.VectorType) else type


def _with_fallback(op: ir.Operation, operands: list[Number]) -> ir.Value:
    """The op itself where a lane is beyond its expansion's range. (Its copy is not visited again.)"""
    (x,) = operands
    large = any_lane(compare(absolute(x), ">", trigonometric.LARGEST[x.bits]))
    branch = scf.IfOp(large, [op.results[0].type], has_else=True)
    with ir.InsertionPoint(branch.then_block):
        scf.YieldOp([op.clone().results[0]])
    with ir.InsertionPoint(branch.else_block):
        scf.YieldOp([EXPANSIONS[op.name][0](x).value])
    return branch.results[0]


def _unroll(op: ir.Operation) -> None:
    """One scalar op a lane."""
    kind = ir.VectorType(op.results[0].type)
    with op.location, ir.InsertionPoint(op):
        result = arith.constant(kind, ir.DenseElementsAttr.get_splat(kind, ir.FloatAttr.get(kind.element_type, 0.0)))
        for lane in range(kind.shape[0]):
            operands = [vector.extract(v, [], [lane]) for v in op.operands]
            one = ir.Operation.create(op.name, results=[kind.element_type], operands=operands).result
            result = vector.insert(one, result, [], [lane])
    op.results[0].replace_all_uses_with(result)
    op.erase()
