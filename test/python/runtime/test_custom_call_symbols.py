"""Custom calls that name a function of machine code."""

import ctypes

import numpy as np
import pytest
from mlir import ir

import hlo
from hlo.runtime.code.symbols import Symbol
from hlo.runtime.compile.llvm_engine import compile_module
from hlo.runtime.custom_calls import standard_targets
from hlo.runtime.custom_calls.registry import TARGETS, register

# out[0 .. 3] = in[0][0 .. 3] * in[1]; and the same with the second result's address in an array of two.
CODE = """
llvm.func @scale(%out: !llvm.ptr, %in: !llvm.ptr) {
  %x = llvm.load %in : !llvm.ptr -> !llvm.ptr
  %second = llvm.getelementptr %in[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  %k = llvm.load %second : !llvm.ptr -> !llvm.ptr
  %v = llvm.load %x {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
  %s = llvm.load %k : !llvm.ptr -> f32
  %zero = llvm.mlir.constant(0 : i32) : i32
  %undef = llvm.mlir.undef : vector<4xf32>
  %one = llvm.insertelement %s, %undef[%zero : i32] : vector<4xf32>
  %all = llvm.shufflevector %one, %undef [0, 0, 0, 0] : vector<4xf32>
  %r = llvm.fmul %v, %all : vector<4xf32>
  llvm.store %r, %out {alignment = 4 : i64} : vector<4xf32>, !llvm.ptr
  llvm.return
}
llvm.func @swap(%out: !llvm.ptr, %in: !llvm.ptr) {
  %x = llvm.load %in : !llvm.ptr -> !llvm.ptr
  %second = llvm.getelementptr %in[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  %y = llvm.load %second : !llvm.ptr -> !llvm.ptr
  %a = llvm.load %out : !llvm.ptr -> !llvm.ptr
  %next = llvm.getelementptr %out[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  %b = llvm.load %next : !llvm.ptr -> !llvm.ptr
  %v = llvm.load %x : !llvm.ptr -> f32
  %w = llvm.load %y : !llvm.ptr -> i64
  llvm.store %w, %a : i64, !llvm.ptr
  llvm.store %v, %b : f32, !llvm.ptr
  llvm.return
}
"""
X = np.arange(4, dtype=np.float32)


@pytest.fixture(scope="module", autouse=True)
def functions():
    assert standard_targets  # registers its own
    known = set(TARGETS)
    with ir.Context(), ir.Location.unknown():
        code = [compile_module(ir.Module.parse(CODE), name) for name in ("scale", "swap")]
    for name, one in zip(("test_scale", "test_swap"), code):
        hlo.register_custom_call_symbol(name, one.entry)
    yield
    for name in set(TARGETS) - known:
        del TARGETS[name]
    del code


SCALE = """
func.func @main(%x: tensor<4xf32>, %k: tensor<f32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @test_scale(%x, %k) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = stablehlo.custom_call @test_scale(%0, %k) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
"""
SWAP = """
func.func @main(%x: tensor<f32>, %y: tensor<i64>) -> (tensor<i64>, tensor<f32>) {
  %0:2 = stablehlo.custom_call @test_swap(%x, %y) : (tensor<f32>, tensor<i64>) -> (tensor<i64>, tensor<f32>)
  return %0#0, %0#1 : tensor<i64>, tensor<f32>
}
"""
ENGINES = [
    {"target": "cpu"},
    {"target": "cpu", "engine": "mlir"},
    {"target": "cpu", "isolate": True},
    {"target": "reference"},
    {"target": "gpu", "device": "model"},
]


@pytest.mark.parametrize("options", ENGINES, ids=lambda o: "-".join(map(str, o.values())))
def test_a_symbol_is_called(options):
    (found,) = hlo.compile(SCALE, **options)(X, np.float32(3))
    np.testing.assert_array_equal(found, X * 9)
    whole, real = hlo.compile(SWAP, **options)(np.float32(2.5), np.int64(7))
    assert (whole, real) == (7, 2.5)


def test_compiled_code_calls_it_without_python(monkeypatch):
    exe = hlo.compile(SCALE)

    def refused(*_, **__):
        raise AssertionError("Python was called")

    monkeypatch.setattr(Symbol, "__call__", refused)
    monkeypatch.setattr(type(exe.dispatcher), "_run", refused)
    np.testing.assert_array_equal(exe(X, np.float32(2))[0], X * 4)


def test_a_saved_program_finds_the_symbol_of_its_process(tmp_path):
    hlo.compile(SCALE).save(tmp_path / "scale.exe")
    np.testing.assert_array_equal(hlo.load_executable(tmp_path / "scale.exe")(X, np.float32(2))[0], X * 4)


def test_python_functions_and_symbols_in_one_program():
    @register("test_add_one")
    def _add_one(x):
        return x + 1

    text = SCALE.replace("@test_scale(%0, %k) : (tensor<4xf32>, tensor<f32>)", "@test_add_one(%0) : (tensor<4xf32>)")
    np.testing.assert_array_equal(hlo.compile(text)(X, np.float32(2))[0], X * 2 + 1)


def test_the_builder_names_a_symbol():
    b = hlo.Builder()
    x, k = b.Parameter(0, "4xf32", "x"), b.Parameter(1, "f32", "k")
    b.CustomCallOp("test_scale", [x, k], "4xf32")
    np.testing.assert_array_equal(b.Build().compile()(X, np.float32(5))[0], X * 5)


@pytest.mark.parametrize("address", [0, -8, "scale"])
def test_what_is_no_address_is_refused(address):
    with pytest.raises(hlo.ArgumentError, match="address"):
        hlo.register_custom_call_symbol("test_wrong", address)


def test_a_symbol_by_its_name_alone():
    hlo.register_custom_call_symbol("abort")
    with pytest.raises(hlo.ArgumentError, match="no library of this process has a symbol"):
        hlo.register_custom_call_symbol("no_such_symbol_of_any_library")


def test_a_ctypes_function_is_kept():
    calls = []

    def note(out, _):
        calls.append(out)

    hlo.register_custom_call_symbol("test_note", ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(note))
    text = "func.func @main() { stablehlo.custom_call @test_note() {has_side_effect = true} : () -> ()\n return }"
    hlo.compile(text)()
    assert len(calls) == 1
