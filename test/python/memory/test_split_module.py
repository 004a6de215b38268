"""Modules in the LLVM dialect are cut into parts that are compiled side by side."""

import ctypes

import numpy as np
from mlir import ir

import hlo
from hlo.runtime.compile import llvm_engine, split_module
from hlo.runtime.compile.llvm_engine import compile_module

CALLS = """
llvm.mlir.global internal constant @table(dense<[1, 2, 3]> : tensor<3xi64>) : !llvm.array<3 x i64>
llvm.func @second(%i: i64) -> i64 {{
  %t = llvm.mlir.addressof @table : !llvm.ptr
  %p = llvm.getelementptr %t[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %v = llvm.load %p : !llvm.ptr -> i64
{long}
  llvm.return %v : i64
}}
llvm.func @entry(%out: !llvm.ptr) {{
  %one = llvm.mlir.constant(1 : i64) : i64
  %two = llvm.call @second(%one) : (i64) -> i64
  %v = llvm.mul %two, %two : i64
{long}
  llvm.store %v, %out : i64, !llvm.ptr
  llvm.return
}}
"""


def _module(text: str) -> ir.Module:
    long = "\n".join(f"  %x{n} = llvm.add %v, %v : i64" for n in range(500))
    with ir.Context() as context, ir.Location.unknown():
        context.load_all_available_dialects()
        return ir.Module.parse(text.format(long=long))


def _names(module: ir.Module) -> list[str]:
    """Functions with a body."""
    found = [op for op in module.body.operations if op.operation.name == "llvm.func" and len(op.regions[0].blocks)]
    return [ir.StringAttr(op.operation.attributes["sym_name"]).value for op in found]


def test_each_function_is_in_one_part():
    parts = split_module.split(_module(CALLS), 8)
    assert sorted(map(_names, parts)) == [["entry"], ["second"]]
    assert all(part.operation.verify() for part in parts)


def test_small_modules_and_those_for_one_thread_stay_whole():
    module = _module(CALLS)
    assert split_module.split(module, 1) == [module]
    with module.context:
        small = ir.Module.parse("llvm.func @f() { llvm.return }")
    assert split_module.split(small, 8) == [small]


def test_a_variable_that_parts_would_share_keeps_them_together():
    module = _module(CALLS.replace("internal constant", "internal"))
    assert split_module.split(module, 2) == [module]


def test_parts_call_each_other(monkeypatch):
    monkeypatch.setattr(llvm_engine.os, "sched_getaffinity", lambda _: {0, 1, 2})
    code = compile_module(_module(CALLS), "entry")
    assert len(code.objects) == 2
    place = ctypes.c_int64()
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(code.entry)(ctypes.addressof(place))
    assert place.value == 4


def test_programs_of_many_kernels_compute_the_same_in_parts(monkeypatch):
    text = """func.func @main(%x: tensor<64x65xf32>, %w: tensor<65x33xf32>) -> (tensor<64x33xf32>, tensor<65x64xf32>) {
      %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x65xf32>, tensor<65x33xf32>) -> tensor<64x33xf32>
      %1 = stablehlo.tanh %0 : tensor<64x33xf32>
      %2 = stablehlo.transpose %x, dims = [1, 0] : (tensor<64x65xf32>) -> tensor<65x64xf32>
      %3 = stablehlo.exponential %2 : tensor<65x64xf32>
      return %1, %3 : tensor<64x33xf32>, tensor<65x64xf32> }"""
    monkeypatch.setattr(split_module, "LEAST", 20)
    monkeypatch.setattr(llvm_engine.os, "sched_getaffinity", lambda _: set(range(4)))
    random = np.random.default_rng(0)
    x, w = random.normal(size=(64, 65)).astype(np.float32), random.normal(size=(65, 33)).astype(np.float32)
    first, second = hlo.compile(text)(x, w)
    np.testing.assert_allclose(first, np.tanh(x @ w), rtol=2e-5, atol=2e-5)
    np.testing.assert_allclose(second, np.exp(x.T), rtol=1e-6)
