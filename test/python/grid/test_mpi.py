"""Grids divided among the ranks of MPI, which mpirun starts on this machine."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

import hlo

CHILD = Path(__file__).parents[2] / "support" / "mpi_child.py"
BESIDE = Path(sys.executable).parent / "mpirun"
MPIRUN = str(BESIDE) if BESIDE.exists() else shutil.which("mpirun")

needs_mpi = pytest.mark.skipif(
    MPIRUN is None or importlib.util.find_spec("mpi4py") is None,
    reason='needs mpi4py and mpirun: pip install "hlo[mpi]" mpich',
)


def mpirun(count: int, *command: str, survives: bool = False) -> subprocess.CompletedProcess:
    """Runs a command in so many ranks. `survives`: mpirun, which sees a shell in each, leaves the others alone when a rank has died."""
    keep = []
    if survives:
        command = ("sh", "-c", '"$@"; sleep 3', "sh", *command)
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    if "Open MPI" in _version():
        keep = ["--oversubscribe"]
    return subprocess.run(
        [MPIRUN, *keep, "-n", str(count), *command], capture_output=True, text=True, timeout=100, env=environment
    )


def _version() -> str:
    return subprocess.run([MPIRUN, "--version"], capture_output=True, text=True).stdout


def child(count: int, name: str, survives: bool = False) -> list[list[str]]:
    """The lines that each rank writes."""
    with tempfile.TemporaryDirectory() as folder:
        done = mpirun(count, sys.executable, str(CHILD), name, folder, survives=survives)
        assert survives or done.returncode == 0, done.stdout + done.stderr
        files = [Path(folder) / str(rank) for rank in range(count)]
        return [file.read_text().splitlines() if file.exists() else [] for file in files]


@needs_mpi
def test_programs_beside_numpy():
    """Ranks with one process and with several."""
    assert child(2, "cases") == [["58 cases"]] * 2


@needs_mpi
@pytest.mark.slow
@pytest.mark.parametrize("ranks, count", [(1, 84), (3, 24), (4, 20)])
def test_programs_on_other_numbers_of_ranks(ranks, count):
    assert child(ranks, "cases") == [[f"{count} cases"]] * ranks


@needs_mpi
@pytest.mark.parametrize("ranks", [pytest.param(2, marks=pytest.mark.slow), 4])
def test_same_bits_as_in_one_process(ranks):
    assert child(ranks, "bits") == [["same"]] * ranks


@needs_mpi
def test_arrays_of_many_kinds():
    zero, one = child(2, "kinds_of_arrays")
    for number, lines in enumerate((zero, one)):
        assert lines[0].startswith(f"at once: ArgumentError: process ({number}, 0): 2 arguments expected, found 1; ")
    assert zero[1:] == one[1:] == ["fine"]


@needs_mpi
def test_mistakes_name_process_and_op():
    zero, one = child(2, "mistakes")
    assert zero[0] == one[0]
    assert "process (1, 0) of rank 1 has compiled another program than process (0, 0) of rank 0" in zero[0]
    assert (
        "stablehlo.all_reduce at -:3:10 (stablehlo.all_reduce of tensor<2xf32>) is stablehlo.all_gather at -:3:10"
        in zero[0]
    )
    assert "rank 1 has not compiled the program: " in zero[1] and "names 2" not in zero[1]
    assert "must hold all 3 replica ids" in one[1]
    assert "their collectives are the same, other ops or constants are not" in zero[2]
    assert "only programs of static shapes on target 'cpu'" in zero[3]
    assert "a grid of 3 x 1 processes cannot be divided among 2 ranks" in zero[4]
    assert zero[5].startswith(
        "at once: OtherRankFailed: rank 1 has failed: process (1, 0): 1 argument expected, found 0; "
    )
    assert one[5].startswith("at once: ArgumentError: process (1, 0): 1 argument expected, found 0; ")
    both = " ".join((zero[6], one[6]))
    assert "meets process" in both and "stablehlo.all_reduce at" in both and "stablehlo.collective_permute at" in both
    assert zero[7:] == one[7:] == ["fine"]


@needs_mpi
def test_a_rank_that_comes_late():
    zero, one = child(2, "late")
    wanted = "waited for 0.5 seconds: process (0, 0) waits in stablehlo.all_reduce at -:3:10 for process (1, 0)"
    assert wanted in zero[0] and f"rank 0 has failed: -:3:10: error: {wanted}" in one[0]
    assert zero[1:] == one[1:] == ["fine"]


@needs_mpi
def test_a_rank_that_dies():
    (zero, _) = child(2, "dies", survives=True)
    assert zero == [
        "at once: HloError: -:3:10: error: process (0, 0) waits for process (1, 0): rank 1 has ended, in "
        "stablehlo.all_reduce at -:3:10"
    ]


@needs_mpi
def test_a_rank_that_leaves():
    zero, _ = child(2, "leaves")
    assert zero == ["at once: OtherRankFailed: rank 1 has come to the end of its program"]


@needs_mpi
def test_some_of_the_ranks():
    zero, one, two = child(3, "part_of_the_ranks")
    assert zero[0] == two[0] and "grid takes" in one[0] and "found 'nccl'" in zero[1]


PROGRAM = """
func.func @main(%x: tensor<2xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}
    : (tensor<2xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}"""

SHARDED = """
sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
                %w: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x6xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}"""


@needs_mpi
def test_command_line(tmp_path):
    path = tmp_path / "program.mlir"
    path.write_text(PROGRAM)
    tool = [sys.executable, "-m", "hlo.tools.hlo_run", str(path), "--grid=mpi"]
    done = mpirun(2, *tool, "--input=2xf32=1,2", "--input=2xf32=3,4")
    assert done.stdout.splitlines() == [
        "process (0, 0) result 0: 4xf32", "[1. 2. 3. 4.]", "process (1, 0) result 0: 4xf32", "[1. 2. 3. 4.]",
    ]  # fmt: skip
    done = mpirun(2, *tool, "--input=2xf32=1,2", f"--output={tmp_path / 'x.npz'}")
    assert done.returncode == 1 and "2 arrays expected, 1 for each of 2 processes, found 1" in done.stderr
    assert "Traceback" not in done.stderr


@needs_mpi
def test_global_arrays(tmp_path):
    path = tmp_path / "sharded.mlir"
    path.write_text(SHARDED)
    done = mpirun(2, sys.executable, "-m", "hlo.tools.hlo_run", str(path), "--grid=mpi", "--compare=reference")
    assert (done.stdout, done.returncode) == ("1 results agree with the reference\n", 0), done.stderr


def test_no_mpi4py(monkeypatch):
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    with pytest.raises(hlo.HloError, match=r'needs mpi4py and an MPI \(pip install "hlo\[mpi\]"'):
        hlo.compile(PROGRAM, grid="mpi")


def test_processes_share_the_processors():
    exe = hlo.compile(PROGRAM, num_replicas=2)
    assert exe.threads == max(
        1, hlo.compile(PROGRAM.replace("[[0, 1]]", "[[0]]").replace("1x2x", "1x1x").replace("4x", "2x")).threads // 2
    )
    assert hlo.compile(PROGRAM, num_replicas=2, threads=3).threads == 3
    assert [r[0].tolist() for r in exe.run_grid([[np.float32([n, n])] for n in range(2)])] == [[0, 0, 1, 1]] * 2
