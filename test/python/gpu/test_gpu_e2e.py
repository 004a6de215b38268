"""Every self-checking program runs on the numpy model of a GPU: index arithmetic, launches and plans are those of a card."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import hlo
from hlo.tools.run.values import read_inputs

ROOT = Path(__file__).parents[3]
FILES = sorted((ROOT / "test" / "e2e").glob("*.mlir"))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("part", range(4))
def test_e2e_on_the_model(part: int) -> None:
    files = [str(file) for file in FILES[part::4]]
    command = [sys.executable, "-m", "hlo.tools.hlo_run", "--target=gpu", "--device=model", "--check", *files]
    run = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, [line for line in run.stdout.splitlines() if not line.startswith("PASS")]


@pytest.mark.parametrize("name", ["mlp", "lstm", "sort_top_k", "cnn"])
def test_examples_agree_with_the_cpu(name: str) -> None:
    module = hlo.load(ROOT / "examples" / f"{name}.mlir")
    on_cpu = hlo.compile(module)
    types = [(t.shape, t.dtype) for t in on_cpu.signature.arguments]
    arrays = read_inputs(["random"] * len(types), types, 3)
    found = hlo.compile(module, target="gpu", device="model")(*arrays)
    for expected, result in zip(on_cpu(*arrays), found, strict=True):
        scale = max(float(np.abs(expected.astype(np.float64)).max(initial=0)), 1e-30)
        assert np.abs(expected.astype(np.float64) - result.astype(np.float64)).max(initial=0) <= 1e-5 * scale
