"""Ops that work row by row, as one launch: threads do all of them for their row before they take the next.

    softmax: maximum of the row, exponentials, their sum, quotients
    after:   one gpu.func; rows of temporaries in shared memory; reductions by all threads of a row; barriers between

What is a row: leading parallel dimensions that all ops of the group have in common. A long row has a block of threads, short
ones share a block: a thread for four elements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

from mlir import ir
from mlir.dialects import arith, memref

from hlo.lowering.finding import made_by
from hlo.lowering.gpu.accesses import NESTS, Nest, nest_of
from hlo.lowering.gpu.combiner import Combiner, combiner_of
from hlo.lowering.gpu.element import (
    Element,
    Values,
    delinearized,
    each_lane,
    emit_neighbours,
    neighbours_width,
    vectors_at,
    width_along,
)
from hlo.lowering.gpu.grid import MOST_BLOCKS, THREADS, Grid, Launch, counted, power_of_two
from hlo.lowering.gpu.threads import WARP, combine_lanes, each, equals, identity, shared_array, where
from hlo.lowering.linalg.loops import for_loop, index, within
from hlo.lowering.linalg.structured import index_loops
from hlo.lowering.memory.storage import element_bytes

SHARED_BYTES = 40 * 1024
"""Of temporaries in shared memory; with those of reductions below the 48 KiB that every kernel may have."""

LEAST_ROW = 4
"""Elements of a row from which it is profitable."""

ELEMENTS = 4
"""Of a row for each of its threads, as long as a block has enough."""

LEAST_ROWS = 64
"""Rows from which blocks fill a card; fewer only if the rows are short."""

LONG_ROW = 8192


@dataclass
class RowGroup:
    """Ops over the same rows, as one launch. `shared`: temporaries of one row each, by the alloc they replace."""

    members: list[ir.Operation]
    nests: list[Nest]
    outer: int
    shared: dict[ir.Value, ir.MemRefType] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        return prod(self.nests[0].sizes[: self.outer])

    @property
    def threads(self) -> int:
        """Of a row: a power of two."""
        longest = max(prod(nest.sizes[self.outer :]) for nest in self.nests)
        return min(THREADS, power_of_two(-(-longest // ELEMENTS)))

    @property
    def together(self) -> int:
        """Rows of a block."""
        return max(WARP // self.threads, min(THREADS // self.threads, power_of_two(self.rows)), 1)

    @property
    def tiles(self) -> int:
        return -(-self.rows // self.together)

    @property
    def grid(self) -> Grid:
        return Grid(min(self.tiles, MOST_BLOCKS), self.threads * self.together)

    def launch(self) -> Launch:
        row = max((nest.sizes[self.outer :] for nest in self.nests), key=prod)
        shape = "x".join(map(str, (self.rows, *row)))
        own = f", {counted(len(self.shared), 'temporary row')} in shared memory" if self.shared else ""
        who = "a block of threads" if self.together == 1 else counted(self.threads, "thread")
        decision = f"{counted(len(self.members), 'op')} on rows of {shape}, {who} each{own}"
        return Launch(self.grid, decision, self.emit, self.members, shared=self.shared)

    def emit(self, values: Values) -> None:
        block, thread = identity("gpu.block_id"), identity("gpu.thread_id")
        slot = arith.divui(thread, index(self.threads)) if self.together > 1 else index(0)
        own = arith.remui(thread, index(self.threads)) if self.together > 1 else thread
        with each(block, self.tiles, self.grid.blocks) as item:
            number = arith.addi(arith.muli(item, index(self.together)), slot)
            row = delinearized(number, self.nests[0].sizes[: self.outer])
            is_there = within(number, self.rows) if self.rows % self.together else None
            for op, nest in zip(self.members, self.nests):
                element = self._in_row(op, nest, values, slot)
                element.coordinates[: self.outer] = row
                _RowOp(element, self.outer, self.threads, thread, own, slot, is_there).emit()
                ir.Operation.create("gpu.barrier")

    def _in_row(self, op: ir.Operation, nest: Nest, values: Values, slot: ir.Value) -> Element:
        """The op with its shared operands: their maps have lost the row's dimensions, for which the row's number in the
        block stands where there are several."""
        maps = [
            ir.AffineMap.get(len(nest.sizes), 0, list(one.results)[self.outer :]) if v in self.shared else one
            for v, one in zip(op.operands, nest.maps)
        ]
        inner = Nest(nest.sizes, nest.parallel, tuple(maps), nest.inputs)
        element = Element(op, inner, [values.get(v, v) for v in op.operands], values)
        if self.together > 1:
            element.prefixes = {n: [slot] for n, v in enumerate(op.operands) if v in self.shared}
        return element


@dataclass(frozen=True)
class _RowOp:
    """One op of the group, for one row, by its `threads`. `thread`: the number of this one in its block; `own`: in its row; `slot`: the number of the
    row in the block; `is_there`: whether the thread has a row, None if all have."""

    element: Element
    outer: int
    threads: int
    thread: ir.Value
    own: ir.Value
    slot: ir.Value
    is_there: ir.Value | None

    def emit(self) -> None:
        """Threads take elements, or 16 bytes of neighbours, alternately; one result is reduced by all of them."""
        element, nest = self.element, self.element.nest
        inner = [d for d in nest.parallel if d >= self.outer]
        items = nest.extent(inner)
        combiner = combiner_of(element.op, nest.inputs) if nest.reduction and items == 1 else None
        if combiner is not None and not combiner.in_order:
            for d in inner:
                element.coordinates[d] = index(0)
            self._reduce(combiner)
            return
        width = neighbours_width(element, inner) if not nest.reduction else 1
        with each(self.own, self._limited(items // width), self.threads) as item:
            element.go_to(inner, item, width)
            emit_neighbours(element, width)

    def _limited(self, stop: int) -> ir.Value:
        """Where a loop ends that begins with `own`: at once without a row."""
        end = index(stop)
        return end if self.is_there is None else arith.select(self.is_there, end, index(0))

    def _reduce(self, combiner: Combiner) -> None:
        """Leaves the result in the outputs. Needs a barrier after it before it can be read."""
        element, lanes = self.element, min(WARP, self.threads)
        own = self._own_part(combiner)
        state = combine_lanes(combiner, own, [n for n in (1, 2, 4, 8, 16) if n < lanes])
        arrays = self._share(state) if self.threads > WARP else []
        is_first = equals(self.own, 0)
        with where(is_first if self.is_there is None else arith.andi(is_first, self.is_there)):
            if arrays:
                count = self.threads // WARP
                first = arith.muli(self.slot, index(count))
                positions = [arith.addi(first, index(n)) for n in range(count)]
                state, *others = [[memref.load(array, [position]) for array in arrays] for position in positions]
                for other in others:
                    state = combiner.combine(state, other)
            results = combiner.finish([element.load(n) for n in element.outputs], state)
            for number, value in zip(element.outputs, results):
                element.store(number, value)

    def _own_part(self, combiner: Combiner) -> list[ir.Value]:
        """What this thread's elements combine to; neighbours of 16 bytes are loaded at once."""
        element, reduction = self.element, self.element.nest.reduction
        last = reduction[-1]
        width = width_along(element, last)

        def several(number: ir.Value, *before: ir.Value) -> Sequence[ir.Value]:
            state: Sequence[ir.Value] = before
            element.go_to(reduction, number, width)
            lanes = vectors_at(element, width, last) if width > 1 else None
            for lane in each_lane(element, last, width):
                terms = combiner.terms(element, lanes(lane) if lanes else ())
                state = combiner.combine(state, combiner.of_terms(terms))
            return state

        stop = self._limited(element.nest.extent(reduction) // width)
        return for_loop(self.own, stop, several, combiner.start(), self.threads)

    def _share(self, state: list[ir.Value]) -> list[ir.Value]:
        """Arrays with what each warp of the block has."""
        arrays = [shared_array([THREADS // WARP], value.type) for value in state]
        lane, warp = arith.remui(self.thread, index(WARP)), arith.divui(self.thread, index(WARP))
        with where(equals(lane, 0)):
            for value, array in zip(state, arrays):
                memref.store(value, array, [warp])
        ir.Operation.create("gpu.barrier")
        return arrays


# Which ops are a group


def row_group(ops: Sequence[ir.Operation]) -> RowGroup | None:
    """The longest group that begins with the first of `ops`; None if that is not profitable."""
    members: list[ir.Operation] = []
    best: RowGroup | None = None
    for op in ops:
        if op.name not in NESTS:
            break
        members.append(op)
        group = _group(members)
        if group is None:
            break
        if _worthwhile(group) and (group.nests[-1].reduction or _feeds_on(group)):
            best = group
    if best is not None:
        best.shared = _shared(best)
    return best


def _feeds_on(group: RowGroup) -> bool:
    """The last op uses what the group wrote before."""
    written = {v for op, nest in zip(group.members[:-1], group.nests) for v in list(op.operands)[nest.inputs :]}
    return any(v in written for v in group.members[-1].operands)


def _group(members: Sequence[ir.Operation]) -> RowGroup | None:
    nests = [nest_of(op) for op in members]
    outer = min(_row_dimensions(op, nest) for op, nest in zip(members, nests))
    while outer and len({nest.sizes[:outer] for nest in nests}) != 1:
        outer -= 1
    group = RowGroup(list(members), nests, outer)
    return group if group.rows and _stays_in_row(group) else None


def _row_dimensions(op: ir.Operation, nest: Nest) -> int:
    """How many leading dimensions are parallel and lead the maps of all outputs, and of all inputs that use them."""
    outer = 0
    while outer in nest.parallel and all(
        _leads(one, outer) or (number < nest.inputs and not any(outer in index_loops(e) for e in one.results))
        for number, one in enumerate(nest.maps)
    ):
        outer += 1
    return outer


def _leads(one: ir.AffineMap, dimension: int) -> bool:
    results = list(one.results)
    if dimension >= len(results):
        return False
    first = results[dimension]
    others = results[:dimension] + results[dimension + 1 :]
    is_first = isinstance(first, ir.AffineDimExpr) and first.position == dimension
    return is_first and not any(dimension in index_loops(e) for e in others)


def _stays_in_row(group: RowGroup) -> bool:
    """Memory that the group writes is read in the same row only."""
    written = {v for op, nest in zip(group.members, group.nests) for v in list(op.operands)[nest.inputs :]}
    return all(
        all(_leads(one, d) for d in range(group.outer))
        for op, nest in zip(group.members, group.nests)
        for v, one in zip(op.operands, nest.maps)
        if v in written
    ) and not any(v not in written and memory_of(v) in written for op in group.members for v in op.operands)


def memory_of(value: ir.Value) -> ir.Value:
    """What a view is a view of."""
    while isinstance(value.type, ir.MemRefType) and not isinstance(value.owner, ir.Block) and value.owner.operands:
        value = value.owner.operands[0]
    return value


def _worthwhile(group: RowGroup) -> bool:
    """A reduction of long enough rows, and rows enough; rows that are no longer than each reduction wants them."""
    reductions = [(op, nest) for op, nest in zip(group.members, group.nests) if nest.reduction]
    longest = max((prod(nest.sizes[group.outer :]) for _, nest in reductions), default=0)
    widest = max((_row_dimensions(op, nest) for op, nest in reductions), default=0)
    return longest >= LEAST_ROW and widest == group.outer and (group.rows >= LEAST_ROWS or longest <= LONG_ROW)


def _shared(group: RowGroup) -> dict[ir.Value, ir.MemRefType]:
    """Temporaries that only the group uses, as long as there is room."""
    members, room = set(group.members), SHARED_BYTES // group.together
    space = ir.Attribute.parse("#gpu.address_space<workgroup>")
    found: dict[ir.Value, ir.MemRefType] = {}
    for value in dict.fromkeys(v for op in group.members for v in op.operands):
        if not made_by(value, "memref.alloc") or not all(
            use.owner.operation in members or use.owner.name == "memref.dealloc" for use in value.uses
        ):
            continue
        kind = ir.MemRefType(value.type)
        shape = list(kind.shape)[group.outer :]
        size = prod(shape) * element_bytes(kind.element_type)
        if size <= room:
            room -= -(-size // 16) * 16
            several = [group.together] if group.together > 1 else []
            found[value] = ir.MemRefType.get([*several, *shape], kind.element_type, None, space)
    return found
