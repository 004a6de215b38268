"""The files that a kernel passes on its way to code are those that docs/kernels.md names."""

import re
import sys
from pathlib import Path

from schedule_programs import MATMUL, SOFTMAX

import hlo
from bench.object_hashes import EXAMPLES
from hlo.lowering.finding import name_of
from hlo.lowering.kernels import schedule
from hlo.lowering.linalg.routine_calls import is_routine
from hlo.lowering.vector.contraction.plan import plan
from hlo.lowering.vector.contraction.routines import function_named


def files_passed(text: str) -> set[str]:
    """The files of lowering/kernels and lowering/vector, and the table of targets, whose code schedules and emits the kernels of a program."""
    root, found = Path(schedule.__file__).parents[1], set()
    folders = ("kernels/", "vector/", "target.py")

    def follow(frame, event, _):
        path = Path(frame.f_code.co_filename)
        name = str(path.relative_to(root)) if path.is_relative_to(root) else ""
        if event == "call" and name.startswith(folders) and path.name != "__init__.py":
            found.add(name)

    for _ in range(2):  # modules are imported once
        module, phases = hlo.parse(text), hlo.pipelines.cpu("avx512")
        hlo.pipelines.run(module, phases, stop_after="linalg")
        found.clear()
        for item in [item for phase in phases if phase.name in ("kernels", "memory") for item in phase.passes]:
            plan.cache_clear()
            sys.setprofile(follow if str(item).startswith(("schedule-kernels", "emit-kernels")) else None)
            try:
                hlo.pipelines.run_pass(module, item)
            finally:
                sys.setprofile(None)
        called = [name_of(op) for op in module.body.operations if is_routine(op)]
        sys.setprofile(follow)
        try:
            assert all(function_named(name) is not None for name in called)
        finally:
            sys.setprofile(None)
    return found


def files_named(start: str, end: str) -> set[str]:
    """Those that docs/kernels.md names from one place to another."""
    page = (EXAMPLES.parent / "docs" / "kernels.md").read_text()
    return set(re.findall(r"`([\w/]+\.py)`", page[page.index(start) : page.index(end)]))


def test_files_that_a_matmul_passes():
    """From a kernel to code: those that the page names, at most 15."""
    found = files_passed(MATMUL.replace("61", "1024").replace("77", "1024").replace("90", "1024"))
    assert found == files_named("A matmul passes these files", "Panels from tables add") and len(found) <= 15


def test_files_that_a_softmax_passes():
    assert files_passed(SOFTMAX) == files_named("A softmax passes these files", "Other loop nests add")
