"""Tensors of rank 0, rank 8, without elements: no family of ops dies, leaves its arrays or differs from the reference."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parents[2] / "support"
PARTS = 2


@pytest.mark.parametrize("part", range(PARTS))
def test_families_at_extreme_shapes(part):
    command = [sys.executable, str(HERE / "extreme_shapes.py"), str(part), str(PARTS)]
    path = os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])
    env = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(command, capture_output=True, text=True, timeout=1200, env=env)
    *lines, last = done.stdout.splitlines()
    assert done.returncode == 0, f"died with {done.returncode} after {last}: {done.stderr[-500:]}"
    assert [line for line in lines if line.startswith("BAD")] == []
    end, programs = last.split()
    assert end == "DONE" and int(programs) > 60
