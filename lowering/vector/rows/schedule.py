"""The schedule of a rows kernel: `{rows = [8, 1024], block = 64, section = 0, threads = 2, stages = [{...}, {...}]}`, with a part for each call: how its
kernel runs on one block. A `section` other than 0: a softmax between two contractions goes through so many columns at a time; the stages are
then both contractions and the parts of streamed.py."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import prod
from typing import Any

from mlir import ir

from hlo.environment import MOST_THREADS
from hlo.lowering.vector.contraction.check_schedule import check_schedule
from hlo.lowering.vector.contraction.problem import ceildiv
from hlo.lowering.vector.contraction.schedule import SWAP, read_schedule
from hlo.lowering.vector.region.nest import Nest
from hlo.lowering.vector.region.plan import Plan
from hlo.lowering.vector.region.schedule import schedule_region, scheduled_region
from hlo.lowering.vector.rows.binding import NotByRowsError, Rows, cut_types
from hlo.lowering.vector.rows.chains import Kernels, goes_by, stages_of
from hlo.lowering.vector.rows.stages import BlockProduct, Stage, block_loops, block_product
from hlo.lowering.vector.rows.streamed import PRODUCTS, Streamed, read_streamed
from hlo.lowering.vector.rows.streamed_parts import part_kernel
from hlo.lowering.vector.schedule import (
    SCHEDULE,
    ScheduleError,
    attribute_of,
    between,
    check_count,
    one_of,
    plain_value,
    read_fields,
    said_of,
    schedule_of,
)
from hlo.lowering.vector.target import Target, single

FIELDS = {"rows": "tuple", "block": "int", "section": "int", "threads": "int", "stages": "list"}


@dataclass(frozen=True)
class RowsSchedule:
    """How a rows kernel runs. `stages`: its calls' kernels, with the schedule that each has for a block; none where it is `streamed`, whose products
    and parts have the schedules `own`."""

    rows: Rows
    threads: int
    stages: list[tuple[Stage, ir.Attribute]]
    streamed: Streamed | None = None
    own: Mapping[str, ir.Attribute] = field(default_factory=dict)

    @property
    def blocks(self) -> int:
        """All of them."""
        return prod(self.rows.extents[:-1]) * ceildiv(self.rows.extents[-1], self.rows.size)


def calls_of(kernel: Any) -> list[ir.Operation]:
    return [op.operation for op in kernel.entry_block.operations][:-1]


def schedule_rows(kernel: Any, rows: Rows, section: int, kernels: Kernels, target: Target) -> ir.Attribute:
    """What `hlo.schedule` is to be of a kernel whose rows are cut so, and whose columns in sections, if that is not 0."""
    calls, single_target = calls_of(kernel), single(target)
    if section:
        stages = _chosen_parts(read_streamed(calls, kernels, rows, section), kernel, single_target)
    else:
        stages = [_chosen(stage, rows, kernel, single_target) for stage in stages_of(calls, kernels, rows)]
    return attribute_of(
        {
            "rows": rows.extents,
            "block": rows.size,
            "section": section,
            "threads": min(target.threads, RowsSchedule(rows, target.threads, []).blocks),
            "stages": stages,
        }
    )


def _chosen_parts(streamed: Streamed, kernel: Any, target: Target) -> list[ir.Attribute]:
    found = [
        block_product(stage, streamed.tile, target).plan.attribute() for stage in (streamed.scores, streamed.values)
    ]
    for part in streamed.parts:
        with part_kernel(streamed, part, kernel, "block") as block:
            found.append(schedule_region(block, target))
    return found


def _chosen(stage: Stage, rows: Rows, whole: Any, target: Target) -> ir.Attribute:
    if stage.kind == "contraction":
        return block_product(stage, rows, target).plan.attribute()
    with block_kernel(stage, rows, whole) as block:
        return schedule_region(block, target)


@contextmanager
def block_kernel(stage: Stage, rows: Rows, whole: Any, name: str = "block") -> Iterator[Any]:
    """The kernel of a stage for one block of rows, in front of the `whole` kernel, while it is needed."""
    with ir.InsertionPoint(whole), whole.operation.location:
        block = stage.kernel.operation.clone().opview
        block.attributes["sym_name"] = ir.StringAttr.get(name)
        if "arg_attrs" in block.attributes:
            del block.attributes["arg_attrs"]
        cut_types(block, _bindings_of_clone(stage, block), rows)
    try:
        yield block
    finally:
        block.operation.erase()


def _bindings_of_clone(stage: Stage, clone: Any) -> dict:
    """The bindings of a function's values, for its clone's."""
    old, new = (
        [*f.entry_block.arguments, *(r for o in f.entry_block.operations for r in o.operation.results)]
        for f in (stage.kernel, clone)
    )
    return {n: stage.bindings[o] for o, n in zip(old, new) if o in stage.bindings}


def scheduled_rows(kernel: Any, kernels: Kernels) -> RowsSchedule:
    """The schedule that a rows kernel has, checked but for what its stages have. Raises ScheduleError."""
    values, calls = read_fields(schedule_of(kernel), FIELDS), calls_of(kernel)
    shape = calls[0].results[0].type.shape
    cuts = [Rows(tuple(shape[: axis + 1]), 1) for axis in range(len(shape) - 1)]
    if values["section"]:
        allowed = [cuts[-1].extents]  # what is before the columns
    else:
        allowed = [cut.extents for cut in cuts if goes_by(calls, kernels, cut)]
    one_of("rows", list(values["rows"]), [list(extents) for extents in allowed])
    between("block", values["block"], 1, values["rows"][-1])
    between("threads", values["threads"], 1, MOST_THREADS)
    rows = Rows(values["rows"], values["block"])
    if values["section"]:
        return _streamed_rows(calls, kernels, rows, values)
    check_count("stages", values["stages"], len(calls))
    try:
        stages = stages_of(calls, kernels, rows)
    except NotByRowsError as error:
        raise ScheduleError("block", rows.size, f"1: {error}") from None
    return RowsSchedule(rows, values["threads"], list(zip(stages, values["stages"])))


def _streamed_rows(calls: list[ir.Operation], kernels: Kernels, rows: Rows, values: Mapping[str, Any]) -> RowsSchedule:
    section, columns = values["section"], calls[1].results[0].type.shape[-1] if len(calls) > 1 else 0
    between("section", section, 0, columns)
    try:
        streamed = read_streamed(calls, kernels, rows, section)
    except NotByRowsError as error:
        raise ScheduleError("section", section, f"0: {error}") from None
    names = (*PRODUCTS, *streamed.parts)
    check_count("stages", values["stages"], len(names))
    return RowsSchedule(rows, values["threads"], [], streamed, dict(zip(names, values["stages"])))


def checked_stages(kernel: Any, target: Target) -> Iterator[BlockProduct | list[tuple[Nest, Plan]]]:
    """What each stage of a rows kernel does with a block, as its schedule says: a contraction, or loop nests, which are there until the next one is
    asked for. Raises ScheduleError."""
    schedule = scheduled_rows(kernel, Kernels(kernel.operation.block))
    if schedule.streamed is not None:
        yield from _checked_parts(schedule, schedule.streamed, kernel, single(target))
    for number, (stage, own) in enumerate(schedule.stages):
        with said_of(f"stages[{number}]"):
            if stage.kind == "contraction":
                yield scheduled_product(stage, own, schedule.rows, single(target))
                continue
            with scheduled_block(stage, own, schedule.rows, kernel, "block") as block:
                yield scheduled_region(block, single(target))


def _checked_parts(
    schedule: RowsSchedule, streamed: Streamed, kernel: Any, target: Target
) -> Iterator[BlockProduct | list[tuple[Nest, Plan]]]:
    for number, (name, own) in enumerate(schedule.own.items()):
        with said_of(f"stages[{number}]"):
            if name in PRODUCTS:
                yield scheduled_product(getattr(streamed, name), own, streamed.tile, target)
                continue
            with scheduled_part(streamed, name, own, kernel, "block") as block:
                yield scheduled_region(block, target)


def check_rows(kernel: Any, target: Target) -> None:
    """Raises ScheduleError for a schedule that is not allowed."""
    for _ in checked_stages(kernel, target):
        pass


def scheduled_product(stage: Stage, schedule: ir.Attribute, rows: Rows, target: Target) -> BlockProduct:
    """A contraction of blocks with the schedule that it has, checked. Raises ScheduleError."""
    problem, a, b = block_loops(stage, rows)
    found = read_schedule(problem, schedule)
    one_of(SWAP, found.problem.swapped, [False])
    check_schedule(found, target, may_keep_b=not b[rows.cut])
    between("threads", found.threads, 1, 1, " (blocks are shared)")
    return BlockProduct(found, a, b)


@contextmanager
def scheduled_block(stage: Stage, schedule: ir.Attribute, rows: Rows, whole: Any, name: str) -> Iterator[Any]:
    """The kernel of a region stage for one block, with the schedule that it has. Raises ScheduleError for one with threads of its own; its emitter
    checks the other fields."""
    _check_threads(schedule)
    with block_kernel(stage, rows, whole, name) as block:
        block.attributes[SCHEDULE] = schedule
        yield block


@contextmanager
def scheduled_part(streamed: Streamed, part: str, schedule: ir.Attribute, whole: Any, name: str) -> Iterator[Any]:
    """The same of a part of a streamed softmax."""
    _check_threads(schedule)
    with part_kernel(streamed, part, whole, name) as block:
        block.attributes[SCHEDULE] = schedule
        yield block


def _check_threads(schedule: ir.Attribute) -> None:
    for number, part in enumerate(read_fields(schedule, {"stages": "list"})["stages"]):
        if isinstance(part, ir.DictAttr) and "threads" in part:
            threads = plain_value(part["threads"])
            if threads != 1:
                raise ScheduleError(f"stages[{number}].threads", threads, "1 (blocks are shared)")
