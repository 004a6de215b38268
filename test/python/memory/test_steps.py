"""Loops of small steps, whose values are on the stack: beside loops of numpy, on every processor."""

import ml_dtypes
import numpy as np
import pytest

import hlo
from hlo.host import host_architecture
from hlo.lowering.target import host_name, names_of

ORDER = names_of(host_architecture())
CPUS = ORDER[ORDER.index(host_name()) :]

ROTATED = """
func.func @main(%a: tensor<{kind}>, %b: tensor<{kind}>, %c: tensor<{kind}>, %count: tensor<i32>)
    -> (tensor<{kind}>, tensor<{kind}>, tensor<{kind}>, tensor<{kind}>) {{
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:4 = stablehlo.while(%n = %zero, %x = %a, %y = %b, %z = %c) : tensor<i32>, tensor<{kind}>, tensor<{kind}>, tensor<{kind}>
  cond {{
    %go = stablehlo.compare LT, %n, %count : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  }} do {{
    %m = stablehlo.add %n, %one : tensor<i32>
    %s = stablehlo.{op} %x, %y : tensor<{kind}>
    stablehlo.return %m, %z, %s, %y : tensor<i32>, tensor<{kind}>, tensor<{kind}>, tensor<{kind}>
  }}
  return %r#1, %r#2, %r#3, %a : tensor<{kind}>, tensor<{kind}>, tensor<{kind}>, tensor<{kind}>
}}"""

TYPES = {
    "i8": np.int8,
    "ui16": np.uint16,
    "i64": np.int64,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
    "complex<f32>": np.complex64,
    "complex<f64>": np.complex128,
    "i1": np.bool_,
}


@pytest.mark.sampled(7)
@pytest.mark.parametrize("cpu", CPUS)
@pytest.mark.parametrize("shape", [(), (3,), (1, 2), (7,), (17,), (0,)], ids=str)
@pytest.mark.parametrize("name", TYPES)
def test_values_that_change_places(name, shape, cpu):
    dtype = TYPES[name]
    kind = "x".join([*map(str, shape), name])
    program = hlo.compile(ROTATED.format(kind=kind, op="xor" if name == "i1" else "add"), cpu=cpu)
    generator = np.random.default_rng(5)
    start = [generator.integers(0, 2, shape).astype(dtype) for _ in range(3)]
    for count in (0, 1, 5):
        x, y, z = start
        for _ in range(count):
            x, y, z = z, (x ^ y if name == "i1" else (x + y).astype(dtype)), y
        found = program(*start, np.int32(count))
        for one, wanted in zip(found, (x, y, z, start[0]), strict=True):
            np.testing.assert_array_equal(one, wanted)


INDEXED = """
func.func @main(%x: tensor<5xf32>, %count: tensor<i32>) -> (tensor<5xf32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %none = stablehlo.constant dense<0.0> : tensor<f32>
  %r:3 = stablehlo.while(%n = %zero, %y = %x, %sum = %none) : tensor<i32>, tensor<5xf32>, tensor<f32>
  cond {
    %go = stablehlo.compare LT, %n, %count : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %m = stablehlo.add %n, %one : tensor<i32>
    %e = stablehlo.dynamic_slice %y, %n, sizes = [1] : (tensor<5xf32>, tensor<i32>) -> tensor<1xf32>
    %d = stablehlo.multiply %e, %e : tensor<1xf32>
    %z = stablehlo.dynamic_update_slice %y, %d, %m : (tensor<5xf32>, tensor<1xf32>, tensor<i32>) -> tensor<5xf32>
    %f = stablehlo.reshape %d : (tensor<1xf32>) -> tensor<f32>
    %odd = stablehlo.compare GT, %f, %sum : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %s = "stablehlo.if"(%odd) ({
      %t = stablehlo.add %sum, %f : tensor<f32>
      stablehlo.return %t : tensor<f32>
    }, {
      stablehlo.return %sum : tensor<f32>
    }) : (tensor<i1>) -> tensor<f32>
    stablehlo.return %m, %z, %s : tensor<i32>, tensor<5xf32>, tensor<f32>
  }
  return %r#1, %r#2 : tensor<5xf32>, tensor<f32>
}"""


@pytest.mark.parametrize("cpu", CPUS)
def test_elements_that_a_counter_chooses(cpu):
    program = hlo.compile(INDEXED, cpu=cpu)
    x = np.array([1.25, -0.5, 0.5, 1, -1], np.float32)
    for count in (0, 1, 3, 8):
        y, total = x.copy(), np.float32(0)
        for n in range(count):
            square = y[min(n, 4)] ** 2
            y[min(n + 1, 4)] = square
            total = total + square if square > total else total
        found = program(x, np.int32(count))
        np.testing.assert_array_equal(found[0], y)
        np.testing.assert_array_equal(found[1], total)


PRODUCTS = """
func.func @main(%a: tensor<6x{n}x{k}x{kind}>, %x: tensor<{k}x{kind}>) -> tensor<{n}x{kind}> {{
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %six = stablehlo.constant dense<6> : tensor<i32>
  %none = stablehlo.constant dense<{zero}> : tensor<{n}x{kind}>
  %r:2 = stablehlo.while(%i = %zero, %y = %none) : tensor<i32>, tensor<{n}x{kind}>
  cond {{
    %go = stablehlo.compare LT, %i, %six : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  }} do {{
    %j = stablehlo.add %i, %one : tensor<i32>
    %s = stablehlo.dynamic_slice %a, %i, %zero, %zero, sizes = [1, {n}, {k}] : (tensor<6x{n}x{k}x{kind}>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x{n}x{k}x{kind}>
    %m = stablehlo.reshape %s : (tensor<1x{n}x{k}x{kind}>) -> tensor<{n}x{k}x{kind}>
    %p = stablehlo.dot_general %m, %x, contracting_dims = [1] x [0] : (tensor<{n}x{k}x{kind}>, tensor<{k}x{kind}>) -> tensor<{n}x{kind}>
    %z = stablehlo.add %y, %p : tensor<{n}x{kind}>
    stablehlo.return %j, %z : tensor<i32>, tensor<{n}x{kind}>
  }}
  return %r#1 : tensor<{n}x{kind}>
}}"""


@pytest.mark.sampled(3)
@pytest.mark.parametrize("cpu", CPUS)
@pytest.mark.parametrize("n, k", [(1, 1), (2, 2), (3, 3), (4, 4), (16, 4), (17, 4), (3, 5), (1, 3)])
@pytest.mark.parametrize("name", ["f32", "f64", "i32", "bf16", "complex<f32>"])
def test_small_products_in_a_loop(name, n, k, cpu):
    dtype = {**TYPES, "i32": np.int32}[name]
    program = hlo.compile(PRODUCTS.format(n=n, k=k, kind=name, zero="(0.0, 0.0)" if "complex" in name else 0), cpu=cpu)
    generator = np.random.default_rng(n * k)
    a, x = (generator.integers(-1, 2, shape).astype(dtype) for shape in ((6, n, k), (k,)))
    wide = np.complex128 if "complex" in name else np.float64
    wanted = (a.astype(wide) @ x.astype(wide)).sum(0)  # small integers: exact in every type
    np.testing.assert_array_equal(program(a, x)[0].astype(wide), wanted)
