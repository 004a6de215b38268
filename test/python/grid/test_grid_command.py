"""hlo-run with a grid of processes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hlo.tools.hlo_run import main

PAGE = Path(__file__).parents[3] / "docs" / "parallel.md"

PROGRAM = """
func.func @main(%x: tensor<2xf32>, %y: tensor<i32>) -> (tensor<4xf32>, tensor<i32>) {
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}
    : (tensor<2xf32>) -> tensor<4xf32>
  return %0, %y : tensor<4xf32>, tensor<i32>
}"""
INPUTS = [f"--input={x}" for x in ("2xf32=1,2", "i32=7", "2xf32=3,4", "i32=8")]


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "program.mlir"
    path.write_text(PROGRAM)
    return str(path)


@pytest.mark.parametrize("target", ["cpu", "reference"])
def test_results_name_their_process(program, target, capsys):
    assert main([program, "--replicas=2", f"--target={target}", *INPUTS]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines == [
        "process (0, 0) result 0: 4xf32", "[1. 2. 3. 4.]", "process (0, 0) result 1: i32", "7",
        "process (1, 0) result 0: 4xf32", "[1. 2. 3. 4.]", "process (1, 0) result 1: i32", "8",
    ]  # fmt: skip


def test_results_in_a_file(program, tmp_path):
    path = tmp_path / "results.npz"
    assert main([program, "--replicas=2", "--repeat=2", *INPUTS, f"--output={path}"]) == 0
    with np.load(path) as found:
        assert [found[name].tolist() for name in found.files] == [[1, 2, 3, 4], 7, [1, 2, 3, 4], 8]


def test_sizes_that_the_program_says(tmp_path, capsys):
    path = tmp_path / "program.mlir"
    path.write_text(f"module attributes {{mhlo.num_replicas = 2 : i32}} {{{PROGRAM}}}")
    assert main([str(path), "--compare=reference"]) == 0
    assert "4 results of 2 processes agree with the reference" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments, code, message",
    [
        (["--replicas=2", *INPUTS[:3]], 1, "4 arrays expected, 2 for each of 2 processes, found 3"),
        (["--replicas=0"], 1, "num_replicas must be a number of processes from 1 to 131072, found 0"),
        (["--replicas=200000"], 1, "num_replicas must be a number of processes from 1 to 131072, found 200000"),
        (["--replicas=2", *INPUTS, "--output="], 1, "--output ''"),
        (["--replicas=3"], 1, "must hold all 3 replica ids"),
        (
            ["--replicas=2", "--target=gpu", "--device=model"],
            1,
            "is not supported by target 'gpu': it runs one process",
        ),
        (["--replicas=2", "--check"], 2, "--replicas does nothing with --check"),
    ],
)
def test_what_does_not_fit(program, arguments, code, message, capsys):
    try:
        found = main([program, *arguments])
    except SystemExit as exit:  # of argparse
        found = exit.code
    assert found == code
    assert message in capsys.readouterr().err


def test_the_documented_program(tmp_path, capsys):
    text = PAGE.read_text()
    names: dict[str, Any] = {}
    exec(compile(re.search(r"```python\n(.*?)```", text, re.DOTALL)[1], PAGE.name, "exec"), names)
    assert [r[0].tolist() for r in names["results"]] == [[1, 2, 3, 4]] * 2
    command, printed = re.search(r"```console\n\$ (.*?) +#.*?\n(.*?)```", text, re.DOTALL).groups()
    path = tmp_path / "gather.mlir"
    path.write_text(names["program"])
    assert main([str(path), *command.split()[2:]]) == 0
    assert capsys.readouterr().out == printed
