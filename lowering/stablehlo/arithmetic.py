"""Tensors that build StableHLO with Python's operators, at the current insertion point and location.

    x = Tensor(op.operand)
    y = select(x < 0.0, -x, sqrt(x * x + 1.0))

A number that is combined with a tensor is a constant of the tensor's type. Operators and functions are elementwise, but
for those at the end, which move elements or reduce them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from mlir import ir

from hlo.dialect.attributes import DotDimensionNumbers
from hlo.dialect.choices import Chosen
from hlo.dialect.elements import DTYPES
from hlo.dialect.stablehlo import (
    BroadcastInDimOp,
    ConcatenateOp,
    DotGeneralOp,
    DynamicSliceOp,
    DynamicUpdateSliceOp,
    GatherOp,
    IotaOp,
    PadOp,
    ReduceOp,
    SliceOp,
    TransposeOp,
)
from hlo.dialect.structures import GatherDimensionNumbers
from hlo.dialect.types import (
    bit_width,
    element_type,
    is_complex,
    is_float,
    is_narrow_float,
    is_unsigned,
    shape,
    tensor,
    with_element,
)
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.operators import Operators
from hlo.lowering.stablehlo.constants import constant_of
from hlo.lowering.stablehlo.rewriting import fill_region

Number = int | float

_MNEMONICS = {"sub": "subtract", "mul": "multiply", "div": "divide"}
"""Of operators, where it is not their name."""


@dataclass(frozen=True)
class Tensor(Operators):
    value: ir.Value

    @property
    def type(self) -> ir.Type:
        return self.value.type

    @property
    def element(self) -> ir.Type:
        return element_type(self.value.type)

    @property
    def shape(self) -> list[int]:
        return list(ir.RankedTensorType(self.value.type).shape)

    def of(self, number: Tensor | Number) -> Tensor:
        return constant_like(self, number)

    def combined(self, name: str, other: Tensor | Number) -> Tensor:
        return build(_MNEMONICS.get(name, name), self, other)

    def __lshift__(self, other):
        return build("shift_left", self, other)

    def __rshift__(self, other):
        """The logical shift."""
        return build("shift_right_logical", self, other)

    def __neg__(self):
        return build("negate", self)

    def __invert__(self):
        return build("not", self)

    def __lt__(self, other):
        return compare("LT", self, other)

    def __le__(self, other):
        return compare("LE", self, other)

    def __gt__(self, other):
        return compare("GT", self, other)

    def __ge__(self, other):
        return compare("GE", self, other)

    def equals(self, other: Tensor | Number) -> Tensor:
        return compare("EQ", self, other)

    def differs(self, other: Tensor | Number) -> Tensor:
        return compare("NE", self, other)


def create(name: str, results: Sequence[ir.Type], operands: Sequence[Tensor], **attributes: ir.Attribute) -> ir.OpView:
    """A stablehlo op at the current insertion point."""
    return ir.Operation.create(
        f"stablehlo.{name}", list(results), [x.value for x in operands], attributes=attributes
    ).opview


def build(name: str, first: Tensor, *others: Tensor | Number) -> Tensor:
    """An elementwise op whose result has the type of its first operand."""
    operands = [first, *(constant_like(first, x) for x in others)]
    return Tensor(create(name, [first.type], operands).results[0])


def compare(direction: str, lhs: Tensor, rhs: Tensor | Number) -> Tensor:
    element = lhs.element
    kind = "FLOAT" if is_float(element) else "UNSIGNED" if is_unsigned(element) else "SIGNED"
    return Tensor(
        create(
            "compare",
            [with_element(lhs.type, ir.IntegerType.get_signless(1))],
            [lhs, constant_like(lhs, rhs)],
            comparison_direction=ir.StringAttr.get(direction),
            compare_type=ir.StringAttr.get(kind),
        ).results[0]
    )


def select(pred: Tensor, on_true: Tensor | Number, on_false: Tensor | Number) -> Tensor:
    like = on_true if isinstance(on_true, Tensor) else on_false
    assert isinstance(like, Tensor), "one choice is a tensor"
    operands = [pred, constant_like(like, on_true), constant_like(like, on_false)]
    return Tensor(create("select", [like.type], operands).results[0])


def reshaped(x: Tensor, sizes: Sequence[int]) -> Tensor:
    if x.shape == list(sizes):
        return x
    return Tensor(create("reshape", [tensor(sizes, x.element)], [x]).results[0])


def convert(x: Tensor, element: ir.Type) -> Tensor:
    if x.element == element:
        return x
    return Tensor(create("convert", [with_element(x.type, element)], [x]).results[0])


def bitcast(x: Tensor, element: ir.Type) -> Tensor:
    return Tensor(create("bitcast_convert", [with_element(x.type, element)], [x]).results[0])


def constant_like(like: Tensor, number: Tensor | Number) -> Tensor:
    """A number in the shape and type of a tensor; a tensor is itself."""
    return number if isinstance(number, Tensor) else constant(like.type, number)


def constant(t: ir.Type, number: Number) -> Tensor:
    """A splat constant of integers, wrapped to their width, or of floats."""
    with np.errstate(all="ignore"):
        value = np.asarray(number).astype(DTYPES[str(element_type(t))])
    return Tensor(constant_of(np.broadcast_to(value, shape(t)), t))


def _unary(name: str) -> Callable[[Tensor], Tensor]:
    return lambda x: build(name, x)


cos, sin, exp, expm1 = map(_unary, ("cosine", "sine", "exponential", "exponential_minus_one"))
log, log1p, floor, ceil = map(_unary, ("log", "log_plus_one", "floor", "ceil"))
sqrt, rsqrt = map(_unary, ("sqrt", "rsqrt"))
sign, tan, tanh = map(_unary, ("sign", "tan", "tanh"))


def absolute(x: Tensor) -> Tensor:
    element = ir.ComplexType(x.element).element_type if is_complex(x.element) else x.element
    return Tensor(create("abs", [with_element(x.type, element)], [x]).results[0])


def atan2(y: Tensor, x: Tensor | Number) -> Tensor:
    return build("atan2", y, x)


def power(x: Tensor, y: Tensor | Number) -> Tensor:
    return build("power", x, y)


def maximum(x: Tensor, y: Tensor | Number) -> Tensor:
    return build("maximum", x, y)


def minimum(x: Tensor, y: Tensor | Number) -> Tensor:
    return build("minimum", x, y)


def real(x: Tensor) -> Tensor:
    return _part("real", x)


def imag(x: Tensor) -> Tensor:
    return _part("imag", x)


def _part(name: str, x: Tensor) -> Tensor:
    return Tensor(create(name, [with_element(x.type, ir.ComplexType(x.element).element_type)], [x]).results[0])


def make_complex(re: Tensor, im: Tensor) -> Tensor:
    return Tensor(create("complex", [with_element(re.type, ir.ComplexType.get(re.element))], [re, im]).results[0])


def polynomial(x: Tensor, coefficients: Sequence[float]) -> Tensor:
    """By Horner's rule, from the coefficient of the highest power down."""
    result = constant_like(x, coefficients[0])
    for coefficient in coefficients[1:]:
        result = result * x + coefficient
    return result


def with_sign_of(magnitude: Tensor, x: Tensor) -> Tensor:
    """`magnitude` (not negative) negated where x is negative; a zero keeps the sign of x."""
    return select(x < 0.0, -magnitude, select(x.equals(0.0), x, magnitude))


def copy_sign(magnitude: Tensor, x: Tensor) -> Tensor:
    """`magnitude` (not negative) with the sign of x, also of a zero."""
    unsigned = unsigned_like(x)
    sign_bit = 1 << (bit_width(x.element) - 1)
    return bitcast(bitcast(magnitude, unsigned) | (bitcast(x, unsigned) & sign_bit), x.element)


def unsigned_like(x: Tensor) -> ir.Type:
    """The unsigned integer type of a float's width."""
    return ir.IntegerType.get_unsigned(bit_width(x.element))


# Ops that move elements, and reductions.


def iota(t: ir.Type, dimension: int) -> Tensor:
    """The position of each element along a dimension."""
    return Tensor(IotaOp.create(results=[t], iota_dimension=dimension).result)


def broadcast(x: Tensor, sizes: Sequence[int], dimensions: Sequence[int] = ()) -> Tensor:
    """`dimensions`: those of the result that are the dimensions of x."""
    t = tensor(sizes, x.element)
    return Tensor(BroadcastInDimOp.create(x.value, results=[t], broadcast_dimensions=dimensions).result)


def transposed(x: Tensor, permutation: Sequence[int]) -> Tensor:
    return (
        x
        if list(permutation) == sorted(permutation)
        else Tensor(TransposeOp.create(x.value, permutation=permutation).result)
    )


def sliced(x: Tensor, starts: Sequence[int], limits: Sequence[int]) -> Tensor:
    """Every element from `starts` to `limits`."""
    ones = [1] * len(starts)
    return Tensor(SliceOp.create(x.value, start_indices=starts, limit_indices=limits, strides=ones).result)


def part_along(x: Tensor, dimension: int, start: Tensor | int, size: int) -> Tensor:
    """The `size` elements of a dimension from an index on, which the program may compute."""
    if not isinstance(start, int):
        sizes = [size if d == dimension else n for d, n in enumerate(x.shape)]
        return Tensor(DynamicSliceOp.create(x.value, *_starts_along(x, dimension, start), slice_sizes=sizes).result)
    starts, limits = [0] * len(x.shape), x.shape
    starts[dimension], limits[dimension] = start, start + size
    return x if limits == x.shape and not start else sliced(x, starts, limits)


def put_along(x: Tensor, dimension: int, start: Tensor, part: Tensor) -> Tensor:
    """x with other elements from an index of a dimension on, which the program computes."""
    return Tensor(DynamicUpdateSliceOp.create(x.value, part.value, *_starts_along(x, dimension, start)).result)


def scalar_at(x: Tensor, *index: int) -> Tensor:
    """One element."""
    return reshaped(sliced(x, index, [i + 1 for i in index]), [])


def elements_at(x: Tensor, positions: Tensor, dimension: int) -> Tensor:
    """Those at positions of one dimension, which are clamped."""
    sizes = x.shape
    numbers = GatherDimensionNumbers(
        offset_dims=tuple(d for d in range(len(sizes)) if d != dimension),
        collapsed_slice_dims=(dimension,),
        start_index_map=(dimension,),
        index_vector_dim=1,
    )
    slice_sizes = [1 if d == dimension else n for d, n in enumerate(sizes)]
    return Tensor(GatherOp.create(x.value, positions.value, dimension_numbers=numbers, slice_sizes=slice_sizes).result)


def _starts_along(x: Tensor, dimension: int, start: Tensor) -> list[ir.Value]:
    """The start indices of a part along one dimension."""
    zero = constant_like(start, 0).value
    return [start.value if d == dimension else zero for d in range(len(x.shape))]


def padded(x: Tensor, value: Tensor, low: Sequence[int], high: Sequence[int]) -> Tensor:
    none = [0] * len(low)
    made = PadOp.create(x.value, value.value, edge_padding_low=low, edge_padding_high=high, interior_padding=none)
    return Tensor(made.result)


def leading(x: Tensor, sizes: Sequence[int]) -> Tensor:
    """The first elements of each dimension."""
    return x if x.shape == list(sizes) else sliced(x, [0] * len(sizes), sizes)


def joined(parts: Sequence[Tensor], dimension: int) -> Tensor:
    """One after the other; a negative dimension counts from the last."""
    return Tensor(ConcatenateOp.create(*(x.value for x in parts), dimension=dimension % len(parts[0].shape)).result)


Dimensions = tuple[Sequence[int], Sequence[int]]
"""Of lhs, and of rhs."""


def dot(
    lhs: Tensor,
    rhs: Tensor,
    contracting: Dimensions,
    batching: Dimensions = ((), ()),
    element: ir.Type | None = None,
    **more: Any,
) -> Tensor:
    """A dot_general: batching dimensions, then the free ones of lhs and of rhs. `element`: of the result, that of lhs
    if nothing is said. `more`: other attributes."""
    numbers = DotDimensionNumbers(*map(tuple, batching), *map(tuple, contracting))
    chosen = Chosen(element=element or lhs.element)
    made = DotGeneralOp.create(lhs.value, rhs.value, dot_dimension_numbers=numbers, chosen=chosen, **more)
    return Tensor(made.result)


def reduced(x: Tensor, dimensions: Sequence[int], name: str = "add", start: Number | Tensor = 0) -> Tensor:
    """`name`: of the op that combines two elements; `start`: a number, or a scalar of x's type. Small floats are added
    up in f32 and rounded once."""
    if name == "add" and is_narrow_float(x.element):
        return convert(reduced(convert(x, ir.F32Type.get()), dimensions, name, start), x.element)
    scalar = tensor([], x.element)
    t = tensor([n for d, n in enumerate(x.shape) if d not in dimensions], x.element)
    first = start if isinstance(start, Tensor) else constant(scalar, start)
    op = ReduceOp.create(x.value, first.value, results=[t], dimensions=dimensions)
    fill_region(op.regions[0], [scalar] * 2, lambda a, b: [build(name, Tensor(a), Tensor(b)).value])
    return Tensor(op.results[0])
