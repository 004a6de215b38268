"""dot_general, and the one form that all contractions (convolutions too) have as linalg.

A contraction is one `linalg.generic` into a `linalg.fill` of zero:

- inputs: lhs and rhs as they are, never transposed; the maps say which dimension is which;
- iterators: batch, the free dimensions of lhs, the free dimensions of rhs (parallel), then what is contracted
  (reduction). A convolution: groups, batch, output spatial, output features, then kernel spatial and input feature; its
  lhs map holds `o * stride + k * dilation`;
- body: both inputs widened to the accumulator's type (`arith.extf`, `extsi`, `extui`; nothing when equal), then
  `mul(lhs, rhs)`, then `add(accumulator, product)`: addf/mulf, addi/muli, those of `complex`, ori/andi for booleans.

bf16 and f16 are accumulated in f32; a second, elementwise generic then converts the result, also where it is of another kind than the
operands: floats of real or integer operands become complex numbers, sums of complex numbers lose their imaginary parts, floats become
integers. Operands that have a complex accumulator of another type are converted in front of the generic.

What the program allows inputs to be rounded to first (`algorithm`, one product of one part each) is an attribute of the
generic, `hlo.rounded_inputs`. Exact inputs are as good, also for an `algorithm` of several products of parts of f32."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from mlir import ir
from mlir.dialects import arith, complex

from hlo.dialect.locations import diagnostic
from hlo.dialect.stablehlo import DotGeneralOp
from hlo.dialect.types import element_type, is_bool, is_complex, is_float
from hlo.errors import CompileError
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.loops import element, shape, zero
from hlo.lowering.linalg.rules import Lowering, lowers, signless
from hlo.lowering.linalg.scalar.conversion import convert
from hlo.lowering.linalg.structured import elementwise, fill, generic


@dataclass(frozen=True)
class Contraction:
    """The index spaces of a contraction: maps of lhs, rhs and result, and how many of the loops reduce."""

    maps: tuple[ir.AffineMap, ir.AffineMap, ir.AffineMap]
    parallel: int
    reduction: int

    @staticmethod
    def of(
        tensors: Sequence[Sequence[Any]],
        parallel: Sequence[Any],
        reduction: Sequence[Any],
        windows: Mapping[Any, ir.AffineExpr] | None = None,
    ) -> Contraction:
        """From the labels of the dimensions of lhs, rhs and result, and those of the loops. `windows`: dimensions of
        lhs that are no loop."""
        order = [*parallel, *reduction]
        indices = {label: ir.AffineExpr.get_dim(loop) for loop, label in enumerate(order)}
        of_tensors = {**indices, **(windows or {})}, indices, indices
        maps = [
            ir.AffineMap.get(len(order), 0, [at[label] for label in labels]) for at, labels in zip(of_tensors, tensors)
        ]
        return Contraction(tuple(maps), len(parallel), len(reduction))  # type: ignore[arg-type]

    @property
    def iterators(self) -> list[str]:
        return ["parallel"] * self.parallel + ["reduction"] * self.reduction

    def sizes(self, *extents: Sequence[int]) -> dict[int, int]:
        """How often each loop runs. `extents`: of lhs, rhs and the result."""
        sizes = {}
        for access, shape_ in zip(self.maps, extents, strict=True):
            plain = [(e, n) for e, n in zip(access.results, shape_) if isinstance(e, ir.AffineDimExpr)]
            sizes.update({e.position: n for e, n in plain})
        return sizes


@lowers(DotGeneralOp)
def lower_dot_general(op: DotGeneralOp, lowering: Lowering) -> ir.Value:
    """The loops are batch, m, n, contracted."""
    numbers = op.dot_dimension_numbers
    lhs, rhs, result = numbers.labels(len(shape(op.lhs)), len(shape(op.rhs)))
    contracted = sorted(label for label in lhs if label not in result)
    loops = Contraction.of([lhs, rhs, result], result, contracted)
    return contract(op, lowering, lowering[op.lhs], lowering[op.rhs], loops, shape(op.results[0]))


def contract(
    op: ir.OpView, lowering: Lowering, lhs: ir.Value, rhs: ir.Value, loops: Contraction, result_shape: Sequence[int]
) -> ir.Value:
    """The canonical generic over `lhs` and `rhs`, narrowed to the element type of the op's result. `op` tells the
    signedness and the location; `result_shape` may split its dimensions (groups). Where a loop has no iterations there
    are no products: each sum is zero."""
    wanted = element(lowering.type(op.results[0].type))
    if 0 in loops.sizes(shape(lhs), shape(rhs), result_shape).values():
        return fill(zero(wanted), ir.RankedTensorType.get(list(result_shape), wanted))
    accumulator = accumulator_type(element(lhs), element(rhs), wanted)
    sources = [element_type(v.type) for v in (op.lhs, op.rhs)]
    if is_complex(accumulator):
        lhs, rhs = (_converted(v, source, accumulator) for v, source in zip((lhs, rhs), sources))
        sources = [accumulator, accumulator]
    widen = [partial(convert, source=source, target=accumulator) for source in sources]
    multiply, plus = _arithmetic(op, accumulator)

    def body(left: ir.Value, right: ir.Value, total: ir.Value) -> list[ir.Value]:
        return [plus(total, multiply(widen[0](left), widen[1](right)))]

    start = fill(zero(accumulator), ir.RankedTensorType.get(list(result_shape), accumulator))
    sums = generic([lhs, rhs], loops.maps[:2], [start], loops.maps[2:], loops.iterators, body)[0]
    if rounded := _rounded_inputs(op):
        sums.owner.attributes[ROUNDED_INPUTS] = ir.StringAttr.get(rounded)
    return sums if accumulator == wanted else _converted(sums, accumulator, element_type(op.results[0].type))


ROUNDED_INPUTS = "hlo.rounded_inputs"
ROUNDINGS = ("tf32", "bf16", "f16")


def _rounded_inputs(op: ir.OpView) -> str | None:
    """The type that the program allows f32 inputs to be rounded to, sums staying f32."""
    algorithm = op.algorithm if isinstance(op, DotGeneralOp) else None
    stored = {str(element_type(v.type)) for v in (op.lhs, op.rhs)}
    if algorithm is None or "f32" not in stored:
        return None
    parts = (algorithm.lhs_component_count, algorithm.rhs_component_count, algorithm.num_primitive_operations)
    kinds = {str(algorithm.lhs_precision_type), str(algorithm.rhs_precision_type)}
    if parts != (1, 1, 1) or len(kinds) != 1 or str(algorithm.accumulation_type) != "f32":
        return None
    (kind,) = kinds
    return kind if kind in ROUNDINGS and stored <= {"f32", kind} else None


def _converted(value: ir.Value, source: ir.Type, target: ir.Type) -> ir.Value:
    """A tensor with elements of another StableHLO type (with signedness)."""
    if source == target:
        return value
    result_type = ir.RankedTensorType.get(shape(value), signless(target))
    return elementwise([value], result_type, lambda number: convert(number, source, target))


def accumulator_type(lhs: ir.Type, rhs: ir.Type, result: ir.Type) -> ir.Type:
    """What products are summed in. Integers: the result's type, which may be a float. Floats: the widest float of the three, at least
    f32. Complex operands: complex numbers of the widest parts of the three."""
    operands = lhs, rhs
    parts = [ir.ComplexType(t).element_type if is_complex(t) else t for t in (*operands, result)]
    if not any(is_float(t) for t in parts[:2]) and not is_float(parts[2]):
        return result
    widths = [ir.FloatType(t).width for t in parts if is_float(t)]
    part = ir.F64Type.get() if max(widths) > 32 else ir.F32Type.get()
    return ir.ComplexType.get(part) if any(is_complex(t) for t in operands) else part


def _arithmetic(op: ir.OpView, accumulator: ir.Type) -> tuple[Callable, Callable]:
    """Multiplication and addition of an accumulator type; booleans: and, or."""
    if is_float(accumulator):
        return arith.mulf, arith.addf
    if is_bool(accumulator):
        return arith.andi, arith.ori
    if isinstance(accumulator, ir.IntegerType):
        return arith.muli, arith.addi
    if is_complex(accumulator):
        return complex.mul, complex.add
    raise CompileError(diagnostic(op, f"contraction into elements of type {accumulator} is not supported"))
