"""Ops whose shapes are values, known at run time."""

from __future__ import annotations

from mlir import ir

from hlo.dialect.attributes import I64, I64Array
from hlo.dialect.definition import Attr, Op, Operand, Result
from hlo.dialect.types import AnyTensor, DimensionTensor, TypeSet, scalar_of, tensor_of, vector_of

_Sizes = vector_of(DimensionTensor)
_Index = TypeSet("index", lambda t: isinstance(t, ir.IndexType), "!builtin.index")
_Witness = TypeSet("shape witness", lambda t: str(t) == "!shape.witness", "")
_SizeTensor = scalar_of(tensor_of("si32", lambda t: isinstance(t, ir.IntegerType) and t.is_signless and t.width == 32))


class DynamicBroadcastInDimOp(Op, mnemonic="dynamic_broadcast_in_dim"):
    """A broadcast to a shape known at run time. https://openxla.org/stablehlo/spec#dynamic_broadcast_in_dim"""

    operand = Operand(AnyTensor)
    output_dimensions = Operand(_Sizes)
    broadcast_dimensions = Attr(I64Array)
    known_expanding_dimensions = Attr(I64Array, optional=True, default=())
    known_nonexpanding_dimensions = Attr(I64Array, optional=True, default=())
    result = Result(AnyTensor)


class DynamicIotaOp(Op, mnemonic="dynamic_iota"):
    """An iota of a shape known at run time. https://openxla.org/stablehlo/spec#dynamic_iota"""

    output_shape = Operand(_Sizes)
    iota_dimension = Attr(I64)
    result = Result(AnyTensor)


class DynamicPadOp(Op, mnemonic="dynamic_pad"):
    """A pad by sizes known at run time. https://openxla.org/stablehlo/spec#dynamic_pad"""

    operand = Operand(AnyTensor)
    padding_value = Operand(scalar_of(AnyTensor))
    edge_padding_low = Operand(_Sizes)
    edge_padding_high = Operand(_Sizes)
    interior_padding = Operand(_Sizes)
    result = Result(AnyTensor)


class DynamicReshapeOp(Op, mnemonic="dynamic_reshape"):
    """A reshape to a shape known at run time. https://openxla.org/stablehlo/spec#dynamic_reshape"""

    operand = Operand(AnyTensor)
    output_shape = Operand(_Sizes)
    result = Result(AnyTensor)


class RealDynamicSliceOp(Op, mnemonic="real_dynamic_slice"):
    """A strided box known at run time; its semantics are those of slice."""

    operand = Operand(AnyTensor)
    start_indices = Operand(_Sizes)
    limit_indices = Operand(_Sizes)
    strides = Operand(_Sizes)
    result = Result(AnyTensor)


class GetDimensionSizeOp(Op, mnemonic="get_dimension_size"):
    """The size of a dimension at run time. https://openxla.org/stablehlo/spec#get_dimension_size"""

    operand = Operand(AnyTensor)
    dimension = Attr(I64)
    result = Result(_SizeTensor)


class SetDimensionSizeOp(Op, mnemonic="set_dimension_size"):
    """Makes a dimension dynamic, with a size known at run time; not in the specification (group "dynamism")."""

    operand = Operand(AnyTensor)
    size = Operand(_SizeTensor)
    dimension = Attr(I64)
    result = Result(AnyTensor)


class ComputeReshapeShapeOp(Op, mnemonic="compute_reshape_shape"):
    """The shape in which the size -1 is replaced so that it holds num_elements; not in the specification."""

    num_elements = Operand(_Index)
    dynamic_shape = Operand(_Sizes)
    result = Result(_Sizes)


class CstrReshapableOp(Op, mnemonic="cstr_reshapable"):
    """A witness that num_elements elements fit a shape; not in the specification."""

    num_elements = Operand(_Index)
    dynamic_shape = Operand(_Sizes)
    result = Result(_Witness)
