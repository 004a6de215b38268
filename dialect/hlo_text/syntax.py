"""What an HLO text says, without its meaning: computations, their instructions, attributes as pieces of text."""

from __future__ import annotations

import re
from dataclasses import field

from hlo.dialect.diagnostics import Source
from hlo.dialect.hlo_text.cursor import Cursor
from hlo.dialect.hlo_text.shapes import Shape, parse_shape
from hlo.lazy_dataclasses import dataclass


@dataclass(frozen=True)
class Text:
    """A piece of the text, and where it begins."""

    text: str
    position: int


@dataclass
class Instruction:
    """`name = shape opcode(operands), attribute=text, ...`. `literal`: what stands between the parentheses where that is no operands."""

    name: str
    shape: Shape
    opcode: str
    position: int
    operands: list[Text] = field(default_factory=list)
    literal: Text = Text("", 0)
    attributes: dict[str, Text] = field(default_factory=dict)


@dataclass
class Computation:
    """A function. `parameters`: by their numbers."""

    name: str
    position: int
    instructions: list[Instruction]
    root: Instruction
    parameters: list[Instruction]


@dataclass
class HloModule:
    """`frames`: the tables FileNames, ..., StackFrames, as rows of text by number."""

    source: Source
    attributes: dict[str, Text]
    computations: dict[str, Computation]
    entry: Computation
    frames: dict[str, dict[int, str]]


LITERAL_OPCODES = ("constant", "parameter")
_TABLES = ("FileNames", "FunctionNames", "FileLocations", "StackFrames")
_ROW = re.compile(r"[ \t]*(\d{1,9})[ \t]+([^\n]*)\n?")


def parse_text(source: Source) -> HloModule:
    """Raises ParseError with line and column, what was found and what was expected."""
    cursor = Cursor(source)
    cursor.expect("HloModule", "HloModule")
    cursor.name("the name of the module")
    attributes = _attributes(cursor)
    frames = _tables(cursor)
    computations: dict[str, Computation] = {}
    entry = None
    while not cursor.at_end():
        is_entry, start = cursor.take_word("ENTRY"), cursor.position
        made = _computation(cursor)
        if made.name in computations:
            cursor.fail(f"a computation's own name, found a second {made.name}", start)
        computations[made.name] = made
        if is_entry and entry:
            cursor.fail(f"one ENTRY computation, found {made.name} after {entry.name}", start)
        entry = made if is_entry else entry
    if entry is None:
        cursor.fail("a computation marked ENTRY, found none")
    return HloModule(source, attributes, computations, entry, frames)


def _tables(cursor: Cursor) -> dict[str, dict[int, str]]:
    found: dict[str, dict[int, str]] = {}
    while (table := next((t for t in _TABLES if cursor.take_word(t)), None)) is not None:
        cursor.skip_blank()
        rows = found.setdefault(table, {})
        while row := _ROW.match(cursor.text, cursor.position):
            rows[int(row[1])] = row[2]
            cursor.position = row.end()
    return found


def _computation(cursor: Cursor) -> Computation:
    cursor.skip_blank()
    position = cursor.position
    name = cursor.name("the name of a computation")
    if cursor.peek("("):
        cursor.skip_brackets()
        cursor.expect("->", "-> and the shape of the result")
        parse_shape(cursor)
    cursor.expect("{", "{ and the instructions of a computation")
    instructions: dict[str, Instruction] = {}
    root = None
    while not cursor.take("}"):
        is_root, start = cursor.take_word("ROOT"), cursor.position
        made = _instruction(cursor)
        if made.name in instructions:
            cursor.fail(f"an instruction's own name, found a second {made.name}", start)
        if is_root and root:
            cursor.fail(f"one ROOT instruction, found {made.name} after {root.name}", start)
        instructions[made.name] = made
        root = made if is_root else root
    if not instructions:
        cursor.fail(f"instructions in computation {name}, found none", position)
    _attributes(cursor)  # execution_thread
    listed = list(instructions.values())
    return Computation(name, position, listed, root or listed[-1], _parameters(cursor, listed))


def _parameters(cursor: Cursor, instructions: list[Instruction]) -> list[Instruction]:
    numbered: dict[int, Instruction] = {}
    for made in instructions:
        if made.opcode != "parameter":
            continue
        number = made.literal.text.strip()
        if not re.fullmatch(r"\d{1,6}", number):
            cursor.fail(f"the number of a parameter, found {number!r}", made.literal.position)
        if int(number) in numbered:
            cursor.fail(f"one parameter {number}, found a second", made.literal.position)
        numbered[int(number)] = made
    for found, made in numbered.items():
        if found >= len(numbered):
            cursor.fail(f"parameters 0 to {len(numbered) - 1}, found number {found}", made.position)
    return [numbered[n] for n in range(len(numbered))]


def _instruction(cursor: Cursor) -> Instruction:
    cursor.skip_blank()
    position = cursor.position
    name = cursor.name("the name of an instruction, or }")
    cursor.expect("=", f"= after {name}")
    shape = parse_shape(cursor)
    opcode = cursor.name("an opcode")
    made = Instruction(name, shape, opcode, position)
    cursor.expect("(", f"( and the operands of {opcode}")
    if opcode in LITERAL_OPCODES:
        made.literal = Text(*cursor.until(")"))
        cursor.expect(")", ") after the literal")
    else:
        made.operands = _operands(cursor)
    made.attributes = _attributes(cursor)
    return made


def _operands(cursor: Cursor) -> list[Text]:
    """Names, each of which may have its shape before it."""
    found: list[Text] = []
    if cursor.take(")"):
        return found
    while True:
        if cursor.at_shape():
            parse_shape(cursor)
        cursor.skip_blank()
        position = cursor.position
        found.append(Text(cursor.name("the name of an operand"), position))
        if cursor.take(")"):
            return found
        cursor.expect(",", ", or ) after an operand")


def _attributes(cursor: Cursor) -> dict[str, Text]:
    """`, name=text` as long as there are some."""
    found: dict[str, Text] = {}
    while cursor.take(","):
        cursor.skip_blank()
        position = cursor.position
        name = cursor.name("the name of an attribute")
        cursor.expect("=", f"= after {name}")
        if name in found:
            cursor.fail(f"one attribute {name}, found a second", position)
        found[name] = Text(*cursor.until(",}\n"))
    return found
