"""No program touches memory outside of its arrays, nor depends on memory it has not written.

A normal run takes every 31st program of memory_programs.py. They run in workers, so that a fault is seen as one."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from sampling import step

STEP = step(31)
HERE = Path(__file__).parents[2] / "support"
TOO_SHORT = """
import numpy as np, hlo
from hlo.tools.fuzz import guarded_memory
exe = hlo.compile("func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> { %0 = stablehlo.sine %a : tensor<8xf32> return %0 : tensor<8xf32> }")
guarded_memory.run(exe, [np.ones(7, np.float32)], at_end=True, pattern=0)
"""


def worker(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=3600, env={**os.environ, "PYTHONPATH": path, **environment}
    )


def findings(*arguments: str, **environment: str) -> list[str]:
    done = worker(str(HERE / "memory_programs.py"), *arguments, **environment)
    lines = done.stdout.splitlines()
    found = [line for line in lines if line.startswith("BAD")]
    if done.returncode or not lines[-1].startswith("DONE"):
        found.append(f"died with {done.returncode} after {lines[-1:]}: {done.stderr[-500:]}")
    return found


@pytest.mark.parametrize("half", (0, 1))
def test_programs_stay_inside_of_their_arrays(half):
    assert findings(str(half * STEP), "1000000", str(2 * STEP)) == []


def test_narrowing_conversions_with_one_element_left_over():
    assert findings("narrowing") == []


def test_first_elements_of_long_rows():
    assert findings("selection") == []


@pytest.mark.sampled(3)
@pytest.mark.parametrize("cpu", ("host", "avx2", "baseline"))
def test_rows_that_are_put_together_and_taken_apart(cpu):
    assert findings("interleaving", HLO_CPU=cpu) == []


def test_an_access_outside_is_seen():
    assert worker("-c", TOO_SHORT).returncode < 0
