"""Results of two bytes on their way from the registers of wgmma to memory by TMA, 64 columns at a time.

A thread computes what follows on its sums where they are, two neighbours at a time, and writes them into a box of 64 lines of 128
bytes, swizzled as TMA reads it: four lanes of eight lines are in different banks. One thread then starts the copy, which goes on
while the next box is filled, and while the next tile is multiplied. Results outside of the array are not copied.

    wait until the box before the last has been read; barrier; write; fence; barrier; copy"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial

from mlir import ir
from mlir.dialects import arith, memref

from hlo.lowering.gpu.contraction.block import Block
from hlo.lowering.gpu.contraction.epilogue import Follower
from hlo.lowering.gpu.contraction.problem import Group, Problem, groups_of
from hlo.lowering.gpu.contraction.result_tile import Consumer
from hlo.lowering.gpu.contraction.warpgroup_sides import LINE, ROWS
from hlo.lowering.gpu.control_flow import index_constant, where
from hlo.lowering.gpu.element import has_identity_layout, store_several
from hlo.lowering.gpu.hopper_ops import (
    WORKGROUP,
    descriptor_of,
    end_of_stores,
    fence_for_copies,
    store_box,
    wait_for_stores,
)
from hlo.lowering.gpu.nest import mentions
from hlo.lowering.gpu.tensor_maps import ALIGNMENT, MOST_DIMENSIONS, SIZES, TensorMap, Term

COLUMNS = 64
"""Of a box: a line of 128 bytes."""

BUFFERS = 2
"""Boxes of a consumer: one is filled while the other one is copied."""

BLOCK = 8
"""Columns in 16 bytes, whose place in a line the swizzle changes."""

MOST_INSTRUCTIONS = 32
"""Of what follows, for each sum. It is written out for all sums of a thread: what is longer had better be a loop."""

INSTRUCTIONS = {"math.tanh": 12, "math.exp": 8, "math.rsqrt": 4, "math.sqrt": 4, "math.absf": 1, "math.fma": 1}
"""Of functions, about, without branches; of an op of arith one; none of constants. Other functions are long."""


@dataclass(frozen=True)
class StoredBoxes:
    """`value`: the memory that is written, described by `map`."""

    value: ir.Value
    map: TensorMap
    bytes: int = BUFFERS * ROWS * LINE

    def take(self, consumer: Consumer, block: Block, sums: Sequence[ir.Value]) -> None:
        """A thread's sums of the tile of a consumer."""
        descriptor = descriptor_of(block.maps[-1], self.map)
        for number, column in enumerate(range(0, 2 * len(sums), COLUMNS)):
            offset = arith.addi(consumer.offset, index_constant(number % BUFFERS * ROWS * LINE))
            view = self._view(consumer, offset, (ROWS, COLUMNS))
            box = self._view(consumer, offset, self.map.box[::-1])
            _once(consumer, partial(wait_for_stores, BUFFERS - 1))
            consumer.barrier()
            self._write(consumer, block, view, sums[column // 2 : (column + COLUMNS) // 2], column)
            fence_for_copies()
            consumer.barrier()
            places = self._coordinates(consumer, block, column)
            _once(consumer, partial(_copy, box, descriptor, places))

    def finish(self, consumer: Consumer) -> None:
        """Behind all tiles: shared memory stays until it has been read."""
        _once(consumer, partial(wait_for_stores, 0))

    def _view(self, consumer: Consumer, offset: ir.Value, shape: Sequence[int]) -> ir.Value:
        kind = ir.Type.parse(f"memref<{'x'.join(map(str, shape))}x{self.map.kind}, {WORKGROUP}>")
        return memref.view(kind, consumer.memory, offset, [])

    def _write(self, consumer: Consumer, block: Block, view: ir.Value, sums: Sequence[ir.Value], first: int) -> None:
        four, eight = index_constant(4), index_constant(BLOCK)
        top = arith.addi(consumer.warp_row, arith.divui(consumer.lane, four))
        inner = arith.muli(arith.remui(consumer.lane, four), index_constant(2))
        turn = arith.remui(top, eight)
        for number in range(COLUMNS // BLOCK):
            column = arith.addi(inner, index_constant(first + number * BLOCK))
            place = arith.addi(arith.muli(arith.xori(turn, index_constant(number)), eight), inner)
            rows = [arith.addi(top, index_constant(8 * half)) for half in (0, 1)]
            pairs = []
            for half, row in enumerate(rows):
                at = 4 * number + 2 * half
                row = arith.addi(consumer.first_row, row)
                pairs.append(block.computed(row, column, sums[at : at + 2]))
            for row, pair in zip(rows, pairs):
                store_several(view, [row, place], pair)

    def _coordinates(self, consumer: Consumer, block: Block, column: int) -> list[ir.Value]:
        outer = arith.addi(block.first_row, consumer.first_row)
        places = {"rows": outer, "columns": arith.addi(block.first_column, index_constant(column))}
        found = []
        for (term,), _ in self.map.order:
            source = term.source
            found.append(block.element.place[source] if isinstance(source, int) else places[source[0]])
        return found


def _once(consumer: Consumer, work: Callable[[], None]) -> None:
    with where(consumer.is_first):
        work()


def _copy(view: ir.Value, descriptor: ir.Value, places: Sequence[ir.Value]) -> None:
    store_box(view, descriptor, places)
    end_of_stores()


def stored_boxes(p: Problem, followers: Sequence[Follower], hidden: Collection[ir.Value]) -> StoredBoxes | None:
    """None where there are several results, where they do not lie as TMA wants it, or where what follows is long or reads an
    element for each sum: those go through shared memory as they are (result_tile.py)."""
    written = [(p.op.operands[2], tuple(range(len(p.nest.sizes))), p.nest.maps[2])]
    for one in followers:
        outputs = range(one.nest.inputs, len(one.op.operands))
        written += [(one.op.operands[n], one.places, one.nest.maps[n]) for n in outputs]
    written = [one for one in written if one[0] not in hidden]
    known = {p.op.operands[2], *(v for one in followers for v in list(one.op.operands)[one.nest.inputs :])}
    if len(written) != 1 or not _are_short(followers) or any(_reads_all(p, one, known) for one in followers):
        return None
    ((value, places, layout),) = written
    found = _map(p, value, [places[e.position] if isinstance(e, ir.AffineDimExpr) else -1 for e in layout.results])
    return StoredBoxes(value, found) if found is not None else None


def _are_short(followers: Sequence[Follower]) -> bool:
    ops = [op.operation.name for one in followers for op in list(one.op.regions[0].blocks[0].operations)[:-1]]
    return sum(_instructions(name) for name in ops) <= MOST_INSTRUCTIONS


def _instructions(name: str) -> int:
    if name == "arith.constant":
        return 0
    return 1 if name.startswith("arith.") else INSTRUCTIONS.get(name, MOST_INSTRUCTIONS + 1)


def _reads_all(p: Problem, one: Follower, known: Collection[ir.Value]) -> bool:
    """An input with an element for each row and column: those are read in the order of memory."""
    for number in range(one.nest.inputs):
        seen = {one.places[d] for e in one.nest.maps[number].results for d in range(len(one.places)) if mentions(e, d)}
        if one.op.operands[number] not in known and seen & set(p.rows) and seen & set(p.columns):
            return True
    return False


def _map(p: Problem, value: ir.Value, places: Sequence[int]) -> TensorMap | None:
    """Of memory whose dimensions are these of the contraction, in boxes of 64 rows and 64 columns."""
    kind = str(ir.MemRefType(value.type).element_type)
    groups = _groups(p, places)
    if SIZES.get(kind) != 2 or groups is None or len(groups) > MOST_DIMENSIONS or not has_identity_layout(value.type):
        return None
    sizes, boxes, order = [], {"rows": ROWS, "columns": COLUMNS}, []
    for name, dimensions in groups:
        sizes.append(p.nest.extent(dimensions))
        order.append(((Term((name, 0) if isinstance(name, str) else name, 1),), 0))
    strides = [SIZES[kind] * p.nest.extent([d for _, ds in groups[:n] for d in ds]) for n in range(1, len(groups))]
    if any(stride % ALIGNMENT for stride in strides) or sizes[0] % BLOCK:
        return None
    box = tuple(boxes[name] if isinstance(name, str) else 1 for name, _ in groups)
    return TensorMap(kind, tuple(sizes), tuple(strides), box, tuple(order))


def _groups(p: Problem, places: Sequence[int]) -> list[Group] | None:
    """Innermost first: columns, then rows and batch dimensions; None where rows or columns are apart or not in their order."""
    found = groups_of(places, {"rows": p.rows, "columns": p.columns})
    names = [name for name, _ in found or ()]
    return found if names[:1] == ["columns"] and "rows" in names else None
