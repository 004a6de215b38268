"""Forms with operands, clauses `keyword = value` between commas, and a type: most ops are rows of the tables here."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from hlo.dialect.reader.cursor import INTEGER, NUMBER, WORD
from hlo.dialect.reader.rewriter import FORMS, ONE_LINERS, Form, Rewriter


def same_types(operands: int, type: str) -> str:
    """The function type when one type was written for all operands and the result."""
    return type if type.startswith("(") else f"({', '.join([type] * operands)}) -> {type}"


def number(type: str) -> Callable[[Rewriter], str]:
    pattern, what = (NUMBER, "a number") if type.startswith("f") else (INTEGER, "an integer")
    return lambda reader: f"{reader.match(pattern, what)} : {type}"


def enum_case(reader: Rewriter) -> str:
    return f'"{reader.match(WORD, "the name of a case")}"'


def flag(reader: Rewriter) -> str:
    return reader.match(re.compile(r"(?:true|false)\b"), "'true' or 'false'")


@dataclass(frozen=True)
class Clause:
    """`, keyword = value`, which becomes the attribute `name`."""

    keyword: str
    name: str
    read: Callable[[Rewriter], str]
    optional: bool = False


def clause_form(*clauses: Clause, one_type: bool = False) -> Form:
    """`%a, %b, keyword = value {attributes} : type`."""

    def form(reader: Rewriter, name: str) -> str:
        operands = reader.values()
        attributes = read_clauses(reader, clauses, leading_comma=bool(operands))
        attributes.append(reader.dictionary())
        reader.expect(":")
        type = same_types(len(operands), reader.type()) if one_type else reader.function_type()
        return reader.write(name, operands, attributes, type)

    return form


def read_clauses(reader: Rewriter, clauses: tuple[Clause, ...], leading_comma: bool = True) -> list[str]:
    attributes = []
    for clause in clauses:
        start = reader.position
        if leading_comma and not clause.optional:
            reader.expect(",")
        elif leading_comma:
            reader.accept(",")
        leading_comma = True
        if clause.optional and not reader.accept_word(clause.keyword):
            reader.position = start
            continue
        if not clause.optional:
            reader.expect_word(clause.keyword)
        reader.expect("=")
        attributes.append(f"{clause.name} = {clause.read(reader)}")
    return attributes


def _exponent_and_mantissa(reader: Rewriter) -> str:
    format = reader.match(re.compile(r"e\d+m\d+\b"), "a format like e8m10")
    exponent, mantissa = format[1:].split("m")
    return f"{exponent} : i32, mantissa_bits = {mantissa} : i32"


ONE_TYPE = [
    "abs",
    "cbrt",
    "ceil",
    "convert",
    "count_leading_zeros",
    "cosine",
    "exponential",
    "exponential_minus_one",
    "floor",
    "imag",
    "log",
    "log_plus_one",
    "logistic",
    "not",
    "negate",
    "popcnt",
    "real",
    "round_nearest_afz",
    "round_nearest_even",
    "rsqrt",
    "sign",
    "sine",
    "sqrt",
    "tan",
    "tanh",
    "uniform_quantize",
    "uniform_dequantize",
    "add",
    "atan2",
    "divide",
    "maximum",
    "minimum",
    "multiply",
    "power",
    "remainder",
    "shift_left",
    "shift_right_arithmetic",
    "shift_right_logical",
    "subtract",
    "and",
    "or",
    "xor",
    "clamp",
    "after_all",
]
FUNCTION_TYPE = [
    "is_finite",
    "dynamic_update_slice",
    "bitcast_convert",
    "reshape",
    "dynamic_reshape",
    "real_dynamic_slice",
    "dynamic_pad",
]
ARRAY, I64 = Rewriter.i64_array, number("i64")
WITH_CLAUSES = {
    "broadcast_in_dim": (Clause("dims", "broadcast_dimensions", ARRAY),),
    "dynamic_broadcast_in_dim": (Clause("dims", "broadcast_dimensions", ARRAY),),
    "transpose": (Clause("dims", "permutation", ARRAY),),
    "broadcast": (Clause("sizes", "broadcast_sizes", ARRAY),),
    "dynamic_slice": (Clause("sizes", "slice_sizes", ARRAY),),
    "concatenate": (Clause("dim", "dimension", I64),),
    "get_dimension_size": (Clause("dim", "dimension", I64),),
    "set_dimension_size": (Clause("dim", "dimension", I64),),
    "dynamic_iota": (Clause("dim", "iota_dimension", I64),),
    "pad": (
        Clause("low", "edge_padding_low", ARRAY),
        Clause("high", "edge_padding_high", ARRAY),
        Clause("interior", "interior_padding", ARRAY),
    ),
    "fft": (Clause("type", "fft_type", enum_case), Clause("length", "fft_length", ARRAY)),
    "rng": (Clause("distribution", "rng_distribution", enum_case),),
    "rng_bit_generator": (Clause("algorithm", "rng_algorithm", enum_case),),
    "einsum": (Clause("config", "einsum_config", Rewriter.attribute),),
    "unary_einsum": (Clause("config", "einsum_config", Rewriter.attribute),),
}
ONE_TYPE_WITH_CLAUSES = {
    "reverse": (Clause("dims", "dimensions", ARRAY),),
    "cholesky": (Clause("lower", "lower", flag, optional=True),),
    "reduce_precision": (Clause("format", "exponent_bits", _exponent_and_mantissa),),
}

FORMS.update({f"stablehlo.{op}": clause_form(one_type=True) for op in ONE_TYPE})
FORMS.update({f"stablehlo.{op}": clause_form() for op in FUNCTION_TYPE})
FORMS.update({f"stablehlo.{op}": clause_form(*clauses) for op, clauses in WITH_CLAUSES.items()})
FORMS.update({f"stablehlo.{op}": clause_form(*clauses, one_type=True) for op, clauses in ONE_TYPE_WITH_CLAUSES.items()})
ONE_LINERS.update(f"stablehlo.{op}" for op in ONE_TYPE + FUNCTION_TYPE)
ONE_LINERS.discard("stablehlo.is_finite")
