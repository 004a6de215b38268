"""A kernel of the kind "contraction" as one launch: a block of threads computes a tile of the result, and what follows
it element by element.

Before:  func.func private @k(%a, %b, %bias) { %t = contraction (%a, %b); %r = linalg.generic tanh(%t + %bias); return %r }
After:   one gpu.func: tiles of both inputs go through shared memory, the sums stay in registers, tanh is applied to them

The pass `separate-contractions` has left nothing else in such a kernel. How a tile is multiplied: simt.py,
tensor_cores.py, warpgroups.py; where a block's tile is: block.py; what then becomes of it: epilogue.py."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir

from hlo.lowering.gpu.contraction.block import Block, Tile
from hlo.lowering.gpu.contraction.problem import Problem, is_tiled, problem_of, swapped
from hlo.lowering.gpu.contraction.simt import simt_tile
from hlo.lowering.gpu.contraction.tensor_cores import tensor_core_tile
from hlo.lowering.gpu.contraction.warpgroups import warpgroup_tile
from hlo.lowering.gpu.evaluate import Outputs, outputs_of
from hlo.lowering.gpu.launches import Grid, Launch, Values, counted, one_launch
from hlo.lowering.kernel_calls import kind
from hlo.lowering.linalg.structured import reduces
from hlo.lowering.target import Target
from hlo.lowering.vector.region.graph import returned_values


def first_tiled(kernel: Any) -> ir.Operation | None:
    """The first contraction of a kernel that is large enough for tiles."""
    ops = [op.operation for op in kernel.regions[0].blocks[0].operations]
    return next((op for op in ops if reduces(op) and is_tiled(op)), None)


def tiled_contraction(kernel: Any) -> ir.Operation | None:
    """The contraction of a kernel of that kind; None for other kernels, and if it is too small for tiles."""
    return first_tiled(kernel) if kind(kernel) == "contraction" else None


def outputs_in(kernel: Any, op: ir.Operation) -> Outputs | None:
    """What becomes of the sums of a kernel's contraction; None if that is more than its launch does."""
    problem = problem_of(op)
    assert problem is not None, "a contraction"
    return outputs_of(op, {d: problem.nest.sizes[d] for d in problem.nest.parallel}, returned_values(kernel))


def contraction_code(kernel: Any, op: ir.Operation, name: str, target: Target) -> ir.Module:
    """A module with the function `name` on memrefs (arguments, then results that are not tied), which launches the gpu.func in the module's
    gpu.module @gpu."""
    p, outputs = problem_of(op), outputs_in(kernel, op)
    assert p is not None and outputs is not None, "what the pass separate-contractions leaves"
    p = swapped(p, inner) if (inner := _inner(outputs)) in p.rows else p
    tile = tile_for(p, target)

    def emit(values: Values, results: Sequence[ir.Value], maps: Sequence[ir.Value]) -> None:
        values = {**values, **dict(zip([one.value for one in outputs.all], results, strict=True))}
        tile.code.emit(Block(p, tile.tiles, (tile.m, tile.n), values, tile.blocks, tile.spans, outputs), maps)

    others = [one for one in op.block.operations if one.operation.name == "linalg.generic"]
    grid = Grid(tile.blocks, tile.threads, tile.shared_bytes)
    return one_launch(kernel, name, Launch(grid, _decision(p, tile, len(others) - 1), emit, maps=tile.maps))


def _decision(p: Problem, tile: Tile, followers: int) -> str:
    """In words, for remarks. `followers`: how many ops make something of the sums."""
    batch = f"{p.batches} x " if p.batches > 1 else ""
    kinds = " and ".join(dict.fromkeys(str(p.element_type(number)) for number in range(3)))
    after = f", then {counted(followers, 'elementwise op')} on the sums" if followers else ""
    return f"contraction {batch}{p.m} x {p.n} x {p.k} of {kinds}: tiles of {tile.m} x {tile.n} by {tile.unit}{after}"


def _inner(outputs: Outputs) -> int | None:
    """The contraction's dimension that everything which is written is contiguous along."""
    found = {one.coordinates[-1] if one.coordinates else None for one in outputs.all}
    return found.pop() if len(found) == 1 else None


def tile_for(problem: Problem, target: Target) -> Tile:
    """How a problem is multiplied on a target."""
    by_warpgroups = warpgroup_tile(problem, target) if target.wgmma else None
    return by_warpgroups or tensor_core_tile(problem, target) or simt_tile(problem, target)
