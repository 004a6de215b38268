"""Draws of the benchmark: reproducible, of every family, and those with other results are told."""

import argparse

import jax
import numpy as np
import pytest

from bench.draws import FAMILIES, draw, run
from bench.measure import Row, problem_of


@pytest.mark.parametrize("number", range(2 * len(FAMILIES)))
def test_a_number_is_a_program(number):
    """The same one each time, which can be lowered; with numpy it computes something."""
    family, program = draw(7, number)
    again_family, again = draw(7, number)
    assert (family, program.name) == (again_family, again.name) == (list(FAMILIES)[number % len(FAMILIES)], again.name)
    inputs = program.inputs()
    for first, second in zip(inputs, again.inputs(), strict=True):
        np.testing.assert_array_equal(first, second)
    with jax.enable_x64(any(a.dtype.itemsize == 8 and a.dtype.kind != "c" for a in inputs)):
        assert "func.func public @main" in problem_of(program).text
    if program.in_numpy is not None:
        assert np.size(program.in_numpy(*inputs)) > 0


def test_other_seeds_give_other_programs():
    assert draw(1, 0)[1].name != draw(2, 0)[1].name


@pytest.mark.parametrize("kind", ["float32", "int32", "complex64", "float16"])
def test_wrong_results_are_told(kind):
    right = np.arange(1, 101).astype(kind)
    wrong = right.copy()
    wrong[3] += 30
    assert run._difference([right], [right]) == ""
    assert run._difference([wrong], [right]) == "result 0: 1.00% of the elements differ from XLA's"
    assert "(50,)" in run._difference([right[:50]], [right])


def test_nan_equals_nan_only():
    right = np.array([np.nan, 1, np.inf], np.float32)
    assert run._difference([right], [right]) == ""
    assert run._difference([np.array([0, 1, np.inf], np.float32)], [right])
    assert run._difference([np.array([np.nan, 1, 1], np.float32)], [right])


def test_numbers_below_the_normal_ones_are_zeros():
    """As XLA has them."""
    right = np.zeros(8, np.float32)
    assert run._difference([right + np.float32(1e-41)], [right]) == ""
    assert run._difference([right + np.float32(1e-37)], [right])


def test_report_has_the_worst_first():
    def drawn(name, ratio):
        return run.Drawn("sorting", Row(name, turns={"hlo": [1.0], "XLA": [ratio]}, compile={"hlo": 2.0, "XLA": 1.0}))

    failed = run.Drawn("loop", Row("broken"), "no such op")
    text = run.report([drawn("a", 0.9), drawn("b", 0.5), drawn("c", 2.0), failed])
    assert text.index("sorting: b (1e+03 ms; XLA 0.50)") < text.index("sorting: a (1e+03 ms; XLA 0.90)")
    assert "Behind the better peer (below 0.95): 2 of 3" in text
    assert "| sorting | 3 | 0.97 | 0.97 | – | – | 0.50 | 0.50 |" in text
    assert "WRONG loop: broken: no such op" in text


def test_one_draw_is_measured(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    options = argparse.Namespace(
        threads=1, seed=1, draw=0, draw_only=[24], family=[], also=["numpy"], without=["IREE"], quick=True
    )
    assert run.run(options) == 0
    assert "movement: 24: pad" in capsys.readouterr().out
    assert (tmp_path / "build" / "draws-1.json").exists()
