"""Program texts with mistakes, made from good ones: a slip of the hand, a truncated file, an attack. Mutant N of a seed is the
same text in every run."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LONGEST = 20_000
"""Characters of the longest program that is mutated."""
TOKEN = re.compile(r'"[^"\n]*"|[%#@!^]?[\w.$]+|->|\s+|.', re.DOTALL)
TYPES = (
    *("tensor<f32>", "tensor<2xi1>", "tensor<0xi8>", "tensor<?x3xf64>", "tensor<2x2xcomplex<f32>>", "tensor<4xui4>"),
    *("tensor<*xf32>", "tensor<3xf8E4M3FN>", "tensor<2x!quant.uniform<i8:f32", " 0.1:3>>", "!stablehlo.token"),
    *("tuple<tensor<f32>>", "i32", "index", "none", "memref<2xf32>", "vector<2xf32>", "tensor<2xfoo>", "()"),
    *("tensor<2x9223372036854775807xi64>", "tensor<1x1x1x1x1x1x1x1xf16>", "tensor<4294967296xi8>", "tensor<2xi99999>"),
    *(
        "tensor<2xf32, #stablehlo.bounds<3>>",
        "tensor<?xf32, #stablehlo.bounds<3>>",
        "tensor<0x9223372036854775807xf32>",
    ),
    *("!stablehlo.future<tensor<f32>>", "tensor<2xtensor<f32>>", "tensor<2xindex>", "tensor<2xi128>", "memref<?xf32>"),
    *(
        "complex<f32>",
        "tensor<2xcomplex<i8>>",
        "tensor<2xtf32>",
        "!llvm.ptr",
        "tensor<2x!llvm.ptr>",
        "tensor<3xf4E2M1FN>",
    ),
)
ATTRIBUTES = (
    *(
        '"text"',
        "array<i64>",
        "array<i64: -1, 9223372036854775807>",
        "array<i64: 0, 0>",
        "array<i32: 1>",
        "array<i1: true>",
    ),
    *(
        "dense<0> : tensor<2x2xi64>",
        "dense<-1> : tensor<0x2xi64>",
        "dense<> : tensor<1x0xi64>",
        "dense<[]> : tensor<0xi64>",
    ),
    *(
        "true",
        "-1 : i64",
        "[]",
        "{}",
        "@main",
        "unit",
        "0x7FC00000 : f32",
        "i32",
        "@main::@main",
        "affine_map<(d0) -> (d0)>",
    ),
    *("9223372036854775807 : i64", "-9223372036854775808 : i64", "[[[[0]]]]", '{hlo.kernel = "loops"}', "1.0 : f64"),
    *(
        "array<i64: 4294967296>",
        "array<i64: 0>",
        "array<i64: 1, 1, 1>",
        "[1 : i64]",
        '["x"]',
        "dense<1> : tensor<1xi1>",
    ),
    *(
        "sparse<[[0]], [1]> : tensor<2xi64>",
        "dense_resource<x> : tensor<2xi64>",
        "strided<[1], offset: 2>",
        "loc(unknown)",
    ),
)
LITERALS = (
    *(
        "dense<true>",
        "dense<1.5>",
        "dense<-1>",
        "dense<(1,2)>",
        "dense<(1.0,2.0)>",
        'dense<"0x">',
        'dense<"0x00">',
        "dense<>",
    ),
    *(
        'dense<"0x0000803F">',
        'dense<"text">',
        "dense<[]>",
        "dense<[[]]>",
        "dense<[1,2,3]>",
        "dense<[[1,2],[3]]>",
        "dense<0x7F>",
    ),
    *(
        "dense<18446744073709551616>",
        "dense<1e400>",
        "dense<-0>",
        "dense<[(1,2),(3,4)]>",
        "sparse<[], []>",
        "sparse<0, 1>",
    ),
    *(
        "sparse<[[9]], [1]>",
        "dense_resource<x>",
        "dense<@main>",
        "dense<[true, 1.0]>",
        'dense<["a", "b"]>',
        "dense<0xFFFFFFFFFF>",
    ),
)
WORDS = (
    *(
        "",
        " ",
        "0",
        "-1",
        "18446744073709551616",
        "1e400",
        "%x",
        "{",
        "}",
        "(",
        ")",
        "<",
        ">",
        '"',
        "\0",
        "é",
        "loc(#x)",
    ),
    *(
        "dense<",
        "array<i64: ",
        "[",
        "]",
        "#a",
        "!a",
        "^bb0",
        "@main",
        "//",
        "\n",
        "tensor<",
        ":",
        ",",
        "=",
        "->",
        "0x",
        "?",
    ),
)
ELEMENTS = (
    *(
        "i1",
        "i2",
        "i4",
        "i8",
        "i16",
        "i32",
        "i64",
        "ui2",
        "ui4",
        "ui8",
        "ui16",
        "ui32",
        "ui64",
        "bf16",
        "f16",
        "f32",
        "f64",
    ),
    *("f8E4M3FN", "f8E5M2", "f8E8M0FNU", "f6E2M3FN", "f4E2M1FN", "complex<f32>", "complex<f64>"),
)
COMPILER_ATTRIBUTES = (
    *(
        "hlo.in_donated = array<i64: 0, 0>",
        'hlo.kernel = "loops"',
        "hlo.tied = 0 : i64",
        "hlo.scratch = -8 : i64",
        "hlo.layer",
    ),
    *("hlo.may_alias = array<i64: 9>", 'hlo.custom_call = "x"', "hlo.donated = array<i64: 0>", "hlo.arena = 1 : i64"),
    *(
        "llvm.emit_c_interface",
        "mhlo.num_replicas = -1 : i32",
        "mhlo.num_partitions = 0 : i32",
        "tf.aliasing_output = 7 : i32",
    ),
)
NUMBERS = ("0", "-1", "1", "2", "3", "7", "4294967296", "9223372036854775807", "-9223372036854775808", "1e5")
SMALL_NUMBERS = ("0", "1", "2", "3", "5", "8", "17", "-1")
TYPE = re.compile(r"tensor<[^<>\n]*(?:<[^<>\n]*>[^<>\n]*)?>")
ATTRIBUTE = re.compile(
    r"(?<= = )(?:array<[^<>\n]*>|dense<[^<>\n]*> : tensor<[^<>\n]*>|[-\w]+ : [if]\d+|true|false|\[[^\]\n]*\])"
)
LITERAL = re.compile(r"dense<[^<>\n]*>")
NUMBER = re.compile(r"(?<![\w%.])-?\d+(?![\w.])|(?<=x)\d+(?=x)|(?<=<)\d+(?=x)")
ELEMENT = re.compile(r"(?<=[x<])(?:u?i\d+|bf16|f\d+(?:E\w+)?|complex<f\d+>)(?=[>,])")

Mutation = Callable[[str, random.Random], str]


@cache
def seeds() -> list[str]:
    """The parts of the project's own programs."""
    texts = []
    for folder in ("test/e2e", "test/dialect", "examples"):
        for path in sorted((ROOT / folder).rglob("*.mlir")):
            texts += path.read_text().split("// -----")
    return [t for t in texts if t.strip() and len(t) < LONGEST and "expected-error" not in t]


def mutant(seed: int, number: int) -> str:
    """Text `number` of a seed: a good one with one to three mutations."""
    choose = random.Random(f"{seed}:{number}")
    return changed(choose.choice(seeds()), (*FORM_BREAKING, *FORM_KEEPING), choose)


def changed(text: str, mutations: tuple[Mutation, ...], choose: random.Random) -> str:
    for _ in range(choose.choice((1, 1, 2, 3))):
        text = choose.choice(mutations)(text, choose)
    return text


def _characters(text: str, choose: random.Random) -> str:
    """One character lost, doubled, or another."""
    position = choose.randrange(len(text) or 1)
    new = choose.choice(("", text[position : position + 1] * 2, chr(choose.randrange(32, 127))))
    return text[:position] + new + text[position + 1 :]


def _truncate(text: str, choose: random.Random) -> str:
    return text[: choose.randrange(len(text) or 1)]


def _tokens(text: str, choose: random.Random) -> str:
    """A token lost, replaced by a word or by another token of the program, or two swapped."""
    tokens = TOKEN.findall(text) or [""]
    first, second = choose.randrange(len(tokens)), choose.randrange(len(tokens))
    kind = choose.randrange(4)
    if kind == 0:
        tokens[first] = ""
    elif kind == 1:
        tokens[first] = choose.choice(WORDS)
    elif kind == 2:
        tokens[first] = tokens[second]
    else:
        tokens[first], tokens[second] = tokens[second], tokens[first]
    return "".join(tokens)


def _lines(text: str, choose: random.Random) -> str:
    """A line lost, doubled or moved."""
    lines = text.split("\n")
    line = lines.pop(choose.randrange(len(lines)))
    for _ in range(choose.choice((0, 1, 2))):
        lines.insert(choose.randrange(len(lines) + 1), line)
    return "\n".join(lines)


def _splice(text: str, choose: random.Random) -> str:
    """A few lines of another program."""
    lines, others = text.split("\n"), choose.choice(seeds()).split("\n")
    start = choose.randrange(len(others))
    position = choose.randrange(len(lines) + 1)
    lines[position:position] = others[start : start + choose.choice((1, 1, 3, 10))]
    return "\n".join(lines)


def _nest(text: str, choose: random.Random) -> str:
    """A part within many brackets, or a sign before it many times."""
    position = choose.randrange(len(text) + 1)
    end = min(len(text), position + choose.choice((0, 1, 5, 40)))
    count = choose.choice((1, 2, 20, 300, 5_000))
    opening, closing = choose.choice(
        (("[", "]"), ("{", "}"), ("(", ")"), ("<", ">"), ("tuple<", ">"), ("-", ""), ("#", ""))
    )
    return text[:position] + opening * count + text[position:end] + closing * count + text[end:]


def replaced(
    pattern: re.Pattern[str], values: tuple[str, ...], text: str, choose: random.Random, others: bool = True
) -> str:
    """One match replaced by a value, or by another match."""
    matches = list(pattern.finditer(text))
    if not matches:
        return text
    found = choose.choice(matches)
    value = choose.choice([*values, choose.choice(matches).group()] if others else values)
    return text[: found.start()] + value + text[found.end() :]


def _everywhere(pattern: re.Pattern[str], values: tuple[str, ...], text: str, choose: random.Random) -> str:
    """All matches that are equal to one replaced by a value: types go on to agree with each other."""
    matches = list(pattern.finditer(text))
    if not matches:
        return text
    old, new = choose.choice(matches).group(), choose.choice(values)
    return pattern.sub(lambda found: new if found.group() == old else found.group(), text)


def _numbers(text: str, choose: random.Random) -> str:
    return replaced(NUMBER, NUMBERS, text, choose)


def small_numbers(text: str, choose: random.Random) -> str:
    return replaced(NUMBER, SMALL_NUMBERS, text, choose)


def sizes(text: str, choose: random.Random) -> str:
    return _everywhere(NUMBER, choose.choice((SMALL_NUMBERS, SMALL_NUMBERS, NUMBERS)), text, choose)


def elements(text: str, choose: random.Random) -> str:
    return _everywhere(ELEMENT, ELEMENTS, text, choose)


def _one_element(text: str, choose: random.Random) -> str:
    return replaced(ELEMENT, ELEMENTS, text, choose)


def _types(text: str, choose: random.Random) -> str:
    return replaced(TYPE, TYPES, text, choose)


def attributes(text: str, choose: random.Random) -> str:
    return replaced(ATTRIBUTE, ATTRIBUTES, text, choose)


def _literals(text: str, choose: random.Random) -> str:
    return replaced(LITERAL, LITERALS, text, choose)


def _operations(text: str, choose: random.Random) -> str:
    """An op's name for another one's."""
    return replaced(
        re.compile(r"(?:stablehlo|chlo)\.\w+"), ("stablehlo.tuple", "stablehlo.while", "func.call"), text, choose
    )


def operands(text: str, choose: random.Random) -> str:
    """A value for another one."""
    return replaced(re.compile(r"%[\w]+"), (), text, choose)


def _foreign_attributes(text: str, choose: random.Random) -> str:
    """An attribute of the compiler's own, or one that frameworks write, at a dictionary."""
    value = choose.choice(COMPILER_ATTRIBUTES)
    added = replaced(re.compile(r"(?<=[\w\"]\) )\{(?=\w)"), (f"{{{value}, ",), text, choose, others=False)
    return added if added != text else f"module attributes {{{value}}} {{\n{text}\n}}"


FORM_BREAKING: tuple[Mutation, ...] = (_characters, _truncate, _tokens, _lines, _splice, _nest)
FORM_KEEPING: tuple[Mutation, ...] = (
    *(_numbers, small_numbers, small_numbers, sizes, sizes, elements, elements, _one_element, _types),
    *(attributes, attributes, _literals, _operations, _operations, operands, operands, _foreign_attributes),
)
