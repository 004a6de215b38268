"""A position in program text, and what can be read there: words, values, integers, types, attributes.

Every method of a statement form reads through a Cursor; what does not fit raises Unexpected with the position."""

from __future__ import annotations

import re

WHITESPACE = re.compile(r"\s*")
STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"')
VALUE = re.compile(r"%[\w$.-]+(?:#\d+)?")
WORD = re.compile(r"[A-Za-z_]\w*")
OP_NAME = re.compile(r"[A-Za-z_][\w.$]*")
INTEGER = re.compile(r"-?\d+")
NUMBER = re.compile(r"0[xX][0-9A-Fa-f]+|-?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?")
INTEGERS = re.compile(r"\[\s*(?:-?\d+\s*(?:,\s*-?\d+\s*)*)?\]")
TYPE_NAME = re.compile(r"!?[A-Za-z_][\w$.]*")
ATTRIBUTE_NAME = re.compile(r"[#@]?[\w$.+-]+")
PLAIN_TYPE = re.compile(r'(?:tensor|complex|vector)<[^<>"]*(?:<[^<>"]*>[^<>"]*)?>|[su]?i\d+|b?f\d+|index')
_BRACKETS = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|->|[{}()\[\]<>]')
_CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}


class Unexpected(Exception):
    """The text at `position` is not what the form asks for."""

    def __init__(self, message: str, position: int):
        super().__init__(message)
        self.message = message
        self.position = position


_AT = re.compile(r"\Wat\b")


class Cursor:
    """Reads `text` from `position` on; white space is skipped before each item (comments are blanks already)."""

    def __init__(self, text: str, position: int = 0):
        self.text = text
        self.position = position

    def fail(self, expected: str) -> Unexpected:
        """An error at the next item: "expected ..., found ..."."""
        self.skip()
        return Unexpected(f"expected {expected}, found {self._found()}", self.position)

    def _found(self) -> str:
        rest = self.text[self.position : self.position + 40]
        if not rest:
            return "the end of the file"
        word = STRING.match(rest) or re.match(r",\s*[%#@!]?[\w.$-]+|->|[%#@!]?[\w.$-]+|\S", rest)
        return f"'{word.group()}'" if word else "the end of the line"

    def skip(self) -> None:
        """Moves to the next item. Mostly that is here or behind one space: no regular expression then."""
        position = self.position
        character = self.text[position : position + 1]
        if character == " ":
            position += 1
            character = self.text[position : position + 1]
        if character > " ":
            self.position = position
            return
        self.position = WHITESPACE.match(self.text, self.position).end()  # type: ignore[union-attr]

    def peek(self) -> str:
        """The next character, or "" at the end."""
        self.skip()
        return self.text[self.position : self.position + 1]

    def accept(self, literal: str) -> bool:
        self.skip()
        if not self.text.startswith(literal, self.position):
            return False
        self.position += len(literal)
        return True

    def names_a_location(self, start: int) -> bool:
        """Whether the string that starts there is the name of a location, such as "f"("file.py":1:2): behind a bracket, a comma or the
        word `at`, where no statement starts."""
        last = start - 1
        while last >= 0 and self.text[last].isspace():
            last -= 1
        return last >= 0 and (self.text[last] in "([," or _AT.match(self.text, max(last - 2, 0)) is not None)

    def expect(self, literal: str) -> None:
        if not self.accept(literal):
            raise self.fail(f"'{literal}'")

    def accept_word(self, word: str) -> bool:
        self.skip()
        found = WORD.match(self.text, self.position)
        if not found or found.group() != word:
            return False
        self.position = found.end()
        return True

    def expect_word(self, word: str) -> None:
        if not self.accept_word(word):
            raise self.fail(f"'{word}'")

    def match(self, pattern: re.Pattern[str], expected: str) -> str:
        self.skip()
        found = pattern.match(self.text, self.position)
        if not found:
            raise self.fail(expected)
        self.position = found.end()
        return found.group()

    def balanced(self) -> str:
        """The text from an opening bracket to its closing one, both included."""
        start, open_brackets = self.position, []
        for found in _BRACKETS.finditer(self.text, start):
            token = found.group()
            if token in _CLOSING:
                open_brackets.append(token)
            elif token in ")]}>":
                if not open_brackets or _CLOSING[open_brackets[-1]] != token:
                    break
                open_brackets.pop()
                if not open_brackets:
                    self.position = found.end()
                    return self.text[start : self.position]
        opening = self.text[start : start + 1]
        raise Unexpected(f"expected '{_CLOSING.get(opening, ')')}' that closes this '{opening}'", start)

    # Values

    def value(self) -> str:
        return self.match(VALUE, "an operand (%name)")

    def values(self) -> list[str]:
        """Operands between commas, maybe none; stops before a comma that something else than a value follows."""
        found: list[str] = []
        while True:
            start = self.position
            if found and not self.accept(","):
                return found
            if self.peek() != "%":
                self.position = start
                return found
            found.append(self.value())

    def integer(self) -> str:
        return self.match(INTEGER, "an integer")

    def integers(self) -> str:
        """`[1, 2]` as it stands."""
        return self.match(INTEGERS, "a list of integers like [0, 1]")

    def i64_array(self) -> str:
        return i64_array(self.integers())

    # Types

    def type(self) -> str:
        self.skip()
        plain = PLAIN_TYPE.match(self.text, self.position)
        if plain:
            self.position = plain.end()
            return plain.group()
        if self.peek() == "(":
            inputs = self.balanced()
            self.expect("->")
            return f"{inputs} -> {self.result_types()}"
        start = self.position
        self.match(TYPE_NAME, "a type")
        if self.text.startswith("<", self.position):
            self.balanced()
        return self.text[start : self.position]

    def result_types(self) -> str:
        return self.balanced() if self.peek() == "(" else self.type()

    def types(self) -> list[str]:
        found = [self.type()]
        while self.accept(","):
            found.append(self.type())
        return found

    def function_type(self) -> str:
        if self.peek() != "(":
            raise self.fail("a function type like (tensor<2xf32>) -> tensor<2xf32>")
        return self.type()

    # Attributes

    def dictionary(self) -> str:
        """The inside of an optional `{name = value, ...}`; "" when there is none."""
        start = self.position
        if self.peek() == "{":
            return self.balanced()[1:-1].strip()
        self.position = start
        return ""

    def attribute(self) -> str:
        """One attribute without its `: type`."""
        first = self.peek()
        start = self.position
        if first in ("[", "{"):
            return self.balanced()
        if first == '"':
            return self.match(STRING, "a string")
        self.match(ATTRIBUTE_NAME, "an attribute")
        if self.text.startswith("<", self.position):
            self.balanced()
        return self.text[start : self.position]

    def typed_attribute(self) -> tuple[str, str]:
        """`dense<1> : tensor<2xi32>` as a whole, and its type."""
        attribute = self.attribute()
        self.expect(":")
        type = self.type()
        return f"{attribute} : {type}", type


def i64_array(integers: str) -> str:
    """`[1, 2]` to `array<i64: 1, 2>`."""
    inside = integers[1:-1].strip()
    return f"array<i64: {inside}>" if inside else "array<i64>"


_SPLITTERS = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|->|[{}()\[\]<>,]')


def split_list(text: str) -> list[str]:
    """Items between commas that stand in no bracket."""
    items, depth, start = [], 0, 0
    for found in _SPLITTERS.finditer(text):
        token = found.group()
        if token in _CLOSING:
            depth += 1
        elif token in ")]}>":
            depth -= 1
        elif token == "," and depth == 0:
            items.append(text[start : found.start()].strip())
            start = found.end()
    last = text[start:].strip()
    return [*items, last] if last else items


_SHAPE = re.compile(r"tensor<(?:[\d?]+x|\*x)*")


def scalar_of(tensor_type: str) -> str:
    """The rank-0 tensor type with the elements of a tensor type; tensor<> of one without a word in it."""
    inside = _SHAPE.sub("", tensor_type, count=1)[:-1]
    return f"tensor<{''.join(split_list(inside)[:1])}>"
