"""The pass `multiply-parts`: contractions of complex numbers that are large enough for tiles become four of real ones,
which tiles are made for.

Before:  %c = linalg.generic {C += A * B} ins(%a, %b : complex)
After:   %a_re, %a_im = parts of %a    %b_re, %b_im = parts of %b
         %rr = linalg.generic {C += A * B} ins(%a_re, %b_re)    %ii, %ri, %ir: the same of the other pairs
         %c = linalg.generic {complex(%rr - %ii, %ri + %ir)}"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith, complex

from hlo.lowering.finding import ops_within
from hlo.lowering.gpu.contraction.problem import problem_of
from hlo.lowering.linalg.loops import element, shape, zero
from hlo.lowering.linalg.structured import elementwise, fill, generic, iterators_of, maps_of, reduces
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.vector.contraction.emit import starts_from_zero


@register_pass
class MultiplyParts(Pass):
    """Multiplies real and imaginary parts of complex numbers."""

    def run(self, module: ir.Module) -> None:
        found = ops_within(module, reduces)
        for op in found:
            problem = problem_of(op)
            if problem is not None and problem.is_complex and problem.is_large and starts_from_zero(op.operands[2]):
                with ir.InsertionPoint(op), op.location:
                    op.results[0].replace_all_uses_with(_product(op))
                op.erase()


def _product(op: ir.Operation) -> ir.Value:
    """The result of a contraction of complex numbers, made of those of their parts."""
    maps, kind = maps_of(op), ir.RankedTensorType(op.results[0].type)
    sums = ir.RankedTensorType.get(kind.shape, kind.element_type.element_type)

    def real(a: ir.Value, b: ir.Value) -> ir.Value:
        start = fill(zero(sums.element_type), sums)
        body = lambda x, y, total: [arith.addf(total, arith.mulf(x, y))]
        return generic([a, b], maps[:2], [start], maps[2:], iterators_of(op), body)[0]

    def joined(rr: ir.Value, ii: ir.Value, ri: ir.Value, ir_: ir.Value) -> ir.Value:
        return complex.create_(kind.element_type, arith.subf(rr, ii), arith.addf(ri, ir_))

    (a_re, a_im), (b_re, b_im) = (_parts(v) for v in list(op.operands)[:2])
    products = [real(a, b) for a, b in ((a_re, b_re), (a_im, b_im), (a_re, b_im), (a_im, b_re))]
    return elementwise(products, kind, joined)


def _parts(value: ir.Value) -> list[ir.Value]:
    kind = ir.RankedTensorType.get(shape(value), element(value).element_type)
    return [elementwise([value], kind, part) for part in (complex.re, complex.im)]
