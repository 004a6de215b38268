"""The generator of random programs: complete, and its programs are legal; the comparison notices what it should."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies

import hlo
from hlo.dialect.definition import OPS
from hlo.dialect.registration import make_context
from hlo.tools.differential.batch import generate
from hlo.tools.differential.check import disagreement
from hlo.tools.differential.comparison import first_difference
from hlo.tools.differential.families import load_all
from hlo.tools.differential.isolate import without_unused
from hlo.tools.differential.source import Source
from hlo.tools.differential.table import GENERATORS, LEFT_OUT


def test_every_op_has_a_generator_or_a_reason() -> None:
    make_context()  # registers the ops
    load_all()
    wanted = {name for name, op in OPS.items() if op.DIALECT in ("stablehlo", "chlo")}
    assert sorted(wanted - set(GENERATORS) - set(LEFT_OUT)) == []
    assert sorted(set(GENERATORS) & set(LEFT_OUT)) == []
    assert sorted((set(GENERATORS) | set(LEFT_OUT)) - wanted) == ["func.call"]


def test_no_program_differs(tmp_path: Path) -> None:
    """The first programs of seed 1, or as many as HLO_DIFFERENTIAL_PROGRAMS says (767 is the first that differs)."""
    count = os.environ.get("HLO_DIFFERENTIAL_PROGRAMS", "480")
    command = [sys.executable, "-m", "hlo.tools.differential", "--programs", count, "--seed", "1", "--output", tmp_path]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout


class Drawn(Source):
    """Choices that hypothesis makes, and shrinks."""

    def __init__(self, draw: Any):
        self.draw = draw

    def integer(self, low: int, high: int) -> int:
        return self.draw(strategies.integers(low, high))


@settings(max_examples=20, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck), database=None)
@given(strategies.data())
def test_programs_that_hypothesis_draws(data: Any) -> None:
    builder, inputs = hlo.Builder(), []
    program = generate(Drawn(data.draw), builder, inputs, 0)
    module = builder.build(program.results)
    used = without_unused(module, inputs)
    assert disagreement(module, used, program.unchecked) is None


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, np.complex64])
def test_a_float_that_is_too_far_is_noticed(dtype: Any) -> None:
    reference = np.array([1, 2, 3], dtype)
    near, far = reference.copy(), reference.copy()
    near[1] *= 1 + np.finfo(dtype).eps
    far[1] *= 1 + 100 * np.finfo(dtype).eps
    assert first_difference([near], [[reference]]) is None
    found = first_difference([far], [[reference]] * 3)
    assert found and found.index == (1,)


def test_a_discrete_value_counts_where_the_runs_agree() -> None:
    compiled, reference = np.array([1, 1]), np.array([1, 2])
    assert first_difference([compiled], [[reference], [reference]])
    assert first_difference([compiled], [[reference], [np.array([1, 3])]]) is None


def test_shapes_and_infinities_count() -> None:
    finite, infinite = np.array([1.0]), np.array([np.inf])
    assert first_difference([infinite], [[finite]] * 3) and first_difference([finite], [[infinite]] * 3)
    assert first_difference([np.zeros((0, 2))], [[np.zeros((0, 3))]])
