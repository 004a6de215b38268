"""Indices at the limits of their types, operands of 0, 1 and a few elements: no op that reads or writes at places that numbers of
the program say leaves its arrays, depends on memory that nobody wrote, or differs from the reference.

A normal run takes every 7th program."""

import os
import subprocess
import sys
from pathlib import Path

from sampling import step

STEP = step(7)
HERE = Path(__file__).parents[2] / "support"


def test_ops_that_read_and_write_at_computed_places():
    path = os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, str(HERE / "place_programs.py"), "0", str(STEP)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=3600, env={**os.environ, "PYTHONPATH": path})
    *lines, last = done.stdout.splitlines()
    assert done.returncode == 0, f"died with {done.returncode} after {last}: {done.stderr[-500:]}"
    assert [line for line in lines if line.startswith("BAD")] == []
    end, programs = last.split()
    assert end == "DONE" and int(programs) >= 50 // STEP
