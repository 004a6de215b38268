"""Quantized programs on the CPU and on the reference agree with numpy, which is written from the specification's formulas:
dequantize(i) = (i - zero_point) * scale, quantize(f) = round_nearest_even(clamp(f / scale + zero_point))."""

import numpy as np
import pytest

import hlo

SCALES, ZEROS = np.float32([0.1, 0.25, 2.0]), np.array([-3, 0, 7])
AXIS = "{0.1:-3, 0.25:0, 2.0:7}"
WEIGHTS = "{0.1:0, 0.25:0, 2.0:0}"
INTEGERS = np.random.default_rng(1)


def tensor_type(shape, parameters, storage="i8", expressed="f32"):
    return f"tensor<{''.join(f'{n}x' for n in shape)}!quant.uniform<{storage}:{expressed}{parameters}>>"


def numbers(shape):
    return INTEGERS.integers(-128, 128, shape).astype(np.int8)


def dequantize(x, scale, zero):
    return (x.astype(np.int64) - zero).astype(np.float32) * np.float32(scale)


def quantize(x, scale, zero, dtype=np.int8):
    info = np.iinfo(dtype)
    return np.rint(np.clip(x / np.float32(scale) + np.float32(zero), info.min, info.max)).astype(dtype)


def results(name, operands, result, attributes, *arrays):
    """What CPU and reference give."""
    arguments = ", ".join(f"%a{i}: {t}" for i, t in enumerate(operands))
    values = ", ".join(f"%a{i}" for i in range(len(operands)))
    text = f"""func.func @main({arguments}) -> {result} {{
      %r = "stablehlo.{name}"({values}) {{{attributes}}} : ({", ".join(operands)}) -> {result}
      return %r : {result}
    }}"""
    return [hlo.compile(text, target=target)(*arrays)[0] for target in ("cpu", "reference")]


def agree(found, wanted, slack=0):
    """`slack`: steps by which sums of floats in another order may round differently."""
    for array in found:
        assert array.shape == wanted.shape
        if wanted.dtype.kind == "f":
            np.testing.assert_allclose(array, wanted, 1e-5, 1e-4)
        else:
            assert np.abs(array.astype(np.int64) - wanted.astype(np.int64)).max(initial=0) <= slack


UNARY = {
    "abs": np.abs,
    "negate": np.negative,
    "tanh": np.tanh,
    "exponential": lambda x: np.exp(x),
    "floor": np.floor,
    "sign": np.sign,
    "logistic": lambda x: 1 / (1 + np.exp(-x)),
    "round_nearest_even": np.rint,
}
BINARY = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "maximum": np.maximum,
    "minimum": np.minimum,
}


@pytest.mark.parametrize("name", UNARY)
def test_unary(name):
    x = numbers((5, 7))
    operand, result = tensor_type((5, 7), ",0.05:3"), tensor_type((5, 7), ",0.125:-1")
    with np.errstate(over="ignore"):
        wanted = quantize(UNARY[name](dequantize(x, 0.05, 3)), 0.125, -1)
    agree(results(name, [operand], result, "", x), wanted, slack=1)


@pytest.mark.parametrize("name", BINARY)
def test_binary(name):
    x, y = numbers((5, 7)), numbers((5, 7))
    types = [tensor_type((5, 7), p) for p in (",0.05:3", ",0.5:-2", ",0.25:1")]
    wanted = quantize(BINARY[name](dequantize(x, 0.05, 3), dequantize(y, 0.5, -2)), 0.25, 1)
    agree(results(name, types[:2], types[2], "", x, y), wanted, slack=1)


def test_add_per_axis():
    x, y = numbers((5, 3)), numbers((5, 3))
    types = [tensor_type((5, 3), p) for p in (f":1,{AXIS}", ",0.5:-2", f":1,{AXIS}")]
    wanted = quantize(dequantize(x, SCALES, ZEROS) + dequantize(y, 0.5, -2), SCALES, ZEROS)
    agree(results("add", types[:2], types[2], "", x, y), wanted, slack=1)


DOT = "dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>"


@pytest.mark.parametrize("per_axis", (False, True))
@pytest.mark.parametrize("storage", ("i8", "i32"))
def test_dot_general(per_axis, storage):
    x, y = numbers((4, 17)), numbers((17, 3))
    scale = SCALES if per_axis else np.float32(0.25)
    weights = tensor_type((17, 3), f":1,{WEIGHTS}" if per_axis else ",0.25")
    wanted = quantize(
        dequantize(x, 0.05, 3) @ dequantize(y, scale, 0), 0.5, -1, np.int8 if storage == "i8" else np.int32
    )
    found = results(
        "dot_general",
        [tensor_type((4, 17), ",0.05:3"), weights],
        tensor_type((4, 3), ",0.5:-1", storage),
        DOT,
        x,
        y,
    )
    agree(found, wanted, slack=1)


def test_hybrid_dot_general():
    x, y = INTEGERS.standard_normal((4, 17)).astype(np.float32), numbers((17, 3))
    found = results(
        "dot_general", ["tensor<4x17xf32>", tensor_type((17, 3), f":1,{WEIGHTS}")], "tensor<4x3xf32>", DOT, x, y
    )
    agree(found, x @ dequantize(y, SCALES, 0))


CONVOLUTION = (
    "dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, "
    "batch_group_count = 1 : i64, padding = dense<[[1, 0]]> : tensor<1x2xi64>"
)


def convolve(x, kernel):
    """One element of zeros (dequantized) before each row."""
    x = np.concatenate([np.zeros_like(x[:, :1]), x], axis=1)
    windows = np.stack([x[:, i : i + kernel.shape[0]] for i in range(x.shape[1] - kernel.shape[0] + 1)], axis=1)
    return np.einsum("bwki,kio->bwo", windows, kernel)


@pytest.mark.parametrize("hybrid", (False, True))
def test_convolution(hybrid):
    y = numbers((2, 5, 3))
    kernel = tensor_type((2, 5, 3), f":2,{WEIGHTS}")
    if hybrid:
        x = INTEGERS.standard_normal((2, 6, 5)).astype(np.float32)
        found = results("convolution", ["tensor<2x6x5xf32>", kernel], "tensor<2x6x3xf32>", CONVOLUTION, x, y)
        agree(found, convolve(x, dequantize(y, SCALES, 0)))
        return
    x = numbers((2, 6, 5))
    wanted = quantize(convolve(dequantize(x, 0.05, 3), dequantize(y, SCALES, 0)), SCALES, ZEROS)
    types = [tensor_type((2, 6, 5), ",0.05:3"), kernel]
    agree(results("convolution", types, tensor_type((2, 6, 3), f":2,{AXIS}"), CONVOLUTION, x, y), wanted, slack=1)


def test_data_movement_keeps_the_stored_integers():
    x = numbers((5, 3))
    per_axis = tensor_type((5, 3), f":1,{AXIS}")
    for name, result, attributes, wanted in (
        ("transpose", tensor_type((3, 5), f":0,{AXIS}"), "permutation = array<i64: 1, 0>", x.T),
        ("reshape", tensor_type((1, 5, 3), f":2,{AXIS}"), "", x[None]),
        (
            "broadcast_in_dim",
            tensor_type((2, 5, 3), f":2,{AXIS}"),
            "broadcast_dimensions = array<i64: 1, 2>",
            np.stack([x, x]),
        ),
    ):
        agree(results(name, [per_axis], result, attributes, x), np.ascontiguousarray(wanted))
    tensor, scalar = tensor_type((5, 3), ",0.1:2"), tensor_type((), ",0.1:2")
    agree(results("reverse", [tensor], tensor, "dimensions = array<i64: 0>", x), x[::-1])
    pads = (
        "edge_padding_low = array<i64: 1, 0>, edge_padding_high = array<i64: 0, 0>, interior_padding = array<i64: 0, 0>"
    )
    found = results("pad", [tensor, scalar], tensor_type((6, 3), ",0.1:2"), pads, x, np.int8(5))
    agree(found, np.concatenate([np.full((1, 3), 5, np.int8), x]))


def test_compare_and_select():
    x, y = numbers((31,)), numbers((31,))
    types = [tensor_type((31,), p) for p in (",0.05:3", ",0.5:-2")]
    less = dequantize(x, 0.05, 3) < dequantize(y, 0.5, -2)
    direction = "comparison_direction = #stablehlo<comparison_direction LT>"
    agree(results("compare", types, "tensor<31xi1>", direction, x, y), less)
    wanted = quantize(np.where(less, dequantize(x, 0.05, 3), dequantize(y, 0.5, -2)), 0.25, 1)
    agree(results("select", ["tensor<31xi1>", *types], tensor_type((31,), ",0.25:1"), "", less, x, y), wanted, slack=1)


def test_reduce():
    x = numbers((5, 7))
    element = "!quant.uniform<i8:f32,0.5:0>"
    text = f"""func.func @main(%a: tensor<5x7x{element}>, %b: tensor<{element}>) -> tensor<5x{element}> {{
      %r = "stablehlo.reduce"(%a, %b) ({{
      ^bb0(%x: tensor<{element}>, %y: tensor<{element}>):
        %m = "stablehlo.maximum"(%x, %y) : (tensor<{element}>, tensor<{element}>) -> tensor<{element}>
        "stablehlo.return"(%m) : (tensor<{element}>) -> ()
      }}) {{dimensions = array<i64: 1>}} : (tensor<5x7x{element}>, tensor<{element}>) -> tensor<5x{element}>
      return %r : tensor<5x{element}>
    }}"""
    agree([hlo.compile(text, target=t)(x, np.int8(-128))[0] for t in ("cpu", "reference")], x.max(1))


HARD = [("i32", "f32", ",0.1", np.int32), ("i8", "f16", ",60000.0", np.int8), ("i16", "bf16", ",0.3:7", np.int16)]
"""Types whose stored integers do not all survive as the floats that they express."""
MOVES = {
    "transpose": ((6, 4), "permutation = array<i64: 1, 0>", np.transpose),
    "reshape": ((3, 8), "", lambda x: x.reshape(3, 8)),
    "slice": ((2, 3), "start_indices = array<i64: 1, 0>, limit_indices = array<i64: 3, 6>, strides = array<i64: 1, 2>",
              lambda x: x[1:3, ::2]),
    "reverse": ((4, 6), "dimensions = array<i64: 0>", lambda x: x[::-1]),
    "concatenate": ((4, 6), "dimension = 0 : i64", lambda x: x),
    "broadcast_in_dim": ((2, 4, 6), "broadcast_dimensions = array<i64: 1, 2>", lambda x: np.broadcast_to(x, (2, 4, 6))),
    "optimization_barrier": ((4, 6), "", lambda x: x),
}  # fmt: skip


@pytest.mark.parametrize("storage, expressed, parameters, dtype", HARD)
@pytest.mark.parametrize("name", MOVES)
def test_moved_elements_stay_as_they_are_stored(name, storage, expressed, parameters, dtype):
    """Semantics of these ops: elements of the result are elements of the operand."""
    limits, (shape, attributes, moved) = np.iinfo(dtype), MOVES[name]
    x = INTEGERS.integers(limits.min, limits.max, (4, 6), endpoint=True).astype(dtype)
    types = [tensor_type(s, parameters, storage, expressed) for s in ((4, 6), shape)]
    for found in results(name, types[:1], types[1], attributes, x):
        np.testing.assert_array_equal(found, moved(x))


REGIONS = {
    "select": '"stablehlo.select"(%p, %a, %a) : (tensor<i1>, {0}, {0}) -> {0}',
    "if": '"stablehlo.if"(%p) ({{ stablehlo.return %a : {0} }}, {{ stablehlo.return %a : {0} }}) : (tensor<i1>) -> {0}',
    "map": '"stablehlo.map"(%a) <{{dimensions = array<i64: 0>}}> ({{ ^bb0(%x: {1}): stablehlo.return %x : {1} }}) : ({0}) -> {0}',
    "scatter": '"stablehlo.scatter"(%a, %at, %a) <{{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], '
    "scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}}> ({{ ^bb0(%x: {1}, %y: {1}): stablehlo.return %y : {1} }}) : "
    "({0}, tensor<5x1xi32>, {0}) -> {0}",
}


@pytest.mark.parametrize("storage, expressed, parameters, dtype", HARD)
@pytest.mark.parametrize("name", REGIONS)
def test_chosen_elements_stay_as_they_are_stored(name, storage, expressed, parameters, dtype):
    limits = np.iinfo(dtype)
    x = np.array([limits.min, limits.min + 1, 0, limits.max - 1, limits.max], dtype)
    vector, scalar = (tensor_type(s, parameters, storage, expressed) for s in ((5,), ()))
    text = f"""func.func @main(%a: {vector}, %p: tensor<i1>, %at: tensor<5x1xi32>) -> {vector} {{
      %r = {REGIONS[name].format(vector, scalar)}
      return %r : {vector}
    }}"""
    for target in ("cpu", "reference"):
        at = np.arange(5, dtype=np.int32)[:, None]
        np.testing.assert_array_equal(hlo.compile(text, target=target)(x, np.array(True), at)[0], x, target)


SUM = "({{ ^bb0(%x: {0}, %y: {0}): %s = stablehlo.add %x, %y : {0} stablehlo.return %s : {0} }})"  # of the wide scalar type
AT_LEAST = "{{ ^bb0(%x: {0}, %y: {0}): %s = stablehlo.compare GE, %x, %y : ({0}, {0}) -> tensor<i1> stablehlo.return %s : tensor<i1> }}"
PROMOTED = {
    "reduce": '"stablehlo.reduce"(%a, %i) <{{dimensions = array<i64: 1>}}> {sum} : ({a}, {i}) -> {r}',
    "reduce_window": '"stablehlo.reduce_window"(%a, %i) <{{window_dimensions = array<i64: 1, 5>}}> {sum} : ({a}, {i}) -> {r}',
    "scatter": '"stablehlo.scatter"(%a, %at, %u) <{{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], '
    "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}}> {sum} : ({a}, tensor<3x1xi32>, {u}) -> {r}",
    "select_and_scatter": '"stablehlo.select_and_scatter"(%a, %u, %i) <{{window_dimensions = array<i64: 2, 1>, window_strides = '
    "array<i64: 2, 1>}}> ({least}, {sum_alone}) : ({a}, {u}, {i}) -> {r}",
    "all_reduce": '"stablehlo.all_reduce"(%a) <{{replica_groups = dense<0> : tensor<1x1xi64>}}> {sum} : ({a}) -> {r}',
    "reduce_scatter": '"stablehlo.reduce_scatter"(%a) <{{replica_groups = dense<0> : tensor<1x1xi64>, scatter_dimension = 0 : i64}}> '
    "{sum} : ({a}) -> {r}",
}  # fmt: skip
PARAMETERS = ",0.5:1"
STORAGES = [("i8", "i32", -128, 127), ("u8", "u16", 0, 255), ("i4", "i8", -8, 7), ("i2", "i4", -2, 1)]


def summed(x, y):
    """The stored sum of stored numbers of scale 0.5 and zero point 1, none of which leaves the range of the wide types here."""
    return (x - 1) + (y - 1) + 1


def promoted_result(name, a, u, at):
    first = np.ones((6, 5), np.int64)
    if name in ("reduce", "reduce_window"):
        row = first[:, 0]
        for column in a.T:
            row = summed(row, column)
        return row if name == "reduce" else row[:, None]
    if name == "scatter":
        first = a.copy()
        for row, update in zip(at, u):
            first[row] = summed(first[row], update)
        return first
    if name == "select_and_scatter":
        for window, column in np.ndindex(3, 5):
            row = 2 * window + (a[2 * window, column] < a[2 * window + 1, column])
            first[row, column] = summed(1, u[window, column])
        return first
    return a


@pytest.mark.parametrize("storage, wide, low, high", STORAGES)
@pytest.mark.parametrize("name", PROMOTED)
def test_functions_of_wider_storage(name, storage, wide, low, high):
    """is_promotable: a reduction's function may have a wider storage type; stored integers are converted to it."""
    small = storage == "i2" and name in ("reduce", "reduce_window")
    a, u = (INTEGERS.integers(1 if small else low, high + 1, shape) for shape in ((6, 5), (3, 5)))
    at = np.array([1, 1, 4], np.int32)
    wanted = promoted_result(name, a, u, at)
    if storage == "i2":
        wanted = np.clip(wanted, -8, 7)
    types = {
        "a": tensor_type((6, 5), PARAMETERS, storage),
        "i": tensor_type((), PARAMETERS, storage),
        "u": tensor_type((3, 5), PARAMETERS, storage),
        "r": tensor_type(wanted.shape, PARAMETERS, wide),
    }
    function = SUM.format(tensor_type((), PARAMETERS, wide))
    op = PROMOTED[name].format(**types, sum=function, sum_alone=function[1:-1], least=AT_LEAST.format(types["i"]))
    text = f"""func.func @main(%a: {types["a"]}, %i: {types["i"]}, %u: {types["u"]}, %at: tensor<3x1xi32>) -> {types["r"]} {{
      %r = {op}
      return %r : {types["r"]}
    }}"""
    for target in ("cpu", "reference"):
        exe = hlo.compile(text, target=target)
        dtype = exe.signature.arguments[0].dtype
        (found,) = exe(a.astype(dtype), np.asarray(1).astype(dtype), u.astype(dtype), at[:, None])
        assert found.dtype == exe.signature.results[0].dtype
        np.testing.assert_array_equal(found.astype(np.int64), wanted, target)


@pytest.mark.parametrize(
    "storage, numbers", [("i4", range(-8, 8)), ("u4", range(16)), ("i2", range(-2, 2)), ("u2", range(4))]
)
def test_bits_of_small_storage(storage, numbers):
    """bitcast_convert to a quantized type, and what is computed with its numbers then."""
    stored, signed = storage.replace("u", "ui"), storage.replace("u", "i")
    x = np.array(numbers)
    quantized, real = tensor_type(x.shape, PARAMETERS, storage), f"tensor<{x.size}xf32>"
    for element in (stored, signed):
        text = f"""func.func @main(%a: tensor<{x.size}x{element}>) -> ({quantized}, {real}) {{
          %q = stablehlo.bitcast_convert %a : (tensor<{x.size}x{element}>) -> {quantized}
          %r = stablehlo.uniform_dequantize %q : ({quantized}) -> {real}
          return %q, %r : {quantized}, {real}
        }}"""
        for target in ("cpu", "reference"):
            exe = hlo.compile(text, target=target)
            argument = x.astype(np.int8).astype(exe.signature.results[0].dtype).view(exe.signature.arguments[0].dtype)
            found, expressed = exe(argument)
            np.testing.assert_array_equal(found.astype(np.int64), x)
            np.testing.assert_array_equal(expressed, (x - 1) * np.float32(0.5))
