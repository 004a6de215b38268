"""Forms of while, reduce, convolution, composite and of the chlo, check and interpreter dialects."""

from __future__ import annotations

import re

from hlo.dialect.reader.attributes import convolution_dimensions
from hlo.dialect.reader.cursor import OP_NAME, STRING, Cursor, Unexpected, scalar_of, split_list
from hlo.dialect.reader.elementwise_forms import Clause, flag, number, read_clauses
from hlo.dialect.reader.rewriter import FORMS, Form, Region, Rewriter


def while_(reader: Rewriter, name: str) -> str:
    """`(%i = %start) : T cond {...} do {...}`: both regions take the named values."""
    reader.expect("(")
    names: list[str] = []
    starts: list[str] = []
    while not reader.accept(")"):
        if names:
            reader.expect(",")
        names.append(reader.value())
        reader.expect("=")
        starts.append(reader.value())
    types = []
    if names:
        reader.expect(":")
        types = reader.types()
    attributes = reader.dictionary() if reader.accept_word("attributes") else ""
    arguments = ", ".join(f"{n}: {t}" for n, t in zip(names, types))
    header = f"^bb0({arguments}):" if names else ""
    reader.expect_word("cond")
    condition = reader.region(header)
    reader.expect_word("do")
    body = reader.region(header)
    listed = ", ".join(types)
    return reader.write(name, starts, [attributes], f"({listed}) -> ({listed})", [condition, body])


def reduce(reader: Rewriter, name: str) -> str:
    """`(%a init: %b), ... applies stablehlo.add across dimensions = [0] : type`, or with a `reducer(...) {...}`."""
    inputs, starts = _reduce_operands(reader)
    applied = reader.match(OP_NAME, "the name of an op") if reader.accept_word("applies") else ""
    reader.expect_word("across")
    reader.expect_word("dimensions")
    reader.expect("=")
    attributes = [f"dimensions = {reader.i64_array()}", reader.dictionary()]
    reader.expect(":")
    type = reader.function_type()
    region = _applied_region(reader, applied, type) if applied else _reducer(reader)
    return reader.write(name, inputs + starts, attributes, type, [region])


def _reduce_operands(reader: Rewriter) -> tuple[list[str], list[str]]:
    inputs, starts = [], []
    while True:
        reader.expect("(")
        inputs.append(reader.value())
        reader.expect_word("init")
        reader.expect(":")
        starts.append(reader.value())
        reader.expect(")")
        if not reader.accept(","):
            return inputs, starts


def _applied_region(reader: Rewriter, applied: str, type: str) -> Region:
    """The region of `applies`: one op on two scalars."""
    inputs = split_list(Cursor(type).balanced()[1:-1])
    if not inputs or not inputs[0].startswith("tensor<"):
        raise Unexpected(f"expected a tensor as first operand type, found {type}", reader.statement_start)
    t = scalar_of(inputs[0])
    if t == "tensor<>":
        raise Unexpected(
            f"expected an element type in the first operand's type, found {inputs[0]!r}", reader.statement_start
        )
    body = f'%_r = "{applied}"(%_a, %_b) : ({t}, {t}) -> {t} "stablehlo.return"(%_r) : ({t}) -> ()'
    return reader.statement_start, f"^bb0(%_a: {t}, %_b: {t}): ", body


def _reducer(reader: Rewriter) -> Region:
    """`reducer(%a: A, %b: A) (%c: B, %d: B) {...}`: the block takes the first ones, then the second ones."""
    reader.expect_word("reducer")
    first: list[str] = []
    second: list[str] = []
    while reader.accept("("):
        first.append(_argument(reader))
        reader.expect(",")
        second.append(_argument(reader))
        reader.expect(")")
    return reader.region(f"^bb0({', '.join(first + second)}):")


def _argument(reader: Rewriter) -> str:
    name = reader.value()
    reader.expect(":")
    argument = f"{name}: {reader.type()}"
    if reader.accept_word("loc"):
        reader.skip()
        argument += " loc" + reader.balanced()
    return argument


_WINDOW_LISTS = {"stride": "window_strides", "lhs_dilate": "lhs_dilation", "rhs_dilate": "rhs_dilation"}
_MATRIX = re.compile(r"\[\s*(?:\[[-\d\s,]*\]\s*,?\s*)*\]")


def convolution(reader: Rewriter, name: str) -> str:
    """`(%a, %b) dim_numbers = [...]x[...]->[...], window = {stride = [..], ...} {attributes} : type`."""
    reader.expect("(")
    operands = reader.values()
    reader.expect(")")
    reader.expect_word("dim_numbers")
    reader.expect("=")
    dimensions = _dimension_numbers(reader)
    reader.expect(",")
    reader.expect_word("window")
    reader.expect("=")
    attributes = [f"dimension_numbers = {dimensions}", *_window(reader), reader.dictionary()]
    reader.expect(":")
    return reader.write(name, operands, attributes, reader.function_type())


def _dimension_numbers(reader: Rewriter) -> str:
    start = reader.position
    written = reader.match(
        re.compile(r"\[[^\]]*\]\s*x\s*\[[^\]]*\]\s*->\s*\[[^\]]*\]"),
        "dimensions like [b, 0, f]x[0, i, o]->[b, 0, f]",
    )
    return convolution_dimensions(written, start)


def _window(reader: Rewriter) -> list[str]:
    reader.expect("{")
    attributes: list[str] = []
    while not reader.accept("}"):
        if attributes:
            reader.expect(",")
        key = reader.match(re.compile(r"stride|pad|lhs_dilate|rhs_dilate|reverse"), "stride, pad, lhs_dilate, ...")
        reader.expect("=")
        attributes.append(_window_entry(reader, key))
    return attributes


def _window_entry(reader: Rewriter, key: str) -> str:
    if key == "pad":
        rows = reader.match(_MATRIX, "padding like [[1, 1], [0, 0]]")
        count = rows.count("[") - 1
        return f"padding = dense<{rows if count else ''}> : tensor<{count}x2xi64>"
    if key == "reverse":
        reader.skip()
        flags = split_list(reader.balanced()[1:-1])
        listed = ", ".join({"0": "false", "1": "true"}.get(f, f) for f in flags)
        return f"window_reversal = array<i1: {listed}>" if listed else "window_reversal = array<i1>"
    return f"{_WINDOW_LISTS[key]} = {reader.i64_array()}"


def composite(reader: Rewriter, name: str) -> str:
    """`"name" %a, %b (regions)? {attributes} : type`."""
    called = reader.match(STRING, "the composite's name in quotes")
    operands = reader.values()
    regions = reader.regions() if reader.accept("(") else []
    attributes = reader.dictionary()
    reader.expect(":")
    return reader.write(name, operands, [f"name = {called}", attributes], reader.function_type(), regions)


def arrow(reader: Rewriter, name: str) -> str:
    """chlo's `%a, %b : T, T -> R`, or a function type."""
    operands = reader.values()
    attributes = reader.dictionary()
    reader.expect(":")
    if reader.peek() == "(":
        return reader.write(name, operands, [attributes], reader.function_type())
    types = ", ".join(reader.types())
    reader.expect("->")
    return reader.write(name, operands, [attributes], f"({types}) -> {reader.result_types()}")


def top_k(reader: Rewriter, name: str) -> str:
    """`(%x, k = 2) : T -> (A, B)`."""
    reader.expect("(")
    operand = reader.value()
    clauses = (Clause("k", "k", number("i64")), Clause("is_stable", "is_stable", flag, optional=True))
    attributes = read_clauses(reader, clauses)
    reader.expect(")")
    attributes.append(reader.dictionary())
    reader.expect(":")
    type = reader.type()
    if not type.startswith("("):
        reader.expect("->")
        type = f"({type}) -> {reader.result_types()}"
    return reader.write(name, [operand], attributes, type)


def scan(reader: Rewriter, name: str) -> str:
    """`(inputs) inits (starts) dimension=0 attributes {...} {region} : type`."""
    reader.expect("(")
    inputs = reader.values()
    reader.expect(")")
    reader.expect_word("inits")
    reader.expect("(")
    starts = reader.values()
    reader.expect(")")
    reader.expect_word("dimension")
    reader.expect("=")
    dimension = f"dimension = {reader.integer()} : i64"
    attributes = reader.dictionary() if reader.accept_word("attributes") else ""
    region = reader.region()
    reader.expect(":")
    type = reader.function_type()
    results = type.rpartition("->")[2].strip()
    outputs = len(split_list(results[1:-1])) if results.startswith("(") else 1
    sizes = (
        f"operandSegmentSizes = array<i32: {len(inputs)}, {len(starts)}>, "
        f"resultSegmentSizes = array<i32: {outputs - len(starts)}, {len(starts)}>"
    )
    return reader.write(name, inputs + starts, [dimension, sizes, attributes], type, [region])


def expect_constant(reader: Rewriter, name: str) -> str:
    """`check.expect_eq_const %a, dense<1> : T`: the operand has the value's type."""
    operand = reader.value()
    reader.expect(",")
    value, type = reader.typed_attribute()
    clauses = (Clause("tolerance", "tolerance", number("f64"), optional=True),)
    attributes = [f"value = {value}", *read_clauses(reader, clauses), reader.dictionary()]
    return reader.write(name, [operand], attributes, f"({type}) -> ()")


def expectation(*clauses: Clause, result: bool = False) -> Form:
    """`%a, %b, tolerance = 0.1 {attributes} : T, T`; one type stands for all operands."""

    def form(reader: Rewriter, name: str) -> str:
        operands = reader.values()
        attributes = [*read_clauses(reader, clauses), reader.dictionary()]
        reader.expect(":")
        attributes.append(reader.dictionary())
        types = reader.types()
        if not operands or len(types) not in (1, len(operands)):
            wanted = f"operands, and one type or as many, found {len(operands)} operands and {len(types)} types"
            raise Unexpected(f"expected {wanted}", reader.statement_start)
        types = types * len(operands) if len(types) == 1 else types
        results = types[0] if result else "()"
        return reader.write(name, operands, attributes, f"({', '.join(types)}) -> {results}")

    return form


CHLO_ARROWS = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "bessel_i1e",
    "conj",
    "cosh",
    "sinh",
    "tan",
    "constant_like",
    "digamma",
    "erf",
    "erf_inv",
    "erfc",
    "is_inf",
    "is_neg_inf",
    "is_pos_inf",
    "lgamma",
    "square",
    "_asin_acos_kernel",
    "next_after",
    "polygamma",
    "zeta",
    "mulhi",
    "broadcast_add",
    "broadcast_atan2",
    "broadcast_divide",
    "broadcast_maximum",
    "broadcast_minimum",
    "broadcast_multiply",
    "broadcast_next_after",
    "broadcast_polygamma",
    "broadcast_power",
    "broadcast_remainder",
    "broadcast_shift_left",
    "broadcast_shift_right_arithmetic",
    "broadcast_shift_right_logical",
    "broadcast_subtract",
    "broadcast_zeta",
    "broadcast_and",
    "broadcast_or",
    "broadcast_xor",
    "broadcast_complex",
    "broadcast_select",
    "broadcast_compare",
]
TOLERANCE = Clause("tolerance", "tolerance", number("f64"), optional=True)
PROBE = Clause("probe_id", "probe_id", Rewriter.attribute)
FORMS.update({f"chlo.{op}": arrow for op in CHLO_ARROWS})
FORMS.update(
    {
        "stablehlo.while": while_,
        "stablehlo.reduce": reduce,
        "stablehlo.convolution": convolution,
        "stablehlo.composite": composite,
        "chlo.top_k": top_k,
        "chlo.scan": scan,
        "check.expect_eq_const": expect_constant,
        "check.expect_almost_eq_const": expect_constant,
        "check.expect_eq": expectation(),
        "check.expect_almost_eq": expectation(TOLERANCE),
        "check.expect_close": expectation(
            Clause("max_ulp_difference", "max_ulp_difference", number("ui64"), optional=True),
            Clause("min_ulp_difference", "min_ulp_difference", number("ui64"), optional=True),
        ),
        "check.expect_serialized_eq": expectation(PROBE, Clause("iter", "iteration", number("ui32"), optional=True)),
        "interpreter.print": expectation(result=True),
        "interpreter.probe": expectation(PROBE, result=True),
    }
)
