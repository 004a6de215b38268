"""MLIR's own print, its ops of our dialects rewritten to upstream's short forms and attribute spelling."""

from __future__ import annotations

import re

from hlo.dialect.assembly import assembly_format
from hlo.dialect.assembly.statement import Statement
from hlo.dialect.cursor import Cursor, split_list
from hlo.dialect.printer.attributes import spell_all, split_dictionary
from hlo.dialect.reader.constants import unpack_booleans

_TOKEN = re.compile(r'"(?:stablehlo|chlo|check|interpreter|sdy)\.[^"\n]+"(?=\()|"[^"\\]*(?:\\.[^"\\]*)*"|[{}]')
_NAMED = re.compile(r"(%\w+) = $")
_OWN = ('"stablehlo.', '"chlo.', '"check.', '"interpreter.', '"sdy.')


class Writer(Cursor):
    """Rewrites one printed module; `generic` keeps generic forms and changes only what upstream's parser would
    not read: attributes, and the empty second regions."""

    def __init__(self, text: str, generic: bool):
        super().__init__(text)
        self.generic = generic

    def write(self) -> str:
        return self._body(nested=False)

    def _body(self, nested: bool) -> str:
        text, pieces = self.text, []
        copied = position = self.position
        depth = 0
        while found := _TOKEN.search(text, position):
            token = found.group()
            position = found.end()
            if token == "{":
                depth += 1
            elif token == "}":
                if nested and depth == 0:
                    pieces.append(text[copied : found.start()])
                    self.position = position
                    return "".join(pieces)
                depth -= 1
            elif token.startswith(_OWN) and text.startswith("(", position) and not self.names_a_location(found.start()):
                head = text[copied : found.start()]
                self.position = position
                statement = self._statement(token[1:-1])
                pieces.append(self._unnamed(head) if statement.name == "interpreter.print" else head)
                pieces.append(self._short(statement))
                copied = position = self.position
        pieces.append(text[copied:])
        self.position = len(text)
        return "".join(pieces)

    def _unnamed(self, head: str) -> str:
        """The text before an op without the name of its result, if nothing uses it: in newer versions of upstream, some ops
        have no result."""
        named = _NAMED.search(head)
        function = self.text[self.position :].partition("func.func")[0]
        if named is None or self.generic or re.search(rf"{named[1]}\b", function):
            return head
        return head[: named.start()]

    def _statement(self, name: str) -> Statement:
        """Reads `(operands) ({regions}) {attributes} : type`."""
        operands = split_list(self.balanced()[1:-1])
        regions = self._regions() if self.text.startswith(" (", self.position) else []
        attributes = spell_all(name, split_dictionary(self.dictionary()))
        self.expect(":")
        self.skip()
        inputs = split_list(self.balanced()[1:-1])
        self.expect("->")
        results = self.result_types()
        listed = split_list(results[1:-1]) if results.startswith("(") else [results]
        return Statement(name, operands, attributes, regions, inputs, listed, f"({', '.join(inputs)}) -> {results}")

    def _regions(self) -> list[str]:
        self.expect("(")
        regions = []
        while not self.accept(")"):
            self.accept(",")
            self.expect("{")
            regions.append(self._body(nested=True))
        if len(regions) == 2 and not regions[1].strip():
            regions.pop()
        return regions

    def _short(self, statement: Statement) -> str:
        format = None if self.generic else assembly_format(statement.name)
        written = format.write(statement) if format else None
        return unpack_booleans(written if written is not None else _generic(statement))


def _generic(s: Statement) -> str:
    regions = f" ({', '.join(f'{{{r}}}' for r in s.regions)})" if s.regions else ""
    dictionary = s.attribute_dictionary()
    return f'"{s.name}"({", ".join(s.operands)}){regions}{" " if dictionary else ""}{dictionary} : {s.type}'
