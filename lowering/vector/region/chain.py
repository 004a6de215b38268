"""Kernels of several reductions over the same dimensions and what is computed between and after them (softmax, layer
normalisation): one sweep over a row for each level of reductions, and one for the results, while the row is in cache. Pools and what is
computed from their results, element by element (averages), are one reduction with results of their own."""

from __future__ import annotations

from math import prod
from typing import Any

from mlir import ir

from hlo.errors import CompileError
from hlo.lowering.kernels.fusable import domain_of
from hlo.lowering.linalg.iteration import Affine, Dim, flatten
from hlo.lowering.linalg.structured import reduces
from hlo.lowering.memory.storage import element_bytes
from hlo.lowering.vector.region.accesses import op_cost, stage_accesses
from hlo.lowering.vector.region.graph import (
    Stage,
    Store,
    inputs_of,
    loops_of,
    reads_windows,
    result_index,
    returned_values,
)
from hlo.lowering.vector.region.rolls import values_rolled

HEAVY = 8
"""Instructions from which on a value that two sweeps need is kept in a row buffer."""
LARGEST_ROW = 256 << 10
"""Bytes of a row that may be kept: it is on the stack, and in the second cache beside the row that is read. With
softmaxes of rows of 40,000 to 65,536 elements of f32 or bf16, which would compute exponentials twice, an EPYC (Zen 3)
takes 0.6 to 0.8 of the time."""


def reductions_in(function: Any) -> list[ir.Operation]:
    ops = [op.operation for op in function.regions[0].blocks[0].operations]
    return [op for op in ops if reduces(op)]


def is_chain(reductions: list[ir.Operation]) -> bool:
    """Whether a reduction's result is used inside the kernel."""
    return any(
        use.owner.operation.name != "func.return" for op in reductions for result in op.results for use in result.uses
    )


def chain_stage(reductions: list[ir.Operation], returned: list[ir.Value], heavy: int = HEAVY) -> Stage:
    """The one stage of such a kernel: reductions by level, results over all dimensions or over the kept ones. `heavy`:
    instructions from which on values are kept."""
    first = reductions[0]
    dims, reduction = loops_of(first)
    for op in reductions[1:]:
        if domain_of(op) != domain_of(first):
            raise CompileError(f"{op.location}: reductions over different dimensions in one kernel")
    stores = [_store(v, n, dims, reduction) for n, v in enumerate(returned)]
    stage = Stage(dims, stores, reduction, reductions)
    stage.levels = [] if is_pool(stage) else _levels(reductions)
    stage.kept = _kept(stage, heavy)
    stage.row_shape = [d.size for d in reduction]
    stage.row_position = flatten(tuple(map(Affine.of, reduction)), stage.row_shape)
    return stage


def is_pool(stage: Stage) -> bool:
    """Whether results are computed from windows that are reduced, and from nothing over all dimensions."""
    results = {result for op in stage.generics for result in op.results}
    independent = not any(v in results for op in stage.generics for v in op.operands)
    kept = len(stage.dims) - len(stage.reduction)
    return independent and any(map(reads_windows, stage.generics)) and all(len(s.index) == kept for s in stage.stores)


def is_sound_chain(function: Any) -> bool:
    """Whether a kernel of several reductions is a chain, which reads each of them in the row it belongs to."""
    try:
        _check_chain(function)
    except CompileError:
        return False
    return True


def _check_chain(function: Any) -> None:
    """Raises CompileError unless every reduction is read in the row it belongs to."""
    returned = returned_values(function)
    stage = chain_stage(reductions_in(function), returned)
    own: dict[ir.Value, Affine] = {}
    for op in stage.generics:
        for result in op.results:
            own[result] = flatten(result_index(op, result, stage.dims), result.type.shape)
    in_memory = {*function.regions[0].blocks[0].arguments, *own}
    accesses = stage_accesses(stage, in_memory)
    if not values_rolled(accesses.rolls).isdisjoint((*own, *stage.kept)):
        raise CompileError("a value of a row that is read at other places of it, or in other rows")
    for access in accesses.accesses:
        if access.value is not None and access.value in own and access.position != own[access.value]:
            raise CompileError("a reduction that is read in other rows than its own")


def wide_and_narrow(stage: Stage, rank: int) -> tuple[list[Store], list[Store]]:
    """The stores over all dimensions, of which there were `rank` before any were joined, and those of one number for each row."""
    wide = [s for s in stage.stores if len(s.index) == rank and s.value.type.rank == rank]
    return wide, [s for s in stage.stores if s not in wide]


def _store(value: ir.Value, number: int, dims: list[Dim], reduction: list[Dim]) -> Store:
    shape = list(value.type.shape)
    kept = [d for d in dims if d not in reduction]
    for candidate in (dims, kept):
        if shape == [d.size for d in candidate]:
            index = tuple(map(Affine.of, candidate))
            if reduces(value.owner):
                index = result_index(value.owner, value, dims)
            return Store(value, number, value.type, index, index)
    raise CompileError(f"{value.owner.location}: a result over other dimensions than its kernel's reductions")


def _levels(reductions: list[ir.Operation]) -> list[list[ir.Operation]]:
    """Reductions that need only those of the levels before."""
    level: dict[ir.Operation, int] = {}
    counted = set(reductions)

    def visit(op: ir.Operation | ir.Block) -> int:
        if isinstance(op, ir.Block):
            return 0
        if op not in level:
            level[op] = max([visit(v.owner) for v in op.operands], default=0) + (op in counted)
        return level[op]

    groups: dict[int, list[ir.Operation]] = {}
    for op in reductions:
        groups.setdefault(visit(op), []).append(op)
    return [groups[n] for n in sorted(groups)]


def _kept(stage: Stage, heavy: int) -> list[ir.Value]:
    """Costly values over all dimensions that one sweep computes and a later one needs again."""
    row, shape = prod(d.size for d in stage.reduction), [d.size for d in stage.dims]
    first_sweep: dict[ir.Value, int] = {}
    kept: dict[ir.Value, None] = {}
    reductions = set(stage.generics)
    seen: set[tuple[ir.Value, int]] = set()

    def visit(value: ir.Value, sweep: int) -> None:
        owner = value.owner
        if (
            (value, sweep) in seen
            or isinstance(owner, ir.Block)
            or owner.name != "linalg.generic"
            or owner in reductions
        ):
            return
        seen.add((value, sweep))
        fits = row * element_bytes(value.type.element_type) <= LARGEST_ROW
        is_candidate = fits and list(value.type.shape) == shape and _cost(owner) >= heavy
        if is_candidate and first_sweep.setdefault(value, sweep) != sweep:
            kept[value] = None
            return
        for operand in inputs_of(owner):
            visit(operand, sweep)

    for number, level in enumerate(stage.levels):
        for op in level:
            for operand in inputs_of(op):
                visit(operand, number)
    for store in stage.stores:
        visit(store.value, len(stage.levels))
    return list(kept)


def _cost(op: ir.Operation) -> int:
    return sum(op_cost(inner.operation.name) for inner in op.regions[0].blocks[0].operations)
