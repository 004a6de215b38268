"""The pass `expand-math`: math ops on f32 and f64, scalar or vector, become arithmetic (lowering/vector/math).

Before:  %1 = math.exp %0 : vector<16xf32>
After:   %1 = ... math.roundeven, math.fma, arith ...

What has no expansion (a row missing in EXPANSIONS) stays, for libm. Angles too large for the reduction are handed to
libm by a branch that ordinary programs never take."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from mlir import ir
from mlir.dialects import arith, scf, vector

from hlo.lowering.finding import made_by, ops_named
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.vector.math import error_function, exponential, hyperbolic, logarithm, power, trigonometric
from hlo.lowering.vector.math.exponents import ARITHMETIC, ExponentInstructions, Exponents
from hlo.lowering.vector.math.number import Number, absolute, any_lane, compare
from hlo.lowering.vector.target import target

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

NARROW: dict[str, Callable[..., Number]] = {
    "math.erf": error_function.narrow_erf,
    "math.powf": power.narrow_pow,
    "math.sin": trigonometric.narrow_sin,
    "math.cos": trigonometric.narrow_cos,
    "math.tan": trigonometric.narrow_tan,
}
"""Expansions in f32 whose results are only used rounded to bf16 or f16."""

SCALAR_ONLY = {
    f"math.{name}"
    for name in ("acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "cosh", "erf", "erfc", "sinh")
}
"""Ops that LLVM has no vector form for: without an expansion each lane is a call of libm."""

BY_EXPONENTS = {
    exponential.exp,
    exponential.exp2,
    logarithm.log,
    logarithm.log2,
    logarithm.log10,
    error_function.erf,
    power.pow,
    power.narrow_pow,
    power.cbrt,
}
"""Expansions that take apart or make exponents."""

BOUNDED = {"math.sin", "math.cos", "math.tan"}
"""Of angles. Their narrow expansions are for arguments that are numbers of 16 bits, too."""


@register_pass
@dataclass(frozen=True)
class ExpandMath(Pass):
    """Replaces elementary functions by vector arithmetic, and instructions for exponents where a processor has them."""

    target: str = "baseline"

    def run(self, module: ir.Module) -> None:
        exponents = ExponentInstructions() if target(self.target).has_exponents else ARITHMETIC
        with module.context:
            for op in ops_named(module, {*EXPANSIONS, *SCALAR_ONLY}):
                if _width(op.operands[0].type) in EXPANSIONS.get(op.name, (None, ()))[1]:
                    _expand(op, exponents)
                elif op.name in SCALAR_ONLY and isinstance(op.operands[0].type, ir.VectorType):
                    _unroll(op)


def _width(type: ir.Type) -> int:
    """32 or 64 for f32, f64 and vectors of them; 0 for anything else."""
    return {ir.F32Type: 32, ir.F64Type: 64}.get(_element(type).__class__, 0)


def _expand(op: ir.Operation, exponents: Exponents) -> None:
    operands = [Number(v) for v in op.operands]
    is_narrow = op.name in NARROW and _is_narrow(op)
    expansion = NARROW[op.name] if is_narrow else EXPANSIONS[op.name][0]
    if expansion in BY_EXPONENTS:
        expansion = partial(expansion, exponents=exponents)
    with op.location, ir.InsertionPoint(op):
        largest = _largest(op, is_narrow)
        result = (
            expansion(*operands) if largest is None else _with_fallback(op, expansion, operands[0], largest)
        ).value
    op.results[0].replace_all_uses_with(result)
    op.erase()


def _is_narrow(op: ir.Operation) -> bool:
    """Whether the result is only used rounded to 16 bits or fewer, and an angle has no more."""
    users = [use.owner for use in op.results[0].uses]
    is_rounded = all(u.name == "arith.truncf" and _element(u.results[0].type).width <= 16 for u in users)
    return is_rounded and (op.name not in BOUNDED or _unextended(op.operands[0]).width <= 16)


def _unextended(value: ir.Value) -> ir.FloatType:
    """The type of the numbers that a value has, before they were extended."""
    op = made_by(value, "arith.extf")
    return _element(value.type if op is None else op.operands[0].type)


def _largest(op: ir.Operation, is_narrow: bool) -> float | None:
    """The largest angle that an expansion is for; None: any."""
    if op.name not in BOUNDED or (is_narrow and isinstance(_unextended(op.operands[0]), ir.F16Type)):
        return None
    return trigonometric.LARGEST_NARROW if is_narrow else trigonometric.LARGEST[_width(op.operands[0].type)]


def _element(type: ir.Type) -> ir.Type:
    return ir.VectorType(type).element_type if isinstance(type, ir.VectorType) else type


def _with_fallback(op: ir.Operation, expansion: Callable[..., Number], x: Number, largest: float) -> Number:
    """The op itself where a lane is beyond its expansion's range. (Its copy is not visited again.)"""
    large = any_lane(compare(absolute(x), ">", largest))
    branch = scf.IfOp(large, [op.results[0].type], has_else=True)
    with ir.InsertionPoint(branch.then_block):
        scf.YieldOp([op.clone().results[0]])
    with ir.InsertionPoint(branch.else_block):
        scf.YieldOp([expansion(x).value])
    return Number(branch.results[0])


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
