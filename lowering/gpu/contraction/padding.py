"""Zeros around an input of a contraction that are not in memory: who copies tiles of it leaves out what is outside.

Before:  %p = memref.alloc;  linalg.generic fill 0 -> %p;  memref.copy %x -> subview of %p;  linalg.generic multiply-add (%p, %w)
After:   %p = builtin.unrealized_conversion_cast %x {hlo.low = array<i64: 0, 1, 1, 0>};  linalg.generic multiply-add (%p, %w)

TMA gives zeros for what is outside of an array, at negative places too; cp.async copies fewer bytes than it writes."""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir

from hlo.lowering.gpu.nest import is_zero

LOW = "hlo.low"
CAST = "builtin.unrealized_conversion_cast"


@dataclass(frozen=True)
class Padding:
    """`source` is what is in memory; in front of it are `low` zeros in each dimension."""

    source: ir.Value
    low: tuple[int, ...]


def padding_of(value: ir.Value) -> Padding | None:
    """Of an array that is only seen as padded."""
    made = value.owner
    if isinstance(made, ir.Block) or made.name != CAST or LOW not in made.attributes:
        return None
    return Padding(made.operands[0], tuple(ir.DenseI64ArrayAttr(made.attributes[LOW])))


def seen_as_padded(source: ir.Value, low: tuple[int, ...], kind: ir.Type) -> ir.Value:
    """An array with zeros around it, as the type `kind`."""
    attributes = {LOW: ir.DenseI64ArrayAttr.get(list(low))}
    return ir.Operation.create(CAST, results=[kind], operands=[source], attributes=attributes).results[0]


@dataclass(frozen=True)
class _Padded:
    """Memory for a padded array and the ops that write it: zeros, then a copy into a part."""

    fill: ir.Operation
    part: ir.Operation
    copy: ir.Operation

    @property
    def source(self) -> ir.Value:
        return self.copy.operands[0]

    @property
    def low(self) -> tuple[int, ...]:
        return tuple(ir.DenseI64ArrayAttr(self.part.attributes["static_offsets"]))


def see_padding(op: ir.Operation, number: int) -> None:
    """An input of a linalg.generic that is a padded copy, perhaps with a dimension split, is read as it was before; the copy goes
    if nothing else reads it."""
    value = op.operands[number]
    shaped = value.owner if _is_split(value) else None
    found = _padded(shaped.operands[0] if shaped else value)
    if found is None or not _is_only_read(found.source):
        return
    with ir.InsertionPoint.at_block_begin(op.block), op.location:
        seen = _split(found, shaped) if shaped else (found.source, found.low)
        if seen is None:
            return
        op.operands[number] = seen_as_padded(*seen, value.type)
    if shaped and not any(shaped.results[0].uses):
        shaped.erase()
    _erase_unread(found)


def _is_split(value: ir.Value) -> bool:
    return not isinstance(value.owner, ir.Block) and value.owner.name == "memref.expand_shape"


def _split(found: _Padded, shaped: ir.Operation) -> tuple[ir.Value, tuple[int, ...]] | None:
    """What is padded with the same dimensions split, which have no padding, and what is in front of them."""
    kind, wanted = ir.MemRefType(found.source.type), ir.MemRefType(shaped.results[0].type).shape
    groups = [[int(d) for d in group] for group in ir.ArrayAttr(shaped.attributes["reassociation"])]
    shape, low = list(wanted), [0] * len(wanted)
    for size, before, whole, group in zip(kind.shape, found.low, shaped.operands[0].type.shape, groups):
        if len(group) == 1:
            shape[group[0]], low[group[0]] = size, before
        elif size != whole:
            return None
    attributes = {
        "reassociation": shaped.attributes["reassociation"],
        "static_output_shape": ir.DenseI64ArrayAttr.get(shape),
    }
    result = ir.MemRefType.get(shape, kind.element_type)
    made = ir.Operation.create(shaped.name, results=[result], operands=[found.source], attributes=attributes)
    return made.results[0], tuple(low)


def _erase_unread(found: _Padded) -> None:
    writers = (found.fill, found.part, found.copy)
    users = [use.owner.operation for use in found.part.operands[0].uses]
    if all(user in writers or user.name == "memref.dealloc" for user in users):
        frees = [user for user in users if user not in writers]
        for one in (found.copy, found.part, found.fill, *frees):
            one.operation.erase()


KNOWN = ("memref.subview", "linalg.generic", "memref.dealloc", "memref.expand_shape")


def _padded(value: ir.Value) -> _Padded | None:
    if isinstance(value.owner, ir.Block) or value.owner.name != "memref.alloc":
        return None
    users = [use.owner.operation for use in value.uses]
    fills = [user for user in users if _is_zero_fill(user, value)]
    parts = [user for user in users if user.name == "memref.subview"]
    read = [user for user in users if user.name == "linalg.generic" and user not in fills]
    if len(fills) != 1 or len(parts) != 1 or any(value in _outputs(user) for user in read):
        return None
    if any(user.name not in KNOWN for user in users):
        return None
    copies = [use.owner.operation for use in parts[0].results[0].uses]
    is_copy = len(copies) == 1 and copies[0].name == "memref.copy" and copies[0].operands[1] == parts[0].results[0]
    is_static = len(parts[0].operands) == 1 and set(ir.DenseI64ArrayAttr(parts[0].attributes["static_strides"])) == {1}
    rank = ir.MemRefType(value.type).rank
    if not is_copy or not is_static or ir.MemRefType(copies[0].operands[0].type).rank != rank:
        return None
    return _Padded(fills[0], parts[0], copies[0])


def _outputs(op: ir.Operation) -> list[ir.Value]:
    inputs, _ = ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"])
    return list(op.operands)[inputs:]


def _is_zero_fill(op: ir.Operation, value: ir.Value) -> bool:
    """A linalg.generic that writes 0 to all of `value`."""
    if op.name != "linalg.generic" or list(op.operands) != [value]:
        return False
    *before, end = op.regions[0].blocks[0].operations
    return not before and is_zero(end.operands[0])


def _is_only_read(value: ir.Value) -> bool:
    """An argument of the kernel that nothing in it writes: it is at the contraction what it is at the copy."""
    return isinstance(value.owner, ir.Block) and _has_readers(value)


def _has_readers(value: ir.Value) -> bool:
    return all(_reads(use.owner.operation, use.operand_number, value) for use in value.uses)


def _reads(op: ir.Operation, number: int, value: ir.Value) -> bool:
    if op.name == "linalg.generic":
        return value not in _outputs(op)
    if op.name in (CAST, "memref.expand_shape"):
        return _has_readers(op.results[0])
    return op.name == "memref.copy" and number == 0
