"""Options of upstream passes at whose values MLIR ends the process: they are refused, and values that are allowed are not."""

import os
import subprocess
import sys

import pytest

from hlo.errors import ArgumentError
from hlo.pipelines.parser import parse_pass, parse_pipeline, upstream_pass_exists
from hlo.pipelines.upstream_options import OPTIONS

REFUSED = [
    ("one-shot-bufferize{analysis-heuristic=nope}", "takes one of bottom-up, .*, found 'nope'"),
    ("one-shot-bufferize{dump-alias-sets analysis-heuristic=}", "found ''"),
    ("one-shot-bufferize{analysis-heuristic='nope' buffer-alignment=8}", "found 'nope'"),
    ("one-shot-bufferize{analysis-heuristic=top-down analysis-heuristic=nope}", "found 'nope'"),
    ("one-shot-bufferize{analysis-heuristic=fuzzer}", "goes with an analysis-fuzzer-seed from 1"),
    ("inline{default-pipeline=func.func(one-shot-bufferize{analysis-heuristic=nope})}", "found 'nope'"),
    ("gpu-module-to-binary{format=nope}", "takes one of offloading, .*, found 'nope'"),
    ("affine-loop-tile{tile-sizes=4,0}", "takes numbers from 1, separated by commas, found '4,0'"),
    ("convert-arith-to-llvm{index-bitwidth=1000000007}", "a number from 0 to 16777215, found '1000000007'"),
    ("nvvm-attach-target{O=4}", "a number from 0 to 3, found '4'"),
    ("nvvm-attach-target{chip=0}", "the name of a chip"),
    ("nvvm-attach-target{triple={}}", "a name, found ''"),
    ("rocdl-attach-target{abi=300}", "one of 400, 500, 600, found '300'"),
    ("xevm-attach-target{l=a,b}", "XeVM links no files, found 'a,b'"),
]


@pytest.mark.parametrize("text, message", REFUSED)
def test_refused(text, message):
    name = text.partition("{")[0]
    with pytest.raises(ArgumentError, match=rf"pass '{name}': .*{message}|pass 'one-shot-bufferize': .*{message}"):
        parse_pipeline(f"builtin.module(func.func({text}))")


RUN = """
import sys
from mlir import ir
from mlir.passmanager import PassManager
with ir.Context() as context:
    context.enable_multithreading(False)
    module = ir.Module.parse(sys.argv[1])
    for text in sys.argv[2:]:
        try:
            PassManager.parse(f"builtin.module({text})").run(module.operation.clone())
        except ir.MLIRError as error:
            assert "has no target attributes" in str(error), error
"""
PROGRAM = """module {
  gpu.module @k {}
  func.func @f(%m: memref<64xf32>, %i: index) -> index {
    affine.for %j = 0 to 64 {
      %x = affine.load %m[%j] : memref<64xf32>
      affine.store %x, %m[%j] : memref<64xf32>
    }
    %0 = arith.addi %i, %i : index
    return %0 : index
  }
}"""
ALLOWED = [
    *(f"one-shot-bufferize{{analysis-heuristic={h}}}" for h in ("bottom-up", "top-down", "bottom-up-from-terminators")),
    "one-shot-bufferize{analysis-heuristic=fuzzer analysis-fuzzer-seed=7}",
    *(f"gpu-module-to-binary{{format={f}}}" for f in ("offloading", "llvm", "assembly", "isa", "binary", "bin", "fatbin")),
    "func.func(affine-loop-tile{tile-sizes=1,8})",
    "convert-arith-to-llvm{index-bitwidth=32}",
    "nvvm-attach-target{O=3 chip=sm_90a}",
    "nvvm-attach-target{chip=abc}",
    "rocdl-attach-target{O=0 abi=500}",
    "xevm-attach-target{chip=bmg}",
]  # fmt: skip


def test_allowed_ones_are_and_do_not_end_the_process():
    for text in ALLOWED:
        parse_pass(text)
    done = subprocess.run(
        [sys.executable, "-c", RUN, PROGRAM, *ALLOWED], capture_output=True, text=True, env=os.environ
    )
    assert done.returncode == 0, done.stderr[-2000:]


def test_the_passes_exist():
    assert [name for name in OPTIONS if not upstream_pass_exists(name)] == []
