"""A reduction as one launch, or as two: all threads of the card read 16 bytes at once, adjacent lanes adjacent elements.

Before:  linalg.generic {fill with 0} outs(%r); linalg.generic {sum over d0} ins(%x : memref<4096x768xf32>) outs(%r)
After:   gpu.func: each thread sums its share of 4 neighbouring columns in registers; the threads of a warp that share
         results are added by shuffles, the warps of a block in shared memory; the first of them writes 0 + the sum

`shape_of` says which threads take what. Parts of a reduction go to a temporary, which a second launch folds in
their order: the result is the same in every run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import prod

from mlir import ir
from mlir.dialects import memref

from hlo.lowering.gpu.accesses import Nest, joined, nest_of, uses_index
from hlo.lowering.gpu.combiner import Combiner, combiner_of
from hlo.lowering.gpu.element import Element, width_along
from hlo.lowering.gpu.grid import MOST_BLOCKS, THREADS, Grid, Launch, counted
from hlo.lowering.gpu.reduction_code import Emission, Parts
from hlo.lowering.gpu.threads import WARP
from hlo.lowering.memory.storage import element_bytes
from hlo.lowering.vector.target import Target


@dataclass
class Reduction:
    """One launch. `fills`: by output, the op that writes its initial value, if it is computed here. `partials`: where parts
    are; read if `is_last`, else written."""

    op: ir.Operation
    combiner: Combiner
    space: Nest
    shape: Shape
    fills: dict[int, ir.Operation] = field(default_factory=dict)
    partials: list[ir.Value] = field(default_factory=list)
    is_last: bool = False

    @property
    def skipped(self) -> set[ir.Value]:
        """Operands of the op that this launch does not touch."""
        if not self.partials:
            return set()
        operands, count = list(self.op.operands), nest_of(self.op).inputs
        inputs, outputs = set(operands[:count]), set(operands[count:])
        return inputs - outputs if self.is_last else outputs - inputs

    @property
    def operands(self) -> list[ir.Value]:
        """Memory, by number of the launch's space."""
        outputs = list(self.op.operands)[nest_of(self.op).inputs :]
        return [*self.partials, *outputs] if self.is_last else list(self.op.operands)

    @property
    def grid(self) -> Grid:
        return Grid(max(1, min(self.shape.tiles * self.shape.parts, MOST_BLOCKS)), THREADS)

    def launch(self) -> Launch:
        shape, nest = self.shape, self.space
        reduced = "x".join(str(nest.sizes[d]) for d in nest.reduction)
        results = "x".join(str(nest.sizes[d]) for d in nest.parallel)
        what = f"{reduced} {'parts' if self.is_last else 'elements'} to {f'each of {results}' if results else 'one'}"
        neighbours = f", {shape.width} neighbours at once" if shape.width > 1 else ""
        of = f"{shape.width} neighbouring results" if shape.states > 1 else f"a result{neighbours}"
        parts = f", in {shape.parts} parts" if shape.parts > 1 else ""
        decision = f"{what}: {counted(shape.sharing, 'thread')} for {of}{parts}"
        ops = [self.op] if self.partials and not self.is_last else [*self.fills.values(), self.op]
        emit = lambda values: Emission(self, values).emit()
        return Launch(self.grid, decision, emit, ops, partials=self.partials, skipped=self.skipped)


# Which ops are reductions


def reduction(work: Sequence[ir.Operation], target: Target) -> Reduction | None:
    """The reduction that `work` begins with, or ops that fill its outputs and it; None for contractions, which have kernels
    of their own, and for bodies that only one element after the other will do."""
    op = next((op for op in work if op.name != "linalg.generic" or nest_of(op).reduction), None)
    if op is None or op.name != "linalg.generic":
        return None
    fills = _fills(work[: work.index(op)], op)
    nest = nest_of(op)
    combiner = combiner_of(op, nest.inputs) if fills is not None else None
    if combiner is None or fills is None or not all(nest.sizes):
        return None
    space = nest if uses_index(op) else joined(nest, list(op.operands))
    shape = shape_of(Element(op, space, list(op.operands), {}), combiner.in_order, target)
    return Reduction(op, combiner, space, shape, fills)


def in_parts(whole: Reduction, target: Target) -> list[Launch]:
    """The launches of a reduction. Parts are allocated at the beginning of the code."""
    return [one.launch() for one in (_two_launches(whole, target) if whole.shape.parts > 1 else [whole])]


def _fills(ops: Sequence[ir.Operation], op: ir.Operation) -> dict[int, ir.Operation] | None:
    """Ops that each write all of another output; None if one of them does something else."""
    inputs = nest_of(op).inputs
    outputs = list(op.operands)[inputs:]
    found: dict[int, ir.Operation] = {}
    for fill in ops:
        nest, target = nest_of(fill), list(fill.operands)[-1]
        is_one = len(nest.maps) == nest.inputs + 1 and nest.maps[-1] == ir.AffineMap.get_identity(len(nest.sizes))
        read = list(fill.operands)[:-1]
        carries = any(fill.regions[0].blocks[0].arguments[nest.inputs].uses)
        if not is_one or carries or target not in outputs or any(v in outputs for v in read):
            return None
        if target in list(op.operands)[:inputs] or outputs.count(target) != 1:
            return None
        found[outputs.index(target)] = fill
    return found


def _two_launches(whole: Reduction, target: Target) -> list[Reduction]:
    op, nest, parts = whole.op, whole.space, whole.shape.parts
    sizes = [parts, *(nest.sizes[d] for d in nest.parallel)]
    with op.location, ir.InsertionPoint.at_block_begin(op.block):
        partials = [memref.alloc(ir.MemRefType.get(sizes, kind), [], []) for kind in whole.combiner.kinds]
    space = _space_of_parts(nest, sizes)
    element = Parts(op, space, [*partials, *list(op.operands)[nest.inputs :]], {})
    shape = shape_of(element, whole.combiner.in_order, target)
    last = Reduction(
        op, whole.combiner, space, replace(shape, parts=1, length=shape.steps), whole.fills, partials, True
    )
    return [replace(whole, partials=partials), last]


def _space_of_parts(nest: Nest, sizes: Sequence[int]) -> Nest:
    """Of partial results: the parts, then the parallel dimensions of the op."""
    rank = len(sizes)
    new = {d: n + 1 for n, d in enumerate(nest.parallel)}
    names = [ir.AffineDimExpr.get(new.get(d, 0)) for d in range(len(nest.sizes))]
    renaming = ir.AffineMap.get(rank, 0, names)
    outputs = [
        ir.AffineMap.get(rank, 0, [e.compose(renaming) for e in one.results]) for one in nest.maps[nest.inputs :]
    ]
    maps = (*[ir.AffineMap.get_identity(rank)] * len(outputs), *outputs)
    return Nest(tuple(sizes), tuple(range(1, rank)), maps, len(outputs))


# How the threads of a card share a reduction: along what they read, how many share a result, in how many parts.
#
# columns   8x512x768 over 0, 1: lanes of a warp lie along the results, 16 bytes each; the block's 8 warps divide what is reduced
# rows      4096x768 over 1: lanes lie along what is reduced; a part of a warp, a warp or a block for a result
# parts     where that gives too few blocks, each does a part of the reduction, and a second launch combines the parts


WARPS = THREADS // WARP

BLOCKS = 4
"""For each multiprocessor, of 256 threads that each wait for several loads: they keep the memory busy."""

PART_BYTES = 32 * 1024
"""Least bytes that a block reads for a part: eight loads of 16 bytes a thread. Less does not pay for a second launch."""

LONG = 16
"""Loads of a lane from which a block for a result is better than a warp."""

SHORT = 4
"""Loads for a result up to which a thread of its own does them, if there are results for the whole card."""

UNROLLED = 32
"""Most elements of a thread that are combined in one iteration of its loop; their loads are under way together."""

MOST_LOADS = 8


@dataclass(frozen=True)
class Shape:
    """`results` and `steps`: how many results and how much of the reduction there is, either in vectors of `width` neighbours:
    of `inner`, which is a dimension of the results if `is_column`. `lanes` of a warp and `warps` of a block share a result;
    each of `parts` parts of the reduction has `length` steps. `streams`: inputs that are read along `inner`."""

    results: int
    steps: int
    width: int
    inner: int | None
    is_column: bool
    lanes: int
    warps: int
    parts: int
    length: int
    streams: int

    @property
    def sharing(self) -> int:
        """Threads that share a result."""
        return self.lanes * self.warps

    @property
    def tile(self) -> int:
        """Results of a block (vectors of them in columns)."""
        return THREADS // self.sharing

    @property
    def tiles(self) -> int:
        return -(-self.results // self.tile)

    @property
    def states(self) -> int:
        """That a thread has: neighbouring results."""
        return self.width if self.is_column else 1

    @property
    def iterations(self) -> int:
        """Loads of a thread, at most."""
        return -(-self.length // self.sharing)

    @property
    def unroll(self) -> int:
        """Steps of a thread whose loads are under way together: a divisor of its iterations if there is one that is not much less."""
        most = max(1, min(MOST_LOADS // max(1, self.streams), UNROLLED // self.width, self.iterations))
        return next((n for n in range(most, most // 2, -1) if self.iterations % n == 0), most)

    @property
    def is_even(self) -> bool:
        """Every thread has as many steps as the others, a multiple of those that are taken together."""
        whole = self.length % self.sharing == 0 and self.iterations % self.unroll == 0
        return whole and self.parts * self.length == self.steps


def shape_of(element: Element, in_order: bool, target: Target) -> Shape:
    """The shape of a reduction on memory."""
    enough = BLOCKS * target.multiprocessors
    nest = element.nest
    inner = _inner(element)
    is_column = inner is None or inner in nest.parallel
    is_last = inner is not None and inner == (nest.parallel if is_column else nest.reduction)[-1]
    width = width_along(element, inner) if inner is not None and (is_last or not in_order) else 1
    results = nest.extent(nest.parallel) // (width if is_column else 1)
    steps = nest.extent(nest.reduction) // (1 if is_column else width)
    lanes, warps = (_columns if is_column else _rows)(results, steps, enough)
    tiles = -(-results // (THREADS // (lanes * warps)))
    parts = _parts(tiles, steps, lanes * warps, _bytes(element), enough)
    length = -(-steps // parts)
    if parts > 1:
        length = -(-length // (lanes * warps)) * lanes * warps
        parts = -(-steps // length)
    streams = sum(element.along(n) == inner for n in range(nest.inputs))
    return Shape(results, steps, width, inner, is_column, lanes, warps, parts, length, streams)


def _inner(element: Element) -> int | None:
    """The dimension along which the largest input lies in memory; where it lies along none (windows), that of the results along
    which another input does."""
    nest = element.nest
    sizes = {}
    for number in range(nest.inputs):
        value = element.operands[number]
        if isinstance(value.type, ir.MemRefType) and element.is_read(number):
            sizes[number] = prod(ir.MemRefType(value.type).shape)
    first, *others = [element.along(n) for n in sorted(sizes, key=lambda n: -sizes[n])] or [None]
    return first if first is not None else next((d for d in others if d in nest.parallel), None)


def _columns(results: int, steps: int, enough: int) -> tuple[int, int]:
    """Lanes and warps that share a result. `enough`: blocks that fill the card."""
    lanes = 1
    while lanes * 2 * results <= WARP and lanes * 2 <= steps:
        lanes *= 2
    few = -(-results * lanes // THREADS) < enough
    return lanes, WARPS if few and steps >= 2 * WARPS * lanes else 1


def _rows(results: int, steps: int, enough: int) -> tuple[int, int]:
    if steps <= SHORT and results >= THREADS * enough:
        return 1, 1
    lanes = 1
    while lanes < min(WARP, steps):
        lanes *= 2
    few = -(-results // WARPS) < enough // 2 and steps >= THREADS
    return lanes, WARPS if few or steps >= LONG * WARP else 1


def _parts(tiles: int, steps: int, sharing: int, read: int, enough: int) -> int:
    if not tiles:
        return 1
    return max(1, min(enough // tiles, read // (tiles * PART_BYTES), steps // (2 * sharing)))


def _bytes(element: Element) -> int:
    """That are read; at least one for each element, as those that are computed take time too."""
    nest = element.nest
    read = [v for n, v in enumerate(element.operands[: nest.inputs]) if element.is_read(n)]
    memory = [ir.MemRefType(v.type) for v in read if isinstance(v.type, ir.MemRefType)]
    return max(prod(nest.sizes), sum(prod(m.shape) * element_bytes(m.element_type) for m in memory))
