"""Places on the first line of a program without `module` are the user's: in errors, in the IR and in reports."""

import pytest

import hlo
from hlo.errors import HloError

EXPONENTIAL = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { %r = stablehlo.exponential %x : tensor<4xf32>\n  return %r : tensor<4xf32> }\n"


def place(text):
    with pytest.raises(HloError) as raised:
        hlo.compile(text)
    found = raised.value.diagnostics[0]
    return found.line, found.column


def at(text, part):
    """Line and column where a part of the text stands."""
    lines = text[: text.index(part)].split("\n")
    return len(lines), len(lines[-1]) + 1


@pytest.mark.parametrize("module", ["", "module { ", "\n", "!t = tensor<4xf32>\n", "// words\n"])
@pytest.mark.parametrize(
    "old, new, part",
    [
        ("%x : tensor<4xf32>\n", "%q : tensor<4xf32>\n", "%q"),
        ("<4xf32> {", "<4xf33> {", "f33"),
        ("%x : tensor<4xf32>\n", "%x : tensor<4xi32>\n", "%x : tensor<4xi32>"),
        ("exponential %x", "cholesky %x, lower = true", "stablehlo.cholesky"),
        ("exponential %x : ", "foo %x : ", "stablehlo.foo"),
        ("exponential %x : ", "custom_call @nothing(%x) : (tensor<4xf32>) -> ", "stablehlo.custom_call"),
    ],
    ids=["value", "type", "types differ", "verifier", "unknown op", "compile time"],
)
def test_an_error_names_the_column_that_the_user_sees(module, old, new, part):
    text = module + EXPONENTIAL.replace(old, new) + ("}" if "module" in module else "")
    assert new in text
    assert place(text) == at(text, part)


def test_locations_of_the_ir_and_of_the_remarks_are_the_users():
    module = hlo.parse(EXPONENTIAL, "p.mlir")
    function = module.body.operations[0]
    operation = function.regions[0].blocks[0].operations[0]
    assert function.location.start_col == 1
    assert function.regions[0].blocks[0].arguments[0].location.start_col == EXPONENTIAL.index("%x") + 1
    assert operation.location.start_col == EXPONENTIAL.index("stablehlo.exponential") + 1


@pytest.mark.parametrize(
    "text, part",
    [
        ("func.func @main() { return }\n#loc5 = loc(foo)\n", "foo"),
        ("func.func @main() { return }\n\n#a = affine_map<(i) -> (i)>\n#loc5 = loc(foo)\n", "foo"),
        ("!t = tensor<4xf32>\n!u = tensor<4xf33>\nfunc.func @main(%x: !u) { return }\n", "f33"),
        ("// é\n#é = 1\n#l = loc(foo)\nfunc.func @main() { return }\n", "é = 1"),
    ],
)
def test_a_wrong_alias_is_told_where_it_stands(text, part):
    assert place(text) == at(text, part)
