"""hlo-reduce finds the ops that matter: of a planted miscompilation, and of a command that fails."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from mlir import ir

import hlo
from hlo.dialect.stablehlo import AddOp, SubtractOp
from hlo.lowering.passes import Pass
from hlo.tools import hlo_opt, hlo_reduce
from hlo.tools.reduction import worker as worker_actions
from hlo.tools.reduction.edits import EDITS
from hlo.tools.reduction.search import EDITS as ORDER
from hlo.tools.reduction.search import Worker, reduce

PROGRAM = """
func.func private @inner(%x: tensor<4x6xf32>, %y: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = stablehlo.tanh %x : tensor<4x6xf32>
  %1 = stablehlo.subtract %0, %y : tensor<4x6xf32>
  %2 = stablehlo.exponential %1 : tensor<4x6xf32>
  return %2 : tensor<4x6xf32>
}
func.func @main() -> (tensor<6x4xf32>, tensor<f32>) {
  %c = stablehlo.constant dense<1.5> : tensor<4x6xf32>
  %x = stablehlo.optimization_barrier %c : tensor<4x6xf32>
  %i = stablehlo.iota dim = 1 : tensor<4x6xf32>
  %p = stablehlo.constant dense<true> : tensor<i1>
  %b = "stablehlo.if"(%p) ({
    %0 = func.call @inner(%x, %i) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    stablehlo.return %0 : tensor<4x6xf32>
  }, {
    stablehlo.return %x : tensor<4x6xf32>
  }) : (tensor<i1>) -> tensor<4x6xf32>
  %t = stablehlo.transpose %b, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%b init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>
  return %t, %s : tensor<6x4xf32>, tensor<f32>
}
"""


@dataclass(frozen=True)
class AddsInsteadOfSubtracting(Pass):
    name = "adds-instead-of-subtracting"

    def run(self, module: ir.Module) -> None:
        found: list[SubtractOp] = []
        module.operation.walk(lambda op: found.append(op.opview) or ir.WalkResult.ADVANCE)
        for op in (o for o in found if isinstance(o, SubtractOp)):
            with op.location:
                op.result.replace_all_uses_with(AddOp.create(op.lhs, op.rhs, ip=ir.InsertionPoint(op)).result)
            op.operation.erase()


def fails_when_planted(text: str) -> str:
    pipeline = hlo.pipelines.cpu()
    pipeline[0].passes.insert(0, AddsInsteadOfSubtracting())
    expected = hlo.compile(text, target="reference")()
    found = hlo.compile(text, pipeline=pipeline)()
    same = all(np.allclose(a, b, rtol=1e-3, equal_nan=True) for a, b in zip(found, expected))
    return "" if same else "differs"


def test_a_planted_miscompilation() -> None:
    worker = Worker(60)
    try:
        ready = worker.ask(action="prepared", text=PROGRAM, entry="main", inputs=False)
        small = reduce(ready["text"], ready["cost"], worker, fails_when_planted, lambda line: None)
    finally:
        worker.close()
    assert fails_when_planted(small) == "differs"
    computing = worker_actions.cost(hlo.parse(small))[0]
    assert computing == 1 and "stablehlo.subtract" in small and "tensor<1x1xf32>" in small
    assert "func.call" not in small and "stablehlo.if" not in small


def test_a_command(tmp_path: Path) -> None:
    script, source, result = (tmp_path / name for name in ("test.sh", "program.mlir", "small.mlir"))
    script.write_text('#!/bin/sh\n! grep -q stablehlo.exponential "$1"\n')
    script.chmod(0o755)
    source.write_text(PROGRAM)
    assert hlo_reduce.main([str(source), "--test", str(script), "-o", str(result)]) == 0
    text = result.read_text()
    assert text.startswith(f"// RUN: {script} %s\n")
    assert "exponential" in text and "subtract" not in text and "reduce" not in text and "transpose" not in text


def test_bytecode(tmp_path: Path) -> None:
    source, result = tmp_path / "program.mlirbc", tmp_path / "small.mlir"
    (tmp_path / "program.mlir").write_text(PROGRAM)
    assert hlo_opt.main([str(tmp_path / "program.mlir"), "--emit-bytecode", "-o", str(source)]) == 0
    assert hlo_reduce.main([str(source), "--test", "sh -c '! grep -q exponential $0'", "-o", str(result)]) == 0
    assert "exponential" in result.read_text() and "subtract" not in result.read_text()


def test_every_edit_is_tried() -> None:
    assert sorted(EDITS) == sorted(ORDER)


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["nowhere.mlir"], "cannot read 'nowhere.mlir'"),
        (["{fine}"], "the program does not fail"),
        (["{broken}"], "only programs that can be read are reduced"),
        (["{fine}", "--entry", "other"], "no function 'other' to compile; functions: inner, main"),
        (["{dynamic}"], "dynamic.mlir:1:1: error: argument 0 of @main has the dynamic shape tensor<?xf32>"),
        (["{tuple}"], "argument 1 is of type tuple<tensor<f32>>: only tensors become constants"),
        (["{fine}", "-o", "{fine}/x"], "fine.mlir/x': Not a directory"),
        (["{fine}", "--seconds", "0"], "--seconds takes a number above 0"),
        (["{fine}", "--seconds", "inf"], "--seconds takes a number above 0, up to 2000000, found inf"),
        (["{fine}", "--seconds", "nan"], "--seconds takes a number above 0"),
        (["{fine}", "--test", "no-such-command"], "--test: cannot run"),
        (["{fine}", "--test", "grep 'add"], "is no command: No closing quotation"),
    ],
)
def test_bad_calls(tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    files = {
        "fine": PROGRAM,
        "broken": "func.func @main( {",
        "dynamic": "func.func @main(%x: tensor<?xf32>) { return }",
        "tuple": "func.func @main(%x: tensor<f32>, %y: tuple<tensor<f32>>) { return }",
    }
    for name, text in files.items():
        (tmp_path / f"{name}.mlir").write_text(text)
    named = [a.format(**{name: tmp_path / f"{name}.mlir" for name in files}) for a in arguments]
    assert hlo_reduce.main(named) == 1
    assert message in capsys.readouterr().err


def test_a_test_that_every_program_fails_is_refused(tmp_path, capsys):
    source = tmp_path / "fine.mlir"
    source.write_text("func.func @main(%x: tensor<f32>) -> tensor<f32> {\n  return %x : tensor<f32>\n}\n")
    assert hlo_reduce.main([str(source), "--test", f"{sys.executable} -m hlo.tools.hlo_opt --no-such-option"]) == 1
    assert "fails on an empty program too" in capsys.readouterr().err
