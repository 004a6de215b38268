"""Ops that move elements without computing: broadcasts, reshapes, slices, padding, concatenation."""

from __future__ import annotations

from hlo.dialect.attributes import I64, I64Array
from hlo.dialect.definition import Attr, Op, Operand, Result
from hlo.dialect.types import AnyTensor, IntTensor, scalar_of


class BroadcastInDimOp(Op, mnemonic="broadcast_in_dim"):
    """Repeats a tensor along new and unit dimensions. https://openxla.org/stablehlo/spec#broadcast_in_dim"""

    operand = Operand(AnyTensor)
    broadcast_dimensions = Attr(I64Array)
    result = Result(AnyTensor)


class BroadcastOp(Op, mnemonic="broadcast"):
    """Repeats a tensor along new leading dimensions; not in the specification (group "not in HLO")."""

    operand = Operand(AnyTensor)
    broadcast_sizes = Attr(I64Array)
    result = Result(AnyTensor)


class ReshapeOp(Op, mnemonic="reshape"):
    """The same elements in row-major order under another shape. https://openxla.org/stablehlo/spec#reshape"""

    operand = Operand(AnyTensor)
    result = Result(AnyTensor)


class TransposeOp(Op, mnemonic="transpose"):
    """Permutes dimensions. https://openxla.org/stablehlo/spec#transpose"""

    operand = Operand(AnyTensor)
    permutation = Attr(I64Array)
    result = Result(AnyTensor)


class ReverseOp(Op, mnemonic="reverse"):
    """Reverses the order of elements along dimensions. https://openxla.org/stablehlo/spec#reverse"""

    operand = Operand(AnyTensor)
    dimensions = Attr(I64Array)
    result = Result(AnyTensor)


class SliceOp(Op, mnemonic="slice"):
    """A strided box of a tensor, known at compile time. https://openxla.org/stablehlo/spec#slice"""

    operand = Operand(AnyTensor)
    start_indices = Attr(I64Array)
    limit_indices = Attr(I64Array)
    strides = Attr(I64Array)
    result = Result(AnyTensor)


class DynamicSliceOp(Op, mnemonic="dynamic_slice"):
    """A box whose start is known at run time. https://openxla.org/stablehlo/spec#dynamic_slice"""

    operand = Operand(AnyTensor)
    start_indices = Operand(scalar_of(IntTensor), variadic=True)
    slice_sizes = Attr(I64Array)
    result = Result(AnyTensor)


class DynamicUpdateSliceOp(Op, mnemonic="dynamic_update_slice"):
    """Replaces a box whose start is known at run time. https://openxla.org/stablehlo/spec#dynamic_update_slice"""

    operand = Operand(AnyTensor)
    update = Operand(AnyTensor)
    start_indices = Operand(scalar_of(IntTensor), variadic=True)
    result = Result(AnyTensor)


class PadOp(Op, mnemonic="pad"):
    """Adds elements around and between those of a tensor. https://openxla.org/stablehlo/spec#pad"""

    operand = Operand(AnyTensor)
    padding_value = Operand(scalar_of(AnyTensor))
    edge_padding_low = Attr(I64Array)
    edge_padding_high = Attr(I64Array)
    interior_padding = Attr(I64Array)
    result = Result(AnyTensor)


class ConcatenateOp(Op, mnemonic="concatenate"):
    """Tensors one after another along a dimension. https://openxla.org/stablehlo/spec#concatenate"""

    inputs = Operand(AnyTensor, variadic=True)
    dimension = Attr(I64)
    result = Result(AnyTensor)
