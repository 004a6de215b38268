"""Programs with dynamic shapes: specialised to the arguments of a call; and dynamic ops whose amounts are run-time values."""

from __future__ import annotations

import re

import numpy as np
import pytest

import hlo
from hlo.errors import ArgumentError, CompileError, HloError, VerifyError

POLYMORPHIC = """func.func @main(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>) -> (tensor<?xf32>, tensor<?x?xf32>) {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %m = stablehlo.multiply %n, %two : tensor<i32>
  %shape = call @pair(%m, %two) : (tensor<i32>, tensor<i32>) -> tensor<2xi32>
  %s = stablehlo.add %x, %y : tensor<?x4xf32>
  %r = stablehlo.dynamic_reshape %s, %shape : (tensor<?x4xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<?x4xf32>, tensor<f32>) -> tensor<?xf32>
  return %sum, %r : tensor<?xf32>, tensor<?x?xf32>
}
func.func private @pair(%a: tensor<i32>, %b: tensor<i32>) -> tensor<2xi32> {
  %0 = stablehlo.reshape %a : (tensor<i32>) -> tensor<1xi32>
  %1 = stablehlo.reshape %b : (tensor<i32>) -> tensor<1xi32>
  %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  return %2 : tensor<2xi32>
}"""


def ramp(*shape):
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


def test_a_program_is_compiled_for_the_shapes_of_each_call():
    exe = hlo.compile(POLYMORPHIC)
    for rows in (1, 3, 0, 3):
        x = ramp(rows, 4)
        total, reshaped = exe(x, x)
        np.testing.assert_array_equal(total, 2 * x.sum(1))
        np.testing.assert_array_equal(reshaped, (2 * x).reshape(2 * rows, 2))
    assert len(exe.specializations) == 3
    assert exe.specialize((5, 4), (5, 4)).signature.results[1].shape == (10, 2)


@pytest.mark.parametrize("options", [{}, {"isolate": True}], ids=["here", "worker"])
def test_the_signature_shows_sizes_that_calls_choose(options):
    exe = hlo.compile(POLYMORPHIC, **options)
    assert str(exe.signature) == "(?x4xf32, ?x4xf32) -> (?xf32, ?x?xf32)"
    assert repr(exe) == "<DynamicExecutable (?x4xf32, ?x4xf32) -> (?xf32, ?x?xf32), 0 compiled>"
    assert exe.signature.results[1].shape == (None, None)


def test_arguments_that_are_returned_as_they_are():
    exe = hlo.compile(
        "func.func @main(%x: tensor<?xf32>, %y: tensor<2xf32>) -> (tensor<?xf32>, tensor<2xf32>) {"
        "return %x, %y : tensor<?xf32>, tensor<2xf32> }"
    )
    for n in (3, 0):
        x, y = exe(ramp(n), ramp(2))
        np.testing.assert_array_equal(x, ramp(n))
        np.testing.assert_array_equal(y, ramp(2))


def test_hlo_run(tmp_path, capsys):
    from hlo.tools.hlo_run import main

    path = tmp_path / "program.mlir"
    path.write_text(POLYMORPHIC)
    assert main([str(path), "--input", "2x4xf32=1", "--input", "2x4xf32=2"]) == 0
    assert "result 0: 2xf32\n[12. 12.]" in capsys.readouterr().out
    assert main([str(path)]) == 1
    assert "argument 0 has a dynamic shape" in capsys.readouterr().err
    assert str(hlo.compile(POLYMORPHIC).signature.arguments[0]) == "?x4xf32"


def test_shapes_that_do_not_fit():
    exe = hlo.compile(POLYMORPHIC)
    with pytest.raises(ArgumentError, match=r"argument 1: a shape that fits tensor<\?x4xf32> expected, found \(2, 5\)"):
        exe(ramp(2, 4), ramp(2, 5))
    with pytest.raises(ArgumentError, match="2 arguments expected, found 1"):
        exe(ramp(2, 4))
    with pytest.raises(VerifyError, match="add"):
        exe(ramp(2, 4), ramp(3, 4))
    with pytest.raises(ArgumentError, match="element type"):
        exe(ramp(2, 4).astype(np.float64), ramp(2, 4))


def test_sizes_in_loops_and_branches():
    """A loop carries a size that it never changes; branches give tensors of dynamic shapes."""
    exe = hlo.compile("""func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
      %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
      %i = stablehlo.constant dense<0> : tensor<i32>
      %0:3 = stablehlo.while(%k = %i, %size = %n, %v = %x) : tensor<i32>, tensor<i32>, tensor<?xf32>
       cond {
        %three = stablehlo.constant dense<3> : tensor<i32>
        %p = stablehlo.compare LT, %k, %three, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
       } do {
        %one = stablehlo.constant dense<1> : tensor<i32>
        %next = stablehlo.add %k, %one : tensor<i32>
        %s = stablehlo.reshape %size : (tensor<i32>) -> tensor<1xi32>
        %iota = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
        %w = stablehlo.add %v, %iota : tensor<?xf32>
        stablehlo.return %next, %size, %w : tensor<i32>, tensor<i32>, tensor<?xf32>
       }
      %p = stablehlo.compare GT, %n, %i, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %r = "stablehlo.if"(%p) ({
        %minus = stablehlo.negate %0#2 : tensor<?xf32>
        stablehlo.return %minus : tensor<?xf32>
      }, { stablehlo.return %0#2 : tensor<?xf32> }) : (tensor<i1>) -> tensor<?xf32>
      return %r : tensor<?xf32>
    }""")
    for n in (1, 5):
        np.testing.assert_array_equal(exe(np.ones(n, np.float32))[0], -(1 + 3 * ramp(n)))


def test_shape_assertions():
    exe = hlo.compile("""func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
      %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
      %two = stablehlo.constant dense<2> : tensor<i32>
      %p = stablehlo.compare GE, %n, %two, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.custom_call @shape_assertion(%p, %n) {error_message = "at least 2 expected, found {0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
      return %x : tensor<?xf32>
    }""")
    assert exe(ramp(2))[0].tolist() == [0, 1]
    with pytest.raises(CompileError, match="at least 2 expected, found 1"):
        exe(ramp(1))


def test_a_size_that_depends_on_values():
    text = """func.func @main(%x: tensor<4xf32>, %n: tensor<1xi32>) -> tensor<?xf32> {
      %0 = stablehlo.dynamic_reshape %x, %n : (tensor<4xf32>, tensor<1xi32>) -> tensor<?xf32>
      return %0 : tensor<?xf32>
    }"""
    with pytest.raises(HloError, match=r"dynamic shape|not known"):
        hlo.compile(text)


def test_bounds_of_a_dimension():
    exe = hlo.compile("""func.func @main(%x: tensor<?xf32, #stablehlo.bounds<4>>) -> tensor<?xf32, #stablehlo.bounds<4>> {
      %0 = stablehlo.negate %x : tensor<?xf32, #stablehlo.bounds<4>>
      return %0 : tensor<?xf32, #stablehlo.bounds<4>>
    }""")
    assert exe(ramp(3))[0].tolist() == [0, -1, -2]
    with pytest.raises(ArgumentError, match="argument 0"):
        exe(ramp(5))


def static(op, arguments, types, result):
    """A program of one dynamic op with a static result type, its shape operands arguments."""
    declared = ", ".join(f"%{i}: {t}" for i, t in enumerate(types))
    names = ", ".join(f"%{i}" for i in range(len(types)))
    body = op.replace("ARGS", names).replace("TYPES", f"({', '.join(types)}) -> {result}")
    (found,) = hlo.compile(f"func.func @main({declared}) -> {result} {{\n %r = {body}\n return %r : {result}\n}}")(
        *arguments
    )
    return found


def i64(*values):
    return np.array(values, np.int64)


def test_slice_by_run_time_amounts():
    x = ramp(5, 6)
    types = ["tensor<5x6xf32>", *["tensor<2xi64>"] * 3]
    arguments = [x, i64(1, 0), i64(4, 6), i64(1, 2)]
    found = static("stablehlo.real_dynamic_slice ARGS : TYPES", arguments, types, "tensor<3x3xf32>")
    np.testing.assert_array_equal(found, x[1:4, 0:6:2])


@pytest.mark.parametrize(
    "low, interior, shape", [((1, 0), (0, 1), (4, 7)), ((-1, 2), (1, 0), (3, 4)), ((0, -2), (2, 2), (7, 8))]
)
def test_pad_by_run_time_amounts(low, interior, shape):
    x, padding = ramp(3, 4) + 1, np.array(-9, np.float32)
    expected = np.full([40, 40], -9, np.float32)
    for r in range(3):
        for c in range(4):
            expected[10 + low[0] + r * (interior[0] + 1), 10 + low[1] + c * (interior[1] + 1)] = x[r, c]
    expected = expected[10 : 10 + shape[0], 10 : 10 + shape[1]]
    spread = [n + (n - 1) * i for n, i in zip((3, 4), interior)]
    high = [s - e - n for s, e, n in zip(shape, spread, low)]
    result = f"tensor<{shape[0]}x{shape[1]}xf32>"
    types = ["tensor<3x4xf32>", "tensor<f32>", *["tensor<2xi64>"] * 3]
    arguments = [x, padding, i64(*low), i64(*high), i64(*interior)]
    np.testing.assert_array_equal(static("stablehlo.dynamic_pad ARGS : TYPES", arguments, types, result), expected)


@pytest.mark.parametrize("element", ["i4", "ui4", "i8", "ui64"])
def test_sizes_of_any_integer_type(element):
    exe = hlo.compile(f"""func.func @main() -> tensor<?x?xi32> {{
      %sizes = stablehlo.constant dense<[2, 3]> : tensor<2x{element}>
      %0 = stablehlo.dynamic_iota %sizes, dim = 1 : (tensor<2x{element}>) -> tensor<?x?xi32>
      return %0 : tensor<?x?xi32>
    }}""")
    np.testing.assert_array_equal(exe()[0], [[0, 1, 2]] * 2)


def test_shapes_that_the_result_type_tells():
    x = ramp(2, 3)
    sizes = ["tensor<2x3xf32>", "tensor<2xi64>"]
    found = static("stablehlo.dynamic_reshape ARGS : TYPES", [x, i64(3, 2)], sizes, "tensor<3x2xf32>")
    np.testing.assert_array_equal(found, x.reshape(3, 2))
    found = static("stablehlo.dynamic_iota ARGS, dim = 1 : TYPES", [i64(2, 3)], ["tensor<2xi64>"], "tensor<2x3xi32>")
    np.testing.assert_array_equal(found, [[0, 1, 2]] * 2)
    types = ["tensor<2x3xf32>", "tensor<3xi64>"]
    op = "stablehlo.dynamic_broadcast_in_dim ARGS, dims = [1, 2] : TYPES"
    np.testing.assert_array_equal(
        static(op, [x, i64(4, 2, 3)], types, "tensor<4x2x3xf32>"), np.broadcast_to(x, (4, 2, 3))
    )


def test_gather_of_run_time_sizes():
    x, rows = ramp(5, 6), np.array([[3], [0], [9]], np.int32)
    numbers = (
        "#stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>"
    )
    op = f'"stablehlo.dynamic_gather"(ARGS) <{{dimension_numbers = {numbers}, indices_are_sorted = false}}> : TYPES'
    types = ["tensor<5x6xf32>", "tensor<3x1xi32>", "tensor<2xi64>"]
    np.testing.assert_array_equal(static(op, [x, rows, i64(1, 6)], types, "tensor<3x6xf32>"), x[[3, 0, 4]])


def test_convolution_of_run_time_padding():
    x, kernel = ramp(1, 5, 5, 1), ramp(2, 2, 1, 1)
    numbers = "#stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>"
    op = (
        f'"stablehlo.dynamic_conv"(ARGS) <{{dimension_numbers = {numbers}, batch_group_count = 1 : i64, '
        "feature_group_count = 1 : i64, window_strides = array<i64: 2, 1>}> : TYPES"
    )
    types = ["tensor<1x5x5x1xf32>", "tensor<2x2x1x1xf32>", "tensor<2x2xi64>"]
    found = static(op, [x, kernel, np.array([[1, 0], [0, 1]])], types, "tensor<1x3x5x1xf32>")
    padded = np.pad(x[0, :, :, 0], ((1, 0), (0, 1)))
    expected = [[(padded[r : r + 2, c : c + 2] * kernel[:, :, 0, 0]).sum() for c in range(5)] for r in (0, 2, 4)]
    np.testing.assert_array_equal(found[0, :, :, 0], np.array(expected, np.float32))


def test_set_dimension_size():
    exe = hlo.compile("""func.func @main(%x: tensor<4xf32>) -> tensor<?xf32> {
      %n = stablehlo.constant dense<3> : tensor<i32>
      %0 = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<4xf32>, tensor<i32>) -> tensor<?xf32>
      return %0 : tensor<?xf32>
    }""")
    assert exe(ramp(4))[0].tolist() == [0, 1, 2]


def test_programs_of_jax_export():
    """Symbolic shapes: every op that shapes go through, at several sizes."""
    jax = pytest.importorskip("jax")
    jnp, export = jax.numpy, jax.export

    def program(x, w):
        z = jax.nn.softmax(x @ w + x.sum(1, keepdims=True))
        loop = jax.lax.fori_loop(0, x.shape[0], lambda i, a: a + x[i], jnp.zeros(x.shape[1]))
        joined = jnp.concatenate([z, x[:, :2]], 1).reshape(-1)
        moved = [
            jnp.sort(x, 0),
            x[1:],
            jnp.flip(x, 0),
            jnp.tile(x, (2, 1)),
            jnp.roll(x, 1, 0),
            x.reshape(x.shape[0] * 2, -1),
        ]
        windows = [
            jnp.cumsum(x, 0),
            jnp.pad(x, ((1, 2), (0, 0))),
            jax.image.resize(x, (x.shape[0] * 2, x.shape[1]), "nearest"),
        ]
        indexed = [
            jnp.take(x, jnp.array([0, 5, -1]), axis=0),
            x.at[1].add(2.0),
            jnp.argmax(x, 0),
            jnp.arange(x.shape[0]),
        ]
        return [joined, loop, jnp.where(x > 0, x, 0).mean(), x.T @ x, *moved, *windows, *indexed]

    b, c = export.symbolic_shape("b, c", constraints=["b>=2", "c>=2"])
    kinds = [jax.ShapeDtypeStruct((b, 2 * c), jnp.float32), jax.ShapeDtypeStruct((2 * c, 5), jnp.float32)]
    exe = hlo.compile(str(export.export(jax.jit(program))(*kinds).mlir_module()))
    generator = np.random.default_rng(0)
    for rows, columns in ((2, 4), (7, 6)):
        x, w = (generator.standard_normal(s).astype(np.float32) for s in ((rows, columns), (columns, 5)))
        for found, expected in zip(exe(x, w), program(jnp.asarray(x), jnp.asarray(w)), strict=True):
            assert found.shape == expected.shape
            np.testing.assert_allclose(found, expected, rtol=2e-5, atol=2e-5)
    with pytest.raises(CompileError, match="b"):
        exe(np.ones((1, 4), np.float32), np.ones((4, 5), np.float32))


@pytest.mark.parametrize("target", ["cpu", "reference"])
def test_loops_over_a_dimension_of_any_size(target):
    """JAX takes a step's part of an array by a slice whose limits it adds to computed starts."""
    jax = pytest.importorskip("jax")
    from jax import export, lax
    from jax import numpy as jnp

    def program(x, start):
        def step(carry, row):
            return carry * 0.5 + row, carry

        scanned = lax.scan(step, jnp.zeros(x.shape[1]), x)
        mapped = lax.map(lambda row: 2 * row + row.sum(), x)
        return *scanned, mapped, lax.dynamic_slice_in_dim(x, start, x.shape[0] - 1)

    kinds = [jax.ShapeDtypeStruct(export.symbolic_shape("b, n"), jnp.float32), jax.ShapeDtypeStruct((), jnp.int32)]
    exe = hlo.compile(str(export.export(jax.jit(program))(*kinds).mlir_module()), target=target)
    for rows, columns in ((1, 1), (1, 4), (5, 1), (7, 6)):
        x, start = ramp(rows, columns), np.int32(1)
        for found, expected in zip(exe(x, start), jax.jit(program)(x, start), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize("target", ["cpu", "reference"])
def test_random_numbers_of_a_shape_that_the_type_does_not_say(target):
    text = """
func.func @main(%a: tensor<f32>, %b: tensor<f32>) -> tensor<?x3xf32> {
  %s = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  %r = "stablehlo.rng"(%a, %b, %s) {rng_distribution = #stablehlo<rng_distribution UNIFORM>}
    : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<?x3xf32>
  return %r : tensor<?x3xf32>
}"""
    (found,) = hlo.compile(text, target=target)(np.float32(4), np.float32(5))
    assert found.shape == (2, 3) and len(np.unique(found)) == 6
    assert ((found >= 4) & (found < 5)).all()


GATHER = """
func.func @main(%x: tensor<?x4xf32>, %i: tensor<?x1xi32>) -> tensor<?x4xf32> {
  %r = "stablehlo.gather"(%x, %i) {slice_sizes = array<i64: 1, 4>, dimension_numbers = #stablehlo.gather<
    offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}
    : (tensor<?x4xf32>, tensor<?x1xi32>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}"""
SELECT = """
func.func @main(%x: tensor<?x4xf32>, %i: tensor<?xi32>) -> tensor<?x4xf32> {
  %r = "stablehlo.torch_index_select"(%x, %i) {dim = 0 : i64, batch_dims = 0 : i64}
    : (tensor<?x4xf32>, tensor<?xi32>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}"""


@pytest.mark.parametrize("target", ["cpu", "reference"])
@pytest.mark.parametrize("text, rest", [(GATHER, (1,)), (SELECT, ())])
def test_nothing_to_read_from(text, rest, target):
    """Places are clamped into the operand; where it turns out to have none, nothing can be read."""
    exe, none = hlo.compile(text, target=target), np.zeros((0, 4), np.float32)
    with pytest.raises(HloError, match=r"-:3:8.*(gather|torch_index_select)' op "):
        exe(none, np.zeros((2, *rest), np.int32))
    one = np.ones((1, 4), np.float32)
    assert exe(one, np.full((2, *rest), 7, np.int32))[0].tolist() == [[1] * 4] * 2
    assert exe(one, np.zeros((0, *rest), np.int32))[0].shape == (0, 4)


@pytest.mark.parametrize("op", ["add", "zeta", "next_after", "compare"])
def test_operands_that_do_not_broadcast_at_a_call(op):
    direction = "{comparison_direction = #chlo<comparison_direction LT>}" if op == "compare" else ""
    element = "i1" if op == "compare" else "f64"
    text = f"""func.func @main(%x: tensor<2x?xf64>, %y: tensor<8xf64>) -> tensor<2x?x{element}> {{
      %r = "chlo.broadcast_{op}"(%x, %y) {direction} : (tensor<2x?xf64>, tensor<8xf64>) -> tensor<2x?x{element}>
      return %r : tensor<2x?x{element}>
    }}"""
    exe = hlo.compile(text)
    with pytest.raises(hlo.HloError, match=rf"'chlo\.broadcast_{op}' op lhs and rhs must broadcast to one shape"):
        exe(np.zeros((2, 3)), np.zeros(8))
    assert exe(np.zeros((2, 8)), np.zeros(8))[0].shape == (2, 8)


@pytest.mark.parametrize("element", ["f32", "i4", "ui2", "f8E5M2", "complex<f32>"])
def test_sizes_that_only_run_time_tells(element):
    """Where the size is used it is refused, by the op it comes from; what nobody uses is no obstacle."""
    iota = f'%r = "stablehlo.dynamic_iota"(%n) {{iota_dimension = 0 : i64}} : (tensor<1xi32>) -> tensor<?x{element}>'
    used = f"""%c = stablehlo.compare EQ, %r, %r : (tensor<?x{element}>, tensor<?x{element}>) -> tensor<?xi1>
      %t = stablehlo.constant dense<true> : tensor<i1>
      %u = stablehlo.reduce(%c init: %t) applies stablehlo.and across dimensions = [0] : (tensor<?xi1>, tensor<i1>) -> tensor<i1>
      return %u : tensor<i1>"""
    unused = "%u = stablehlo.constant dense<true> : tensor<i1>\n return %u : tensor<i1>"
    head = "func.func @main(%n: tensor<1xi32>) -> tensor<i1> {"
    with pytest.raises(hlo.HloError, match=r"sizes of the result of 'stablehlo\.dynamic_iota' depend on"):
        hlo.compile(f"{head}\n{iota}\n{used}\n}}")
    assert hlo.compile(f"{head}\n{iota}\n{unused}\n}}")(np.int32([3]))[0]


@pytest.mark.parametrize("target", ["cpu", "reference"])
def test_reshapes_with_one_unknown_size(target):
    text = """func.func @main(%x: tensor<?xf32>) -> tensor<2x?x1xf32> {
      %0 = stablehlo.reshape %x : (tensor<?xf32>) -> tensor<2x?x1xf32>
      return %0 : tensor<2x?x1xf32>
    }"""
    exe = hlo.compile(text, target=target)
    np.testing.assert_array_equal(exe(ramp(6))[0], ramp(6).reshape(2, 3, 1))
    assert exe(ramp(0))[0].shape == (2, 0, 1)
    with pytest.raises(HloError, match=r"'stablehlo\.reshape' op .*(found 5 and 2 x \? x 1|size 5)"):
        exe(ramp(5))


MISFITS = (
    ("stablehlo.slice %x [1:9]", "8xf32", "C3: dimension 0 must have 0 <=", "result 0 would be [5]"),
    ("stablehlo.concatenate %x, %x, dim = 0", "11xf32", "C5, C6", "result 0 would be [12]"),
    ("stablehlo.uniform_quantize %x", "?x!quant.uniform<i8:f32:0, {1.0:0,2.0:0}>", "C13", "operands 6xf32"),
    ("stablehlo.broadcast_in_dim %x, dims = [1]", "?x?xf32", "are not known", "are not known"),
    ("stablehlo.reshape %x", "?x?xf32", "are not known", "are not known"),
)


@pytest.mark.parametrize("op, result, compiled, interpreted", MISFITS)
def test_sizes_of_a_run_that_do_not_fit(op, result, compiled, interpreted):
    kinds = "tensor<?xf32>, tensor<?xf32>" if "concatenate" in op else "tensor<?xf32>"
    text = f"""func.func @main(%x: tensor<?xf32>) -> tensor<{result}> {{
      %0 = {op} : ({kinds}) -> tensor<{result}>
      return %0 : tensor<{result}>
    }}"""
    for target, message in (("cpu", compiled), ("reference", interpreted)):
        with pytest.raises(HloError, match=re.escape(message)):
            hlo.compile(text, target=target)(ramp(6))
