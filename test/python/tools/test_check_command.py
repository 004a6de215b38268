"""hlo-run --check: which programs of a file are run, in which order they are told, and what is no program."""

import subprocess
import sys

import pytest

import hlo
from hlo.tools import hlo_opt


def check(folder, *words):
    command = [sys.executable, "-m", "hlo.tools.hlo_run", "--check", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)


def test_check_counts_an_empty_file_as_failure(tmp_path):
    (tmp_path / "empty.mlir").write_text("")
    done = check(tmp_path, "empty.mlir")
    assert done.returncode == 1 and "FAIL empty.mlir" in done.stdout and "0 passed, 1 failed" in done.stdout


CHECKED = """func.func @main() {
  %c = stablehlo.constant dense<1> : tensor<i32>
  check.expect_eq_const %c, dense<1> : tensor<i32>
  return
}
// -----
func.func @wrong() {
  %c = stablehlo.constant dense<1> : tensor<i32>
  check.expect_eq_const %c, dense<2> : tensor<i32>
  return
}
func.func @right() {
  return
}
func.func private @helper() {
  return
}
// -----
func.func @broken( {
// -----
func.func @takes(%x: tensor<i32>) {
  return
}
"""


@pytest.mark.parametrize("words", [["-j", "3"], ["--target=reference"]])
def test_parts_are_checked_in_order(tmp_path, words):
    (tmp_path / "checked.mlir").write_text(CHECKED)
    done = check(tmp_path, "checked.mlir", *words)
    verdicts = [line.split(": ")[0] for line in done.stdout.splitlines() if line[:4] in ("PASS", "FAIL")]
    assert verdicts == ["PASS checked.mlir#0", "FAIL checked.mlir#1:wrong", "PASS checked.mlir#1:right",
                        "FAIL checked.mlir#2", "FAIL checked.mlir#3"]  # fmt: skip
    assert "expected 2, found 1" in done.stdout and "checked.mlir:19:21: error" in done.stdout
    assert done.stdout.splitlines()[-1] == "2 passed, 3 failed" and done.returncode == 1


IN_THE_STYLE_OF_THE_SPECIFICATION = """// RUN: hlo-run --check %s
func.func @abs() {
  // %operand: [-2, 0, 2]
  %operand = stablehlo.constant dense<[-2, 0, 2]> : tensor<3xi32>
  %result = "stablehlo.abs"(%operand) : (tensor<3xi32>) -> tensor<3xi32>
  check.expect_eq_const %result, dense<[2, 0, 2]> : tensor<3xi32>
  func.return
}

// -----

module @with_a_name {
  func.func @reduced(%input: tensor<1x6xi64>) -> tensor<1xi64> {
    %init_value = stablehlo.constant dense<0> : tensor<i64>
    %result = "stablehlo.reduce"(%input, %init_value) ({
      ^bb0(%arg0: tensor<i64>, %arg1: tensor<i64>):
        %0 = "stablehlo.add"(%arg0, %arg1) : (tensor<i64>, tensor<i64>) -> tensor<i64>
        "stablehlo.return"(%0) : (tensor<i64>) -> ()
    }) {dimensions = array<i64: 1>} : (tensor<1x6xi64>, tensor<i64>) -> tensor<1xi64>
    return %result : tensor<1xi64>
  }
  func.func @main() {
    %input = stablehlo.constant dense<[[0, 1, 2, 3, 4, 5]]> : tensor<1x6xi64>
    %result = func.call @reduced(%input) : (tensor<1x6xi64>) -> tensor<1xi64>
    check.expect_eq_const %result, dense<[15]> : tensor<1xi64>
    return
  }
}

// -----

func.func @almost() {
  %operand = stablehlo.constant dense<[0.0, 1.0]> : tensor<2xf64>
  %result = stablehlo.exponential %operand : tensor<2xf64>
  check.expect_almost_eq_const %result, dense<[1.0, 2.7182818284590451]> : tensor<2xf64>
  func.return
}
"""


def test_programs_in_the_style_of_the_specification(tmp_path):
    (tmp_path / "style.mlir").write_text(IN_THE_STYLE_OF_THE_SPECIFICATION)
    done = check(tmp_path, "style.mlir", "style.mlir", "-j2")
    passed = [f"PASS style.mlir#{part}" for part in (0, 1, 2)]
    assert done.stdout.splitlines() == [*passed, *passed, "6 passed, 0 failed"] and done.returncode == 0


BYTECODE = """func.func @main() {
  %0 = stablehlo.constant dense<1> : tensor<2xi32>
  %1 = stablehlo.constant dense<FOUND> : tensor<2xi32>
  stablehlo.custom_call @check.expect_eq(%0, %1) {has_side_effect = true} : (tensor<2xi32>, tensor<2xi32>) -> ()
  return
}
"""


def test_bytecode_is_checked(tmp_path):
    for name, number in (("right", 1), ("wrong", 2)):
        (tmp_path / "text.mlir").write_text(BYTECODE.replace("FOUND", str(number)))
        words = [str(tmp_path / "text.mlir"), "--emit-bytecode", "-o", str(tmp_path / f"{name}.mlirbc")]
        assert hlo_opt.main(words) == 0
    done = check(tmp_path, "right.mlirbc", "wrong.mlirbc")
    first, second, *_, last = done.stdout.splitlines()
    assert first == "PASS right.mlirbc" and last == "1 passed, 1 failed"
    assert second.startswith("FAIL wrong.mlirbc: ") and "2 of 2 elements are not equal" in second


def test_what_is_no_program_says_what_it_is(tmp_path):
    hlo.compile("func.func @main() { return }", cache=False).save(tmp_path / "compiled.exe")
    (tmp_path / "packed.mlir.gz").write_bytes(b"\x1f\x8b\x08\x00\n// -----\n\xff")
    (tmp_path / "right.mlir").write_text(CHECKED.split("// -----")[0])
    done = check(tmp_path, "compiled.exe", "packed.mlir.gz", "right.mlir")
    assert done.returncode == 1 and not done.stderr
    assert done.stdout.splitlines() == [
        "FAIL compiled.exe: a compiled program: --check takes text and bytecode; without --check, hlo-run runs what exe.save has written",
        "FAIL packed.mlir.gz: packed.mlir.gz is not UTF-8 text (byte 1)",
        "PASS right.mlir",
        "1 passed, 2 failed",
    ]
