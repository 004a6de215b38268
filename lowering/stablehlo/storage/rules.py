"""Ops on small and quantized elements that are more than "load, compute, store". Used by legalize-element-types.

Each rule gets the op, its operands (container elements) and the storages of operands and result (None for plain types),
and returns the result in container elements."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from mlir import ir

from hlo.dialect.chlo.functions import MulhiOp
from hlo.dialect.definition import OPS
from hlo.dialect.op_table import OpTable
from hlo.dialect.stablehlo import (
    BitcastConvertOp,
    ConvertOp,
    CountLeadingZerosOp,
    PopcntOp,
    ReducePrecisionOp,
    ShiftRightArithmeticOp,
    ShiftRightLogicalOp,
    UniformDequantizeOp,
    UniformQuantizeOp,
)
from hlo.dialect.types import bit_width, element_type, is_complex, is_integer, shape, tensor
from hlo.lowering.stablehlo.arithmetic import (
    Tensor,
    absolute,
    bitcast,
    broadcast,
    build,
    constant_like,
    convert,
    create,
    iota,
    maximum,
    minimum,
    real,
    reduced,
    reshaped,
    select,
    with_sign_of,
)
from hlo.lowering.stablehlo.storage.kind import Storage
from hlo.lowering.stablehlo.storage.quantized import Quantized
from hlo.lowering.stablehlo.storage.small_floats import SmallFloat
from hlo.lowering.stablehlo.storage.small_integers import SmallInteger

Kinds = list[Storage | None]
Rule = Callable[[Any, list[Tensor], Kinds, Storage | None], Tensor]

legalizes_elements: OpTable[Rule] = OpTable("rule for small elements")
"""`@legalizes_elements(ConvertOp)`"""


@legalizes_elements(ConvertOp)
def lower_convert(op: Any, operands: list[Tensor], kinds: Kinds, result: Storage | None) -> Tensor:
    x = kinds[0].load(operands[0]) if kinds[0] else operands[0]
    if result is None:
        return convert(x, element_type(op.results[0].type))
    x = real(x) if is_complex(x.element) else x
    if isinstance(result, SmallInteger):
        return _to_integer(x, result)
    return result.store(x if result.accepts(x.element) else convert(x, _wide_float(x.element)))


def _to_integer(x: Tensor, kind: SmallInteger) -> Tensor:
    """Integers are wrapped, floats clamped, as conversions to whole bytes do."""
    narrow = convert(x, kind.container)
    if is_integer(x.element):
        return kind.store(narrow)
    return minimum(maximum(narrow, kind.least), kind.greatest)


def _wide_float(element: ir.Type) -> ir.Type:
    """A float type that holds the numbers of another type exactly (64-bit integers nearly)."""
    return ir.F64Type.get() if is_integer(element) and bit_width(element) > 16 else ir.F32Type.get()


@legalizes_elements(UniformDequantizeOp, UniformQuantizeOp)
def lower_quantize(op: Any, operands: list[Tensor], kinds: Kinds, result: Storage | None) -> Tensor:
    x = kinds[0].load(operands[0]) if kinds[0] else operands[0]
    return result.store(x) if result else x


@legalizes_elements(BitcastConvertOp)
def lower_bitcast(op: Any, operands: list[Tensor], kinds: Kinds, result: Storage | None) -> Tensor:
    """Bits go through bytes; elements of less than a byte are split off bytes and joined to bytes."""
    (x,), (kind,), sizes, element = operands, kinds, shape(op.results[0].type), element_type(op.results[0].type)
    old, new = bit_width(kind.element if kind else x.element), bit_width(element)
    container = result.container if result else element
    if min(old, new) >= 8:
        return _as(x, container, sizes)
    old, new = min(old, 8), min(new, 8)
    bits = _bytes(x) & ((1 << old) - 1)
    pieces = _split(bits, old, new) if old > new else _join(bits, old, new) if old < new else bits
    if new == 8:
        return _as(pieces, container, sizes)
    integers = result.small if isinstance(result, Quantized) else result
    if isinstance(integers, SmallInteger):
        return integers.store(bitcast(reshaped(pieces, sizes), container))
    cut = reshaped(pieces & ((1 << new) - 1) if old > new else pieces, sizes)
    return convert(cut, element) if new == 1 else cut


def _bytes(x: Tensor) -> Tensor:
    """Plain elements as bytes, along a new last dimension where they are several."""
    if bit_width(x.element) == 1:
        return convert(x, ir.IntegerType.get_unsigned(8))
    count = bit_width(x.element) // 8
    return _as(x, ir.IntegerType.get_unsigned(8), (*x.shape, count) if count > 1 else tuple(x.shape))


def _as(x: Tensor, element: ir.Type, sizes: tuple[int, ...]) -> Tensor:
    return Tensor(create("bitcast_convert", [tensor(sizes, element)], [x]).results[0])


def _shifts(t: ir.Type, width: int) -> Tensor:
    """0, width, 2 width, ... along the last dimension."""
    return iota(t, len(shape(t)) - 1) * width


def _split(x: Tensor, width: int, piece: int) -> Tensor:
    """Each integer as pieces along a new last dimension, the lowest bits first."""
    spread = broadcast(x, [*x.shape, width // piece], range(len(x.shape)))
    return spread >> _shifts(spread.type, piece)


def _join(x: Tensor, piece: int, width: int) -> Tensor:
    """Integers of a width out of pieces along the last dimension, the lowest bits first."""
    count = width // piece
    t = tensor([prod(x.shape) // count, count], x.element)
    pieces = reshaped(x, shape(t)) << _shifts(t, piece)
    joined = reshaped(reduced(pieces, [1], "or"), [*x.shape[:-1], x.shape[-1] // count])
    return joined if joined.shape[-1] > 1 else reshaped(joined, tuple(joined.shape[:-1]))


def _on_bits(name: str, offset: bool = False) -> Rule:
    """Ops that look at the bits: only those of the type are shown to them."""

    def lower(op: Any, operands: list[Tensor], kinds: Kinds, result: Storage | None) -> Tensor:
        kind = kinds[0]
        assert isinstance(kind, SmallInteger), "the verifier asks for integers"
        first, *others = operands
        value = build(name, first & kind.mask, *others)
        return kind.store(value - (8 - kind.width) if offset else value)

    return lower


@legalizes_elements(ShiftRightArithmeticOp)
def lower_arithmetic_shift(op: Any, operands: list[Tensor], kinds: Kinds, result: Storage | None) -> Tensor:
    """The sign is the highest bit of unsigned integers too."""
    kind, (x, amount) = kinds[0], operands
    assert isinstance(kind, SmallInteger), "the verifier asks for integers"
    unused = 8 - kind.width
    extended = x if kind.signed else build("shift_right_arithmetic", x << unused, unused)
    return kind.store(build("shift_right_arithmetic", extended, amount))


@legalizes_elements(MulhiOp)
def lower_mulhi(op: Any, operands: list[Tensor], kinds: Kinds, result: Storage | None) -> Tensor:
    """The product of two integers of at most 4 bits fits a byte."""
    assert isinstance(result, SmallInteger), "the verifier asks for integers"
    return result.store((operands[0] * operands[1]) >> result.width)


@legalizes_elements(ReducePrecisionOp)
def lower_reduce_precision(op: Any, operands: list[Tensor], kinds: Kinds, result: Storage | None) -> Tensor:
    """In f32, which has smaller normal numbers: those that the type has no normal numbers for are rounded to multiples
    of the least that it would have, by adding a large number and taking it away."""
    (kind,) = kinds
    if not isinstance(kind, SmallFloat):
        assert kind is not None, "plain floats are no business of this table"
        return kind.store(_reduced(kind.load(operands[0]), op.exponent_bits, op.mantissa_bits))
    x, f = kind.load(operands[0]), kind.format
    least = 1 - f.bias
    rounded = _reduced(x, 8, min(op.mantissa_bits, f.mantissa))
    if op.mantissa_bits < f.mantissa:
        large = constant_like(x, 1.5 * 2.0 ** (23 + least - op.mantissa_bits))
        rounded = select(absolute(x) < 2.0 ** (least + 1), with_sign_of((absolute(x) + large) - large, x), rounded)
    if op.exponent_bits < f.exponent:
        rounded = _reduced(rounded, op.exponent_bits, 23)
    return kind.store(rounded)


def _reduced(x: Tensor, exponent_bits: int, mantissa_bits: int) -> Tensor:
    return Tensor(ReducePrecisionOp.create(x.value, exponent_bits=exponent_bits, mantissa_bits=mantissa_bits).result)


legalizes_elements(CountLeadingZerosOp)(_on_bits("count_leading_zeros", offset=True))
legalizes_elements(PopcntOp)(_on_bits("popcnt"))
legalizes_elements(ShiftRightLogicalOp)(_on_bits("shift_right_logical"))

MOVEMENT = frozenset(
    {
        *(name for name, op in OPS.items() if op.MOVES),
        "stablehlo.get_dimension_size",
        "stablehlo.return",
        "stablehlo.select",
    }
)
"""Ops that only move elements: they move containers."""

BOUNDARY = frozenset(
    {
        "stablehlo.custom_call",
        "stablehlo.infeed",
        "stablehlo.outfeed",
        "stablehlo.recv",
        "stablehlo.send",
        "check",
        "interpreter",
        "func",
    }
)
"""Ops (or dialects) whose values the host sees."""
