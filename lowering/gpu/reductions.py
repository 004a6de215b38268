"""A reduction as one launch, or as two: all threads of the card read 16 bytes at once, neighbours beside each other.

Before:  linalg.generic {fill with 0} outs(%r); linalg.generic {sum over d0} ins(%x : memref<4096x768xf32>) outs(%r)
After:   gpu.func: each thread sums its share of 4 neighbouring columns in registers; the threads of a warp that share
         results are added by shuffles, the warps of a block in shared memory; the first of them writes 0 + the sum

reduction_shape.py says which threads take what. Parts of a reduction go to a temporary, which a second launch folds in
their order: the result is the same in every run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from mlir import ir
from mlir.dialects import memref

from hlo.lowering.gpu.contraction.problem import is_tiled
from hlo.lowering.gpu.element import Element, Values
from hlo.lowering.gpu.fold import Fold, fold_of
from hlo.lowering.gpu.grid import MOST_BLOCKS, THREADS, Grid, Launch, counted
from hlo.lowering.gpu.nest import Nest, joined, nest_of, uses_index
from hlo.lowering.gpu.reduction_code import Emission, Parts
from hlo.lowering.gpu.reduction_shape import Shape, shape_of
from hlo.lowering.vector.target import Target


@dataclass
class Reduction(Launch):
    """A launch. `fills`: by output, the op that writes its initial value, if it is computed here. `partials`: where parts
    are; read if `is_last`, else written."""

    op: ir.Operation
    fold: Fold
    space: Nest
    shape: Shape
    fills: dict[int, ir.Operation] = field(default_factory=dict)
    partials: list[ir.Value] = field(default_factory=list)
    is_last: bool = False

    @property
    def ops(self) -> list[ir.Operation]:
        return [self.op] if self.partials and not self.is_last else [*self.fills.values(), self.op]

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

    @property
    def decision(self) -> str:
        shape, nest = self.shape, self.space
        reduced = "x".join(str(nest.sizes[d]) for d in nest.reduction)
        results = "x".join(str(nest.sizes[d]) for d in nest.parallel)
        what = f"{reduced} {'parts' if self.is_last else 'elements'} to {f'each of {results}' if results else 'one'}"
        parts = f", in {shape.parts} parts" if shape.parts > 1 else ""
        return f"{what}: {counted(shape.sharing, 'thread')} for {_share(shape)}{parts}"

    def emit(self, values: Values) -> None:
        Emission(self, values).emit()


def _share(shape: Shape) -> str:
    """What the threads that share results read, in words."""
    if shape.states > 1:
        return f"{shape.width} neighbouring results"
    return "a result" + (f", {shape.width} neighbours at once" if shape.width > 1 else "")


# Which ops are reductions


def reduction(work: Sequence[ir.Operation], target: Target) -> Reduction | None:
    """The reduction that `work` begins with, or ops that fill its outputs and it; None for contractions, which have kernels
    of their own, and for bodies that only one element after the other will do."""
    op = next((op for op in work if op.name != "linalg.generic" or nest_of(op).reduction), None)
    if op is None or op.name != "linalg.generic" or is_tiled(op):
        return None
    fills = _fills(work[: work.index(op)], op)
    nest = nest_of(op)
    fold = fold_of(op, nest.inputs) if fills is not None else None
    if fold is None or fills is None or not all(nest.sizes):
        return None
    space = nest if uses_index(op) else joined(nest, list(op.operands))
    shape = shape_of(Element(op, space, list(op.operands), {}), fold.in_order, target)
    return Reduction(op, fold, space, shape, fills)


def in_parts(whole: Reduction, target: Target) -> list[Reduction]:
    """The launches of a reduction. Parts are allocated at the beginning of the code."""
    return _two_launches(whole, target) if whole.shape.parts > 1 else [whole]


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
        partials = [memref.alloc(ir.MemRefType.get(sizes, kind), [], []) for kind in whole.fold.kinds]
    space = _space_of_parts(nest, sizes)
    element = Parts(op, space, [*partials, *list(op.operands)[nest.inputs :]], {})
    shape = shape_of(element, whole.fold.in_order, target)
    last = Reduction(op, whole.fold, space, replace(shape, parts=1, length=shape.steps), whole.fills, partials, True)
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
