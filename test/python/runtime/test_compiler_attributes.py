"""The compiler's own attributes: programs may not have them, dumps of phases may, as far as they hold what they should."""

import re
from pathlib import Path

import pytest
from mlir import ir

import hlo
from hlo.dialect.compiler_attributes import OF_PARTITIONED_PROGRAMS, TABLE
from hlo.dialect.reader import read
from hlo.dialect.registration import make_context
from hlo.dialect.verifier import check, verify
from hlo.pipelines.dump import read_dump

ROOT = Path(hlo.__file__).resolve().parents[1]
PROGRAMS = (
    "module attributes {ATTRIBUTE} { func.func @main(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> } }",
    "func.func @main(%x: tensor<f32>) -> tensor<f32> attributes {ATTRIBUTE} { return %x : tensor<f32> }",
    "func.func @main(%x: tensor<f32> {ATTRIBUTE}) -> tensor<f32> { return %x : tensor<f32> }",
    "func.func @main(%x: tensor<f32>) -> (tensor<f32> {ATTRIBUTE}) { return %x : tensor<f32> }",
    'func.func @main(%x: tensor<f32>) -> tensor<f32> { %0 = "stablehlo.sine"(%x) {ATTRIBUTE} : (tensor<f32>) -> tensor<f32> return %0 : tensor<f32> }',
    'func.func @main(%x: tensor<f32>) -> tensor<f32> { "func.return"(%x) {ATTRIBUTE} : (tensor<f32>) -> () }',
)


OWN = {name for names in TABLE.values() for name in names} - set(OF_PARTITIONED_PROGRAMS)


@pytest.mark.parametrize("name", sorted(OWN | {"hlo.unheard_of"}))
@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_may_not_have_them(program, name):
    with pytest.raises(hlo.VerifyError, match=re.escape(f"attribute '{name}' is the compiler's own")):
        hlo.parse(program.replace("ATTRIBUTE", f"{name} = array<i64: 0, 0>"))


def test_programs_may_not_call_its_targets():
    text = (
        PROGRAMS[4]
        .replace('"stablehlo.sine"', '"stablehlo.custom_call"')
        .replace("ATTRIBUTE", 'call_target_name = "hlo.borrow"')
    )
    with pytest.raises(hlo.VerifyError, match=r"targets that begin with 'hlo\.' are the compiler's own"):
        hlo.parse(text)


def findings(text, in_dump=True):
    return [d.message for d in verify(read(text, make_context()), in_dump=in_dump)]


DUMP = """module attributes {hlo.entry = "main", hlo.donated = array<i64>} {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = arith.addf %x, %x : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}"""


@pytest.mark.parametrize(
    "written, mistaken, line, message",
    [
        (": tensor<4xf32>\n    return", ": tensor<4xf32\n    return", 3, "expected '>' in tensor type"),
        ("arith.addf", "arith.adf", 3, "custom op 'arith.adf' is unknown"),
        ("main(%x: tensor<4xf32>)", "main(%x: tensor<4xf32)", 2, "expected '>' in tensor type"),
    ],
)
def test_what_is_wrong_with_an_edited_dump(written, mistaken, line, message):
    """Its attributes are not; nor is the function missing that was left out to read on."""
    with pytest.raises(hlo.HloError) as raised:
        read_dump(DUMP.replace(written, mistaken), "dump.mlir")
    assert [(d.line, d.message) for d in raised.value.diagnostics] == [(line, message)]


@pytest.mark.parametrize("other, second", [("tensor<i32>", "x"), ("tensor<f32>", "y")])
def test_a_tied_result_has_the_type_of_one_argument(other, second):
    tied = "{hlo.tied = 0 : i64}"
    text = f"func.func @main(%x: {other} {tied}, %y: tensor<f32> {tied}) -> tensor<f32> {{ return %y : tensor<f32> }}"
    (found,) = findings(text)
    assert "names a result of its type" in found and f"argument {'xy'.index(second)}" in found


@pytest.mark.parametrize(
    "holder, attribute, words",
    [
        (0, "hlo.in_donated = array<i64: 0, 0>", None),
        (0, "hlo.in_donated = array<i64: -1, 0>", "must be array<i64> of integers from 0"),
        (0, 'hlo.arena = "x"', "must be an integer from 0"),
        (0, 'hlo.entry = "main"', None),
        (2, "hlo.tied = 0 : i64", None),
        (2, "hlo.tied = 1 : i64", "of argument 0 names one of 1 results, found 1"),
        (2, "hlo.may_alias = array<i64: 0, 2147483648>", "of argument 0 names one of 1 results, found 2147483648"),
        (0, 'hlo.entry = "rows"', 'must name a function that the module defines, found "rows"'),
        (0, 'hlo.kernel = "loops"', "which the compiler does not give to a module"),
        (1, 'hlo.kernel = "loops"', None),
        (1, 'hlo.kernel = "x"', "must be a kind of kernel"),
        (1, "hlo.scratch = -8 : i64", "must be an integer from 0"),
        (1, "hlo.unheard_of", "which the compiler does not give to a function"),
        (2, "hlo.tied = 0 : i64", None),
        (2, "hlo.tied = true", "must be an integer from 0"),
        (2, "hlo.kernel", "which the compiler does not give to an argument"),
        (4, "hlo.operand_types = [i32]", None),
        (4, "hlo.operand_types = [1]", "must be a list of types"),
    ],
)
def test_dumps_may(holder, attribute, words):
    found = findings(PROGRAMS[holder].replace("ATTRIBUTE", attribute))
    assert found == [] if words is None else words in found[0]


def test_constants_of_dumps():
    text = '"hlo.constant"() {value = dense<1> : tensor<1xi32>} : () -> ()'
    assert findings(text) == []
    assert "is unknown" in findings(text, in_dump=False)[0]


def test_the_table_has_every_attribute_that_the_code_names():
    used = set()
    for folder in ("lowering", "runtime"):
        for path in (ROOT / folder).rglob("*.py"):
            used |= set(
                re.findall(
                    r'attributes\["(hlo\.\w+)"\]|^(?:[A-Z_]+, )*[A-Z_]+ = (?:"hlo\.\w+", )*"(hlo\.\w+)"$',
                    path.read_text(),
                    re.M,
                )
            )
    named = {name for pair in used for name in pair if name}
    assert len(named) > 25
    named -= {"hlo.release", "hlo.spread"}  # targets
    assert named <= {name for names in TABLE.values() for name in names}


def test_every_phase_of_a_program_is_read_again():
    text = (ROOT / "examples/transformer.mlir").read_text()
    for target in ("cpu", "gpu"):
        phases = hlo.pipelines.target_pipeline(target)
        module, texts = hlo.parse(text), []
        hlo.pipelines.run(
            module,
            phases,
            on_phase=lambda _, m, texts=texts: texts.append(m.operation.get_asm(print_generic_op_form=True)),
        )
        for dump in texts:
            check(ir.Module.parse(dump, make_context()), in_dump=True)


@pytest.mark.parametrize("number, found", [("{hlo.number = 7 : i64}", "found 7"), ("", "found none")])
def test_numbers_of_custom_calls_are_those_of_the_module(number, found):
    """Edited text of the phase memory: the number says how large the results are."""
    text = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { %0 = stablehlo.custom_call @f(%x) : (tensor<4xf32>) -> tensor<4xf32> return %0 : tensor<4xf32> }"
    module, phases = hlo.parse(text), hlo.pipelines.target_pipeline("cpu")
    hlo.pipelines.run(module, phases, stop_after="memory")
    edited = str(module).replace("{hlo.number = 0 : i64}", number)
    assert edited != str(module)
    again = ir.Module.parse(edited, make_context())
    with pytest.raises(hlo.CompileError, match=f"one of the module's 1 expected, {found}"):
        hlo.pipelines.run(again, phases, start_from="memory")
