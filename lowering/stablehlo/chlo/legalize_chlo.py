"""CHLO ops, the functions that frameworks write above StableHLO, become StableHLO."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mlir import ir

from hlo.dialect.types import element_type, is_complex, is_float
from hlo.errors import CompileError
from hlo.lowering.linalg.rules import located
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.stablehlo.arithmetic import Tensor, absolute, convert, imag, make_complex, real, select, tan
from hlo.lowering.stablehlo.chlo import error_functions as errors
from hlo.lowering.stablehlo.chlo import gamma_functions as gamma
from hlo.lowering.stablehlo.chlo import inverse_functions as inverse
from hlo.lowering.stablehlo.chlo.bessel_function import bessel_i1e
from hlo.lowering.stablehlo.chlo.bit_functions import conj, mulhi, next_after
from hlo.lowering.stablehlo.chlo.broadcasting import BROADCASTS, lower_broadcast
from hlo.lowering.stablehlo.chlo.structured import STRUCTURED
from hlo.lowering.stablehlo.rewriting import each_op, replace


@register_pass
class LegalizeChlo(Pass):
    """Replaces every chlo op by StableHLO ops (erf up to f32 stays: see is_kept).

    %0 = chlo.square %x : tensor<f32> -> tensor<f32>    becomes    %0 = stablehlo.multiply %x, %x : tensor<f32>

    Elementwise functions of floats narrower than f32 are computed in f32, those of the gamma and Bessel families in
    f64, and rounded once."""

    def run(self, module: ir.Module) -> None:
        for op in each_op(module):
            if op.operation.name.startswith("chlo.") and not is_kept(op):
                _legalize(op)


def is_kept(op: ir.OpView) -> bool:
    """erf up to f32 is one math op of the linalg phase: shorter and more exact than its decomposition."""
    return op.operation.name == "chlo.erf" and str(element_type(op.results[0].type)) in ("bf16", "f16", "f32")


def _legalize(op: ir.OpView) -> None:
    mnemonic = op.operation.name.removeprefix("chlo.")
    with ir.InsertionPoint(op), op.location:
        if mnemonic in FUNCTIONS:
            values = [_call(FUNCTIONS[mnemonic], op)]
        elif mnemonic in BROADCASTS:
            values = [lower_broadcast(op)]
        elif mnemonic in STRUCTURED:
            values = STRUCTURED[mnemonic](op)
        else:
            raise CompileError(located(op, f"'{op.operation.name}' has no decomposition into StableHLO"))
    replace(op, values)
    if mnemonic in BROADCASTS and values[0].owner.name.startswith("chlo."):
        _legalize(values[0].owner.opview)


@dataclass(frozen=True)
class Function:
    """An elementwise function, and the narrowest float it is computed in (None: any type, as it is)."""

    build: Callable[..., Tensor]
    computed_in: str | None = "f32"


def _call(function: Function, op: ir.OpView) -> ir.Value:
    operands = [Tensor(v) for v in op.operands]
    if function.computed_in is not None and is_float(operands[0].element):
        wide = ir.Type.parse(function.computed_in)
        operands = [convert(x, wide) if _width(x.element) < _width(wide) else x for x in operands]
    result = function.build(*operands)
    return convert(result, element_type(op.results[0].type)).value


def _width(t: Any) -> int:
    return ir.FloatType(t).width


def _square(x: Tensor) -> Tensor:
    """Of a complex number: (a + b) (a - b) and 2 a b, whose parts overflow only where the square's do; parts of one size
    cancel, also where their sum overflows (infinite ones do not: NaN, as C99's product)."""
    if not is_complex(x.element):
        return x * x
    re, im = real(x), imag(x)
    half = re * im
    is_cancelled = absolute(re).equals(absolute(im)) & (absolute(re) < float("inf"))
    return make_complex(select(is_cancelled, 0.0, (re - im) * (re + im)), half + half)


def _is_inf(x: Tensor) -> Tensor:
    return absolute(x).equals(float("inf"))


FUNCTIONS: dict[str, Function] = {
    "acos": Function(inverse.acos),
    "acosh": Function(inverse.acosh),
    "_asin_acos_kernel": Function(inverse.asin_acos_kernel),
    "asin": Function(inverse.asin),
    "asinh": Function(inverse.asinh),
    "atan": Function(inverse.atan),
    "atanh": Function(inverse.atanh),
    "bessel_i1e": Function(bessel_i1e, "f64"),
    "conj": Function(conj, None),
    "cosh": Function(inverse.cosh),
    "digamma": Function(gamma.digamma, "f64"),
    "erf": Function(errors.erf),
    "erf_inv": Function(errors.erf_inv),
    "erfc": Function(errors.erfc),
    "is_inf": Function(_is_inf, None),
    "is_neg_inf": Function(lambda x: x.equals(float("-inf")), None),
    "is_pos_inf": Function(lambda x: x.equals(float("inf")), None),
    "lgamma": Function(gamma.lgamma, "f64"),
    "mulhi": Function(mulhi, None),
    "next_after": Function(next_after, None),
    "polygamma": Function(gamma.polygamma, "f64"),
    "sinh": Function(inverse.sinh),
    "square": Function(_square, None),
    "tan": Function(tan),
    "zeta": Function(gamma.zeta, "f64"),
}
"""The elementwise functions by mnemonic."""
