"""Builds executables of programs that are written at the kernels phase, as text."""

from __future__ import annotations

import textwrap

from mlir import ir

import hlo
from hlo import pipelines
from hlo.dialect.registration import make_context
from hlo.lowering.kernels.schedule_kernels import ScheduleKernels
from hlo.runtime.calls.executable import Executable
from hlo.runtime.compile.loader import load
from hlo.runtime.compile.read_signature import signature_of

KERNELS = """
func.func private @double(%x: tensor<4xf32> {hlo.may_alias = array<i64: 0>}) -> tensor<4xf32> attributes {hlo.kernel = "loops"} {
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.add ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func private @add(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> attributes {hlo.kernel = "loops"} {
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.add ins(%x, %y : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func private @store(%x: tensor<4xf32> {hlo.tied = 0 : i64}, %i: tensor<i32>) -> tensor<4xf32> attributes {hlo.kernel = "loops"} {
  %n = tensor.extract %i[] : tensor<i32>
  %at = arith.index_cast %n : i32 to index
  %v = arith.sitofp %n : i32 to f32
  %r = tensor.insert %v into %x[%at] : tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func private @next(%i: tensor<i32>) -> tensor<i32> attributes {hlo.kernel = "loops"} {
  %c1 = arith.constant 1 : i32
  %n = tensor.extract %i[] : tensor<i32>
  %m = arith.addi %n, %c1 : i32
  %e = tensor.empty() : tensor<i32>
  %r = tensor.insert %m into %e[] : tensor<i32>
  return %r : tensor<i32>
}
func.func private @less(%i: tensor<i32>, %j: tensor<i32>) -> tensor<i1> attributes {hlo.kernel = "loops"} {
  %a = tensor.extract %i[] : tensor<i32>
  %b = tensor.extract %j[] : tensor<i32>
  %c = arith.cmpi slt, %a, %b : i32
  %e = tensor.empty() : tensor<i1>
  %r = tensor.insert %c into %e[] : tensor<i1>
  return %r : tensor<i1>
}
"""


def build(main: str, **options: str) -> tuple[Executable, str]:
    """The executable of a host function `main` that calls KERNELS, and its text after the memory phase."""
    context = make_context()
    texts: dict[str, str] = {}
    with context:
        module = ir.Module.parse(KERNELS + textwrap.dedent(main))
        (function,) = [op for op in module.body if op.operation.attributes["sym_name"].value == "main"]
        signature = signature_of(function)
        used = module.operation.get_asm()
    assert "@main" in used

    def keep(name: str, reached: ir.Module) -> None:
        texts[name] = str(reached)

    with context:
        ScheduleKernels().run(module)
    pipelines.run(module, pipelines.cpu(), start_from="kernels", on_phase=keep)
    return load(module, signature, **options), host_text(texts["memory"])


def host_text(memory: str) -> str:
    """The text of @main."""
    start = memory.index("func.func public @main")
    return memory[start : memory.index("\n  }", start)]


__all__ = ["build", "hlo"]
