"""The verifier's answers as Python objects; its messages are tested by test/dialect/verify_*.mlir."""

import inspect
import time
from functools import partial

import pytest
from measured import measured
from mlir import ir

import hlo
from hlo.dialect.contexts import context_of_types
from hlo.dialect.definition import OPS
from hlo.dialect.registration import make_context
from hlo.dialect.verifier import check, diagnose, verify
from hlo.errors import VerifyError

TWO_ERRORS = """
func.func @f(%a: tensor<2xf32>, %b: tensor<3xf32>) {
  %0 = "stablehlo.add"(%a, %b) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}
func.func @g(%a: tensor<2xf32>) {
  %0 = "stablehlo.sine"(%a) : (tensor<2xf32>) -> tensor<3xf32> loc("model.py":7:3)
  return
}
"""


def findings(text: str):
    with make_context(native=False):
        return verify(ir.Module.parse(text))


def test_every_error_is_reported_with_its_place():
    first, second = findings(TWO_ERRORS)
    assert (first.file, first.line, first.column) == ("-", 3, 8)
    assert (second.file, second.line, second.column) == ("model.py", 7, 3)


def test_check_raises_all_of_them():
    with make_context(native=False), pytest.raises(VerifyError) as caught:
        check(ir.Module.parse(TWO_ERRORS))
    assert len(caught.value.diagnostics) == 2
    assert "C1: lhs and rhs must have one type" in str(caught.value)
    assert "model.py:7:3: error: 'stablehlo.sine' op C1: result must have type" in str(caught.value)


@pytest.mark.parametrize(
    ("location", "place"),
    [
        ('"name"("a.py":1:2)', ("a.py", 1, 2)),
        ('fused["x", "b.py":3:4]', ("b.py", 3, 4)),
        ('callsite("c.py":5:6 at "d.py":7:8)', ("c.py", 5, 6)),
        ("unknown", ("-", 0, 0)),
    ],
)
def test_places_behind_names_fusions_and_calls(location, place):
    text = f"""func.func @f(%a: tensor<2xf32>) {{
      %0 = "stablehlo.sine"(%a) : (tensor<2xf32>) -> tensor<3xf32> loc({location})
      return
    }}"""
    (found,) = findings(text)
    assert (found.file, found.line, found.column) == place


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("stablehlo.exponentiall", "'stablehlo.exponentiall' op is unknown, did you mean 'stablehlo.exponential'?"),
        ("stablehlo.cubed", "'stablehlo.cubed' op is unknown"),
        ("stablehlo.erf", "'stablehlo.erf' op is unknown, did you mean 'chlo.erf'?"),
        ("stablehlo.sinus", "'stablehlo.sinus' op is unknown, did you mean 'stablehlo.sine'?"),
        ("chlo.qqqqqq", "'chlo.qqqqqq' op is unknown"),
        ("add", "'add' op is unknown, did you mean 'stablehlo.add'?"),
    ],
)
def test_unknown_ops_of_our_dialects(name, message):
    text = f'func.func @f(%a: tensor<2xf32>) {{ %0 = "{name}"(%a) : (tensor<2xf32>) -> tensor<2xf32> return }}'
    (found,) = findings(text)
    assert message in found.message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("%0 = add %a, %a : tensor<2xf32> return", "unknown op 'add'; did you mean 'stablehlo.add'?"),
        ("retrn", "unknown op 'retrn'; did you mean 'func.return'?"),
        ("%0 = stablehlo.add %a, %a : tensor<2xf32>", "'func.func' op body must end with return, found stablehlo.add"),
    ],
)
def test_common_mistakes_in_a_function(text, message):
    with pytest.raises(hlo.HloError) as raised:
        hlo.parse(f"func.func @f(%a: tensor<2xf32>) {{ {text} }}")
    assert [d.message for d in raised.value.diagnostics] == [message]


def test_functions_are_no_old_ones():
    with pytest.raises(hlo.ParseError, match=r"unknown op 'func'; did you mean 'func\.func'\?"):
        hlo.parse("func @f() { return }")


def _diagnosed(text):
    with context_of_types(len(text)) as context:
        return diagnose(partial(ir.Module.parse, text, context))


def test_diagnose_reports_what_mlir_stops_at_and_all_after_it():
    text = TWO_ERRORS.replace('"stablehlo.add"(%a, %b) : (tensor<2xf32>, ', '"stablehlo.add"(%a) : (')
    text = text.replace("(tensor<3xf32>) -> tensor<2xf32>", "(tensor<2xf32>) -> tensor<2xf32>")
    with make_context(), pytest.raises(ir.MLIRError):
        ir.Module.parse(text)
    assert [d.message.split(":")[0] for d in _diagnosed(text)] == [
        "'stablehlo.add' op must have 2 operands, found 1",
        "'stablehlo.sine' op C1",
    ]
    assert _diagnosed("func.func @f( {") == []


def test_other_dialects_are_left_alone():
    text = """
    func.func @f(%a: tensor<2xf32>, %i: index) -> f32 {
      "sdy.mesh"() {sym_name = "mesh"} : () -> ()
      %0 = tensor.extract %a[%i] : tensor<2xf32>
      %1 = arith.addf %0, %0 {fastmath = #arith.fastmath<fast>} : f32
      return %1 : f32
    }"""
    assert findings(text) == []


def test_bounds_are_no_mismatch():
    text = """
    func.func @f(%a: tensor<?xf32, {bounds = array<i64: 4>}>, %b: tensor<?xf32>) {
      %0 = "stablehlo.add"(%a, %b) : (tensor<?xf32, {bounds = array<i64: 4>}>, tensor<?xf32>) -> tensor<3xf32>
      return
    }"""
    assert findings(text) == []


def test_an_empty_second_region_is_unused():
    text = """
    func.func @f(%a: tensor<2xf32>, %z: tensor<f32>) {
      %0 = "stablehlo.reduce"(%a, %z) ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %1 = "stablehlo.add"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
        "stablehlo.return"(%1) : (tensor<f32>) -> ()
      }, {}) {dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
      return
    }"""
    assert findings(text) == []


@measured
def test_speed():
    """10,000 ops in about 0.3 s on one slow core: nothing grows with the square of their number."""
    lines = [
        f'%{i + 1} = "stablehlo.add"(%{i}, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>' for i in range(10_000)
    ]
    text = 'func.func @f(%a: tensor<4xf32>) {\n%0 = "stablehlo.sine"(%a) : (tensor<4xf32>) -> tensor<4xf32>\n'
    with make_context():
        module = ir.Module.parse(text + "\n".join(lines) + "\nreturn }")
        start = time.process_time()
        assert verify(module) == []
        assert time.process_time() - start < 2.0


RNG = """
func.func @f(%a: tensor<f32>) -> tensor<6xf32> {{
  %right = "stablehlo.constant"() {{value = dense<6> : tensor<1xi64>}} : () -> tensor<1xi64>
  %wrong = "stablehlo.constant"() {{value = dense<5> : tensor<1xi64>}} : () -> tensor<1xi64>
  %0 = "stablehlo.rng"(%a, %a, %{0}) {{rng_distribution = "UNIFORM"}} : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<6xf32>
  %1 = "stablehlo.rng"(%a, %a, %{1}) {{rng_distribution = "UNIFORM"}} : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}}
"""


@pytest.mark.parametrize(("first", "second", "lines"), [("right", "wrong", [6]), ("wrong", "wrong", [5, 6])])
def test_ops_that_look_equal_but_read_other_sizes(first: str, second: str, lines: list[int]):
    assert [found.line for found in findings(RNG.format(first, second))] == lines


def test_equal_ops_are_all_reported():
    wrong = '%{} = "stablehlo.sine"(%a) : (tensor<2xf32>) -> tensor<3xf32>\n'
    right = '%{} = "stablehlo.sine"(%a) : (tensor<2xf32>) -> tensor<2xf32>\n'
    lines = [right.format(0), wrong.format(1), right.format(2), wrong.format(3)]
    text = f"func.func @f(%a: tensor<2xf32>) {{\n{''.join(lines)} return }}"
    assert [found.line for found in findings(text)] == [3, 5]


def test_only_ops_with_effects_look_for_functions():
    """Others that are equal to a correct one are not looked at again."""
    for cls in OPS.values():
        assert "find_function(" not in inspect.getsource(cls) or not cls.IS_PURE, cls
