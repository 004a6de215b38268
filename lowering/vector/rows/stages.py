"""One kernel of a chain, for blocks of rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from mlir import ir

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.iteration import strides_along
from hlo.lowering.linalg.structured import index_loops, maps_of
from hlo.lowering.memory.storage import row_major
from hlo.lowering.target import Target
from hlo.lowering.vector.contraction.blocking import with_ready_b
from hlo.lowering.vector.contraction.emit import contraction_op
from hlo.lowering.vector.contraction.plan import plan
from hlo.lowering.vector.contraction.problem import Loops, Problem, contraction_loops, problem_of
from hlo.lowering.vector.contraction.schedule import ContractionSchedule
from hlo.lowering.vector.region.graph import returned_values
from hlo.lowering.vector.rows.binding import (
    Bindings,
    NotByRowsError,
    Rows,
    Sections,
    bind,
    cut_types,
    is_contiguous,
    loops_of,
)


@dataclass(frozen=True)
class Stage:
    """`kernel`: the function on whole arrays; `rows`: how these are cut; `bindings` of its values; `blocks`: the arguments (by number) that are
    blocks already, made by an earlier stage."""

    kernel: Any
    kind: str
    rows: Rows
    bindings: Bindings
    blocks: frozenset[int]

    def argument(self, number: int) -> ir.Value:
        return self.kernel.entry_block.arguments[number]

    @contextmanager
    def block_kernel(self, whole: Any, name: str) -> Iterator[Any]:
        """The kernel for one block of rows, in front of the `whole` kernel, while it is needed."""
        with ir.InsertionPoint(whole), whole.operation.location:
            block = self.kernel.operation.clone().opview
            block.attributes["sym_name"] = ir.StringAttr.get(name)
            if "arg_attrs" in block.attributes:
                del block.attributes["arg_attrs"]
            cut_types(block, self._bindings_of_clone(block), self.rows)
        try:
            yield block
        finally:
            block.operation.erase()

    def _bindings_of_clone(self, clone: Any) -> Bindings:
        """The bindings of the function's values, for its clone's."""
        old, new = (
            [*f.entry_block.arguments, *(r for o in f.entry_block.operations for r in o.operation.results)]
            for f in (self.kernel, clone)
        )
        return {n: self.bindings[o] for o, n in zip(old, new) if o in self.bindings}


def read_stage(kernel: Any, kind: str, rows: Rows, blocks: frozenset[int]) -> Stage:
    """The bindings of a kernel some arguments of which are blocks of rows (none: its result is). Raises NotByRowsError."""
    (result,) = returned_values(kernel)
    arguments = list(kernel.entry_block.arguments)
    given = [arguments[n] for n in blocks] or [result]
    for value in given:
        if len(value.type.shape) <= rows.axis or tuple(value.type.shape[: rows.axis + 1]) != rows.extents:
            raise NotByRowsError("other rows")
    found = bind(kernel, {v: rows.leading(len(v.type.shape)) for v in given})
    if found.get(result) != rows.leading(len(result.type.shape)):
        raise NotByRowsError("the result's rows are elsewhere")
    if kind == "region":
        for a in arguments:
            if a in found and not is_contiguous(a.type.shape, found[a], rows):
                raise NotByRowsError("rows that are not one piece")
    return Stage(kernel, kind, rows, found, blocks)


def factor_order(stage: Stage) -> tuple[int, int]:
    """The numbers of a contraction's factors as A and B: the one that has the rows comes first."""
    op, _ = contraction_op(stage.kernel)
    bound, maps = loops_of(op, stage.bindings), maps_of(op)
    cut = {loop for loop, row in enumerate(bound) if row == stage.rows.cut}
    is_second = not any(index_loops(e) & cut for e in maps[0].results)
    return (1, 0) if is_second else (0, 1)


@dataclass(frozen=True)
class BlockProduct:
    """A contraction of blocks: its plan, and how far A, B and C are from one row to the next, by row dimension."""

    plan: ContractionSchedule
    a: tuple[int, ...]
    b: tuple[int, ...]


def block_product(stage: Stage, target: Target) -> BlockProduct:
    """A contraction of blocks with the plan that is best for it. Raises NotByRowsError when there is none."""
    problem, a, b = block_loops(stage)
    chosen = plan(problem, target)
    if chosen is None:
        raise NotByRowsError("no plan for blocks")
    if chosen.problem.swapped:
        return BlockProduct(chosen, b, a)
    return BlockProduct(with_ready_b(chosen, target) if may_keep_b(stage, b) else chosen, a, b)


def may_keep_b(stage: Stage, b: tuple[int, ...]) -> bool:
    """Whether all blocks along the cut rows have the same B: no part of these rows, and nothing that an earlier stage makes, which is new
    in each block. `b`: how far it moves, as `block_loops` tells."""
    op, _ = contraction_op(stage.kernel)
    return not b[stage.rows.cut] and _number(stage, op.operands[_a_and_b(stage)[1]]) not in stage.blocks


def _a_and_b(stage: Stage) -> tuple[int, int]:
    """The numbers of a contraction's factors that are A and B of its blocks."""
    return factor_order(stage) if isinstance(stage.rows, Sections) else (0, 1)


def block_loops(stage: Stage) -> tuple[Problem, tuple[int, ...], tuple[int, ...]]:
    """A contraction of blocks, and how far its operands are from one row to the next. Raises NotByRowsError where there is none."""
    (op, _), rows = contraction_op(stage.kernel), stage.rows
    loops, bound = contraction_loops(op), loops_of(op, stage.bindings)
    if loops is None or any(loops.offsets):
        raise NotByRowsError("no contraction" if loops is None else "operands that are read from within")
    sizes = [n if r is None else rows.sizes[r] for n, r in zip(loops.sizes, bound)]
    strides, steps = [], []
    for value, one, whole in zip(op.operands, loops.maps, loops.strides):
        block = value in stage.bindings and (_number(stage, value) in stage.blocks or value == op.operands[2])
        shape = rows.block_shape(value.type.shape, stage.bindings[value]) if block else value.type.shape
        own = strides_along(one, shape)
        assert own is not None, "was linear with other strides"
        strides.append(own[0])
        steps.append(tuple(0 if block else _step(whole, bound, row) for row in range(rows.axis + 1)))
    a, b = _a_and_b(stage)
    cut = Loops(
        sizes,
        [strides[a], strides[b], strides[2]],
        [loops.maps[a], loops.maps[b], loops.maps[2]],
        [loops.types[a], loops.types[b], *loops.types[2:]],
        (loops.extensions[a], loops.extensions[b]),
        loops.offsets,
    )
    return problem_of(cut.dims(), cut.types, cut.extensions), steps[a], steps[b]


def _number(stage: Stage, value: ir.Value) -> int:
    arguments = list(stage.kernel.entry_block.arguments)
    return arguments.index(value) if value in arguments else -1


def _step(strides: Any, bound: Any, row: int) -> int:
    """How far an operand moves from one row to the next."""
    return sum(s for s, b in zip(strides, bound) if b == row)


def region_steps(stage: Stage, number: int) -> Mapping[int, int]:
    """How far an argument of a region kernel moves from one row to the next, by row dimension."""
    value = stage.argument(number)
    if number in stage.blocks or value not in stage.bindings:
        return {}
    return {b: s for b, s in zip(stage.bindings[value], row_major(value.type.shape)) if b is not None}
