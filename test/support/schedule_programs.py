"""Programs with kernels of every kind, and the dumps of their schedules: edited, and compiled."""

import re

import numpy as np

import hlo
from hlo.dialect.numpy_types import DTYPES
from hlo.dialect.printer import print_module
from hlo.pipelines.dump import phases_after, read_dump

MATMUL = """func.func @main(%x: tensor<61x77xf32>, %y: tensor<77x90xf32>) -> tensor<61x90xf32> {
  %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<61x77xf32>, tensor<77x90xf32>) -> tensor<61x90xf32>
  return %r : tensor<61x90xf32>
}"""
COMPLEX = MATMUL.replace("xf32", "xcomplex<f32>")
LONG_COMPLEX = COMPLEX.replace("f32", "f64")
DOTS = """func.func @main(%x: tensor<3x5x701xf32>, %y: tensor<3x7x701xf32>) -> tensor<3x5x7xf32> {
  %r = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<3x5x701xf32>, tensor<3x7x701xf32>) -> tensor<3x5x7xf32>
  return %r : tensor<3x5x7xf32>
}"""

IMAGES = """func.func @main(%x: tensor<2x5x9x13xf32>, %y: tensor<7x5x3x2xf32>) -> tensor<2x7x9x12xf32> {
  %r = stablehlo.convolution(%x, %y) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1],
    window = {pad = [[1, 1], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<2x5x9x13xf32>, tensor<7x5x3x2xf32>) -> tensor<2x7x9x12xf32>
  return %r : tensor<2x7x9x12xf32>
}"""
WEIGHTS = """func.func @main(%x: tensor<3x5x9x13xf32>, %y: tensor<3x7x9x13xf32>) -> tensor<7x5x3x3xf32> {
  %r = stablehlo.convolution(%x, %y) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1],
    window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<3x5x9x13xf32>, tensor<3x7x9x13xf32>) -> tensor<7x5x3x3xf32>
  return %r : tensor<7x5x3x3xf32>
}"""

PIXELS = """func.func @main(%x: tensor<2x7x9x11xf32>, %y: tensor<3x2x20x11xf32>) -> tensor<2x5x8x20xf32> {
  %r = stablehlo.convolution(%x, %y) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {}
       {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x7x9x11xf32>, tensor<3x2x20x11xf32>) -> tensor<2x5x8x20xf32>
  return %r : tensor<2x5x8x20xf32>
}"""
DEPTHWISE = """func.func @main(%x: tensor<2x9x13x40xf32>, %y: tensor<3x3x1x40xf32>) -> tensor<2x7x11x40xf32> {
  %r = stablehlo.convolution(%x, %y) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}
       {batch_group_count = 1 : i64, feature_group_count = 40 : i64}
       : (tensor<2x9x13x40xf32>, tensor<3x3x1x40xf32>) -> tensor<2x7x11x40xf32>
  return %r : tensor<2x7x11x40xf32>
}"""
SOFTMAX = """func.func @main(%x: tensor<9x203xf32>) -> tensor<9x203xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<9x203xf32>, tensor<f32>) -> tensor<9xf32>
  %b = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<9xf32>) -> tensor<9x203xf32>
  %d = stablehlo.subtract %x, %b : tensor<9x203xf32>
  %e = stablehlo.exponential %d : tensor<9x203xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<9x203xf32>, tensor<f32>) -> tensor<9xf32>
  %t = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<9xf32>) -> tensor<9x203xf32>
  %r = stablehlo.divide %e, %t : tensor<9x203xf32>
  return %r : tensor<9x203xf32>
}"""
COLUMNS = """func.func @main(%x: tensor<35x70xf32>) -> tensor<70xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %r = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<35x70xf32>, tensor<f32>) -> tensor<70xf32>
  return %r : tensor<70xf32>
}"""
TRANSPOSE = """func.func @main(%x: tensor<37x45xf32>) -> tensor<45x37xf32> {
  %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<37x45xf32>) -> tensor<45x37xf32>
  %r = stablehlo.add %t, %t : tensor<45x37xf32>
  return %r : tensor<45x37xf32>
}"""
SHORT = """func.func @main(%x: tensor<50x7xf32>) -> tensor<50xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %r = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<50x7xf32>, tensor<f32>) -> tensor<50xf32>
  return %r : tensor<50xf32>
}"""
ROWS = TRANSPOSE.replace("37x45", "3x45").replace("45x37", "45x3")
POOL = """func.func @main(%x: tensor<2x9x10x33xf32>) -> tensor<2x9x10x33xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %r = "stablehlo.reduce_window"(%x, %low) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) {window_dimensions = array<i64: 1, 3, 3, 1>, padding = dense<[[0, 0], [1, 1], [1, 1], [0, 0]]> : tensor<4x2xi64>}
    : (tensor<2x9x10x33xf32>, tensor<f32>) -> tensor<2x9x10x33xf32>
  return %r : tensor<2x9x10x33xf32>
}"""
SPREAD = """func.func @main(%x: tensor<9x70xf32>) -> tensor<9x139xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %r = "stablehlo.reduce_window"(%x, %zero) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) {window_dimensions = array<i64: 1, 3>, base_dilations = array<i64: 1, 2>, padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>}
    : (tensor<9x70xf32>, tensor<f32>) -> tensor<9x139xf32>
  return %r : tensor<9x139xf32>
}"""
SORT = """func.func @main(%x: tensor<70x301xf32>) -> tensor<70x301xf32> {
  %r = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %m : tensor<i1>
  }) {dimension = 0 : i64} : (tensor<70x301xf32>) -> tensor<70x301xf32>
  return %r : tensor<70x301xf32>
}"""
PEAKS = """func.func @main(%x: tensor<8x80xf32>, %y: tensor<4x80xf32>) -> tensor<8x80xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %r = "stablehlo.select_and_scatter"(%x, %y, %zero) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %m : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) {window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 2, 1>}
    : (tensor<8x80xf32>, tensor<4x80xf32>, tensor<f32>) -> tensor<8x80xf32>
  return %r : tensor<8x80xf32>
}"""
SPECTRUM = """func.func @main(%x: tensor<37x1024xf32>) -> tensor<37x513xcomplex<f32>> {
  %r = stablehlo.fft %x, type = RFFT, length = [1024] : (tensor<37x1024xf32>) -> tensor<37x513xcomplex<f32>>
  return %r : tensor<37x513xcomplex<f32>>
}"""
SHORT_SPECTRUM = SPECTRUM.replace("1024", "30").replace("513", "16")
ONE_ROW = SOFTMAX.replace("9x203", "1x203").replace("tensor<9x", "tensor<1x")
SCALARS = dict(vectorize='"none"', vector=1, unroll_loop='"none"', unroll=1)


def kernels(text, cpu="avx2"):
    """The dump of the phase kernels."""
    module = hlo.parse(text)
    hlo.pipelines.run(module, hlo.pipelines.cpu(cpu), stop_after="kernels")
    return print_module(module)


def compiled(dump, cpu="avx2"):
    pipeline = phases_after(hlo.pipelines.cpu(cpu), "kernels")
    return hlo.compile(read_dump(dump, "dump.mlir"), pipeline=pipeline, cpu=cpu, threads=2)


def edited(dump, **fields):
    """The text with other values of some fields, given as they are spelled."""
    for name, value in fields.items():
        changed = re.sub(rf"\b{name} = (\"[^\"]*\"|\[[\d, ]*\]|[^,}}]*)", f"{name} = {value}", dump)
        assert changed != dump, f"{name} is {value} already, or not there"
        dump = changed
    return dump


def inputs(text):
    random = np.random.default_rng(0)
    found = re.findall(r"%\w+: tensor<([\dx]+)x(f32|complex<f\d+>)>", text)
    return [_normal(random, tuple(map(int, sizes.split("x"))), kind) for sizes, kind in found]


def _normal(random, shape, kind):
    values = random.standard_normal(shape)
    return (values + 1j * random.standard_normal(shape) if kind != "f32" else values).astype(DTYPES[kind])
