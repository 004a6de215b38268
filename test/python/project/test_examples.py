"""The shipped models give JAX's results, and the shipped programs are what JAX prints."""

from pathlib import Path

import numpy as np
import pytest

import hlo

FOLDER = Path(__file__).parents[3] / "examples"
LONG_REDUCTIONS = {"mlp_training_step", "cnn_gradient_step", "transformer_gradient"}


def arrays(path: Path) -> list[np.ndarray]:
    with np.load(path) as file:
        return [file[name] for name in file.files]


def assert_close(found: np.ndarray, expected: np.ndarray, tolerance: float) -> None:
    """Integers exactly; floats relative to the largest value."""
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    if expected.dtype.kind in "iub":
        np.testing.assert_array_equal(found, expected)
        return
    scale = np.abs(expected).max(initial=0) or 1.0
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * scale)


README = "softmax"
"""The program that the README shows; it has no arrays of JAX's beside it."""


def test_the_program_of_the_readme():
    text = (FOLDER / f"{README}.mlir").read_text()
    assert text in (FOLDER.parent / "README.md").read_text()
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    (found,) = hlo.compile(FOLDER / f"{README}.mlir")(x)
    np.testing.assert_allclose(found, np.exp(x) / np.exp(x).sum(1, keepdims=True), rtol=1e-6)


@pytest.mark.parametrize("name", sorted({p.stem for p in FOLDER.glob("*.mlir")} - {README}))
def test_example(name):
    executable = hlo.compile(FOLDER / f"{name}.mlir")
    expected = arrays(FOLDER / f"{name}.expected.npz")
    found = executable(*arrays(FOLDER / f"{name}.inputs.npz"))
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected):
        assert_close(ours, theirs, 2e-4 if name in LONG_REDUCTIONS else 1e-5)
