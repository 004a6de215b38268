"""JAX's own table of cases of each primitive (some 7,400): what hlo gives is what JAX's CPU backend gives."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

CHILD = Path(__file__).parents[2] / "support" / "jax_harnesses.py"
PARTS = 100


@pytest.mark.slow
@pytest.mark.sampled(PARTS)
@pytest.mark.parametrize("first", range(PARTS))
def test_entries_as_on_cpu(first):
    done = subprocess.run(
        [sys.executable, str(CHILD), str(first), str(PARTS)],
        env=os.environ,
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    *wrong, count = done.stdout.splitlines()
    assert not wrong, "\n".join(wrong)
    assert int(count.split()[0]) > 50
