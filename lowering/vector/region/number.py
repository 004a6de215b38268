"""The values that code is written with: scalars and vectors, and the loop level that each belongs to."""

from __future__ import annotations

from mlir import ir

from hlo.lowering.numbers import element_type


class Number:
    """A scalar (width 0) or a vector of `width` lanes, and the loop level it is known at. `first`: the scalar in lane 0
    of a vector whose lanes count up by one. `values`: those that an index may have, where that is known. Complex numbers in lanes are
    a vector of twice as many parts (region/complex_lanes.py)."""

    __slots__ = ("first", "level", "splatted", "value", "values", "width")

    def __init__(self, value: ir.Value, level: int, width: int = 0):
        self.value = value
        self.level = level
        self.width = width
        self.splatted: Number | None = None
        self.first: Number | None = None
        self.values: range | None = None

    @property
    def is_complex(self) -> bool:
        """Whether its lanes, or the scalar, are complex."""
        type = self.value.type
        if self.width:
            return ir.VectorType(type).shape[0] == 2 * self.width
        return isinstance(type, ir.ComplexType)

    @property
    def element(self) -> ir.Type:
        """The type of a lane."""
        found = element_type(self.value.type)
        return ir.ComplexType.get(found) if self.width and self.is_complex else found
