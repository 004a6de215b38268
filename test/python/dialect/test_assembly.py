"""Assembly formats: each op's declared short form is a format, and reader and printer follow from it."""

import pytest
from mlir import ir

from hlo.dialect.assembly import AssemblyFormat, assembly_format
from hlo.dialect.assembly.shardy import FORMATS
from hlo.dialect.assembly.statement import Statement
from hlo.dialect.attributes import I64, I64Array, enum
from hlo.dialect.definition import OPS
from hlo.dialect.diagnostics import Source
from hlo.dialect.printer import print_module
from hlo.dialect.reader import read, to_generic
from hlo.dialect.registration import make_context
from hlo.errors import ParseError

SHORT = sorted(name for name in [*OPS, *FORMATS] if name in FORMATS or OPS[name].ASSEMBLY)


@pytest.mark.parametrize("name", SHORT)
def test_a_declared_format_is_one(name):
    format = assembly_format(name)
    assert format.members and format.name == name


def test_ops_without_a_format_have_none():
    assert assembly_format("stablehlo.gather") is None and assembly_format("stablehlo.nothing") is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("operands `,` $sizes", r"toy.op has no attribute 'sizes'; it has \['kind', 'n'\]"),
        ("operands custom<Nothing>", r"toy.op: there is no directive custom<Nothing>"),
        ("operands , attr-dict", r"toy.op: no assembly format at ', attr-dict'"),
    ],
)
def test_what_is_no_format_is_refused(text, message):
    with pytest.raises(ValueError, match=message):
        AssemblyFormat("toy.op", text, {"n": I64, "kind": enum("kind", "A", "B")})


BLANKS = [
    ("operands `,` `dims` `=` $dims attr-dict `:` type(results)", "toy.op %a, dims = [1, 2] {x = 1 : i64} : T"),
    (
        "`(` operands `)` `[` $n `]` attr-dict `:` type(results)",
        "toy.op(%a) [3] {dims = array<i64: 1, 2>, x = 1 : i64} : T",
    ),
    (
        "operands `n` `` `=` `` $n attr-dict `:` type(results)",
        "toy.op %a n=3 {dims = array<i64: 1, 2>, x = 1 : i64} : T",
    ),
    (
        "`{` operands `}` (`,` $n^)? attr-dict `->` type(results)",
        "toy.op{%a}, 3 {dims = array<i64: 1, 2>, x = 1 : i64} -> T",
    ),
]


@pytest.mark.parametrize(("text", "written"), BLANKS)
def test_blanks_stand_where_mlir_has_them(text, written):
    format = AssemblyFormat("toy.op", text, {"n": I64, "dims": I64Array})
    attributes = {"n": "3 : i64", "dims": "array<i64: 1, 2>", "x": "1 : i64"}
    if "$n" not in text:
        del attributes["n"]
    assert format.write(Statement("toy.op", ["%a"], attributes, results=["T"], type="() -> T")) == written


def test_an_attribute_that_is_not_there_needs_the_generic_form():
    required = AssemblyFormat("toy.op", "operands `,` $n attr-dict `:` type(results)", {"n": I64})
    optional = AssemblyFormat("toy.op", "operands (`,` $n^)? attr-dict `:` type(results)", {"n": I64})
    statement = Statement("toy.op", ["%a"], results=["T"], type="() -> T")
    assert required.write(statement) is None and optional.write(statement) == "toy.op %a : T"


STATEMENTS = [
    "%0 = stablehlo.add %a, %a : tensor<2x3xf32>",
    "%0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>",
    "%0 = stablehlo.slice %a [0:2, 0:3:2] : (tensor<2x3xf32>) -> tensor<2x2xf32>",
    "%0 = stablehlo.compare LT, %a, %a, TOTALORDER : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>",
    "%0 = stablehlo.reduce_precision %a, format = e5m2 : tensor<2x3xf32>",
    "%0 = stablehlo.fft %a, type = RFFT, length = [3] : (tensor<2x3xf32>) -> tensor<2x2xcomplex<f32>>",
    "%0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [1], precision = [HIGH, DEFAULT] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>",
    "%0 = stablehlo.dot_general %a, %a, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2xf32>",
    "%0 = stablehlo.iota dim = 0 : tensor<4xi32>",
    "%0:2 = chlo.top_k(%a, k = 2) : tensor<2x3xf32> -> (tensor<2x2xf32>, tensor<2x2xi32>)",
    "%0:2 = chlo.top_k(%a, k = 2, is_stable = true) : tensor<2x3xf32> -> (tensor<2x2xf32>, tensor<2x2xi32>)",
    "%0 = stablehlo.optimization_barrier {x = 1 : i64} %a : tensor<2x3xf32>",
    "check.expect_almost_eq_const %a, dense<1.000000e+00> : tensor<2x3xf32>, tolerance = 5.000000e-01",
    '%0 = interpreter.probe %a, probe_id = "here" : tensor<2x3xf32>',
]


@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_statement_is_printed_as_it_was_read(statement):
    text = f"func.func @main(%a: tensor<2x3xf32>) {{\n  {statement}\n  return\n}}\n"
    printed = print_module(read(text, make_context())).replace("%arg0", "%a")
    assert statement in printed


@pytest.mark.parametrize("statement", STATEMENTS)
def test_blanks_line_ends_and_locations_do_not_matter(statement):
    """The expression of the usual line and the directives, which read piece by piece, give the same op."""
    loose = statement.replace(", ", " ,\n ").replace(" = ", "  =  ", 1).replace(" : ", "\n:  ")
    context = make_context()
    modules = [
        print_module(read(f"func.func @main(%a: tensor<2x3xf32>) {{\n  {body}\n  return\n}}\n", context), generic=True)
        for body in (statement, loose, f'{statement} loc("here")')
    ]
    assert modules[0] == modules[1] == modules[2]


def test_a_usual_line_takes_no_more_than_its_line():
    text = "func.func @f(%a: tensor<2xf32>) {\n %0 = stablehlo.transpose %a, dims = [\n0] : (tensor<2xf32>) -> tensor<2xf32>\n return\n}"
    assert to_generic(Source(text, "x")).count("\n") == text.count("\n")


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        (
            "%0 = stablehlo.transpose %a, dim = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>",
            "expected 'dims', found 'dim'",
        ),
        ("%0 = stablehlo.fft %a, type = RFFT : (tensor<2x3xf32>) -> tensor<2x2xf32>", "expected ',', found ':'"),
        ("%0 = stablehlo.iota dim = x : tensor<4xi32>", "expected an integer, found 'x'"),
        ("%0 = stablehlo.cholesky %a, lower = 1 : tensor<2x3xf32>", "expected 'true' or 'false', found '1'"),
        (
            "%0 = stablehlo.compare 3, %a, %a : (tensor<2x3xf32>) -> tensor<2x3xi1>",
            "expected one of EQ, NE, GE, GT, LE, LT, found '3'",
        ),
        ("%0 = stablehlo.tuple %a : tensor<2xf32>", "expected a type tuple<...> before this"),
        (
            "%0 = stablehlo.select %a, %a, %a : tensor<2x3xi1>, tensor<2xf32>, tensor<2xf32>",
            "expected two types (predicate, value) or a function type",
        ),
    ],
)
def test_what_does_not_fit_the_format_is_said(statement, message):
    with pytest.raises(ParseError) as error:
        read(f"func.func @main(%a: tensor<2x3xf32>) {{\n  {statement}\n  return\n}}\n", make_context())
    assert message in str(error.value)


def test_a_module_keeps_what_the_short_forms_cannot_say():
    """A tuple of a refined type has no short form; the generic one is printed and read again."""
    text = 'func.func @f(%a: tensor<?xf32>) -> tuple<tensor<3xf32>> {\n%0 = "stablehlo.tuple"(%a) : (tensor<?xf32>) -> tuple<tensor<3xf32>>\nreturn %0 : tuple<tensor<3xf32>>\n}'
    printed = print_module(read(text, make_context()))
    assert '"stablehlo.tuple"' in printed and isinstance(read(printed, make_context()), ir.Module)
