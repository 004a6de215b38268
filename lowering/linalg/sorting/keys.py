"""What a sort's comparator computes: which keys it compares, as integers of the same order.

    a, b: compare LT, f(a), f(b)                                         one key, f
    a, b: or (compare LT, f(a), f(b)), (and (compare EQ, f(a), f(b)), ...)   then the keys of what follows

f is any function of one side's elements, the same one for both sides: JAX makes zeros and NaNs equal in it. A comparator that
compares otherwise has no keys. Of keys that LT does not order (NaN, beside a comparison that is not total) any order will do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from mlir import ir
from mlir.dialects import arith

from hlo.dialect.stablehlo import AndOp, CompareOp, ConstantOp, OrOp, SelectOp, SortOp
from hlo.dialect.types import element_type, is_bool, is_float, is_unsigned
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.loops import scalar
from hlo.lowering.linalg.rules import Lowering
from hlo.lowering.linalg.scalar.regions import scalar_block
from hlo.lowering.numbers import integer

Values = list[ir.Value]


@dataclass(frozen=True)
class Key:
    """What a comparator compares: `value(elements)`, computed from an element of each operand, in an order. `operand`:
    the number of the operand whose elements are compared as they are, if one's are."""

    order: StandardKey
    value: Callable[[Values], ir.Value]
    operand: int | None = None

    @property
    def bits(self) -> int:
        return self.order.bits

    def of(self, elements: Values) -> ir.Value:
        """An unsigned number of so many bits, which comes first where it is smaller."""
        return self.order.of(self.value(elements))

    @property
    def is_exact(self) -> bool:
        """Whether the number tells the element."""
        return self.operand is not None and self.order.is_exact

    @property
    def named(self) -> StandardKey | None:
        """The order, if routines sort the operand by it."""
        return self.order if self.operand is not None and self.order.type in (*NAN, *INTEGERS) else None


def sort_keys(op: SortOp, lowering: Lowering) -> list[Key]:
    """The first key counts most; none where the comparator is not made of keys."""
    block = op.comparator.blocks[0]
    result = block.operations[-1].operands[0]
    comparisons = _comparisons(result, _Sides(block))
    return [_key(c, block, lowering) for c in comparisons or []]


class _Sides:
    """The arguments of a comparator: those at even places are of one element, the others of the other."""

    def __init__(self, block: ir.Block):
        self.left, self.right = list(block.arguments)[::2], list(block.arguments)[1::2]

    def same(self, left: ir.Value, right: ir.Value) -> bool:
        """Whether `right` is computed from the right elements as `left` is from the left ones."""
        if isinstance(left.owner, ir.Block):
            return (left in self.left and right == self.right[self.left.index(left)]) or (
                left == right and left not in self.right
            )
        one, other = left.owner, right.owner
        if isinstance(other, ir.Block) or one.name != other.name or len(one.regions):
            return False
        if str(one.attributes) != str(other.attributes) or len(one.operands) != len(other.operands):
            return False
        return left.type == right.type and all(map(self.same, one.operands, other.operands))


def _comparisons(value: ir.Value, sides: _Sides) -> list[CompareOp] | None:
    op = _defining(value)
    if isinstance(op, CompareOp):
        return [op] if _is_before(op, sides) else None
    if not isinstance(op, OrOp):
        return None
    first, rest = _defining(op.lhs), _defining(op.rhs)
    if not (isinstance(first, CompareOp) and isinstance(rest, AndOp) and _is_before(first, sides)):
        return None
    equal = _defining(rest.lhs)
    if not (isinstance(equal, CompareOp) and equal.comparison_direction == "EQ"):
        return None
    if (equal.lhs, equal.rhs) != (first.lhs, first.rhs) or _is_total(equal) != _is_total(first):
        return None
    following = _comparisons(rest.rhs, sides)
    return None if following is None else [first, *following]


def _defining(value: ir.Value) -> ir.OpView | None:
    return None if isinstance(value.owner, ir.Block) else value.owner.opview


def _is_before(op: CompareOp, sides: _Sides) -> bool:
    stored = element_type(op.lhs.type)
    is_number = is_float(stored) or isinstance(stored, ir.IntegerType)
    is_key = is_number and op.compare_type != "WEAKORDER"  # in which all NaNs are one number
    return op.comparison_direction in ("LT", "GT") and is_key and sides.same(op.lhs, op.rhs)


def _is_total(op: CompareOp) -> bool:
    return getattr(op, "compare_type", None) == "TOTALORDER"


def _key(op: CompareOp, block: ir.Block, lowering: Lowering) -> Key:
    elements, order, value = list(block.arguments), _order(op), op.lhs
    if value not in elements and order.kind == TOTAL:
        found = _canonical_element(value, order.type)
        if found is not None and found in elements:
            value, order = found, replace(order, kind=CANONICAL)
    if value in elements:
        number = elements.index(value) // 2
        return Key(order, lambda each: each[number], number)
    return Key(order, lambda each: scalar_block(lowering, block, [e for e in each for _ in range(2)], [value])[0])


TOTAL, ONE_ZERO, CANONICAL = "t", "z", "c"
"""How floats are told apart: all of them; zeros of both signs are one, and NaNs come anywhere; zeros are one, and so
are NaNs, behind all else (as JAX has it)."""

NAN = {"f16": "0x7E00", "bf16": "0x7FC0", "f32": "0x7FC00000", "f64": "0x7FF8000000000000"}
"""As constants of these types are printed."""

INTEGERS = ("i8", "i16", "i32", "i64")


@dataclass(frozen=True)
class StandardKey:
    """The key of an element of a type, which a short name says. `kind`: of a float TOTAL, ONE_ZERO or CANONICAL, of an
    integer "s" or "u" (signed or not)."""

    type: str
    kind: str
    is_backward: bool

    @staticmethod
    def named(name: str) -> StandardKey:
        """The inverse of `name`. Raises ValueError for what is none."""
        kinds = (TOTAL, ONE_ZERO, CANONICAL) if name[:-2] in NAN else ("s", "u")
        if name[:-2] not in (*NAN, *INTEGERS) or name[-2] not in kinds or name[-1] not in "ad":
            raise ValueError(name)
        return StandardKey(name[:-2], name[-2], name[-1] == "d")

    @property
    def name(self) -> str:
        return f"{self.type}{self.kind}{'d' if self.is_backward else 'a'}"

    @property
    def stored(self) -> ir.Type:
        return ir.Type.parse(self.type)

    @property
    def bits(self) -> int:
        return self.stored.width

    @property
    def is_exact(self) -> bool:
        """Whether no two elements have one key."""
        return self.kind not in (ONE_ZERO, CANONICAL)

    @property
    def _number(self) -> ir.IntegerType:
        return integer(self.bits)

    def of(self, value: ir.Value) -> ir.Value:
        """The key of an element."""
        if is_float(self.stored):
            value = _with_one_nan(value, self.type) if self.kind == CANONICAL else value
            value = _float_key(value, self._number, self.kind == TOTAL)
        elif self.kind == "s":
            value = arith.xori(value, scalar(self._number, -1 << self.bits - 1))
        return arith.xori(value, scalar(self._number, -1)) if self.is_backward else value

    def element(self, key: ir.Value) -> ir.Value:
        """That has a key."""
        key = arith.xori(key, scalar(self._number, -1)) if self.is_backward else key
        if is_float(self.stored):
            return _float_of_key(key, self.stored, self._number)
        return arith.xori(key, scalar(self._number, -1 << self.bits - 1)) if self.kind == "s" else key

    def other_bits(self, value: ir.Value) -> ir.Value:
        """Which bits of an element are not those of the one that its key stands for."""
        pair = [value, self.element(self.of(value))]
        return arith.xori(*(arith.bitcast(self._number, v) if is_float(v.type) else v for v in pair))

    @property
    def shared(self) -> Values:
        """The keys that several elements have."""
        zeros = [] if self.is_exact else [scalar(self.stored, 0)]
        return [self.of(v) for v in (*zeros, *([_nan(self.type)] if self.kind == CANONICAL else []))]


def _nan(kind: str) -> ir.Value:
    return arith.constant(ir.Type.parse(kind), ir.Attribute.parse(f"{NAN[kind]} : {kind}"))


def _with_one_nan(value: ir.Value, kind: str) -> ir.Value:
    return arith.select(arith.cmpf(arith.CmpFPredicate.UNO, value, value), _nan(kind), value)


def _order(op: CompareOp) -> StandardKey:
    """The order in which a comparison has values of its type, which may be one that no name speaks of."""
    stored, is_backward = element_type(op.lhs.type), op.comparison_direction == "GT"
    if is_float(stored):
        return StandardKey(str(stored), TOTAL if _is_total(op) else ONE_ZERO, is_backward)
    return StandardKey(f"i{stored.width}", "u" if is_bool(stored) or is_unsigned(stored) else "s", is_backward)


def _canonical_element(value: ir.Value, kind: str) -> ir.Value | None:
    """x of select(x != x, NaN, select(x == 0, 0, x))."""
    outer = _defining(value)
    inner = _defining(outer.on_false) if isinstance(outer, SelectOp) else None
    if not (isinstance(outer, SelectOp) and isinstance(inner, SelectOp)):
        return None
    x, is_nan, is_zero = inner.on_false, _defining(outer.pred), _defining(inner.pred)
    if not (isinstance(is_nan, CompareOp) and isinstance(is_zero, CompareOp)):
        return None
    zero = "0.000000e+00"
    fits = is_nan.comparison_direction == "NE" and is_nan.lhs == is_nan.rhs == x and not _is_total(is_nan)
    fits = fits and is_zero.comparison_direction == "EQ" and is_zero.lhs == x and not _is_total(is_zero)
    fits = fits and _is_constant(outer.on_true, NAN.get(kind, "")) and _is_constant(is_zero.rhs, zero)
    return x if fits and _is_constant(inner.on_true, zero) else None


def _is_constant(value: ir.Value, text: str) -> bool:
    op = _defining(value)
    return isinstance(op, ConstantOp) and str(op.operation.attributes["value"]).startswith(f"dense<{text}>")


def _float_key(value: ir.Value, number: ir.IntegerType, is_total: bool) -> ir.Value:
    """Bits of positive numbers get their sign set, those of negative ones are inverted. A comparison that is not total has one zero."""
    if not is_total:
        nothing = scalar(value.type, 0)
        is_zero = arith.cmpf(arith.CmpFPredicate.OEQ, value, nothing)
        value = arith.select(is_zero, nothing, value)
    raw = arith.bitcast(number, value)
    sign = arith.shrsi(raw, scalar(number, number.width - 1))
    return arith.xori(raw, arith.ori(sign, scalar(number, -1 << number.width - 1)))


def _float_of_key(key: ir.Value, stored: ir.Type, number: ir.IntegerType) -> ir.Value:
    """The inverse of `_float_key`."""
    is_positive = arith.shrsi(key, scalar(number, number.width - 1))
    changed = arith.ori(arith.xori(is_positive, scalar(number, -1)), scalar(number, -1 << number.width - 1))
    return arith.bitcast(stored, arith.xori(key, changed))
