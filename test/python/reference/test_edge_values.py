"""Edges of the element types and of shapes: no elementwise op traps or differs from the reference."""

import subprocess
import sys
from pathlib import Path

import pytest

PARTS = 2


@pytest.mark.parametrize("part", range(PARTS))
def test_elementwise_ops_at_the_edges(part):
    command = [sys.executable, str(Path(__file__).parents[2] / "support" / "edge_values.py"), str(part), str(PARTS)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1200)
    *lines, last = done.stdout.splitlines()
    assert done.returncode == 0, f"died with {done.returncode} after {last}: {done.stderr[-500:]}"
    assert [line for line in lines if line.startswith("BAD")] == []
    end, compared = last.split()
    assert end == "DONE" and int(compared) > 80, "nothing was compared"
