"""Functions that reduce, sort, scatter and windows are given, with small arrays inside."""

import numpy as np
import pytest

import hlo

TARGETS = ["cpu", "gpu", "reference"]


def _run(program: str, target: str, *arrays: np.ndarray) -> list[np.ndarray]:
    return hlo.compile(program, target=target, **({"device": "model"} if target == "gpu" else {}))(*arrays)


LARGER = """%m = stablehlo.constant dense<-1000.0> : tensor<f32>
  %p1 = stablehlo.reshape %p : (tensor<f32>) -> tensor<1xf32>
  %q1 = stablehlo.broadcast_in_dim %q, dims = [] : (tensor<f32>) -> tensor<1xf32>
  %c = stablehlo.concatenate %p1, %q1, dim = 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
  %r = stablehlo.reduce(%c init: %m) applies stablehlo.maximum across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
  stablehlo.return %r : tensor<f32>"""
"""The larger of %p and %q, by way of an array of both."""

BEFORE = """%p1 = stablehlo.reshape %p : (tensor<f32>) -> tensor<1xf32>
  %q1 = stablehlo.reshape %q : (tensor<f32>) -> tensor<1xf32>
  %p2 = stablehlo.dot_general %p1, %p1, contracting_dims = [0] x [0] : (tensor<1xf32>, tensor<1xf32>) -> tensor<f32>
  %q2 = stablehlo.dot_general %q1, %q1, contracting_dims = [0] x [0] : (tensor<1xf32>, tensor<1xf32>) -> tensor<f32>
  %r = stablehlo.compare LT, %p2, %q2 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  stablehlo.return %r : tensor<i1>"""
"""Whether the square of %p is less than that of %q."""

ARGUMENTS = "^bb0(%p: tensor<f32>, %q: tensor<f32>):"
X = np.array([[3, -1, 2, 5], [-7, 4, 0.5, -6]], np.float32)

PROGRAMS = {
    "reduce": (
        f"""func.func @main(%x: tensor<2x4xf32>, %z: tensor<f32>) -> tensor<2xf32> {{
          %y = "stablehlo.reduce"(%x, %z) ({{ {ARGUMENTS} {LARGER} }}) {{dimensions = array<i64: 1>}} : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
          return %y : tensor<2xf32> }}""",
        X.max(1),
    ),
    "reduce_window": (
        f"""func.func @main(%x: tensor<2x4xf32>, %z: tensor<f32>) -> tensor<2x3xf32> {{
          %y = "stablehlo.reduce_window"(%x, %z) ({{ {ARGUMENTS} {LARGER} }}) {{window_dimensions = array<i64: 1, 2>}} : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x3xf32>
          return %y : tensor<2x3xf32> }}""",
        np.maximum(X[:, :-1], X[:, 1:]),
    ),
    "sort": (
        f"""func.func @main(%x: tensor<2x4xf32>, %z: tensor<f32>) -> tensor<2x4xf32> {{
          %y = "stablehlo.sort"(%x) ({{ {ARGUMENTS} {BEFORE} }}) {{dimension = 1 : i64, is_stable = true}} : (tensor<2x4xf32>) -> tensor<2x4xf32>
          return %y : tensor<2x4xf32> }}""",
        np.take_along_axis(X, np.argsort(np.abs(X), 1), 1),
    ),
    "scatter": (
        f"""func.func @main(%x: tensor<2x4xf32>, %z: tensor<f32>) -> tensor<2x4xf32> {{
          %i = stablehlo.constant dense<[[1], [0]]> : tensor<2x1xi32>
          %u = stablehlo.reverse %x, dims = [1] : tensor<2x4xf32>
          %y = "stablehlo.scatter"(%x, %i, %u) ({{ {ARGUMENTS} {LARGER} }}) {{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
            inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}} : (tensor<2x4xf32>, tensor<2x1xi32>, tensor<2x4xf32>) -> tensor<2x4xf32>
          return %y : tensor<2x4xf32> }}""",
        np.maximum(X, X[::-1, ::-1]),
    ),
    "select_and_scatter": (
        f"""func.func @main(%x: tensor<2x4xf32>, %z: tensor<f32>) -> tensor<2x4xf32> {{
          %s = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
          %y = "stablehlo.select_and_scatter"(%x, %s, %z) ({{ {ARGUMENTS} {BEFORE} }}, {{ {ARGUMENTS} {LARGER} }})
            {{window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>}} : (tensor<2x4xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<2x4xf32>
          return %y : tensor<2x4xf32> }}""",
        np.array([[-1000, 1, 2, -1000], [-1000, 3, 4, -1000]]),
    ),
}  # fmt: skip


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_arrays_in_functions(name: str, target: str) -> None:
    program, want = PROGRAMS[name]
    np.testing.assert_array_equal(_run(program, target, X, np.float32(-1000))[0], want)


ARRAY_OPS = {
    "iota and constants": (
        """%k = stablehlo.iota dim = 0 : tensor<3xf32>
        %c = stablehlo.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32>
        %b = stablehlo.broadcast_in_dim %p, dims = [] : (tensor<f32>) -> tensor<3xf32>
        %d = stablehlo.multiply %k, %b : tensor<3xf32>
        %r = stablehlo.dot_general %d, %c, contracting_dims = [0] x [0] : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>""",
        lambda x: 10 * x,
    ),
    "transposition, slices, reversal": (
        """%c = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
        %b = stablehlo.broadcast_in_dim %p, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
        %d = stablehlo.add %c, %b : tensor<2x3xf32>
        %t = stablehlo.transpose %d, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
        %v = stablehlo.reverse %t, dims = [0, 1] : tensor<3x2xf32>
        %s = stablehlo.slice %v [0:3:2, 1:2] : (tensor<3x2xf32>) -> tensor<2x1xf32>
        %z = stablehlo.constant dense<0.0> : tensor<f32>
        %r = stablehlo.reduce(%s init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x1xf32>, tensor<f32>) -> tensor<f32>""",
        lambda x: 2 * x + 3 + 1,
    ),
    "a product of matrices with batches": (
        """%b = stablehlo.broadcast_in_dim %p, dims = [] : (tensor<f32>) -> tensor<2x1x3xf32>
        %c = stablehlo.constant dense<[[[1.0, 2.0, 3.0]], [[4.0, 5.0, 6.0]]]> : tensor<2x1x3xf32>
        %d = stablehlo.dot_general %b, %c, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x1x3xf32>, tensor<2x1x3xf32>) -> tensor<2x1x1xf32>
        %s = stablehlo.slice %d [1:2, 0:1, 0:1] : (tensor<2x1x1xf32>) -> tensor<1x1x1xf32>
        %r = stablehlo.reshape %s : (tensor<1x1x1xf32>) -> tensor<f32>""",
        lambda x: 15 * x,
    ),
    "a slice at a computed place": (
        """%c = stablehlo.constant dense<[10.0, 20.0, 30.0, 40.0]> : tensor<4xf32>
        %b = stablehlo.broadcast_in_dim %p, dims = [] : (tensor<f32>) -> tensor<4xf32>
        %d = stablehlo.add %c, %b : tensor<4xf32>
        %i = stablehlo.convert %p : (tensor<f32>) -> tensor<i32>
        %s = stablehlo.dynamic_slice %d, %i, sizes = [2] : (tensor<4xf32>, tensor<i32>) -> tensor<2xf32>
        %t = stablehlo.slice %s [1:2] : (tensor<2xf32>) -> tensor<1xf32>
        %r = stablehlo.reshape %t : (tensor<1xf32>) -> tensor<f32>""",
        lambda x: x + 10 * (np.clip(x.astype(int), 0, 2) + 2),
    ),
    "a stable sort of pairs": (
        """%b = stablehlo.constant dense<[1.0, -2.0, 2.0, -1.0]> : tensor<4xf32>
        %e = stablehlo.reshape %p : (tensor<f32>) -> tensor<1xf32>
        %c = stablehlo.concatenate %e, %b, dim = 0 : (tensor<1xf32>, tensor<4xf32>) -> tensor<5xf32>
        %k = stablehlo.iota dim = 0 : tensor<5xf32>
        %s:2 = "stablehlo.sort"(%c, %k) ({ ^bb1(%f: tensor<f32>, %g: tensor<f32>, %h: tensor<f32>, %j: tensor<f32>):
          %fa = stablehlo.abs %f : tensor<f32>
          %ga = stablehlo.abs %g : tensor<f32>
          %l = stablehlo.compare LT, %fa, %ga : (tensor<f32>, tensor<f32>) -> tensor<i1>
          stablehlo.return %l : tensor<i1> }) {dimension = 0 : i64, is_stable = true} : (tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>)
        %w = stablehlo.constant dense<[1.0, 10.0, 100.0, 1000.0, 10000.0]> : tensor<5xf32>
        %r = stablehlo.dot_general %s#1, %w, contracting_dims = [0] x [0] : (tensor<5xf32>, tensor<5xf32>) -> tensor<f32>""",
        np.vectorize(
            lambda e: np.argsort(np.abs([e, 1, -2, 2, -1]), kind="stable") @ [1, 10, 100, 1000, 10000], otypes=[float]
        ),
    ),
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ARRAY_OPS)
def test_array_ops_are_written_out(name: str, target: str) -> None:
    """Each in a map, and no loop is left of it."""
    body, want = ARRAY_OPS[name]
    program = f"""func.func @main(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {{
      %y = "stablehlo.map"(%x) ({{ ^bb0(%p: tensor<f32>):
        {body}
        stablehlo.return %r : tensor<f32> }}) {{dimensions = array<i64: 0, 1>}} : (tensor<2x4xf32>) -> tensor<2x4xf32>
      return %y : tensor<2x4xf32> }}"""
    np.testing.assert_array_equal(_run(program, target, X)[0], want(X))
    if target == "cpu":
        assert "scf.while" not in hlo.compile(program, keep_phases=True).phases["linalg"]


def test_what_is_not_written_out_is_refused_by_name() -> None:
    body = """%p1 = stablehlo.broadcast_in_dim %p, dims = [] : (tensor<f32>) -> tensor<100xf32>
      %r = stablehlo.dot_general %p1, %p1, contracting_dims = [0] x [0] : (tensor<100xf32>, tensor<100xf32>) -> tensor<f32>
      stablehlo.return %r : tensor<f32>"""
    program = PROGRAMS["reduce"][0].replace(LARGER, body)
    with pytest.raises(
        hlo.CompileError, match=r"'stablehlo.broadcast_in_dim' of arrays of more than 64 elements is not supported"
    ):
        hlo.compile(program)


LARGER_BY_A_LOOP = """%zero = stablehlo.constant dense<0> : tensor<i32>
  %w:2 = stablehlo.while(%i = %zero, %s = %p) : tensor<i32>, tensor<f32>
   cond {
    %three = stablehlo.constant dense<3> : tensor<i32>
    %l = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %l : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %n = stablehlo.add %i, %one : tensor<i32>
    %t = stablehlo.maximum %s, %q : tensor<f32>
    stablehlo.return %n, %t : tensor<i32>, tensor<f32>
  }
  stablehlo.return %w#1 : tensor<f32>"""
"""The larger of %p and %q, found three times: the loop begins with a constant."""


LOOPS = {
    "reduce": (
        f"""func.func @main(%x: tensor<2x4xf32>, %z: tensor<f32>) -> tensor<2xf32> {{
          %y = "stablehlo.reduce"(%x, %z) ({{ {ARGUMENTS} {LARGER_BY_A_LOOP} }}) {{dimensions = array<i64: 1>}} : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
          return %y : tensor<2xf32> }}""",
        X.max(1),
    ),
    "reduce_window": (
        f"""func.func @main(%x: tensor<2x4xf32>, %z: tensor<f32>) -> tensor<2x3xf32> {{
          %y = "stablehlo.reduce_window"(%x, %z) ({{ {ARGUMENTS} {LARGER_BY_A_LOOP} }}) {{window_dimensions = array<i64: 1, 2>}} : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x3xf32>
          return %y : tensor<2x3xf32> }}""",
        np.maximum(X[:, :-1], X[:, 1:]),
    ),
    "map": (
        f"""func.func @main(%x: tensor<2x4xf32>, %z: tensor<f32>) -> tensor<2x4xf32> {{
          %u = stablehlo.reverse %x, dims = [1] : tensor<2x4xf32>
          %y = "stablehlo.map"(%x, %u) ({{ {ARGUMENTS} {LARGER_BY_A_LOOP} }}) {{dimensions = array<i64: 0, 1>}} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
          return %y : tensor<2x4xf32> }}""",
        np.maximum(X, X[:, ::-1]),
    ),
}  # fmt: skip


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", LOOPS)
def test_loops_that_begin_with_a_constant(name: str, target: str) -> None:
    program, want = LOOPS[name]
    np.testing.assert_array_equal(_run(program, target, X, np.float32(-1000))[0], want)
