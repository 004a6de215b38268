"""Shape computations of older programs, which the specification still names."""

from __future__ import annotations

from mlir import ir

from hlo.dialect.definition import Op, Operand, Result, constraint
from hlo.dialect.types import DimensionTensor, TypeSet, compatible, vector_of

_Index = TypeSet("index", lambda t: isinstance(t, ir.IndexType), "!builtin.index")
_Witness = TypeSet("!shape.witness", lambda t: str(t) == "!shape.witness", "")


class ComputeReshapeShapeOp(Op, mnemonic="compute_reshape_shape"):
    """The shape `dynamic_shape` with its -1 replaced so that there are `num_elements` elements."""

    num_elements = Operand(_Index)
    dynamic_shape = Operand(vector_of(DimensionTensor))
    result = Result(vector_of(DimensionTensor))

    @constraint()
    def result_is_a_shape_of_same_rank(self):
        if not compatible(self.dynamic_shape.type, self.result.type):
            return (
                f"dynamic_shape and result must have one type, found {self.dynamic_shape.type} and {self.result.type}"
            )
        return None


class CstrReshapableOp(Op, mnemonic="cstr_reshapable"):
    """A witness that `num_elements` elements have the shape `dynamic_shape`."""

    IS_PURE = False
    num_elements = Operand(_Index)
    dynamic_shape = Operand(vector_of(DimensionTensor))
    result = Result(_Witness)
