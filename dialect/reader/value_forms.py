"""Forms of constants, selections, slices and tuples: operands, attributes or types are recovered from what stands
in the short form."""

from __future__ import annotations

import re

from hlo.dialect.reader.cursor import OP_NAME, STRING, WORD, i64_array
from hlo.dialect.reader.elementwise_forms import same_types
from hlo.dialect.reader.rewriter import FORMS, Rewriter


def constant(reader: Rewriter, name: str) -> str:
    """`{attributes} dense<1> : tensor<2xi32>`, or old `() {value = ...} : () -> T`."""
    if reader.peek() == "(":
        return _constant_with_parentheses(reader, name)
    attributes = reader.dictionary()
    value, type = reader.typed_attribute()
    return reader.write(name, [], [f"value = {value}", attributes], f"() -> {type}")


def _constant_with_parentheses(reader: Rewriter, name: str) -> str:
    reader.expect("(")
    reader.expect(")")
    properties = ""
    if reader.accept("<"):
        properties = reader.dictionary()
        reader.expect(">")
    attributes = reader.dictionary()
    reader.expect(":")
    return reader.write(name, [], [properties, attributes], reader.function_type())


def iota(reader: Rewriter, name: str) -> str:
    reader.expect_word("dim")
    reader.expect("=")
    dimension = f"iota_dimension = {reader.integer()} : i64"
    attributes = reader.dictionary()
    reader.expect(":")
    return reader.write(name, [], [dimension, attributes], f"() -> {reader.type()}")


def no_operands(reader: Rewriter, name: str) -> str:
    attributes = reader.dictionary()
    reader.expect(":")
    return reader.write(name, [], [attributes], f"() -> {reader.type()}")


def compare(reader: Rewriter, name: str) -> str:
    """`LT, %a, %b, SIGNED : (...) -> ...`."""
    direction = reader.match(WORD, "a comparison direction (EQ, NE, GE, GT, LE, LT)")
    reader.expect(",")
    lhs = reader.value()
    reader.expect(",")
    operands = [lhs, reader.value()]
    attributes = [f'comparison_direction = "{direction}"']
    if reader.accept(","):
        kind = reader.match(WORD, "a comparison type (FLOAT, TOTALORDER, WEAKORDER, SIGNED, UNSIGNED)")
        attributes.append(f'compare_type = "{kind}"')
    attributes.append(reader.dictionary())
    reader.expect(":")
    return reader.write(name, operands, attributes, reader.function_type())


def select(reader: Rewriter, name: str) -> str:
    """`%p, %a, %b : P, T`."""
    operands = reader.values()
    attributes = reader.dictionary()
    reader.expect(":")
    types = reader.types()
    if len(types) == 2:
        predicate, type = types
        types = [f"({predicate}, {type}, {type}) -> {type}"]
    elif len(types) != 1 or not types[0].startswith("("):
        raise reader.fail("two types (predicate, value) or a function type")
    return reader.write(name, operands, [attributes], types[0])


_COMPLEX = re.compile(r"complex<(\w+)>")


def complex_number(reader: Rewriter, name: str) -> str:
    """`%re, %im : T`: the operands have the real type of T."""
    operands = reader.values()
    attributes = reader.dictionary()
    reader.expect(":")
    type = reader.type()
    if not type.startswith("("):
        real = _COMPLEX.sub(r"\1", type, count=1)
        type = f"({real}, {real}) -> {type}"
    return reader.write(name, operands, [attributes], type)


def slice_(reader: Rewriter, name: str) -> str:
    """`%a [0:3, 1:4:2] : ...`."""
    operand = reader.value()
    reader.expect("[")
    starts: list[str] = []
    limits: list[str] = []
    strides: list[str] = []
    while not reader.accept("]"):
        if starts:
            reader.expect(",")
        starts.append(reader.integer())
        reader.expect(":")
        limits.append(reader.integer())
        strides.append(reader.integer() if reader.accept(":") else "1")
    lists = (("start_indices", starts), ("limit_indices", limits), ("strides", strides))
    attributes = [f"{key} = {i64_array('[' + ', '.join(values) + ']')}" for key, values in lists]
    attributes.append(reader.dictionary())
    reader.expect(":")
    return reader.write(name, [operand], attributes, reader.function_type())


def tuple_(reader: Rewriter, name: str) -> str:
    """`%a, %b : tuple<A, B>`: the operands' types are the tuple's."""
    operands = reader.values()
    attributes = reader.dictionary()
    reader.expect(":")
    type = reader.type()
    if not type.startswith("("):
        if not type.startswith("tuple<"):
            raise reader.fail("a type tuple<...> before this")
        type = f"({type[6:-1]}) -> {type}"
    return reader.write(name, operands, [attributes], type)


def get_tuple_element(reader: Rewriter, name: str) -> str:
    operand = reader.value()
    reader.expect("[")
    index = f"index = {reader.integer()} : i32"
    reader.expect("]")
    attributes = reader.dictionary()
    reader.expect(":")
    return reader.write(name, [operand], [index, attributes], reader.function_type())


def optimization_barrier(reader: Rewriter, name: str) -> str:
    attributes = reader.dictionary()
    if reader.accept("("):
        reader.expect(")")
        return reader.write(name, [], [attributes], "() -> ()")
    operands = reader.values()
    attributes = attributes or reader.dictionary()
    reader.expect(":")
    types = ", ".join(reader.types())
    return reader.write(name, operands, [attributes], types if "->" in types else f"({types}) -> ({types})")


def return_(reader: Rewriter, name: str) -> str:
    operands = reader.values()
    attributes = reader.dictionary()
    types = reader.types() if reader.accept(":") else []
    return reader.write(name, operands, [attributes], f"({', '.join(types)}) -> ()")


def custom_call(reader: Rewriter, name: str) -> str:
    """`@target(%a) {attributes} : (...) -> ...`."""
    reader.expect("@")
    quoted = reader.peek() == '"'
    target = reader.match(STRING, "a name") if quoted else f'"{reader.match(OP_NAME, "the name of the target")}"'
    reader.expect("(")
    operands = reader.values()
    reader.expect(")")
    attributes = reader.dictionary()
    reader.expect(":")
    return reader.write(name, operands, [f"call_target_name = {target}", attributes], reader.function_type())


def dot(reader: Rewriter, name: str) -> str:
    operands = reader.values()
    attributes = precision_and_algorithm(reader)
    attributes.append(reader.dictionary())
    reader.expect(":")
    return reader.write(name, operands, attributes, same_types(len(operands), reader.function_type()))


def precision_and_algorithm(reader: Rewriter) -> list[str]:
    """`, precision = [HIGH, HIGH], algorithm = <...>`, both optional."""
    attributes = []
    while reader.accept(","):
        if reader.accept_word("precision"):
            reader.expect("=")
            reader.expect("[")
            reader.position -= 1
            cases = WORD.findall(reader.balanced())
            attributes.append("precision_config = [" + ", ".join(f'"{c}"' for c in cases) + "]")
        elif reader.accept_word("algorithm"):
            reader.expect("=")
            if reader.peek() != "<":
                raise reader.fail("'<'")
            attributes.append("algorithm = #stablehlo.dot_algorithm" + reader.balanced())
        else:
            raise reader.fail("'precision' or 'algorithm'")
    return attributes


def _pair_of_lists(reader: Rewriter) -> tuple[str, str]:
    """`= [0] x [1]`."""
    reader.expect("=")
    lhs = reader.integers()
    reader.expect("x")
    return lhs, reader.integers()


def dot_general(reader: Rewriter, name: str) -> str:
    """`%a, %b, batching_dims = [0] x [0], contracting_dims = [1] x [0], precision = [...]`."""
    operands = reader.values()
    reader.expect(",")
    batching = ("[]", "[]")
    if reader.accept_word("batching_dims"):
        batching = _pair_of_lists(reader)
        reader.expect(",")
    reader.expect_word("contracting_dims")
    contracting = _pair_of_lists(reader)
    names = ("lhs_batching", "rhs_batching", "lhs_contracting", "rhs_contracting")
    dims = ", ".join(f"{n}_dimensions = {i64_array(v)}" for n, v in zip(names, batching + contracting))
    attributes = [f"dot_dimension_numbers = {{{dims}}}", *precision_and_algorithm(reader)]
    attributes.append(reader.dictionary())
    reader.expect(":")
    return reader.write(name, operands, attributes, reader.function_type())


FORMS.update(
    {
        "stablehlo.constant": constant,
        "chlo.constant": constant,
        "stablehlo.iota": iota,
        "stablehlo.create_token": no_operands,
        "stablehlo.replica_id": no_operands,
        "stablehlo.partition_id": no_operands,
        "stablehlo.compare": compare,
        "stablehlo.select": select,
        "stablehlo.complex": complex_number,
        "stablehlo.slice": slice_,
        "stablehlo.tuple": tuple_,
        "stablehlo.get_tuple_element": get_tuple_element,
        "stablehlo.optimization_barrier": optimization_barrier,
        "stablehlo.return": return_,
        "stablehlo.custom_call": custom_call,
        "stablehlo.dot": dot,
        "stablehlo.dot_general": dot_general,
    }
)
