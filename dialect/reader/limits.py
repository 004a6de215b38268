"""What is refused before MLIR's parser sees it, because there it would end the process or say nothing useful: text that
is not UTF-8, NUL characters, brackets nested thousands deep, numbers of thousands of digits, shapes whose number of
elements does not fit 64 bits."""

from __future__ import annotations

import re

import numpy as np

from hlo.dialect.diagnostics import Source
from hlo.errors import ParseError

MAX_NESTING = 256
"""Brackets and regions within each other; MLIR's parser and printer use the stack for each of them."""
MAX_ELEMENTS = 2**63 - 1
MAX_LOCATIONS = 2_000
"""Locations within each other (calls that are inlined)."""
MAX_EXPANDED = 1 << 20
"""Characters of an attribute or a type whose names are written out."""
MAX_DIGITS = 4_000
"""Of a number: LLVM's parser ends the process for a fraction of 16,000, and Python reads integers of 4,300."""

_LONG_NUMBER = re.compile(rf"(?<![\w$.])\d[\d.]{{{MAX_DIGITS},}}")
_LONG_SHAPE = re.compile(r"<([\s\d?]+x[\s\dx?]*)(?=[A-Za-z!*])")
_DIGITS = re.compile(r"<[\s\dx?]{18}")
_STRING_WITH_BRACKET = re.compile(r'"[^"\n]*[()\[\]{}<>][^"\n]*')
_WORDS = re.compile(r'"[^"\\\n]*(?:\\.[^"\\\n]*)*"|//[^\n]*')
_FOREIGN = re.compile(r"[^\x00-\x7f]")
_STRING = re.compile(r'"[^"\\\n]*(?:\\.[^"\\\n]*)*"')
_HIGH_ESCAPE = re.compile(r"\\[89A-Fa-f][0-9A-Fa-f]")
_ESCAPE = re.compile(rb"\\([0-9A-Fa-f]{2})")
_ALIAS = re.compile(r"^\s*([#!][A-Za-z_][\w$.-]*)\s*=(?!=)", re.MULTILINE)
_ALIAS_USE = re.compile(r"[#!][A-Za-z_][\w$.-]*")
_STEPS = np.zeros(256, np.int8)
_STEPS[[ord(c) for c in "([{<"]] = 1
_STEPS[[ord(c) for c in ")]}>"]] = -1


def check_limits(source: Source) -> None:
    """Raises ParseError when the text goes beyond what can be read."""
    _check_characters(source)
    _check_escapes(source)
    _check_nesting(source)
    _check_numbers(source)
    _check_shapes(source)
    _check_aliases(source)


def _check_characters(source: Source) -> None:
    text = source.text
    if not text.strip():
        raise ParseError(f"{source.file_name}: no program: the file is empty")
    if "\0" in text:
        raise ParseError(source.diagnostic("a NUL character: this is not program text", text.index("\0")))
    if text.isascii():
        return
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ParseError(source.diagnostic("a character that UTF-8 cannot hold", error.start)) from None
    foreign = _FOREIGN.search(_WORDS.sub(lambda word: " " * len(word[0]), text))
    if foreign:  # MLIR's messages have bytes of it, which are no text
        message = f"unexpected character {foreign.group()!r}: only strings and comments hold others than ASCII's"
        raise ParseError(source.diagnostic(message, foreign.start()))


def _check_escapes(source: Source) -> None:
    """Strings must be text, since the bindings give all of them as such: names of ops, symbols and attributes, values."""
    for string in _STRING.finditer(source.text) if _HIGH_ESCAPE.search(source.text) else ():
        written = _ESCAPE.sub(lambda e: bytes([int(e[1], 16)]), string[0].encode("utf-8", "replace"))
        try:
            written.decode()
        except UnicodeDecodeError:
            raise ParseError(source.diagnostic("a string whose bytes are not UTF-8", string.start())) from None


def _check_nesting(source: Source) -> None:
    """Brackets in strings and comments do not count: they could hide others. A text with few of them is not looked at further."""
    if sum(map(source.text.count, "([{<")) <= MAX_NESTING:
        return
    characters = np.frombuffer(_without_words(source.text).encode("latin-1", "replace"), np.uint8)
    steps = _STEPS[characters]
    steps[1:][(characters[1:] == ord(">")) & (characters[:-1] == ord("-"))] = 0
    depth = np.cumsum(steps, dtype=np.int32)
    too_deep = depth - np.minimum.accumulate(depth) > MAX_NESTING
    if too_deep.any():
        message = f"brackets are nested more than {MAX_NESTING} deep"
        raise ParseError(source.diagnostic(message, int(too_deep.argmax())))


def _check_numbers(source: Source) -> None:
    """Those in strings and comments are none."""
    if not _LONG_NUMBER.search(source.text):
        return
    found = _LONG_NUMBER.search(_WORDS.sub(lambda word: " " * len(word[0]), source.text))
    if found:
        message = f"a number of {len(found[0])} characters: at most {MAX_DIGITS} are read"
        raise ParseError(source.diagnostic(message, found.start()))


def _without_words(text: str) -> str:
    """The text with blanks for strings and comments, where these hold brackets that do not match each other."""
    if "//" in text or any(map(_is_unbalanced, _STRING_WITH_BRACKET.findall(text))):
        return _WORDS.sub(lambda word: " " * len(word[0]), text)
    return text


def _is_unbalanced(string: str) -> bool:
    return any(string.count(opening) != string.count(closing) for opening, closing in ("()", "[]", "{}", "<>"))


def _check_aliases(source: Source) -> None:
    """Names for attributes and types may name each other: nesting adds up, and repetition doubles with every level."""
    depths: dict[str, int] = {}
    sizes: dict[str, int] = {}
    for found in _ALIAS.finditer(source.text):
        body = _alias_body(source.text, found.end())
        named = [n for n in _ALIAS_USE.findall(body) if n in depths]
        is_location = body.lstrip().startswith("loc(")
        depths[found[1]] = 1 + max((depths[n] for n in named), default=0)
        sizes[found[1]] = len(body) + (0 if is_location else sum(sizes[n] for n in named))
        if depths[found[1]] > (MAX_LOCATIONS if is_location else MAX_NESTING):
            raise ParseError(
                source.diagnostic(f"{found[1]} is nested more than {MAX_NESTING} names deep", found.start())
            )
        if named and sizes[found[1]] > MAX_EXPANDED:
            message = f"{found[1]} has more than {MAX_EXPANDED} characters when the names in it are written out"
            raise ParseError(source.diagnostic(message, found.start()))


def _alias_body(text: str, start: int) -> str:
    """The rest of the line; more lines while brackets are open."""
    end = text.find("\n", start)
    while end >= 0 and _is_unbalanced(text[start:end].replace("->", "")) and end - start < MAX_EXPANDED:
        end = text.find("\n", end + 1)
    return text[start:] if end < 0 else text[start:end]


def _check_shapes(source: Source) -> None:
    """MLIR multiplies the sizes of a shape from the left, and ends the process when 64 bits do not hold the product."""
    found = _DIGITS.search(source.text)
    while found:
        shape = _LONG_SHAPE.match(source.text, found.start())
        if shape and _count(shape[1]) > MAX_ELEMENTS:
            message = f"a shape with more than 2^63 - 1 elements: {shape[1].strip()[:60]}"
            raise ParseError(source.diagnostic(message, shape.start(1)))
        found = _DIGITS.search(source.text, found.end())


def _count(sizes: str) -> int:
    """The largest product on the way from the left."""
    largest = product = 1
    for size in re.findall(r"\d+", sizes):
        product *= int(size[:25])
        largest = max(largest, product)
    return largest
