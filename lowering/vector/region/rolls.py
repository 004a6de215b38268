"""Rolls: arrays of which the end is moved to the front, as jnp.roll makes them of two slices. A kernel that reads one reads the array at
other places, without a copy.

    %a = tensor.extract_slice %x[7] [1] [1]         %b = tensor.extract_slice %x[0] [7] [1]
    %i = tensor.insert_slice %a into %empty[0] [1] [1]
    %r = tensor.insert_slice %b into %i[1] [7] [1]             %r[n] is %x[n - 1], %r[0] is %x[7]"""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import Any

from mlir import ir

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.finding import made_by
from hlo.lowering.linalg.iteration import Affine, Index
from hlo.lowering.memory.storage import element_bytes
from hlo.lowering.vector.region.padding import Bound

LEAST_ROW = 16
"""Elements of a row from which vectors along it are full."""
LEAST_WITHOUT_MASKS, LEAST_NARROW_WITHOUT_MASKS = 64, 512
"""The same on processors without masks, where what fills no vector are scalars, and of elements of one or two bytes, masked loads too."""
LEAST_STAYING = 8
"""Times what goes round along a row, the row has: vectors in which both ends of the array are read take two loads and a choice."""


@dataclass(frozen=True)
class Roll:
    """`source` along `dim`, of `size` elements, of which the last `shift` are the first ones of the roll."""

    source: ir.Value
    dim: int
    size: int
    shift: int

    def front(self, position: Affine) -> Bound:
        """Where the roll at a position along `dim` is what was the end."""
        return Bound(position, 1, self.shift)

    def rest(self, position: Affine) -> Bound:
        return Bound(position + -self.shift, 1, self.size - self.shift, wraps=True)

    def longer(self, position: Affine) -> Bound:
        """Of both, the one that holds more often."""
        front = Bound(position, 1, self.shift, wraps=True)
        return self.rest(position) if 2 * self.shift <= self.size else front

    def moved(self, index: Index, distance: int) -> Index:
        """An index of the source, from one of the roll."""
        return self.at(index, index[self.dim] + distance)

    def at(self, index: Index, position: Affine) -> Index:
        return (*index[: self.dim], position, *index[self.dim + 1 :])


def roll_of(op: Any) -> Roll | None:
    """What an op's result is a roll of; None where it is no roll."""
    front = _inserted_into(op)
    if front is None or len(list(front.results[0].uses)) != 1 or made_by(front.operands[1], "tensor.empty") is None:
        return None
    end, begin = (made_by(one.operands[0], "tensor.extract_slice") for one in (front, op))
    if end is None or begin is None or end.operands[0] != begin.operands[0]:
        return None
    source, first = end.operands[0], front.operands[0].type
    if source.type != op.results[0].type or first.rank != source.type.rank:
        return None
    whole = list(source.type.shape)
    dims = [d for d, n in enumerate(first.shape) if n != whole[d]]
    if len(dims) != 1:
        return None
    (dim,) = dims
    size, shift = whole[dim], first.shape[dim]
    pieces = [(end, size - shift, shift), (front, 0, shift), (begin, 0, size - shift), (op, shift, size - shift)]
    return Roll(source, dim, size, shift) if all(_is_piece(*one, dim, whole) for one in pieces) else None


def _inserted_into(op: Any) -> ir.Operation | None:
    """The insertion in whose result another one goes on."""
    is_insertion = not isinstance(op, ir.Block) and op.name == "tensor.insert_slice"
    return made_by(op.operands[1], "tensor.insert_slice") if is_insertion else None


def _is_piece(op: ir.Operation, offset: int, count: int, dim: int, whole: list[int]) -> bool:
    """Whether a slice, or what is inserted, is all of an array but along one dimension."""
    view = op.opview
    offsets, sizes = [0] * len(whole), list(whole)
    offsets[dim], sizes[dim] = offset, count
    found = list(view.static_offsets), list(view.static_sizes), set(view.static_strides)
    return found == (offsets, sizes, {1})


def is_front(op: Any) -> bool:
    """Whether an op inserts the first piece of a roll."""
    uses = [] if op.name != "tensor.insert_slice" else list(op.results[0].uses)
    return len(uses) == 1 and uses[0].operand_number == 1 and roll_of(uses[0].owner.operation) is not None


def separate_pieces(block: ir.Block) -> None:
    """Gives rolls slices that nothing else reads: a kernel to which a slice came from memory would not know that it is one."""
    for op in [op.operation for op in block.operations]:
        if roll_of(op) is None:
            continue
        for insertion in (op, op.operands[1].owner):
            piece = insertion.operands[0].owner.operation
            if piece.block != block or len(list(piece.results[0].uses)) > 1:
                insertion.operands[0] = piece.clone(ip=ir.InsertionPoint(insertion)).results[0]


def is_read_where_it_is(roll: Roll, has_masks: bool) -> bool:
    """Whether loops over a roll are long enough for vectors, few of which read both ends of the array. `has_masks`: Target.masks."""
    row = prod(roll.source.type.shape[roll.dim + 1 :])
    least = LEAST_ROW if has_masks else LEAST_WITHOUT_MASKS
    if not has_masks and element_bytes(roll.source.type.element_type) < 4:
        least = LEAST_NARROW_WITHOUT_MASKS
    if row > 1:
        return row >= least
    return roll.size >= least and LEAST_STAYING * min(roll.shift, roll.size - roll.shift) <= roll.size


def values_rolled(rolls: Iterable[ir.Operation]) -> set[ir.Value]:
    """What rolls are computed from: read at other places than one position tells."""
    found: set[ir.Value] = set()
    pending = [value for op in rolls for value in op.operands]
    while pending:
        value = pending.pop()
        if value not in found:
            found.add(value)
            pending += [] if isinstance(value.owner, ir.Block) else list(value.owner.operands)
    return found
