"""The pass `split-k`: a small result with a long k is computed in parts of k, which are then added.

Before:  func.func private @k(%a, %b) attributes {hlo.kernel = "contraction"} { %r = linalg.generic C(i, j) += A(i, k) * B(k, j) }
After:   the same with  %p = linalg.generic C(q, i, j) += A(i, q, k) * B(q, k, j)    %r = linalg.generic R(i, j) += C(q, i, j)

There are as many tiles as results have room for, which may be fewer than multiprocessors, or small ones; parts make more of them, and
larger. The parts are reduced in the launch of what follows elementwise: the result is the same in every run."""

from __future__ import annotations

from dataclasses import replace
from math import prod

from mlir import ir
from mlir.dialects import arith

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.gpu.contraction.launch import tile_for
from hlo.lowering.gpu.contraction.pipeline import CHUNK
from hlo.lowering.gpu.contraction.problem import Problem, problem_of
from hlo.lowering.kernel_calls import kind
from hlo.lowering.linalg.partial_reductions import partial_results
from hlo.lowering.linalg.structured import fill, index_loops, reduced
from hlo.lowering.memory.storage import element_bytes
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.target import Target, gpu_named
from hlo.lowering.vector.contraction.emit import starts_from_zero

MOST_PARTS = 32
LEAST_K_BYTES = 256
"""Of a part."""

GAIN = 1.25
"""By how much the parts must be quicker."""

BYTES = 60e9
"""A second, that one multiprocessor gets from L2."""

BEGIN = 1.5e-6
"""Seconds until the first products of a tile."""

SECOND_LAUNCH, SECOND_BYTES = 2.5e-6, 2.5e12
"""Seconds of a launch more, and bytes a second of all multiprocessors."""


@register_pass
@dataclass(frozen=True)
class SplitK(Pass):
    """Rewrites kernels of contractions for which it pays. `target`: what they are to run on."""

    target: str = "sm_80"

    def run(self, module: ir.Module) -> None:
        target = gpu_named(self.target)
        for kernel in module.body.operations:
            if kind(kernel) == "contraction":
                for op in [one.operation for one in kernel.regions[0].blocks[0].operations]:
                    _split(op, target)


def _split(op: ir.Operation, target: Target) -> None:
    problem = problem_of(op)
    if problem is None or not problem.is_worth_tiles or not starts_from_zero(op.operands[2]):
        return
    cut = next((d for d in problem.k_dims if _is_plain(problem, d)), None)
    if cut is None:
        return
    parts = _parts(problem, cut, target)
    if parts > 1:
        with op.location, ir.InsertionPoint(op):
            op.results[0].replace_all_uses_with(_in_parts(problem, cut, parts))
        op.erase()


def _is_plain(p: Problem, dimension: int) -> bool:
    """The dimension is one of each input, alone."""
    for one in p.nest.maps[:2]:
        found = [e for e in one.results if dimension in index_loops(e)]
        if len(found) != 1 or not isinstance(found[0], ir.AffineDimExpr):
            return False
    return True


def _parts(p: Problem, cut: int, target: Target) -> int:
    """Into how many parts a dimension of k is cut: a divisor of its size; 1 to leave it."""
    size, width = p.nest.sizes[cut], min(element_bytes(p.element_type(n)) for n in (0, 1))
    chunk = CHUNK // width if size * width % CHUNK == 0 else 1  # what is copied 16 bytes at once stays so
    counts = [n for n in range(2, MOST_PARTS + 1) if size % (n * chunk) == 0 and p.k // n * width >= LEAST_K_BYTES]
    whole = _seconds(p, target)
    times = {n: _seconds(_part_of(p, cut, n), target) + _seconds_to_add(p, n) for n in counts}
    best = min(times, key=lambda n: times[n], default=1)
    return best if best > 1 and times[best] * GAIN <= whole else 1


def _part_of(p: Problem, cut: int, parts: int) -> Problem:
    """The problem in parts, which are one dimension more of the batch."""
    sizes = list(p.nest.sizes)
    sizes[cut] //= parts
    rank = len(sizes)
    return replace(p, nest=replace(p.nest, sizes=(*sizes, parts)), batch=(*p.batch, rank))


def _seconds(p: Problem, target: Target) -> float:
    """About how long the launch takes: tiles in waves, each as long as its products or its inputs take."""
    tile = tile_for(p, target)
    width = max(element_bytes(p.element_type(n)) for n in (0, 1))
    products = 2 * tile.m * tile.n * tile.k / tile.rate
    inputs = (tile.m + tile.n) * tile.k * width / BYTES
    return -(-prod(tile.tiles) // target.multiprocessors) * (BEGIN + max(products, inputs))


def _seconds_to_add(p: Problem, parts: int) -> float:
    moved = 2 * parts * p.batches * p.m * p.n * element_bytes(p.element_type(2))
    return SECOND_LAUNCH + moved / SECOND_BYTES


def _in_parts(p: Problem, cut: int, parts: int) -> ir.Value:
    """The sums of each part, along a new outermost dimension, and their sum."""
    kind, zero = ir.RankedTensorType(p.op.results[0].type), p.op.operands[2].owner.operands[0]
    start = fill(zero, ir.RankedTensorType.get([parts, *kind.shape], kind.element_type))
    (found,) = partial_results(p.op, cut, parts, [start], p.nest.maps)
    add = arith.addf if isinstance(kind.element_type, ir.FloatType) else arith.addi
    return reduced(found, fill(zero, kind), [0], lambda element, total: add(total, element))
