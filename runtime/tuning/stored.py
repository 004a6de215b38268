"""What searches have found, in the folder of compiled programs: by kernel (without its schedule), processor and threads."""

from __future__ import annotations

import json

from mlir import ir

from hlo.lazy_dataclasses import dataclass
from hlo.runtime.saved import disk_cache
from hlo.runtime.tuning.kernel_program import KernelProgram


@dataclass(frozen=True)
class Found:
    """`finished`: whether all neighbours were tried; a search that was not goes on from here."""

    schedule: str
    finished: bool


def key_of(program: KernelProgram) -> str:
    machine = program.machine
    return disk_cache.digest(
        program.text().encode(), {"cpu": machine.processor, "threads": machine.threads, "of": "schedule"}
    )


def find(key: str, context: ir.Context) -> tuple[ir.Attribute, bool] | None:
    """A schedule, and whether its search has finished; None where nothing, or nothing that can be read, is kept."""
    data = disk_cache.find_object(key)
    if data is None:
        return None
    try:
        found = Found(**json.loads(data))
        return ir.Attribute.parse(found.schedule, context), found.finished
    except (ValueError, TypeError, ir.MLIRError):
        return None


def keep(key: str, schedule: ir.Attribute, finished: bool) -> None:
    disk_cache.keep_object(key, json.dumps(vars(Found(str(schedule), finished))).encode())
