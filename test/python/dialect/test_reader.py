"""Reader: errors with their places, attribute spellings, locations, input that is no text."""

import re
from pathlib import Path

import pytest
from mlir import ir

import hlo
from hlo.dialect.locations import file_location
from hlo.dialect.printer import print_operation
from hlo.dialect.reader import read, split_input
from hlo.dialect.registration import make_context
from hlo.errors import ParseError

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def context():
    return make_context()


def in_function(*lines, arguments="%x: tensor<2xf32>"):
    return "\n".join([f"func.func @main({arguments}) {{", *lines, "return", "}"])


def findings(text, context):
    with pytest.raises(ParseError) as raised:
        read(text, context, "program.mlir")
    return raised.value.diagnostics


def first_op(module):
    return module.body.operations[0].regions[0].blocks[0].operations[0]


def test_all_errors_are_reported(context):
    text = in_function("  %0 = stablehlo.ad %x, %x : tensor<2xf32>", "  %1 = stablehlo.add %x %x : tensor<2xf32>")
    first, second = findings(text, context)
    assert (first.file, first.line, first.column) == ("program.mlir", 2, 8)
    assert "unknown op 'stablehlo.ad'; did you mean" in first.message
    assert (second.line, second.column) == (3, 25)
    assert second.message == "expected ':', found '%x'"
    assert second.source == "  %1 = stablehlo.add %x %x : tensor<2xf32>"


def test_error_of_mlirs_parser_has_the_users_column(context):
    (found,) = findings(in_function("  %0 = stablehlo.add %x, %y : tensor<2xf32>"), context)
    assert (found.line, found.column) == (2, 26)
    assert "undeclared" in found.message


def test_an_error_after_what_is_spelt_otherwise_in_generic_text(context):
    """The column is that of the user's line, though signs like the one found there stand before it."""
    line = "module attributes {a.b = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, a.c = [#here]} {"
    (found,) = findings(f"{line}\n}}\n", context)
    assert (found.line, found.column) == (1, line.index("#here]") + len("#here") + 1)
    assert found.message == "undefined symbol alias id 'here'"


def test_line_after_a_multiline_statement(context):
    reduce = [
        "  %c = stablehlo.constant dense<0.0> : tensor<f32>",
        "  %0 = stablehlo.reduce(%x init: %c) across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>",
        "   reducer(%a: tensor<f32>, %b: tensor<f32>) {",
        "    %r = stablehlo.add %a, %wrong : tensor<f32>",
        "    stablehlo.return %r : tensor<f32>",
        "  }",
    ]
    (found,) = findings(in_function(*reduce), context)
    assert (found.line, found.column) == (5, 28)


@pytest.mark.parametrize("type", ["tensor<>", "tensor<\n>", "tensor< >"])
def test_a_reduction_of_a_type_without_elements(type, context):
    c = "  %c = stablehlo.constant dense<0.0> : tensor<f32>"
    reduce = (
        f"  %0 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [0] : ({type}, tensor<f32>)"
    )
    found, *_ = findings(in_function(c, f"{reduce} -> tensor<f32>"), context)
    assert (
        "expected an element type in the first operand" in found.message or "expected a type such as" in found.message
    )


@pytest.mark.parametrize(
    "line", ["interpreter.print : ", "interpreter.print %x", "interpreter.print : ()", "check.expect_eq :"]
)
def test_ops_of_tests_without_operands_or_types(line, context):
    assert findings(in_function(f"  {line}"), context)


def test_location_is_the_place_in_the_file(context):
    module = read(in_function("  %0 = stablehlo.add %x, %x : tensor<2xf32>"), context, "program.mlir")
    place = file_location(first_op(module).location)
    assert (place.filename, place.start_line, place.start_col) == ("program.mlir", 2, 8)


LIKE_OPS = """#loc1 = loc("f.py":1:2)
#loc2 = loc("stablehlo.<locals>.add"(#loc1))
#loc3 = loc("check.me"(#loc1))
#loc4 = loc(callsite("chlo.tan"(#loc1) at "stablehlo.jit"("g.py":3:4)))
func.func @main(%x: tensor<2xf32> loc("chlo.x"(#loc1))) -> tensor<2xf32> {
  %0 = stablehlo.add %x, %x : tensor<2xf32> loc("stablehlo.add"("stablehlo.multiply"(#loc2)))
  %1 = "stablehlo.negate"(%0) : (tensor<2xf32>) -> tensor<2xf32> loc(fused["stablehlo.y"("a.py":1:1), #loc3])
  "check.expect_eq"(%1, %1) : (tensor<2xf32>, tensor<2xf32>) -> () loc( // "check.a"(
    "check.a"("sdy.b"(#loc4)))
  return %1 : tensor<2xf32> loc(#loc4)
} loc(#loc2)
"""


def test_names_of_locations_that_look_like_ops(context):
    """JAX names functions in them: a method of a class `check` is one of these."""
    module = read(LIKE_OPS, context)
    text = str(first_op(module).location)
    assert "stablehlo.multiply" in text and "stablehlo.<locals>.add" in text
    again = read(print_operation(module.operation, debug_info=True), context)
    assert str(first_op(again).location) == text
    assert [str(o.location).count("chlo.tan") for o in module.body.operations[0].body.blocks[0]] == [0, 0, 1, 1]


def test_location_that_was_written_wins(context):
    text = in_function("  %0 = stablehlo.add %x, %x : tensor<2xf32> loc(#loc1)") + '\n#loc1 = loc("model.py":7:3)\n'
    place = file_location(first_op(read(text, context)).location)
    assert (place.filename, place.start_line, place.start_col) == ("model.py", 7, 3)


COMMENTED = """// first: "
module { // {
func.func @main(%x: tensor<2x3xf32>, // "
    // )
    %y: tensor<2xf32>) -> tensor<3x2xf32> { // }
  %0 = "stablehlo.transpose"(%x) { // [
    permutation = array<i64: 1, // one
      0> // zero
    // the last line
  } : (tensor<2x3xf32> // operand
    ) -> tensor<3x2xf32> // result
  %1 = "stablehlo.transpose"(%0) <{
    permutation = array<i64: 1, 0>
    // the last line
  }> : (tensor<3x2xf32>) -> tensor<2x3xf32>
  %2 = stablehlo.transpose %1, dims = [1, // one
    0 // zero
    ] : (tensor<2x3xf32>) -> // arrow
    tensor<3x2xf32>
  %3 = stablehlo.custom_call @f(%2) {
    backend_config = "// \\"no comment", // a comment
    has_side_effect = true // "
  } : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %4 = stablehlo.slice %3 [0:2, // rows
    0:2] : (tensor<3x2xf32>) -> tensor<2x2xf32>
  %5 = stablehlo.constant dense<[[1, // one
    2], [3, 4 // four
    ]]> : tensor<2x2xi32>
  %6 = "stablehlo.gather"(%4, %5) { dimension_numbers = #stablehlo.gather< // none
    collapsed_slice_dims = [0, // rows
      1], start_index_map = [0, 1], index_vector_dim = 1 // the last
    >, slice_sizes = array<i64: 1, 1> } : (tensor<2x2xf32>, tensor<2x2xi32>) -> tensor<2xf32>
  return // what
    %3 // of
    : tensor<3x2xf32>
}
}
// last"""
WITHOUT_COMMENTS = re.compile(r" ?//(?!.*no comment).*| // a comment$", re.MULTILINE)


def test_comments_may_stand_wherever_white_space_may(context):
    plain = WITHOUT_COMMENTS.sub("", COMMENTED)
    assert "//" not in plain.replace('// \\"no comment', "")
    assert str(read(COMMENTED, context)) == str(read(plain, context))


def test_a_mistake_beside_comments_has_its_place(context):
    text = COMMENTED.replace("0 // zero\n", "x // zero\n")
    (found,) = findings(text, context)
    assert (found.line, found.column) == (16, 39)


@pytest.mark.parametrize("data", [b"ML\xefR\x01\x00", "MLïR"])
def test_bytecode_is_refused(data, context):
    with pytest.raises(ParseError, match="bytecode"):
        read(data, context)


def test_bytes_that_are_no_text(context):
    with pytest.raises(ParseError, match="not UTF-8"):
        read(b"module {\xff}", context)


@pytest.mark.parametrize("ranges", ["0", "0:2, 3", ":", "0:2,", "0:2, ", "0:1:2:3", "0:1:12:3", "0:2 0:2"])
def test_ranges_of_a_slice_that_are_none(ranges, context):
    line = f"  %0 = stablehlo.slice %x [{ranges}] : (tensor<2xf32>) -> tensor<2xf32>"
    assert findings(in_function(line), context)[0].line == 2


@pytest.mark.parametrize("integers", ["0 1", "0,", "0, ", "--1", ", 1", "-"])
def test_lists_of_dimensions_that_are_none(integers, context):
    line = f"  %0 = stablehlo.transpose %x, dims = [{integers}] : (tensor<2xf32>) -> tensor<2xf32>"
    assert findings(in_function(line), context)[0].line == 2


@pytest.mark.parametrize("spelling", ["array<i64: 1, 0>", "dense<[1, 0]> : tensor<2xi64>"])
def test_old_lists(spelling, context):
    text = in_function(
        f'  %0 = "stablehlo.transpose"(%x) <{{permutation = {spelling}}}> : (tensor<2x3xf32>) -> tensor<3x2xf32>',
        arguments="%x: tensor<2x3xf32>",
    )
    assert first_op(read(text, context)).permutation == (1, 0)


def test_bytes_and_bits_of_booleans_are_the_same(context):
    bits = in_function('  %0 = stablehlo.constant dense<"0x0D02"> : tensor<10xi1>')
    as_bytes = in_function('  %0 = stablehlo.constant dense<"0x01000101000000000001"> : tensor<10xi1>')
    value, same = (first_op(read(text, context)).value for text in (bits, as_bytes))
    assert value == same
    assert list(ir.DenseIntElementsAttr(value)) == [1, 0, 1, 1, 0, 0, 0, 0, 0, 1]


def test_structures_of_upstream(context):
    text = in_function(
        "  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 2]]}"
        " {batch_group_count = 1 : i64, feature_group_count = 1 : i64}"
        " : (tensor<1x8x3xf32>, tensor<3x3x4xf32>) -> tensor<1x9x4xf32>",
        arguments="%x: tensor<1x8x3xf32>, %w: tensor<3x3x4xf32>",
    )
    op = first_op(read(text, context))
    assert op.dimension_numbers.kernel_output_feature_dimension == 2
    assert op.dimension_numbers.input_spatial_dimensions == (1,)
    assert op.padding == ((1, 2),)


@pytest.mark.parametrize("path", sorted((ROOT / "test" / "e2e").glob("*.mlir"))[::12], ids=lambda path: path.stem)
def test_line_breaks_mean_nothing(path, context):
    text = "\n".join(line for line in path.read_text().splitlines() if not line.startswith("//"))
    one_line = re.sub(r"\s*\n\s*", " ", text)
    assert str(read(one_line, context)) == str(read(text, context))


@pytest.mark.parametrize(
    "end", ["%x : tensor<i32>", "%x\n       : tensor<i32>", "%x :\n    tensor<i32>", "\n%x {a}\n: tensor<i32>"]
)
def test_a_type_on_the_next_line(end, context):
    text = f"""  %0 = "stablehlo.case"(%x) ({{
    stablehlo.return {end}
  }}) : (tensor<i32>) -> tensor<i32>"""
    module = read(in_function(text, arguments="%x: tensor<i32>"), context)
    assert '"stablehlo.return"(%arg0)' in str(module)


@pytest.mark.parametrize("between", [" ", "\n    ", " // operands\n  "])
def test_white_space_before_operands(between, context):
    """Attributes of upstream's spelling, regions and properties are read behind it too."""
    close = (
        '  %0 = "stablehlo.reduce"(%x, %w) <{dimensions = array<i64: 0>}> ({\n    ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n'
        '    %s = "stablehlo.compare"(%a, %b) {comparison_direction = #stablehlo<comparison_direction LT>}'
        " : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
        '    %m = "stablehlo.select"(%s, %a, %b) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>\n'
        '    "stablehlo.return"(%m) : (tensor<f32>) -> ()\n'
        "  }) : (tensor<2xf32>, tensor<f32>) -> tensor<f32>"
    )
    apart = re.sub(r'("stablehlo\.\w+")\(', rf"\1{between}(", close)
    texts = (in_function(text, arguments="%x: tensor<2xf32>, %w: tensor<f32>") for text in (close, apart))
    assert len({str(read(text, context)) for text in texts}) == 1


def test_split_input():
    assert split_input("a\n// -----\nb\nc\n// -----\nd") == [(0, "a\n"), (1, "\nb\nc\n"), (4, "\nd")]


@pytest.mark.parametrize("hiding", ["// }\n", 'a = "}" '])
def test_nesting_cannot_be_hidden(hiding):
    """Closing brackets in comments and strings do not make up for opened ones."""
    text = "module {" + f"{{ {hiding}" * 5000 + "}" * 5000 + "}"
    with pytest.raises(hlo.ParseError, match="nested more than"):
        hlo.parse(text)


@pytest.mark.parametrize(
    "old, new",
    [
        ("[1, 0]", "true, false"),
        ("[-1, 0]", "true, false"),
        ("1", "true, true"),
        ("0", "false, false"),
        ("[true, false]", "true, false"),
    ],
)
def test_old_lists_of_booleans(context, old, new):
    """As files of before 2024 have them, and as MLIR reads elements of a tensor of booleans."""
    with context:
        kinds = "(tensor<1x8x8x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x6x6x4xf32>"
        numbers = "dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>"
        counts = "feature_group_count = 1 : i64, batch_group_count = 1 : i64"
        texts = [f'%0 = "stablehlo.convolution"(%x, %y) {{window_reversal = {reversal}, {numbers}, {counts}}} : {kinds}'
                 for reversal in (f"dense<{old}> : tensor<2xi1>", f"array<i1: {new}>")]  # fmt: skip
        arguments = "%x: tensor<1x8x8x2xf32>, %y: tensor<3x3x2x4xf32>"
        found, wanted = (
            print_operation(read(in_function(text, arguments=arguments), context).operation) for text in texts
        )
        assert found == wanted and "reverse" in found
