"""map with every kind of function: arrays that it captures and makes, structured ops, custom calls, maps in maps."""

import numpy as np
import pytest

import hlo
from hlo.runtime import custom_calls

X = np.array([[0, 1, 2], [3, -1, 2.5]], np.float32)
V = np.array([0.5, 2, 3.5, -4], np.float32)

ZERO = "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
ONE_ELEMENT = "%a = stablehlo.reshape %e : (tensor<f32>) -> tensor<1xf32>\n"
FOUR = "%a = stablehlo.broadcast_in_dim %e, dims = [] : (tensor<f32>) -> tensor<4xf32>\n"
ADD = "applies stablehlo.add across dimensions = [0]"
LESS = """({ ^bb0(%p: tensor<f32>, %q: tensor<f32>): %l = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
  stablehlo.return %l : tensor<i1> })"""

BODIES = {
    "the sum of a captured vector": (
        ZERO
        + f"%s = stablehlo.reduce(%v init: %z) {ADD} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>\n"
        + "%r = stablehlo.add %e, %s : tensor<f32>",
        X + V.sum(),
    ),
    "an element of a captured vector": (
        """%i = stablehlo.convert %e : (tensor<f32>) -> tensor<i32>
        %d = stablehlo.dynamic_slice %v, %i, sizes = [1] : (tensor<4xf32>, tensor<i32>) -> tensor<1xf32>
        %r = stablehlo.reshape %d : (tensor<1xf32>) -> tensor<f32>""",
        V[np.clip(X.astype(int), 0, 3)],
    ),
    "concatenation": (
        ZERO
        + ONE_ELEMENT
        + "%c = stablehlo.concatenate %a, %v, %a, dim = 0 : (tensor<1xf32>, tensor<4xf32>, tensor<1xf32>) -> tensor<6xf32>\n"
        + f"%r = stablehlo.reduce(%c init: %z) {ADD} : (tensor<6xf32>, tensor<f32>) -> tensor<f32>",
        2 * X + V.sum(),
    ),
    "a product": (
        FOUR
        + "%r = stablehlo.dot_general %a, %v, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>",
        X * V.sum(),
    ),
    "a product of scalars": (
        "%r = stablehlo.dot_general %e, %e, contracting_dims = [] x [] : (tensor<f32>, tensor<f32>) -> tensor<f32>",
        X * X,
    ),
    "arrays of its own": (
        FOUR
        + """%k = stablehlo.iota dim = 0 : tensor<4xf32>
        %q = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
        %m = stablehlo.add %k, %q : tensor<4xf32>
        %n = stablehlo.multiply %m, %a : tensor<4xf32>
        %t = stablehlo.slice %n [2:3] : (tensor<4xf32>) -> tensor<1xf32>
        %r = stablehlo.reshape %t : (tensor<1xf32>) -> tensor<f32>""",
        5 * X,
    ),
    "a custom call": ("%r = stablehlo.custom_call @test.third(%e) : (tensor<f32>) -> tensor<f32>", X / 3),
    "sort": (
        ONE_ELEMENT
        + f"""%c = stablehlo.concatenate %a, %v, dim = 0 : (tensor<1xf32>, tensor<4xf32>) -> tensor<5xf32>
        %s = "stablehlo.sort"(%c) {LESS} {{dimension = 0 : i64, is_stable = true}} : (tensor<5xf32>) -> tensor<5xf32>
        %t = stablehlo.slice %s [2:3] : (tensor<5xf32>) -> tensor<1xf32>
        %r = stablehlo.reshape %t : (tensor<1xf32>) -> tensor<f32>""",
        np.vectorize(lambda e: np.sort(np.append(V, e))[2])(X),
    ),
    "a map of the element": (
        """%y = "stablehlo.map"(%e) ({ ^bb1(%f: tensor<f32>): %g = stablehlo.multiply %f, %e : tensor<f32>
          stablehlo.return %g : tensor<f32> }) {dimensions = array<i64>} : (tensor<f32>) -> tensor<f32>
        %s = stablehlo.select %t, %y, %e : tensor<i1>, tensor<f32>
        %r = stablehlo.clamp %e, %s, %y : tensor<f32>""".replace(
            "%s = ", "%t = stablehlo.constant dense<true> : tensor<i1>\n%s = "
        ),
        np.minimum(np.maximum(X * X, X), X * X),
    ),
    "a map of a captured vector": (
        ZERO
        + """%y = "stablehlo.map"(%v) ({ ^bb1(%f: tensor<f32>): %g = stablehlo.multiply %f, %e : tensor<f32>
          stablehlo.return %g : tensor<f32> }) {dimensions = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>\n"""
        + f"%r = stablehlo.reduce(%y init: %z) {ADD} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>",
        X * V.sum(),
    ),
}


@pytest.fixture(autouse=True, scope="module")
def third():
    custom_calls.register("test.third")(lambda x: x / np.float32(3))
    yield
    del custom_calls.TARGETS["test.third"]


def _options(target: str) -> dict[str, str]:
    return {"target": target, **({"device": "model"} if target == "gpu" else {})}


@pytest.mark.parametrize("target", ["cpu", "gpu", "reference"])
@pytest.mark.parametrize("name", BODIES)
def test_functions_of_arrays(name: str, target: str) -> None:
    body, want = BODIES[name]
    program = f"""func.func @main(%x: tensor<2x3xf32>, %v: tensor<4xf32>) -> tensor<2x3xf32> {{
      %m = "stablehlo.map"(%x) ({{ ^bb0(%e: tensor<f32>):
        {body}
        stablehlo.return %r : tensor<f32> }}) {{dimensions = array<i64: 0, 1>}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
      return %m : tensor<2x3xf32> }}"""
    np.testing.assert_allclose(hlo.compile(program, **_options(target))(X, V)[0], want, rtol=1e-6)


@pytest.mark.parametrize("target", ["cpu", "gpu", "reference"])
def test_no_elements_and_two_inputs_of_different_types(target: str) -> None:
    program = """func.func @main(%x: tensor<NxHxf32>, %k: tensor<NxHxi32>, %v: tensor<4xf32>) -> tensor<NxHxf32> {
      %m = "stablehlo.map"(%x, %k) ({ ^bb0(%e: tensor<f32>, %i: tensor<i32>):
        %d = stablehlo.dynamic_slice %v, %i, sizes = [1] : (tensor<4xf32>, tensor<i32>) -> tensor<1xf32>
        %s = stablehlo.reshape %d : (tensor<1xf32>) -> tensor<f32>
        %r = stablehlo.add %e, %s : tensor<f32>
        stablehlo.return %r : tensor<f32> }) {dimensions = array<i64: 0, 1>} : (tensor<NxHxf32>, tensor<NxHxi32>) -> tensor<NxHxf32>
      return %m : tensor<NxHxf32> }"""
    for sizes in ((0, 3), (2, 2)):
        text = program.replace("NxH", "x".join(map(str, sizes)))
        x, k = np.full(sizes, 7, np.float32), np.arange(np.prod(sizes), dtype=np.int32).reshape(sizes)
        np.testing.assert_array_equal(hlo.compile(text, **_options(target))(x, k, V)[0], x + V[k])


@pytest.mark.parametrize("target", ["cpu", "gpu", "reference"])
def test_static_operands_are_arrays(target: str) -> None:
    """As XLA's ComputationBuilder has them: given to the function after the elements, as they are."""
    b = hlo.Builder()
    x, v = b.parameter(((2, 3), "f32")), b.parameter(((4,), "f32"))
    mapped = b.map([x], lambda e, w: e + b.reduce(w * e, 0.0, b.add, [0]), static_operands=[v])
    exe = hlo.compile(b.build(mapped), **_options(target))
    np.testing.assert_allclose(exe(X, V)[0], X + X * V.sum(), rtol=1e-6)


@pytest.mark.parametrize("target", ["cpu", "gpu", "reference"])
def test_a_reducer_reads_the_sum_of_a_captured_vector(target: str) -> None:
    """Other functions of elements have what they compute from outside values alone made before the op, too."""
    program = f"""func.func @main(%x: tensor<2x3xf32>, %v: tensor<4xf32>) -> tensor<2xf32> {{
      {ZERO}
      %m = "stablehlo.reduce"(%x, %z) ({{ ^bb0(%p: tensor<f32>, %q: tensor<f32>):
        %o = stablehlo.constant dense<1.0> : tensor<f32>
        %s = stablehlo.reduce(%v init: %o) applies stablehlo.maximum across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
        %t = stablehlo.add %p, %q : tensor<f32>
        %r = stablehlo.minimum %t, %s : tensor<f32>
        stablehlo.return %r : tensor<f32> }}) {{dimensions = array<i64: 1>}} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
      return %m : tensor<2xf32> }}"""
    x = np.array([[1, 1, 1], [9, 9, 9]], np.float32)
    np.testing.assert_array_equal(hlo.compile(program, **_options(target))(x, V)[0], [3, 3.5])
