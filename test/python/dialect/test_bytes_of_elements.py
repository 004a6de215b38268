"""Elements of fewer than 8 bits lie in bytes: those whose other bits are not zero, as views and other libraries make them, count
as booleans that are true, and as the numbers that their low bits are."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import hlo
from hlo.runtime.custom_calls.registry import register

NAMES = {
    "i1": np.bool_, "i2": ml_dtypes.int2, "ui2": ml_dtypes.uint2, "i4": ml_dtypes.int4, "ui4": ml_dtypes.uint4,
    "f4E2M1FN": ml_dtypes.float4_e2m1fn, "f6E2M3FN": ml_dtypes.float6_e2m3fn, "f6E3M2FN": ml_dtypes.float6_e3m2fn,
}  # fmt: skip
TARGETS = {"cpu": {}, "reference": {}, "gpu": {"device": "model"}}
ALL_BYTES = np.arange(256, dtype=np.uint8)
LESS = """%r = "stablehlo.sort"(%a) ({
  ^bb0(%x: tensor<ELEMENT>, %y: tensor<ELEMENT>):
    %l = stablehlo.compare LT, %x, %y : (tensor<ELEMENT>, tensor<ELEMENT>) -> tensor<i1>
    stablehlo.return %l : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (TYPE) -> TYPE"""
PROGRAMS = {
    "returned": "%r = stablehlo.optimization_barrier %a : TYPE",
    "moved": "%r = stablehlo.reverse %a, dims = [0] : TYPE",
    "compared": "%r = stablehlo.compare EQ, %a, %a : (TYPE, TYPE) -> tensor<256xi1>",
    "converted": "%r = stablehlo.convert %a : (TYPE) -> tensor<256xf32>",
    "sorted": LESS,
}


BITS = {"i1": 1, "i2": 2, "ui2": 2, "i4": 4, "ui4": 4, "f4E2M1FN": 4, "f6E2M3FN": 6, "f6E3M2FN": 6}


def meant(kind):
    return ALL_BYTES != 0 if kind == "i1" else (ALL_BYTES % (1 << BITS[kind])).view(NAMES[kind])


def program(kind, name):
    result = {"compared": "tensor<256xi1>", "converted": "tensor<256xf32>"}.get(name, "TYPE")
    text = f"func.func @main(%a: TYPE) -> {result} {{ {PROGRAMS[name]}\n return %r : {result} }}"
    return text.replace("TYPE", f"tensor<256x{kind}>").replace("ELEMENT", kind)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kind", NAMES)
def test_bytes_with_more_than_their_type_has(kind, target):
    array, clean = ALL_BYTES.view(NAMES[kind]), meant(kind)
    for name in PROGRAMS:
        exe = hlo.compile(program(kind, name), target=target, **TARGETS[target])
        (found,), (wanted,) = exe(array), exe(clean)
        assert found.tobytes() == wanted.tobytes(), name
    assert array.view(np.uint8).tolist() == ALL_BYTES.tolist(), "arguments are not written to"


@pytest.mark.parametrize("kind", NAMES)
def test_expected_values(kind):
    """Of a sample, beside numpy's own conversion: the comparison above would not see what is wrong in both."""
    found = hlo.compile(program(kind, "converted"))(ALL_BYTES.view(NAMES[kind]))[0]
    assert found.tolist() == meant(kind).astype(np.float32).tolist()


def test_donated_arrays_are_repaired_where_they_lie():
    exe = hlo.compile(program("i1", "moved"), donate=[0])
    array = ALL_BYTES.copy().view(np.bool_)
    assert exe(array)[0].view(np.uint8).tolist() == [1] * 255 + [0]


def test_results_of_custom_calls():
    @register("test.strange_booleans")
    def strange(x):
        return ALL_BYTES.view(np.bool_)

    text = """
func.func @main(%a: tensor<256xi1>) -> (tensor<256xi1>, tensor<256xi1>) {
  %r = stablehlo.custom_call @test.strange_booleans(%a) : (tensor<256xi1>) -> tensor<256xi1>
  %n = stablehlo.not %r : tensor<256xi1>
  return %r, %n : tensor<256xi1>, tensor<256xi1>
}"""
    for target in ("cpu", "reference"):
        found = hlo.compile(text, target=target)(np.zeros(256, bool))
        assert [r.view(np.uint8).tolist() for r in found] == [[0] + [1] * 255, [1] + [0] * 255], target
