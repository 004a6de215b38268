"""Programs with small mistakes, made from good ones: what a slip of the hand, a truncated file or another tool's dialect
looks like. Deterministic: mutation N is the same program in every run.

    python test/python/mutations.py compile 0 100       one line a program: its number and outcome (a worker)"""

from __future__ import annotations

import random
import re
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOKEN = re.compile(r'"[^"\n]*"|[%#@!^]?[\w.$]+|->|\s+|.', re.DOTALL)
TYPES = [
    "tensor<f32>",
    "tensor<2xi1>",
    "tensor<0xi8>",
    "tensor<?x3xf64>",
    "tensor<2x2xcomplex<f32>>",
    "tensor<4xui4>",
    "tensor<*xf32>",
    "tensor<3xf8E4M3FN>",
    "tensor<2x!quant.uniform<i8:f32",
    " 0.1:3>>",
    "!stablehlo.token",
    "tuple<tensor<f32>>",
    "i32",
    "index",
    "none",
    "memref<2xf32>",
    "vector<2xf32>",
    "tensor<2x9223372036854775807xi64>",
    "tensor<1x1x1x1x1x1x1x1xf16>",
    "tensor<2xfoo>",
    "()",
]
ATTRIBUTES = (
    '"text"',
    "array<i64>",
    "array<i64: -1, 9223372036854775807>",
    "array<i64: 0, 0>",
    "array<i32: 1>",
    "dense<0> : tensor<2x2xi64>",
    "dense<-1> : tensor<0x2xi64>",
    "true",
    "-1 : i64",
    "[]",
    "{}",
    "@main",
    "unit",
    "0x7FC00000 : f32",
    "i32",
)
WORDS = (
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
)
TYPE = re.compile(r"tensor<[^<>\n]*(?:<[^<>\n]*>[^<>\n]*)?>")
ATTRIBUTE = re.compile(
    r"(?<= = )(?:array<[^<>\n]*>|dense<[^<>\n]*> : tensor<[^<>\n]*>|[-\w]+ : [if]\d+|true|false|\[[^\]\n]*\])"
)


@cache
def seeds() -> list[str]:
    """The parts of the project's own programs, none longer than 20,000 characters."""
    texts = []
    for folder in ("test/e2e", "test/dialect", "examples"):
        for path in sorted((ROOT / folder).rglob("*.mlir")):
            texts += path.read_text().split("// -----")
    return [t for t in texts if t.strip() and len(t) < 20_000 and "expected-error" not in t]


def mutant(number: int) -> str:
    """Program `number`: a good one with one to three mutations."""
    choose = random.Random(number)
    text = choose.choice(seeds())
    for _ in range(choose.choice((1, 1, 2, 3))):
        text = choose.choice(MUTATIONS)(text, choose)
    return text


def _characters(text: str, choose: random.Random) -> str:
    """One character lost, doubled, or another."""
    place = choose.randrange(len(text) or 1)
    return (
        text[:place]
        + choose.choice(("", text[place : place + 1] * 2, chr(choose.randrange(32, 127))))
        + text[place + 1 :]
    )


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


def _numbers(text: str, choose: random.Random) -> str:
    numbers = list(re.finditer(r"(?<![\w%])-?\d+", text))
    if not numbers:
        return text
    found = choose.choice(numbers)
    value = choose.choice(("0", "-1", "1", "7", "4294967296", "9223372036854775807", "-9223372036854775808", "1e5"))
    return text[: found.start()] + value + text[found.end() :]


def _replace(pattern: re.Pattern[str], values: tuple[str, ...] | list[str], text: str, choose: random.Random) -> str:
    places = list(pattern.finditer(text))
    if not places:
        return text
    found = choose.choice(places)
    value = choose.choice([*values, choose.choice(places).group()])
    return text[: found.start()] + value + text[found.end() :]


def _types(text: str, choose: random.Random) -> str:
    return _replace(TYPE, TYPES, text, choose)


def _attributes(text: str, choose: random.Random) -> str:
    return _replace(ATTRIBUTE, ATTRIBUTES, text, choose)


def _operations(text: str, choose: random.Random) -> str:
    """An op's name for another one's."""
    return _replace(re.compile(r"stablehlo\.\w+"), ["stablehlo.tuple", "stablehlo.while", "func.call"], text, choose)


MUTATIONS = (_characters, _truncate, _tokens, _lines, *(3 * [_numbers, _attributes, _types, _operations]))


def outcome(text: str, compiled: bool) -> str:
    """The name of the error, or "ok". Anything that is no HloError leaves as it is: a bug."""
    import hlo
    from hlo.errors import HloError

    try:
        module = hlo.parse(text, "mutant.mlir")
        if compiled:
            entries = [f.name.value for f in module.body.operations if f.operation.name == "func.func"]
            for entry in entries[:1]:
                hlo.compile(module, entry=entry)
    except HloError as error:
        assert str(error).strip(), "an error without words"
        return type(error).__name__
    return "ok"


def main(kind: str, start: str, stop: str) -> None:
    for number in range(int(start), int(stop)):
        print(number, "starts", flush=True)
        try:
            result = outcome(mutant(number), kind == "compile")
        except Exception as error:
            result = f"BUG {type(error).__name__}: {str(error)[:200]!r}"
        print(number, result, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
