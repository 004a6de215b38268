"""Executables for GPUs as files: they load and run where neither MLIR nor anything else but numpy is installed."""

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import hlo
from hlo.runtime.gpu.program_file import pack, plan_as_json, read_plan, read_program
from hlo.runtime.saved.file_format import unpack_parts

EXAMPLES = Path(__file__).parents[3] / "examples"

BARE = """
import importlib.abc, sys
ALLOWED = {"numpy", "ml_dtypes", "hlo"}
class OnlyNumpy(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top not in ALLOWED and top not in sys.stdlib_module_names:
            raise ImportError(f"{name} is not on this machine")
sys.meta_path.insert(0, OnlyNumpy())
import numpy, hlo
for file in sys.argv[1:]:
    with numpy.load(file + ".npz") as given:
        results = hlo.load_executable(file)(*(given[n] for n in given.files))
    numpy.savez(file + ".out.npz", *results)
assert not any(m.partition(".")[0] in ("mlir", "llvm", "jax") for m in sys.modules)
"""

LOOP = """
func.func @main(%n: tensor<i32>, %x: tensor<8xf32>) -> tensor<8xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %add = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>
  %0:3 = stablehlo.while(%i = %zero, %v = %x, %last = %n) : tensor<i32>, tensor<8xf32>, tensor<i32>
  cond {
    %c = stablehlo.compare LT, %i, %last : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    %w = stablehlo.add %v, %add : tensor<8xf32>
    stablehlo.return %j, %w, %last : tensor<i32>, tensor<8xf32>, tensor<i32>
  }
  return %0#1 : tensor<8xf32>
}
"""


def test_files_run_on_a_machine_with_numpy_alone(tmp_path) -> None:
    names = ["mlp", "sort_top_k", "random_numbers", "jacobi"]
    for name in names:
        hlo.compile(EXAMPLES / f"{name}.mlir", target="gpu", device="model").save(tmp_path / name)
        shutil.copy(EXAMPLES / f"{name}.inputs.npz", tmp_path / f"{name}.npz")
    hlo.compile(LOOP, target="gpu", device="model").save(tmp_path / "loop")
    np.savez(tmp_path / "loop.npz", np.int32(5), np.ones(8, np.float32))
    files = [str(tmp_path / name) for name in [*names, "loop"]]
    done = subprocess.run([sys.executable, "-c", BARE, *files], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for name in names:
        with np.load(tmp_path / f"{name}.out.npz") as found, np.load(EXAMPLES / f"{name}.expected.npz") as expected:
            for array, result in zip(found.values(), expected.values(), strict=True):
                np.testing.assert_allclose(array, result, rtol=1e-4, atol=1e-5)
    with np.load(tmp_path / "loop.out.npz") as found:
        assert np.array_equal(found["arr_0"], 1 + 5 * np.arange(1, 9))


def test_a_program_for_cards_is_compiled_and_saved_without_one(tmp_path) -> None:
    hlo.compile(LOOP, target="gpu", arch="sm_90a").save(tmp_path / "loop")
    program = read_program(*unpack_parts((tmp_path / "loop").read_bytes()))
    assert (program.device, program.arch) == ("cuda", "sm_90a")
    assert ".target sm_90a" in program.code and all(
        f".entry {kernel}(" in program.code for kernel in program.plan.kernels
    )
    assert repr(hlo.load_executable(tmp_path / "loop")).endswith("for cuda>")


def test_what_is_read_is_what_was_written() -> None:
    program = hlo.compile(LOOP, target="gpu", device="model").program
    back = read_program(*unpack_parts(pack(program)))
    assert (back.plan, back.code, back.signature) == (program.plan, program.code, program.signature)
    assert read_plan(plan_as_json(program.plan)) == program.plan
    for array, constant in zip(back.constants, program.constants, strict=True):
        assert array.dtype == constant.dtype and np.array_equal(array, constant)


def test_custom_calls_are_bound_again(tmp_path) -> None:
    text = """func.func @main(%x: tensor<3xf32>) {
      check.expect_eq_const %x, dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
      return }"""
    hlo.compile(text, target="gpu", device="model").save(tmp_path / "check")
    exe = hlo.load_executable(tmp_path / "check")
    exe(np.array([1, 2, 3], np.float32))
    with pytest.raises(hlo.HloError, match="1 of 3 elements are not equal"):
        exe(np.array([1, 2, 4], np.float32))


def test_a_damaged_file_is_refused(tmp_path) -> None:
    hlo.compile(LOOP, target="gpu", device="model").save(tmp_path / "loop")
    data = bytearray((tmp_path / "loop").read_bytes())
    data[-1] ^= 1
    (tmp_path / "loop").write_bytes(data)
    with pytest.raises(hlo.ArgumentError, match="damaged"):
        hlo.load_executable(tmp_path / "loop")
