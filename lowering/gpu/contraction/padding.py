"""Zeros around an input of a contraction that are not in memory: who copies tiles of it leaves out what is outside.

Before:  %p = tensor.insert_slice %x into %zeros;  linalg.generic multiply-add (%p, %w)
After:   %p = builtin.unrealized_conversion_cast %x {hlo.low = array<i64: 0, 1, 1, 0>};  linalg.generic multiply-add (%p, %w)

TMA gives zeros for what is outside of an array, at negative places too; cp.async copies fewer bytes than it writes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlir import ir

from hlo.lowering.finding import made_by
from hlo.lowering.gpu.accesses import is_zero
from hlo.lowering.gpu.contraction.problem import is_tiled
from hlo.lowering.kernel_calls import erase_with_makers
from hlo.lowering.linalg.iteration import joined_dimensions
from hlo.lowering.vector.region.padding import fill_of, is_dilated, is_padding

LOW = "hlo.low"
CAST = "builtin.unrealized_conversion_cast"


@dataclass(frozen=True)
class Padding:
    """`source` is what is in memory; in front of it are `low` zeros in each dimension."""

    source: ir.Value
    low: tuple[int, ...]


def padding_of(value: ir.Value) -> Padding | None:
    """Of an array that is only seen as padded."""
    made = made_by(value, CAST)
    if made is None or LOW not in made.attributes:
        return None
    return Padding(made.operands[0], tuple(ir.DenseI64ArrayAttr(made.attributes[LOW])))


def seen_as_padded(source: ir.Value, low: tuple[int, ...], kind: ir.Type) -> ir.Value:
    """An array with zeros around it, as the type `kind`."""
    attributes = {LOW: ir.DenseI64ArrayAttr.get(list(low))}
    return ir.Operation.create(CAST, results=[kind], operands=[source], attributes=attributes).results[0]


# On tensors: what is inserted into zeros only to be multiplied


def padded_above(value: ir.Value) -> list[ir.Value]:
    """What makes an input of a contraction of a tensor that is put into zeros for contractions alone, and perhaps reshaped then; nothing
    if it is made in another way."""
    found = [value]
    while (op := made_by(value, "tensor.expand_shape")) is not None:
        value = op.operands[0]
        found.append(value)
    return found if _is_multiplied_padded(value) else []


def _is_multiplied_padded(value: ir.Value) -> bool:
    """Whether a tensor is another one inserted into zeros, for contractions."""
    op = value.owner
    if not is_padding(op) or is_dilated(op) or not is_zero(fill_of(op)):
        return False
    return _is_multiplied(value, [one != other for one, other in zip(op.operands[0].type.shape, value.type.shape)])


def _is_multiplied(value: ir.Value, padded: Sequence[bool]) -> bool:
    """Whether only contractions read it that are large enough for tiles, perhaps with dimensions split which are not `padded`."""
    return all(_multiplies(use.owner.operation, padded) for use in value.uses)


def _multiplies(op: ir.Operation, padded: Sequence[bool]) -> bool:
    if op.name != "tensor.expand_shape":
        return is_tiled(op)
    groups = joined_dimensions(op)
    is_whole = not any(one and len(group) > 1 for one, group in zip(padded, groups))
    return is_whole and _is_multiplied(op.results[0], [one for one, group in zip(padded, groups) for _ in group])


def is_argument(value: ir.Value) -> bool:
    """An argument of a kernel that must stay as it is."""
    op = made_by(value, "bufferization.to_tensor")
    return op is not None and "writable" not in op.attributes


def see_padding(entry: ir.Block) -> None:
    """A kernel's code on tensors sees what of its arguments it puts into zeros as padded."""
    for op in [one.operation for one in entry.operations if one.operation.name == "tensor.insert_slice"]:
        if is_argument(op.operands[0]) and _is_multiplied_padded(op.results[0]):
            with ir.InsertionPoint(op), op.location:
                low = tuple(ir.DenseI64ArrayAttr(op.attributes["static_offsets"]))
                op.results[0].replace_all_uses_with(seen_as_padded(op.operands[0], low, op.results[0].type))
            erase_with_makers(op, lambda maker: maker.name in ("linalg.fill", "tensor.empty"))


# In memory


def see_padded_memory(entry: ir.Block) -> None:
    """The same on memory, where bufferization has left tensors around what it does not know."""
    for op in [one.operation for one in entry.operations if LOW in one.operation.attributes]:
        tensor = op.operands[0].owner.operation
        source, low = tensor.operands[0], tuple(ir.DenseI64ArrayAttr(op.attributes[LOW]))
        with ir.InsertionPoint(tensor), op.location:
            for buffer in [use.owner.operation for use in op.results[0].uses]:
                _read_padded(buffer, source, low, op.results[0].type)
        op.erase()
        erase_with_makers(tensor)


def _read_padded(buffer: ir.Operation, source: ir.Value, low: tuple[int, ...], padded: ir.Type) -> None:
    """Who reads a buffer that stands for a padded array, perhaps with dimensions split, reads what is in memory as padded."""
    for use in list(buffer.results[0].uses):
        user = use.owner.operation
        if user.name == "memref.expand_shape":
            shape = ir.MemRefType(user.results[0].type).shape
            split = _split(source, low, padded, user)
            found = seen_as_padded(*split, ir.MemRefType.get(shape, padded.element_type))
            user.results[0].replace_all_uses_with(found)
            user.erase()
        else:
            kind = ir.MemRefType.get(padded.shape, padded.element_type)
            user.operands[use.operand_number] = seen_as_padded(source, low, kind)
    buffer.erase()


def _split(
    source: ir.Value, low: tuple[int, ...], padded: ir.Type, shaped: ir.Operation
) -> tuple[ir.Value, tuple[int, ...]]:
    """What is padded with dimensions split that have no padding, and what is in front of them."""
    kind, shape = ir.MemRefType(source.type), list(ir.MemRefType(shaped.results[0].type).shape)
    groups, before = (
        joined_dimensions(shaped),
        [0] * len(shape),
    )
    for size, first, whole, group in zip(kind.shape, low, padded.shape, groups):
        if len(group) == 1:
            shape[group[0]], before[group[0]] = size, first
        else:
            assert size == whole, "no padding along what is split"
    attributes = {
        "reassociation": shaped.attributes["reassociation"],
        "static_output_shape": ir.DenseI64ArrayAttr.get(shape),
    }
    result = ir.MemRefType.get(shape, kind.element_type)
    made = ir.Operation.create(shaped.name, results=[result], operands=[source], attributes=attributes)
    return made.results[0], tuple(before)
