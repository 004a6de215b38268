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
from hlo.tools.differential import workers
from hlo.tools.differential.batch import generate
from hlo.tools.differential.check import disagreement
from hlo.tools.differential.comparison import first_difference
from hlo.tools.differential.families import load_all
from hlo.tools.differential.isolate import without_unused
from hlo.tools.differential.moved import MovedReference
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
    """The first programs of seed 1 (a minute of one core), or as many as HLO_DIFFERENTIAL_PROGRAMS says."""
    count = os.environ.get("HLO_DIFFERENTIAL_PROGRAMS", "500")
    command = [sys.executable, "-m", "hlo.tools.differential", "--programs", count, "--seed", "1", "--output", tmp_path]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout


def test_a_program_that_does_not_end_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    silent = [sys.executable, "-c", "import sys; sys.stdin.read()"]
    start = lambda: subprocess.Popen(silent, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    monkeypatch.setattr(workers, "_start", start)
    monkeypatch.setattr(workers, "SECONDS", 0.2)
    (count, failures), *more = workers.run_all(0, [[3, 4]], [], 1, {})
    assert (count, more) == (2, [])
    assert [(f.number, f.kind) for f in failures] == [(3, "died"), (4, "died")]
    assert "gave no answer in" in failures[0].what


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


def moved_runs(text: str, *inputs: np.ndarray) -> list[list[np.ndarray]]:
    module = hlo.parse(text)
    plain = hlo.compile(module, target="reference")(*inputs)
    return [plain, *(MovedReference(module, "main", seed)(*inputs) for seed in range(1, 7))]


def test_sums_of_products_that_overflow_are_open_and_others_are_not() -> None:
    text = """func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<f32> {
      %0 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0] : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
      return %0 : tensor<f32>
    }"""
    infinite = [np.float32(np.inf)]
    runs = moved_runs(text, np.array([3e38, -3e38], np.float32), np.array([2, 2.5], np.float32))
    assert first_difference(infinite, runs) is None
    assert first_difference(infinite, moved_runs(text, np.ones(2, np.float32), np.ones(2, np.float32)))


def test_a_transform_is_as_exact_as_its_largest_result() -> None:
    text = """func.func @main(%a: tensor<3xf32>) -> tensor<2xcomplex<f32>> {
      %0 = stablehlo.fft %a, type = RFFT, length = [3] : (tensor<3xf32>) -> tensor<2xcomplex<f32>>
      return %0 : tensor<2xcomplex<f32>>
    }"""
    runs = moved_runs(text, np.array([1, 2, -3.0001], np.float32))
    assert first_difference([runs[0][0] + np.array([2e-7j, 0], np.complex64)], runs) is None
    assert first_difference([runs[0][0] + np.array([1e-4j, 0], np.complex64)], runs)


def test_shapes_and_infinities_count() -> None:
    finite, infinite = np.array([1.0]), np.array([np.inf])
    assert first_difference([infinite], [[finite]] * 3) and first_difference([finite], [[infinite]] * 3)
    assert first_difference([np.zeros((0, 2))], [[np.zeros((0, 3))]])
