"""Relocatable object files in the format ELF, little-endian, of 32 or 64 bits: sections, symbols, relocations.

System V ABI, chapters 4 and 5 (the generic ABI)."""

from __future__ import annotations

import struct
from functools import cached_property

from hlo.errors import CompileError
from hlo.lazy_dataclasses import dataclass

X86_64, ARM, AARCH64 = 62, 40, 183
"""e_machine."""

NULL, PROGBITS, SYMTAB, RELA, NOBITS, REL, INIT_ARRAY = 0, 1, 2, 4, 8, 9, 14
"""sh_type."""

WRITE, ALLOC, EXECUTE = 1, 2, 4
"""sh_flags."""

UNDEFINED, ABSOLUTE, COMMON = 0, 0xFFF1, 0xFFF2
LOCAL, GLOBAL, WEAK = 0, 1, 2
SECTION_SYMBOL = 3


@dataclass(frozen=True)
class Section:
    """`data` is empty for what is only room (NOBITS), whose size is `size`."""

    name: str
    kind: int
    flags: int
    data: bytes
    size: int
    link: int
    info: int
    alignment: int


def sections_of(data: bytes) -> dict[str, bytes]:
    """The contents of a file's sections by name; none for a file that cannot be read."""
    try:
        return {section.name: section.data for section in ObjectFile(data).sections}
    except (CompileError, struct.error, ValueError, IndexError):
        return {}


@dataclass(frozen=True)
class Symbol:
    name: str
    value: int
    size: int
    binding: int
    kind: int
    visibility: int
    section: int


@dataclass(frozen=True)
class Relocation:
    """At `offset` in section `section`: what `kind` makes of a symbol (by number) and `addend`."""

    section: int
    offset: int
    kind: int
    symbol: int
    addend: int


class ObjectFile:
    """What an object file has. Raises CompileError for another kind of file."""

    def __init__(self, data: bytes):
        if data[:4] != b"\x7fELF" or data[5] != 1:
            raise CompileError("an object file in the format ELF (little-endian) expected")
        self._data = data
        self.wide = data[4] == 2
        head = "<HHIQQQIHHHHHH" if self.wide else "<HHIIIIIHHHHHH"
        _, self.machine, _, _, _, start, _, _, _, _, size, count, names = struct.unpack_from(head, data, 16)
        raw = [self._section(start + n * size) for n in range(count)]
        strings = raw[names]
        self.sections = [
            Section(
                self._text(strings, name),
                kind,
                flags,
                b"" if kind == NOBITS else data[at : at + n],
                n,
                link,
                info,
                align,
            )
            for name, kind, flags, at, n, link, info, align in raw
        ]

    def _section(self, at: int) -> tuple[int, ...]:
        fields = struct.unpack_from("<IIQQQQIIQQ" if self.wide else "<10I", self._data, at)
        name, kind, flags, _, offset, size, link, info, alignment, _ = fields
        return name, kind, flags, offset, size, link, info, alignment

    def _text(self, section: tuple[int, ...], at: int) -> str:
        start = section[3] + at
        return self._data[start : self._data.index(b"\0", start)].decode()

    @cached_property
    def symbols(self) -> list[Symbol]:
        table = next((s for s in self.sections if s.kind == SYMTAB), None)
        if table is None:
            return []
        strings = self.sections[table.link].data
        return [
            self._symbol(strings, entry)
            for entry in struct.iter_unpack("<IBBHQQ" if self.wide else "<IIIBBH", table.data)
        ]

    def _symbol(self, strings: bytes, entry: tuple[int, ...]) -> Symbol:
        name, info, other, section, value, size = entry
        if not self.wide:
            name, value, size, info, other, section = entry
        text = strings[name : strings.index(b"\0", name)].decode()
        return Symbol(text, value, size, info >> 4, info & 15, other & 3, section)

    @cached_property
    def relocations(self) -> list[Relocation]:
        """Of sections that are loaded. Raises CompileError for those without addends (32 bits)."""
        found = []
        for section in self.sections:
            if section.kind not in (RELA, REL) or not self.sections[section.info].flags & ALLOC:
                continue
            if section.kind == REL or not self.wide:
                raise CompileError("object files of 32 bits are not linked here")
            for offset, info, addend in struct.iter_unpack("<QQq", section.data):
                found.append(Relocation(section.info, offset, info & 0xFFFFFFFF, info >> 32, addend))
        return found

    def undefined(self) -> list[str]:
        """Names that other objects must define."""
        return sorted({s.name for s in self.symbols if s.section == UNDEFINED and s.name})

    def defined(self) -> list[str]:
        """Names that other objects see."""
        seen = (s for s in self.symbols if s.binding != LOCAL and s.section != UNDEFINED)
        return sorted({s.name for s in seen})
