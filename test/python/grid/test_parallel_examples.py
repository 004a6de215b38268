"""The parallel examples: JAX's results for one process, no more bytes and collectives than told; and `hlo-run --expected`."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import hlo
from bench.traffic import Collective, of_hlo, of_module, sent
from hlo.runtime.grid.sharded import partitioned
from hlo.tools.hlo_run import main

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "examples"
COLLECTIVES = {
    "data_parallel": {"all_reduce": 1},
    "tensor_parallel": {"all_reduce": 2},
    "fully_sharded": {"all_gather": 2, "all_reduce": 1, "reduce_scatter": 1},
    "ring_attention": {"collective_permute": 3},
    "halo_exchange": {"collective_permute": 4, "all_reduce": 1},
}
"""Gradients and loss; Megatron's two of a layer; weights where they are needed, gradients, and the loss; a ring of four; the
four edges and the largest change."""


def options(name: str, expected: str) -> list[str]:
    return [str(FOLDER / f"{name}.mlir"), f"--input={FOLDER / name}.inputs.npz", f"--expected={expected}"]


@pytest.mark.parametrize("target", ["cpu", "reference"])
@pytest.mark.parametrize("name", COLLECTIVES)
def test_results_are_those_of_one_process(name: str, target: str, capsys: pytest.CaptureFixture[str]) -> None:
    expected = f"{FOLDER / name}.expected.npz"
    assert main([*options(name, expected), f"--target={target}"]) == 0
    assert f"results agree with {expected}" in capsys.readouterr().out


@pytest.mark.parametrize("name", COLLECTIVES)
def test_collectives(name: str) -> None:
    module = partitioned(hlo.load(FOLDER / f"{name}.mlir"), "main")
    assert Counter(c.kind for c in of_module(module)) == COLLECTIVES[name]


def test_no_more_bytes_than_of_the_partitioner_of_xla() -> None:
    """In a process of its own: JAX must be told of eight devices before it starts."""
    command = [sys.executable, "-m", "bench.parallel", "--traffic"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    assert sum(f"| {name} |" in run.stdout for name in COLLECTIVES) == 5


def test_what_a_ring_sends() -> None:
    assert [Collective(kind, 800, 4).sent for kind in ("all_reduce", "all_gather", "all_to_all")] == [1200, 600, 600]
    assert Collective("reduce_scatter", 200, 4).sent == 600
    assert Collective("collective_permute", 800, 0).sent == 800


HLO = """HloModule jit_f, num_partitions=8
  %a = (f32[2,3]{1,0}, s8[5]{0}) all-reduce(%x, %y), channel_id=1, replica_groups={{0,1},{2,3},{4,5},{6,7}}, to_apply=%add
  ROOT %b = bf16[4]{0} all-gather(%z), channel_id=2, replica_groups=[2,4]<=[8], dimensions={0}
  %c = pred[] all-reduce(%p), replica_groups={}, to_apply=%or
  %d = f32[8]{0} collective-permute(%q), source_target_pairs={{0,1}}
  %e = f32[8]{0} add(%d, %all-reduce.1)
"""


def test_collectives_in_the_text_of_xla() -> None:
    found = of_hlo(HLO)
    assert found == [
        Collective("all_reduce", 29, 2),
        Collective("all_gather", 8, 4),
        Collective("all_reduce", 1, 8),
        Collective("collective_permute", 32, 8),
    ]
    assert sent(found) == 29 + 6 + 1.75 + 32
    with pytest.raises(ValueError, match="asynchronous"):
        of_hlo(HLO.replace("all-gather(", "all-gather-start("))


def test_results_that_are_not_expected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = "ring_attention"
    with np.load(f"{FOLDER / name}.expected.npz") as file:
        (right,) = (file[n] for n in file.files)
    wrong = right.copy()
    wrong[1, 2, 3] += 1
    path = str(tmp_path / "expected.npy")
    for array, message in (
        (wrong, "result 0: largest difference 0."),
        (right[:1], "result 0: f32[2, 64, 16], expected f32[1, 64, 16]"),
        (right.astype(np.float64), "result 0: f32[2, 64, 16], expected f64[2, 64, 16]"),
    ):
        np.save(path, array)
        assert main(options(name, path)) == 1
        assert message in capsys.readouterr().err
    pair = str(tmp_path / "expected.npz")
    np.savez(pair, right, right)
    for file, message in (
        (pair, "1 arrays expected, one for each result, found 2"),
        ("expected.txt", "expected a .npy or .npz file"),
        (str(tmp_path / "absent.npy"), "No such file"),
    ):
        assert main(options(name, file)) == 1
        assert message in capsys.readouterr().err


def test_expected_results_of_a_grid(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "program.mlir"
    program.write_text("func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }")
    expected = str(tmp_path / "expected.npz")
    np.savez(expected, np.float32([1, 2]), np.float32([3, 4]))
    inputs = ["--input=2xf32=1,2", "--input=2xf32=3,4"]
    assert main([str(program), "--replicas=2", *inputs, f"--expected={expected}"]) == 0
    assert main([str(program), "--replicas=2", *inputs[::-1], f"--expected={expected}"]) == 1
    assert "result 0: largest difference" in capsys.readouterr().err
