"""The schedule of a rows kernel: `{rows = [8, 1024], block = 64, section = 0, threads = 2, stages = [{...}, {...}]}`, with a part for each call: how its
kernel runs on one block. A `section` other than 0: a softmax between two contractions goes through so many columns at a time; the stages are
then both contractions and the parts of streamed.py."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import prod
from typing import Any

from mlir import ir

from hlo.environment import MOST_THREADS
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.kernels.schedule import (
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
from hlo.lowering.target import Target, single
from hlo.lowering.vector.contraction.plan import check_schedule
from hlo.lowering.vector.contraction.problem import ceildiv
from hlo.lowering.vector.contraction.schedule import SWAP, read_schedule
from hlo.lowering.vector.region.nest import Nest
from hlo.lowering.vector.region.plan import Plan
from hlo.lowering.vector.region.schedule import schedule_region, scheduled_region
from hlo.lowering.vector.rows.binding import NotByRowsError, Rows
from hlo.lowering.vector.rows.chains import Chain, Kernels, goes_by, stages_of
from hlo.lowering.vector.rows.stages import BlockProduct, Stage, block_loops, block_product, may_keep_b
from hlo.lowering.vector.rows.streamed import Streamed, read_streamed
from hlo.lowering.vector.rows.streamed_parts import Part, stages_by_name

FIELDS = {"rows": "tuple", "block": "int", "section": "int", "threads": "int", "stages": "list"}


@dataclass(frozen=True)
class RowsSchedule:
    """How a rows kernel runs. `stages`: what is done with a block in turn, with the schedule that each has; where a softmax is `streamed`, those of
    streamed_parts.py."""

    rows: Rows
    threads: int
    stages: list[tuple[Stage | Part, ir.Attribute]]
    streamed: Streamed | None = None

    @property
    def blocks(self) -> int:
        """All of them."""
        return prod(self.rows.extents[:-1]) * ceildiv(self.rows.extents[-1], self.rows.size)


def calls_of(kernel: Any) -> list[ir.Operation]:
    return [op.operation for op in kernel.entry_block.operations][:-1]


def schedule_rows(kernel: Any, chain: Chain, kernels: Kernels, target: Target) -> ir.Attribute:
    """What `hlo.schedule` is to be of the kernel that a chain becomes."""
    streamed, rows = chain.streamed, chain.rows
    stages = stages_by_name(streamed).values() if streamed else stages_of(calls_of(kernel), kernels, rows)
    return attribute_of(
        {
            "rows": rows.extents,
            "block": rows.size,
            "section": streamed.tile.section if streamed else 0,
            "threads": min(target.threads, RowsSchedule(rows, target.threads, []).blocks),
            "stages": [_chosen(stage, kernel, single(target)) for stage in stages],
        }
    )


def _chosen(stage: Stage | Part, whole: Any, target: Target) -> ir.Attribute:
    if isinstance(stage, Stage) and stage.kind == "contraction":
        return block_product(stage, target).plan.attribute()
    with stage.block_kernel(whole, "block") as block:
        return schedule_region(block, target)


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
    rows, section = Rows(values["rows"], values["block"]), values["section"]
    between("section", section, 0, calls[1].results[0].type.shape[-1] if len(calls) > 1 else 0)
    try:
        streamed = read_streamed(calls, kernels, rows, section) if section else None
        stages = list(stages_by_name(streamed).values()) if streamed else stages_of(calls, kernels, rows)
    except NotByRowsError as error:
        field, found, other = ("section", section, 0) if section else ("block", rows.size, 1)
        raise ScheduleError(field, found, f"{other}: {error}") from None
    check_count("stages", values["stages"], len(stages))
    return RowsSchedule(rows, values["threads"], list(zip(stages, values["stages"])), streamed)


def checked_stages(kernel: Any, target: Target) -> Iterator[BlockProduct | list[tuple[Nest, Plan]]]:
    """What each stage of a rows kernel does with a block, as its schedule says: a contraction, or loop nests, which are there until the next one is
    asked for. Raises ScheduleError."""
    schedule = scheduled_rows(kernel, Kernels(kernel.operation.block))
    for number, (stage, own) in enumerate(schedule.stages):
        with said_of(f"stages[{number}]"):
            if isinstance(stage, Stage) and stage.kind == "contraction":
                yield scheduled_product(stage, own, single(target))
                continue
            with scheduled_block(stage, own, kernel, "block") as block:
                yield scheduled_region(block, single(target))


def check_rows(kernel: Any, target: Target) -> None:
    """Raises ScheduleError for a schedule that is not allowed."""
    for _ in checked_stages(kernel, target):
        pass


def scheduled_product(stage: Stage, schedule: ir.Attribute, target: Target) -> BlockProduct:
    """A contraction of blocks with the schedule that it has, checked. Raises ScheduleError."""
    problem, a, b = block_loops(stage)
    found = read_schedule(problem, schedule)
    one_of(SWAP, found.problem.swapped, [False])
    check_schedule(found, target, may_keep_b=may_keep_b(stage, b))
    between("threads", found.threads, 1, 1, " (blocks are shared)")
    return BlockProduct(found, a, b)


@contextmanager
def scheduled_block(stage: Stage | Part, schedule: ir.Attribute, whole: Any, name: str) -> Iterator[Any]:
    """The kernel of a region stage for one block, with the schedule that it has. Raises ScheduleError for one with threads of its own; its emitter
    checks the other fields."""
    _check_threads(schedule)
    with stage.block_kernel(whole, name) as block:
        block.attributes[SCHEDULE] = schedule
        yield block


def _check_threads(schedule: ir.Attribute) -> None:
    for number, part in enumerate(read_fields(schedule, {"stages": "list"})["stages"]):
        if isinstance(part, ir.DictAttr) and "threads" in part:
            threads = plain_value(part["threads"])
            if threads != 1:
                raise ScheduleError(f"stages[{number}].threads", threads, "1 (blocks are shared)")
