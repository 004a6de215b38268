"""CHLO ops, the functions that frameworks write above StableHLO, become StableHLO."""

from __future__ import annotations

from mlir import ir

from hlo.dialect.chlo.functions import IsInfOp, IsNegInfOp, IsPosInfOp, SquareOp, TanOp
from hlo.dialect.locations import diagnostic
from hlo.dialect.types import element_type, is_complex
from hlo.errors import CompileError
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.replacing import rewrite
from hlo.lowering.stablehlo.arithmetic import Tensor, absolute, imag, make_complex, real, select, tan
from hlo.lowering.stablehlo.chlo import (  # noqa: F401
    bessel_function,
    bit_functions,
    broadcasting,
    error_functions,
    gamma_functions,
    inverse_functions,
    ragged_dot,
    scan,
    structured,
)
from hlo.lowering.stablehlo.chlo.table import LONG, computes, legalizes
from hlo.lowering.stablehlo.constants import splat
from hlo.lowering.stablehlo.rewriting import each_op


@register_pass
class LegalizeChlo(Pass):
    """Replaces every chlo op by StableHLO ops (but for those that is_kept tells).

    %0 = chlo.square %x : tensor<f32> -> tensor<f32>    becomes    %0 = stablehlo.multiply %x, %x : tensor<f32>

    Elementwise functions of floats narrower than f32 are computed in f32, those of the gamma and Bessel families in
    f64, and rounded once."""

    def run(self, module: ir.Module) -> None:
        for op in each_op(module):
            if op.operation.name.startswith("chlo.") and not is_kept(op):
                legalize(op)


def is_kept(op: ir.OpView) -> bool:
    """Long functions are one linalg.generic of the linalg phase: the passes in between need not visit a hundred ops.
    Those of constants are folded instead."""
    return type(op) in LONG and (is_math_op(op) or any(splat(v) is None for v in op.operands))


def is_math_op(op: ir.OpView) -> bool:
    """erf up to f32 is one math op of the linalg phase: shorter and more exact than its decomposition."""
    return op.operation.name == "chlo.erf" and str(element_type(op.results[0].type)) in ("bf16", "f16", "f32")


def legalize(op: ir.OpView) -> None:
    """Replaces one op."""
    rule = legalizes.get(op.operation.name)
    if rule is None:
        raise CompileError(diagnostic(op, f"'{op.operation.name}' has no decomposition into StableHLO"))
    rewrite(op, rule)


computes(TanOp)(tan)


@computes(SquareOp, None)
def _square(x: Tensor) -> Tensor:
    """Of a complex number: (a + b) (a - b) and 2 a b, whose parts overflow only where the square's do; parts of one size
    cancel, also where their sum overflows (infinite ones do not: NaN, as C99's product)."""
    if not is_complex(x.element):
        return x * x
    re, im = real(x), imag(x)
    half = re * im
    is_cancelled = absolute(re).equals(absolute(im)) & (absolute(re) < float("inf"))
    return make_complex(select(is_cancelled, 0.0, (re - im) * (re + im)), half + half)


@computes(IsInfOp, None)
def _is_inf(x: Tensor) -> Tensor:
    return absolute(x).equals(float("inf"))


@computes(IsPosInfOp, None)
def _is_pos_inf(x: Tensor) -> Tensor:
    return x.equals(float("inf"))


@computes(IsNegInfOp, None)
def _is_neg_inf(x: Tensor) -> Tensor:
    return x.equals(float("-inf"))
