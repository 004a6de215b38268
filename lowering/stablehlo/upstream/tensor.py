"""tensor's ops that read sizes and elements or make small tensors."""

from __future__ import annotations

from typing import Any

from mlir import ir

from hlo.dialect.locations import diagnostic
from hlo.dialect.stablehlo import DynamicSliceOp
from hlo.dialect.types import DYNAMIC, element_type, shape, tensor
from hlo.errors import CompileError
from hlo.lowering.stablehlo.arithmetic import Tensor, broadcast, constant, create, reshaped
from hlo.lowering.stablehlo.constants import splat
from hlo.lowering.stablehlo.upstream.values import index, legalizes_upstream, size_of, stored, vector


@legalizes_upstream("tensor.dim")
def _dim(op: Any) -> list[ir.Value]:
    """Of a dimension that is a constant, or chosen among all sizes."""
    value, number = op.operands
    known = splat(number)
    if known is not None:
        if not 0 <= known < len(shape(value.type)):
            raise CompileError(diagnostic(op, f"'tensor.dim' of dimension {known}, found {value.type}"))
        return [size_of(value, known).value]
    return [picked(vector([size_of(value, d) for d in range(len(shape(value.type)))]), [Tensor(number)]).value]


def picked(array: ir.Value, indices: list[Tensor]) -> Tensor:
    """One element."""
    starts = [i.value for i in indices]
    taken = DynamicSliceOp.create(array, *starts, slice_sizes=[1] * len(starts)).results[0] if starts else array
    return reshaped(Tensor(taken), [])


@legalizes_upstream("tensor.extract")
def _extract(op: Any) -> list[ir.Value]:
    array, *indices = op.operands
    return [picked(array, [Tensor(i) for i in indices]).value]


@legalizes_upstream("tensor.from_elements")
def _from_elements(op: Any) -> list[ir.Value]:
    t = stored(op.results[0].type)
    if not op.operands:
        return [constant(t, 0).value]
    return [reshaped(Tensor(vector([Tensor(v) for v in op.operands])), shape(t)).value]


@legalizes_upstream("tensor.cast")
def _cast(op: Any) -> list[ir.Value]:
    """What is known of the operand's type is not forgotten; sizes that the result's type adds are asserted by it."""
    (value,), t = op.operands, stored(op.results[0].type)
    if DYNAMIC in shape(value.type) and DYNAMIC not in shape(t):
        return [create("reshape", [t], [Tensor(value)]).results[0]]
    return [value]


def _filled(op: Any, value: ir.Value, sizes: list[ir.Value]) -> list[ir.Value]:
    """A tensor of one element; `sizes` are those of its dynamic dimensions."""
    t = stored(op.results[0].type)
    if not sizes:
        return [broadcast(Tensor(value), shape(t)).value]
    rest = iter(sizes)
    wanted = vector([Tensor(next(rest)) if n == DYNAMIC else index(n) for n in shape(t)])
    dimensions = ir.DenseI64ArrayAttr.get([])
    operands = [Tensor(value), Tensor(wanted)]
    return [create("dynamic_broadcast_in_dim", [t], operands, broadcast_dimensions=dimensions).results[0]]


@legalizes_upstream("tensor.empty")
def _empty(op: Any) -> list[ir.Value]:
    """Zeros: nobody may rely on what is in it."""
    element = element_type(stored(op.results[0].type))
    return _filled(op, constant(tensor([], element), 0).value, list(op.operands))


@legalizes_upstream("tensor.splat")
def _splat(op: Any) -> list[ir.Value]:
    return _filled(op, op.operands[0], list(op.operands)[1:])


@legalizes_upstream("tensor.reshape")
def _reshape(op: Any) -> list[ir.Value]:
    value, sizes = op.operands
    return [create("dynamic_reshape", [stored(op.results[0].type)], [Tensor(value), Tensor(sizes)]).results[0]]


@legalizes_upstream("tensor.rank")
def _rank(op: Any) -> list[ir.Value]:
    return [index(len(shape(op.operands[0].type))).value]
