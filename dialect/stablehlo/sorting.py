"""Sorting along a dimension."""

from __future__ import annotations

from hlo.dialect.attributes import I64, Bool
from hlo.dialect.definition import Attr, Op, Operand, Region, Result
from hlo.dialect.types import AnyTensor


class SortOp(Op, mnemonic="sort"):
    """Sorts slices of some tensors together. https://openxla.org/stablehlo/spec#sort"""

    inputs = Operand(AnyTensor, variadic=True)
    dimension = Attr(I64, optional=True, default=-1)
    is_stable = Attr(Bool, optional=True, default=False)
    comparator = Region()
    result = Result(AnyTensor, variadic=True)
