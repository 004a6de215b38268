"""Reader: every mistake of a file is told, in plain words, at the user's line and column; consequences are not."""

import pytest

import hlo
from hlo.errors import HloError, ParseError

MANY = """func.func @first(%a: tensor<2xfoo>) -> tensor<2xf32> {
  return %a : tensor<2xf32>
}
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %a, %q : tensor<2xf32>
  %1 = stablehlo.ad %0, %a : tensor<2xf32>
  %2 = stablehlo.add %0, %1 : tensor<2xf32>
  %2 = stablehlo.add %a, %a : tensor<2xf32>
  %3 = foo.bar %2
  %4 = stablehlo.constant dense<1.5> : tensor<2xi8>
  %5 = stablehlo.compare EQQ, %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  %6 = call @first(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return %6 : tensor<2xf32>
}
"""


def findings(text):
    with pytest.raises(HloError) as raised:
        hlo.parse(text, "program.mlir")
    return raised.value.diagnostics


def test_every_mistake_is_told_with_its_place():
    found = [(d.line, d.column, d.message.partition(";")[0]) for d in findings(MANY)]
    assert found == [
        (1, 31, "unknown type 'foo'"),
        (5, 26, "use of undeclared value %q"),
        (6, 8, "unknown op 'stablehlo.ad'"),
        (8, 3, "redefinition of SSA value '%2'"),
        (9, 8, "unknown dialect 'foo' of op 'foo.bar'"),
        (10, 33, "expected integer elements, but parsed floating-point"),
        (
            11,
            8,
            "'stablehlo.compare' op attribute 'comparison_direction' must be one of EQ, NE, GE, GT, LE, LT, "
            'found "EQQ"',
        ),
    ]


@pytest.mark.parametrize(
    "text, message",
    [
        ("", "the file is empty"),
        (" \n\t\n", "the file is empty"),
        ("module {\n  func.func @main(", "unexpected end of input inside 'func.func @main(' opened at line 2"),
        ("module {\n  func.func @main() {\n    return\n", "unexpected end of input inside 'func.func @main() {'"),
        ("module {\n", "unexpected end of input inside 'module {' opened at line 1"),
        (
            'func.func @main() {\n  %0 = stablehlo.constant dense<"0x01',
            "unexpected end of input inside a string opened at line 2",
        ),
        ("func.func @main(%a: tensor<2xf33>) { return }", "unknown type 'f33'; did you mean f32?"),
        ("func.func @main(%a: tensor<-1xf32>) { return }", "expected a type such as tensor<2x3xf32>, found '-1xf32'"),
        ("func.func @main() {\n  toy.print\n  return\n}", "unknown dialect 'toy' of op 'toy.print'"),
        ("func.func @main() { return }\0", "NUL"),
        ("func.func @main() { return } // \udcff", "UTF-8"),
        (b"func.func @main() { return } // \xff", "UTF-8"),
        ("func.func @main(%a: tensor<2x9223372036854775807xi64>) { return }", "more than 2^63 - 1 elements"),
        ("func.func @main(%a: tensor< 9223372036854775807x ?x 2x0xi8>) { return }", "more than 2^63 - 1 elements"),
        ("module {" * 5000 + "}" * 5000, "nested more than 256 deep"),
        ("func.func @main() attributes {a = " + "[" * 9000, "nested more than 256 deep"),
        ("func.func @main(%a: " + "tuple<" * 5000, "nested more than 256 deep"),
    ],
)
def test_plain_words(text, message):
    with pytest.raises(ParseError) as raised:
        hlo.parse(text, "program.mlir")
    assert message in str(raised.value)
    assert all(d.line for d in raised.value.diagnostics) or "file" in message or "UTF-8" in message


def test_shapes_up_to_the_limit_are_read():
    hlo.parse("func.func @main(%a: tensor<4611686018427387904x1xi8>) { return }")
    hlo.parse("func.func @main(%a: tensor<0x9223372036854775807x9xi8>) { return }")


def test_quantized_types_that_are_not_stablehlos():
    text = "func.func @main(%a: tensor<2x!quant.any<i8<-8:7>:f32>>) {\n  %0 = stablehlo.abs %a : tensor<2x!quant.any<i8<-8:7>:f32>>\n  return\n}"
    assert "must be !quant.uniform" in findings(text)[0].message


BEGINNING = """func.func @main(%x: tensor<4xf32>, %i: tensor<i64>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
"""


@pytest.mark.parametrize(
    "rest, others",
    [
        ("  %r = stablehlo.reduce(%x init: %c) applies stabl", []),
        ('  %1:2 = "stablehlo.while"(%i, %x) ({\n  ^bb0(%a: tensor<i64>, %b: tensor<4xf32>):\n', []),
        ("  %1 = stablehlo.ad %0, %0 : tensor<4xf32>\n", ["unknown op 'stablehlo.ad'"]),
    ],
)
def test_a_truncated_text_blames_its_end_first(rest, others):
    with pytest.raises(ParseError) as raised:
        hlo.parse(BEGINNING + rest)
    end, *further = raised.value.diagnostics
    assert "unexpected end of input inside" in end.message and end.line == (BEGINNING + rest).rstrip().count("\n") + 1
    assert [d.message.partition(";")[0] for d in further] == others


ALONE = {
    "with uses": """func.func @main(%a: tensor<3xf32>, %p: tensor<i1>) -> tensor<3xf32> {
    %0 = "stablehlo.while"(%a) ({
    ^bb0(%x: tensor<3xf32>):
      "stablehlo.return"(%p) : (tensor<i1>) -> ()
    }, {
    ^bb0(%x: tensor<3xf32>):
      "stablehlo.return"(%x) : (tensor<3xf32>) -> ()
    }) : (tensor<3xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }""",
    "without regions": '"stablehlo.create_token"() : () -> !stablehlo.token',
    "nothing": "",
}


@pytest.mark.parametrize("what", ALONE)
def test_an_op_stands_alone_where_the_lines_around_it_are_left_out(what):
    """The line that opens the module is wrong, by a bracket too many, and the function whose brackets do not match takes the one that closes it along."""
    broken = "func.func @b(%a: tensor<3xf32>) {\n    %3 = stablehlo.add %a, %a {value = 1.0 : <} : tensor<3xf32>\n    return\n  }"
    found = findings(f"module attributes {{a.c = [#here >]}} {{\n  {ALONE[what]}\n  {broken}\n}}\n")
    assert (found[0].line, found[0].message) == (1, "undefined symbol alias id 'here'")
    assert all(d.message.startswith("expected '}'") for d in found[1:])


FIRST_MISTAKES = {
    "(%a: tensor<2xf32> %b: tensor<2xf32>) {\n  return\n}": (1, "expected ',' or ')', found '%b'"),
    "(a: tensor<2xf32>) {\n  return\n}": (1, "expected an argument such as %a: tensor<2x3xf32>, or a type, found 'a'"),
    "(%a: Tensor<2xf32>) {\n  return\n}": (1, "expected a type such as tensor<2x3xf32>, found 'Tensor'"),
    "(%a: tensor<2xF32>) {\n  return\n}": (1, "unknown type 'F32'; did you mean f32? element types are"),
    "(%a: tensor<2xf32>) tensor<2xf32> {\n  return\n}": (1, "expected an operation, found the type 'tensor'"),
    "(%a: tensor<2xf32>) {\n  %0 = stablehlo.convert %a : tensor<2xf32> -> tensor<2xi32>\n  return\n}": (
        2,
        "expected an operation such as '%0 = stablehlo.add ...', found '->'",
    ),
    "(%a: tensor<2xf32>) {\n  %0 = stablehlo.add %a, 1.0 : tensor<2xf32>\n  return\n}": (
        2,
        "expected ':', found ', 1.0'",
    ),
    "(%a: tensor<2xf32>) {\n  %0 = stablehlo.compare <, %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>\n  return\n}": (
        2,
        "expected one of EQ, NE, GE, GT, LE, LT, found '<'",
    ),
    "(%a: tensor<2xf32>) {\n  %0 = stablehlo.compare >=, %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>\n  return\n}": (
        2,
        "expected one of EQ, NE, GE, GT, LE, LT, found '>'",
    ),
    '(%a: tensor<2x3xf32>) {\n  %0 = "stablehlo.transpose"(%a) {perm = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>\n  return\n}': (
        2,
        "'stablehlo.transpose' op must have attribute 'permutation' (i64 array), found 'perm'",
    ),
}


@pytest.mark.parametrize("text", FIRST_MISTAKES)
def test_first_mistakes_say_what_was_found(text):
    """A comma, an arrow, a percent sign or brackets that are missing, a name in capitals, another op's attribute: one message each."""
    (found,) = findings(f"func.func @main{text}")
    line, message = FIRST_MISTAKES[text]
    assert (found.line, found.message[: len(message)]) == (line, message)


AROUND = {
    "a module": ("module {\n", "\n}\n"),
    "JAX's module": ("module @jit_f attributes {mhlo.num_partitions = 1 : i32} {\n", "\n}\n"),
    "functions": (
        "func.func private @g(%q: tensor<i8>) -> tensor<i8> {\n  return %q : tensor<i8>\n}\n",
        "\nfunc.func @h(%q: tensor<i8>) -> tensor<i8> {\n  return %q : tensor<i8>\n}\n",
    ),
    "a module whose line is wrong, too": ("module attributes {a.c = #here} {\n", "\n}\n"),
}
IN_FUNCTIONS = [
    *FIRST_MISTAKES,
    "(%a: tensor<2xf32) -> tensor<2xf32> {\n  return %a : tensor<2xf32>\n}",
    "(%a: tensor<2xf32>) {\n  %0 = arith.addf %a, %a : tensor<2xf32\n  return\n}",
    "(%a: tensor<2xf32>) {\n  %0 = arith.constant(1.0 : f32 : f32\n  return\n}",
    '(%a: tensor<2xf32>) {\n  %0 = "stablehlo.sine"(%a : (tensor<2xf32>) -> tensor<2xf32>\n  return\n}',
]


@pytest.mark.parametrize("mistake", IN_FUNCTIONS)
@pytest.mark.parametrize("around", AROUND)
def test_what_stands_around_a_mistake_is_right(mistake, around):
    """A bracket that is open in a function does not take along what closes the module."""
    (alone,) = findings(f"func.func @main{mistake}")
    before, behind = AROUND[around]
    *of_module, found = findings(f"{before}func.func @main{mistake}{behind}")
    assert [d.message for d in of_module] == ["undefined symbol alias id 'here'"] * ("#here" in before)
    assert (found.line - before.count("\n"), found.message) == (alone.line, alone.message)


TWO_FUNCTIONS = """module @jit_f attributes {mhlo.num_partitions = 1 : i32} {
  func.func public @main(%a: tensor<2xf32>) -> (tensor<2xf32> {jax.result_info = "result"}) {
    %0 = call @g(%a) : (tensor<2xf32>) -> tensor<2xf32>
    %1 = stablehlo.add %0, %a : tensor<2xf32>
    return %1 : tensor<2xf32>
  }
  func.func private @g(%a: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.reshape %a : (tensor<2xf32>) -> tensor<1x2xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x2xf32>) -> tensor<2xf32>
    return %1 : tensor<2xf32>
  }
}
"""
EDITS = [
    ("%0 = call @g(%a)", "%0 = call @@g(%a)", 3),  # %0 and %1 of @g are no values of @main
    ("%0 = call @g(%a)", "%0 call @g(%a)", 3),
    ("%1 = stablehlo.add %0", "%1 = stablehlo.adx %0", 4),
    ("-> tensor<2xf32>\n    %1 = stablehlo.add", "-> ensor<2xf32>\n    %1 = stablehlo.add", 3),
    ("@g(%a: tensor<2xf32>) -> tensor<2xf32> {", "@g(%a: tensor<2xf32>) -> tensor<2}xf32> {", 7),
    ("@g(%a: tensor<2xf32>)", "@g(%a: tensor<2xcomplexf32>>)", 7),
    ("stablehlo.reshape %a", "stablehlo}reshape %a", 8),
    ('"result"})', '"result"}))', 2),
    ("return %1 : tensor<2xf32>\n  }\n  func", ")return %1 : tensor<2xf32>\n  }\n  func", 5),
    ("return %1 : tensor<2xf32>\n  }\n  func", "return %1 : tensor<2xf32>\n  ]\n  func", 6),
]


@pytest.mark.parametrize("written, mistaken, line", EDITS)
def test_one_mistake_is_one_finding(written, mistaken, line):
    """What follows from a statement that cannot be read, or from a bracket that does not match, is none."""
    assert TWO_FUNCTIONS.count(written) == 1
    hlo.parse(TWO_FUNCTIONS)
    assert [d.line for d in findings(TWO_FUNCTIONS.replace(written, mistaken))] == [line]


def test_programs_of_another_language_are_no_near_ops():
    assert [d.message for d in findings("import jax\ndef f(x):\n")] == ["unknown op 'import'", "unknown op 'def'"]
