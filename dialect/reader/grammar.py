"""What the specification's grammar writes otherwise than MLIR, in MLIR's spelling.

    stablehlo.func @f() -> token, tensor<2xsi32> {     func.func @f() -> (!stablehlo.token, tensor<2xi32>) {
    dense<[+1, 2e-3]> : tensor<2xf32>                  dense<[1.0, 2.0e-3]> : tensor<2xf32>

All functions take text without comments, keep every character's line, and leave strings alone."""

from __future__ import annotations

import re

from hlo.dialect.cursor import Cursor, Unexpected

_STRING = r'"[^"\\\n]*(?:\\.[^"\\\n]*)*"'
_SIGNED = re.compile(rf"{_STRING}|(?<![A-Za-wyz0-9_.$%@#!-])((?:[\d?]+x)*)s(i(?:2|4|8|16|32|64))\b(?!\s*[=(])")
_SIGNED_NAME = re.compile(r"si(?:2|4|8|16|32|64)(?!\w)")


def with_signless_integers(text: str) -> str:
    """`si32`, the specification's signed integer, as `i32`, which its own examples write and MLIR calls signless."""
    if not _SIGNED_NAME.search(text):
        return text
    return _SIGNED.sub(lambda found: found[0] if found[2] is None else found[1] + found[2], text)


_LITERAL = re.compile(
    rf"(\bdense\s*<(?:{_STRING}|[^<>\"])*>\s*:\s*)(![\w$.-]+(?![\w$.<-])|tensor\s*<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>)"
)
"""Elements and their type, which may be an alias."""
_QUANTIZED = re.compile(r"!quant\.uniform\s*<\s*([su]?)i?(\d+)\s*(?:<[^<>]*>)?[^<>]*>")
_ALIAS = re.compile(r"^\s*(![\w$-]+)\s*=\s*([^!\n]*![^!\n]*)$", re.MULTILINE)
"""One with a single type within, so that what it stands for is never much longer than the text."""
_ALIAS_USE = re.compile(r"![\w$-]+(?![\w$.<-])")


def with_stored_elements(text: str) -> str:
    """Literals of quantized tensors, whose elements are stored integers, in the type that these have."""
    if "!quant." not in text:
        return text
    aliases = dict(_ALIAS.findall(text))
    return _LITERAL.sub(lambda found: found[1] + _stored(found[2], aliases), text)


def _stored(type: str, aliases: dict[str, str]) -> str:
    """The type of stored integers for that of a quantized tensor; other types stay."""
    written = type
    for _ in range(3):  # aliases of aliases: of a tensor, of its elements
        written = _ALIAS_USE.sub(lambda use: aliases.get(use[0], use[0]), written)
    if not _QUANTIZED.search(written):
        return type
    return _QUANTIZED.sub(lambda found: f"{'u' if found[1] == 'u' else ''}i{found[2]}", written)


def respelt(text: str) -> str:
    """A text in generic form that MLIR's parser refused, with numbers, tokens and outputs of functions as MLIR has them.
    Called only then: what MLIR can read costs nothing."""
    return _with_floats(_STEPS.sub(_step, _with_parentheses(text)))


_STEPS = re.compile(
    rf"{_STRING}"
    r"|(?P<token>[:(,<>]\s*)token(?![\w$.-]|\s*[=(<])"
    r"|(?P<plus>[\[(,<:=]\s*)\+(?=\d)"
    r"|(?<![\w.$%@#])(?P<whole>\d+)(?P<exponent>[eE][-+]?\d+)\b"
    r"|(?<![\w.$%@#])(?P<number>\d+)(?P<type>\s*:\s*(?:bf16|f\d\w*)\b)"
)


def _step(found: re.Match[str]) -> str:
    if found["token"]:
        return f"{found['token']}!stablehlo.token"
    if found["plus"]:
        return found["plus"]
    if found["whole"]:
        return f"{found['whole']}.0{found['exponent']}"
    return f"{found['number']}.0{found['type']}" if found["number"] else found[0]


_DENSE = re.compile(r'dense<([^"<>]*)>\s*:\s*tensor<[^<>"]*?(?:complex<\w+>|(?<![A-Za-wyz])(?:bf16|f\d\w*))')
_INTEGER = re.compile(r"(?<![\w.+-])(-?\d+)(?![\w.])")


def _with_floats(text: str) -> str:
    """`dense<5> : tensor<f32>` as `dense<5.0> : tensor<f32>`."""

    def floats(found: re.Match[str]) -> str:
        start, end = found.span(1)
        return text[found.start() : start] + _INTEGER.sub(r"\1.0", found[1]) + text[end : found.end()]

    return _DENSE.sub(floats, text)


_FUNCTION = re.compile(rf"{_STRING}|\bfunc\.func\b[^(\"\n]*(?=\()")


def _with_parentheses(text: str) -> str:
    """`-> A, B {` behind a function's inputs as `-> (A, B) {`."""
    pieces, copied = [], 0
    for found in _FUNCTION.finditer(text):
        outputs = None if found[0][0] == '"' else _outputs(text, found.end())
        if outputs:
            start, end = outputs
            pieces += [text[copied:start], f"({text[start:end]})"]
            copied = end
    return "".join([*pieces, text[copied:]])


def _outputs(text: str, position: int) -> tuple[int, int] | None:
    """Where several outputs without parentheses begin and end, behind inputs that begin at a position."""
    cursor = Cursor(text, position)
    try:
        cursor.balanced()
        if not cursor.accept("->") or cursor.peek() == "(":
            return None
        start = cursor.position
        return (start, cursor.position) if len(cursor.types()) > 1 else None
    except Unexpected:
        return None


_FLOAT_BITS = re.compile(r"\s*:\s*(?:tensor<[^<>\"]*?)?(?<![A-Za-wyz])(?:complex<)?(bf16|f(?:\d+))")
_DENSE_HEX = re.compile(r'dense<([^"<>]*)>')
_HEX = re.compile(r"0[xX]([0-9A-Fa-f]*)")


def wrong_hexadecimal(text: str) -> tuple[str, int] | None:
    """The first hexadecimal float whose digits are not the bits of its type (Constants, C2): the message and its position."""
    last, position = 0, text.find("0x")
    while position >= 0:
        if text[position - 1 : position] == '"':  # data of megabytes: no number of the grammar
            last = max(text.find('"', position), position + 2)
            position = text.find("0x", last)
            continue
        start = text.rfind("dense<", last, position)
        dense = _DENSE_HEX.match(text, start) if start >= 0 else None
        if dense and dense.end() > position:
            first, last = dense.span(1)
            type_at = dense.end()
        else:
            number = _HEX.match(text, position)
            first, type_at = position, number.end()  # type: ignore[union-attr]
            last = type_at
        type = _FLOAT_BITS.match(text, type_at)
        digits = _digits(type[1]) if type else 0
        for found in _HEX.finditer(text, first, last) if digits else ():
            if len(found[1]) != digits:
                return f"a hexadecimal {type[1]} has {digits} digits, found {found[0]}", found.start()  # type: ignore[index]
        position = text.find("0x", max(last, position + 2))
    return None


def _digits(type: str) -> int:
    """Hexadecimal digits of a float type."""
    return -(-int(type.lstrip("bf")) // 4)
