"""Forms of Shardy's ops, whose attributes stay as upstream spells them (dialect/sharding reads them).

sdy.mesh @mesh = <["x"=2]>                  "sdy.mesh"() {sym_name = "mesh", mesh = #sdy.mesh<["x"=2]>} : () -> ()
sdy.return %0 : T                           "sdy.return"(%0) : (T) -> ()"""

from __future__ import annotations

from hlo.dialect.reader.cursor import OP_NAME, STRING, WORD
from hlo.dialect.reader.rewriter import FORMS, Region, Rewriter


def mesh(reader: Rewriter, name: str) -> str:
    reader.expect("@")
    quoted = reader.peek() == '"'
    symbol = reader.match(STRING, "a name") if quoted else f'"{reader.match(OP_NAME, "the name of the mesh")}"'
    reader.expect("=")
    axes = _angles(reader)
    attributes = [f"sym_name = {symbol}", f"mesh = #sdy.mesh{axes}", reader.dictionary()]
    return reader.write(name, [], attributes, "() -> ()")


def resharding(reader: Rewriter, name: str) -> str:
    """`%a <@mesh, [{"x"}, {}]> : T`."""
    operand = reader.value()
    return _one_type(reader, name, operand, [f"sharding = #sdy.sharding{_angles(reader)}"], has_result=True)


def sharding_group(reader: Rewriter, name: str) -> str:
    """`%a group_id=3 : T`."""
    operand = reader.value()
    reader.expect_word("group_id")
    reader.expect("=")
    return _one_type(reader, name, operand, [f"group_id = {reader.integer()} : i64"], has_result=False)


def propagation_barrier(reader: Rewriter, name: str) -> str:
    """`%a allowed_direction=NONE : T`; the numbers are upstream's of the cases."""
    operand = reader.value()
    reader.expect_word("allowed_direction")
    reader.expect("=")
    start = reader.position
    case = reader.match(WORD, "the name of a direction")
    if case not in DIRECTIONS:
        reader.position = start
        raise reader.fail(f"one of {', '.join(DIRECTIONS)}")
    return _one_type(reader, name, operand, [f"allowed_direction = {DIRECTIONS.index(case)} : i32"], has_result=True)


def _one_type(reader: Rewriter, name: str, operand: str, attributes: list[str], *, has_result: bool) -> str:
    attributes = [*attributes, reader.dictionary()]
    reader.expect(":")
    type = reader.type()
    return reader.write(name, [operand], attributes, f"({type}) -> {type if has_result else '()'}")


def manual_computation(reader: Rewriter, name: str) -> str:
    """`(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[...] manual_axes={"x"} (%b: T) {...} : (...) -> ...`."""
    operands = _operands(reader)
    attributes = []
    for key in ("in_shardings", "out_shardings"):
        _keyword(reader, key)
        attributes.append(f"{key} = #sdy.sharding_per_value<{_brackets(reader, '[')}>")
    _keyword(reader, "manual_axes")
    attributes.append(f"manual_axes = #sdy<manual_axes{_brackets(reader, '{')}>")
    region = _body(reader)
    return _with_body(reader, name, operands, attributes, region)


def named_computation(reader: Rewriter, name: str) -> str:
    """`<"name">(%a) in_shardings=[...] (%b: T) {...} : (...) -> ...`; the shardings are optional."""
    reader.expect("<")
    attributes = [f"name = {reader.match(STRING, 'a name in quotes')}"]
    reader.expect(">")
    operands = _operands(reader)
    for key in ("in_shardings", "out_shardings"):
        if reader.accept_word(key):
            reader.expect("=")
            attributes.append(f"{key} = #sdy.sharding_per_value<{_brackets(reader, '[')}>")
    return _with_body(reader, name, operands, attributes, _body(reader))


def _keyword(reader: Rewriter, word: str) -> None:
    reader.expect_word(word)
    reader.expect("=")


def _operands(reader: Rewriter) -> list[str]:
    reader.expect("(")
    operands = reader.values()
    reader.expect(")")
    return operands


def _body(reader: Rewriter) -> Region:
    if reader.peek() != "(":
        raise reader.fail("the arguments of the body: '('")
    arguments = reader.balanced()[1:-1].strip()
    return reader.region(f"^bb0({arguments}):" if arguments else "")


def _with_body(reader: Rewriter, name: str, operands: list[str], attributes: list[str], region: Region) -> str:
    attributes = [*attributes, reader.dictionary()]
    reader.expect(":")
    return reader.write(name, operands, attributes, reader.function_type(), [region])


def returned(reader: Rewriter, name: str) -> str:
    operands = reader.values()
    attributes = reader.dictionary()
    types = ", ".join(reader.types()) if operands and reader.accept(":") else ""
    return reader.write(name, operands, [attributes], f"({types}) -> ()")


def _angles(reader: Rewriter) -> str:
    return _brackets(reader, "<")


def _brackets(reader: Rewriter, opening: str) -> str:
    if reader.peek() != opening:
        raise reader.fail(f"'{opening}'")
    return reader.balanced()


DIRECTIONS = ("NONE", "FORWARD", "BACKWARD", "BOTH")
"""Which ways a propagation barrier lets shardings pass, in upstream's order."""

FORMS.update(
    {
        "sdy.mesh": mesh,
        "sdy.sharding_constraint": resharding,
        "sdy.reshard": resharding,
        "sdy.sharding_group": sharding_group,
        "sdy.propagation_barrier": propagation_barrier,
        "sdy.manual_computation": manual_computation,
        "sdy.named_computation": named_computation,
        "sdy.return": returned,
    }
)
