"""The pass `schedule-kernels`: decides how each kernel runs, and writes it down.

Before:  func.func private @dot_0(...) attributes {hlo.kernel = "contraction"}
After:   func.func private @dot_0(...) attributes {hlo.kernel = "contraction", hlo.schedule = {vectorize = "n", unroll_m = 14, ...}}

A schedule that is there already stays: it is checked when code is emitted from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlir import ir

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.kernels.loops_schedule import schedule_loops
from hlo.lowering.kernels.schedule import SCHEDULE
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.target import Target, target
from hlo.lowering.vector.contraction.emit import schedule_contraction
from hlo.lowering.vector.region.schedule import schedule_region


def _schedule_fft(kernel: Any, target: Target) -> ir.Attribute:
    from hlo.lowering.vector.fft.schedule import schedule_fft  # few programs have transforms

    return schedule_fft(kernel, target)


SCHEDULERS: dict[str, Callable[[Any, Target], ir.Attribute]] = {
    "contraction": schedule_contraction,
    "region": schedule_region,
    "loops": schedule_loops,
    "fft": _schedule_fft,
}
"""By the value of hlo.kernel. Those of kind "rows" have a schedule since they are there (`fuse-rows`)."""


@register_pass
@dataclass(frozen=True)
class ScheduleKernels(Pass):
    """Decides how each kernel runs."""

    target: str = "host"

    def run(self, module: ir.Module) -> None:
        processor = target(self.target)
        for op in module.body.operations:
            attributes = op.operation.attributes
            if "hlo.kernel" not in attributes or SCHEDULE in attributes:
                continue
            scheduler = SCHEDULERS.get(ir.StringAttr(attributes["hlo.kernel"]).value)
            if scheduler is not None:
                attributes[SCHEDULE] = scheduler(op, processor)
