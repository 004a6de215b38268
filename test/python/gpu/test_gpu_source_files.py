"""The files of lowering/gpu that a matmul and attention pass from a kernel to code: few, and named in docs/kernels.md."""

import re
import sys
from pathlib import Path

import pytest

import hlo
from hlo import pipelines
from hlo.lowering import gpu as folder
from hlo.pipelines.gpu import gpu

ROOT = Path(__file__).parents[3]

MATMUL = """func.func @main(%x: tensor<4096x4096xbf16>, %w: tensor<4096x4096xbf16>) -> tensor<4096x4096xf32> {
  %r = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<4096x4096xf32>
  %t = stablehlo.tanh %r : tensor<4096x4096xf32>
  return %t : tensor<4096x4096xf32> }"""

ATTENTION = """func.func @main(%q: {q}, %k: {q}, %v: {q}) -> {q} {{
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : ({q}, {q}) -> {s}
  %1 = stablehlo.reduce(%0 init: %lowest) applies stablehlo.maximum across dimensions = [2] : ({s}, tensor<f32>) -> {r}
  %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : ({r}) -> {s}
  %3 = stablehlo.subtract %0, %2 : {s}
  %4 = stablehlo.exponential %3 : {s}
  %5 = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [2] : ({s}, tensor<f32>) -> {r}
  %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : ({r}) -> {s}
  %7 = stablehlo.divide %4, %6 : {s}
  %8 = stablehlo.convert %7 : ({s}) -> tensor<16x1024x1024xf16>
  %9 = stablehlo.dot_general %8, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<16x1024x1024xf16>, {q}) -> {q}
  return %9 : {q} }}""".format(q="tensor<16x1024x64xf16>", s="tensor<16x1024x1024xf32>", r="tensor<16x1024xf32>")


@pytest.mark.parametrize("arch", ["sm_80", "sm_90a"])
@pytest.mark.parametrize("text, most", [(MATMUL, 15), (ATTENTION, 20)], ids=["matmul", "attention"])
def test_files_that_a_kernel_passes(text: str, most: int, arch: str) -> None:
    root, found = Path(folder.__file__).parent, set()

    def follow(frame, event, _) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(root) and path.name != "__init__.py":
            found.add(path.name)

    for _ in range(2):  # modules are imported once
        module, phases = hlo.parse(text), gpu(arch, "model")
        pipelines.run(module, phases, stop_after="kernels")
        found.clear()
        (memory,) = (phase for phase in phases if phase.name == "memory")
        for item in memory.passes:
            sys.setprofile(follow if str(item).startswith("emit-gpu-kernels") else None)
            try:
                pipelines.run_pass(module, item)
            finally:
                sys.setprofile(None)
    page = (ROOT / "docs" / "kernels.md").read_text()
    section = page[page.index("### On the GPU") : page.index("### Shared pieces")]
    assert found <= {Path(name).name for name in re.findall(r"`([\w/.]+\.py)`", section)}
    assert len(found) <= most, sorted(found)
