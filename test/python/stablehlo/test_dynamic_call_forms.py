"""Custom calls that stand for ops (`stablehlo.dynamic_top_k`, ...) in forms that these do not have: each is refused with its place."""

import pytest

import hlo


def call(target, operands, results, attributes=""):
    names = ", ".join(f"%a{n}" for n in range(len(operands)))
    parameters = ", ".join(f"%a{n}: {t}" for n, t in enumerate(operands))
    made = f"%r:{len(results)} = " if results else ""
    types = f"({', '.join(operands)}) -> ({', '.join(results)})"
    values = ", ".join(f"%r#{n}" for n in range(len(results)))
    ends = f"return {values} : {', '.join(results)}" if results else "return"
    return f"""func.func @main({parameters}) -> ({", ".join(results)}) {{
  {made}"stablehlo.custom_call"({names}) {{call_target_name = "{target}"{attributes}}} : {types}
  {ends}
}}
func.func private @greater(%x: tensor<f32>, %y: tensor<f32>) -> tensor<i1> {{
  %0 = stablehlo.compare GT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0 : tensor<i1>
}}"""


F, K, POSITIONS = "tensor<4x4xf32>", "tensor<i32>", "tensor<4x4xi32>"
STATE, BITS = "tensor<2xui64>", "tensor<4xui32>"
BODY = ", called_computations = [@greater]"
DIMENSION = ", mhlo.backend_config = {reduction_dim = 1 : i64}"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (call("stablehlo.dynamic_top_k", [F], [F, POSITIONS]), "2 operands expected, found 1"),
        (call("stablehlo.dynamic_top_k", [F, K], [F]), "2 results expected, found 1"),
        (call("stablehlo.dynamic_top_k", [F, "tensor<0xi32>"], [F, POSITIONS]), "an operand with a number expected"),
        (call("stablehlo.dynamic_rng_bit_generator", [STATE], [STATE, BITS]), "2 operands expected, found 1"),
        (call("stablehlo.dynamic_rng_bit_generator", [STATE, "tensor<1xi32>"], [STATE, BITS]), "attribute rng_algorithm expected"),
        (call("stablehlo.dynamic_reduce_window", [F], [F]), "7 operands expected, found 1"),
        (call("stablehlo.dynamic_reduce_window", [F] * 7, [F]), "attribute called_computations expected"),
        (call("shape_assertion", [], [F]), "1 operands expected, found 0"),
        (call("shape_assertion", ["tensor<i1>"], [F]), "0 results expected, found 1"),
        (call("shape_assertion", ["tensor<0xi1>"], []), "an operand with a number expected"),
        (call("stablehlo.dynamic_approx_top_k", [F, "tensor<f32>"], [F], BODY + DIMENSION), "3 operands expected, found 2"),
        (call("ApproxTopK", [F], [F]), "2 operands expected, found 1"),
        (call("ApproxTopK", [F, "tensor<f32>"], [F]), "attribute called_computations expected"),
        (call("ApproxTopK", [F, "tensor<f32>"], [F], BODY), "a number reduction_dim in mhlo.backend_config expected"),
        (call("ApproxTopK", [F, "tensor<f32>"], [F], BODY + DIMENSION.replace("1", "2")), "reduction_dim must be a dimension of"),
        (call("ApproxTopK", [F, "tensor<f32>"], [F], DIMENSION + ", called_computations = []"), "one function expected, found []"),
        (call("ApproxTopK", [F, "tensor<f32>"], [F], DIMENSION + ", called_computations = [@none]"), "@none"),
    ],
)  # fmt: skip
def test_forms_that_calls_do_not_have(text, words):
    with pytest.raises(hlo.HloError) as caught:
        hlo.compile(text, cache=False)
    assert words in str(caught.value)
    assert caught.value.diagnostics[0].line in (2, 3)


def test_the_form_that_one_has():
    hlo.compile(call("ApproxTopK", [F, "tensor<f32>"], [F], BODY + DIMENSION), cache=False)
