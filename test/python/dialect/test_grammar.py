"""What the specification's grammar (sections Functions, Types, Constants) writes otherwise than MLIR."""

import numpy as np
import pytest

import hlo
from hlo.errors import ParseError


def constant(literal, element, sizes=""):
    """The value of a constant of the generic form, in a function of the grammar."""
    type = f"tensor<{sizes}{element}>"
    text = (
        f"stablehlo.func @main() -> {type} {{\n"
        f'  %0 = "stablehlo.constant"() {{ value = dense<{literal}> : {type} }} : () -> ({type})\n'
        f'  "stablehlo.return"(%0) : ({type}) -> ()\n}}'
    )
    (result,) = hlo.compile(text, target="reference")()
    return result


@pytest.mark.parametrize(
    ("literal", "element", "expected"),
    [
        ("+5", "si32", 5),
        ("-0x1F", "si16", -31),
        ("+0x1f", "ui8", 31),
        ("-8", "si4", -8),
        ("7", "si64", 7),
        ("+5.5", "f32", 5.5),
        ("5", "f32", 5.0),
        ("-5", "bf16", -5.0),
        ("1e-3", "f64", 1e-3),
        ("+2E3", "f32", 2000.0),
        ("5.", "f32", 5.0),
        ("0x7F800000", "f32", np.inf),
        ("0x7B", "f8E5M2", 57344.0),
        ("(1, +2)", "complex<f64>", 1 + 2j),
        ("(1e3, 0x3F800000)", "complex<f32>", 1000 + 1j),
        ("true", "i1", True),
    ],
)
def test_literals(literal, element, expected):
    assert constant(literal, element) == expected


def test_lists_of_literals():
    found = constant("[[+1, 2e-1], [-3, 0x40800000]]", "f32", "2x2x")
    np.testing.assert_array_equal(found, np.array([[1, 0.2], [-3, 4]], np.float32))
    np.testing.assert_array_equal(constant("[1, +2, -3]", "si8", "3x"), np.array([1, 2, -3], np.int8))


@pytest.mark.parametrize(
    ("storage", "literal", "expected"),
    [
        ("i8", "[1, -128, 127]", np.int8([1, -128, 127])),
        ("si8", "-3", np.int8([-3, -3, -3])),
        ("ui8", "[0, 200, +255]", np.uint8([0, 200, 255])),
        ("u8<1:255>", "[1, 200, 0xFF]", np.uint8([1, 200, 255])),
        ("i16", '"0x0100FF7F0080"', np.int16([1, 32767, -32768])),
    ],
)
@pytest.mark.parametrize("parameters", ["f32, 0.5:3", "f32:0, {0.5:3, 1.0:1, 2.0:2}"])
def test_quantized_literals_hold_stored_integers(storage, literal, expected, parameters):
    """QuantizedTensorConstant: elements are constants of the storage type; read again as they are printed."""
    element = f"!quant.uniform<{storage}:{parameters}>"
    np.testing.assert_array_equal(constant(literal, element, "3x"), expected)
    type = f"tensor<3x{element}>"
    text = (
        f"func.func @main() -> {type} {{\n  %0 = stablehlo.constant dense<{literal}> : {type}\n  return %0 : {type}\n}}"
    )
    for written in (text, str(hlo.parse(text))):
        (found,) = hlo.compile(written)()
        np.testing.assert_array_equal(found, expected)
        assert found.dtype == expected.dtype


@pytest.mark.parametrize(
    ("literal", "words"),
    [
        ("[1, 2, 256]", "out of range for type"),
        ("[1.0, 2.0, 3.0]", "parsed floating-point"),
        ("[1, 2]", "does not match type"),
    ],
)
def test_quantized_literals_of_other_numbers(literal, words):
    with pytest.raises(ParseError, match=words):
        constant(literal, "!quant.uniform<i8:f32, 0.5>", "3x")


@pytest.mark.parametrize(
    "alias, type",
    [
        ("!quant.uniform<i8:f32, 0.5>", "tensor<2x!q>"),
        ("tensor<2x!quant.uniform<i8:f32, 0.5>>", "!q"),
        ("!quant.uniform<i8:f32, 0.5>\n!t = tensor<2x!q>", "!t"),
    ],
)
def test_quantized_literals_of_aliases(alias, type):
    text = f"!q = {alias}\nfunc.func @main() -> {type} {{\n  %0 = stablehlo.constant dense<[1, -2]> : {type}\n  return %0 : {type}\n}}"
    np.testing.assert_array_equal(hlo.compile(text)()[0], np.int8([1, -2]))


def test_quantized_literals_without_elements():
    assert constant("", "!quant.uniform<i8:f32, 0.5>", "0x").shape == (0,)


@pytest.mark.parametrize(
    ("literal", "element", "digits"),
    [
        ("0x7F80", "f32", 8),
        ("[0x3C00, 0x3c]", "f16", 4),
        ("0x7F8000000", "f32", 8),
        ("0x", "f64", 16),
        ("(1.0, 0x00)", "complex<f32>", 8),
        ("0x3", "f8E4M3FN", 2),
    ],
)
def test_hexadecimal_floats_have_all_bits_of_their_type(literal, element, digits):
    with pytest.raises(ParseError, match=f"has {digits} digits, found 0x") as raised:
        constant(literal, element, "2x" if literal[0] == "[" else "")
    (found,) = raised.value.diagnostics
    wrong = literal.rindex("0x") + 1
    assert (found.line, found.column) == (2, len('  %0 = "stablehlo.constant"() { value = dense<') + wrong)


def test_integer_out_of_its_types_range():
    with pytest.raises(ParseError, match="out of range"):
        constant("300", "si8")


IN_THE_GRAMMAR = """
stablehlo.func @main(%a: token, %b: tensor<2x3xsi32>) -> token, tensor<3x2xsi32> {
  %0 = "stablehlo.after_all"(%a, %a) : (token, token) -> (token)
  %1 = "stablehlo.transpose"(%b) {
    permutation = dense<[+1, 0]> : tensor<2xsi64>, mhlo.note = "token si32 +5 1e-3", mhlo.numbers = [1e-3, 5 : f32, +5 : si64]
  } : (tensor<2x3xsi32>) -> (tensor<3x2xsi32>)
  %2 = "stablehlo.concatenate"(%b, %b) { dimension = +1 : si64 } : (tensor<2x3xsi32>, tensor<2x3xsi32>) -> tensor<2x6xsi32>
  %3 = "stablehlo.tuple"(%a, %b) : (token, tensor<2x3xsi32>) -> tuple<token, tensor<2x3xsi32>>
  "stablehlo.return"(%0, %1) : (token, tensor<3x2xsi32>) -> ()
}
stablehlo.func @second() { "stablehlo.return"() : () -> () }
"""
IN_MLIR = """
func.func @main(%a: !stablehlo.token, %b: tensor<2x3xi32>) -> (!stablehlo.token, tensor<3x2xi32>) {
  %0 = "stablehlo.after_all"(%a, %a) : (!stablehlo.token, !stablehlo.token) -> !stablehlo.token
  %1 = "stablehlo.transpose"(%b) {
    permutation = array<i64: 1, 0>, mhlo.note = "token si32 +5 1e-3", mhlo.numbers = [1.0e-3, 5.0 : f32, 5 : i64]
  } : (tensor<2x3xi32>) -> (tensor<3x2xi32>)
  %2 = "stablehlo.concatenate"(%b, %b) { dimension = 1 : i64 } : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x6xi32>
  %3 = "stablehlo.tuple"(%a, %b) : (!stablehlo.token, tensor<2x3xi32>) -> tuple<!stablehlo.token, tensor<2x3xi32>>
  "stablehlo.return"(%0, %1) : (!stablehlo.token, tensor<3x2xi32>) -> ()
}
func.func @second() { "stablehlo.return"() : () -> () }
"""


def test_a_program_of_the_grammar_is_the_one_in_mlirs_spelling():
    assert str(hlo.parse(IN_THE_GRAMMAR)) == str(hlo.parse(IN_MLIR))


def test_mistakes_in_a_program_of_the_grammar_have_their_places():
    with pytest.raises(ParseError) as raised:
        hlo.parse(IN_THE_GRAMMAR.replace('return"(%0, %1)', 'return"(%0, %4)'))
    (found,) = raised.value.diagnostics
    assert (found.line, found.column, found.message) == (9, 26, "use of undeclared value %4")
