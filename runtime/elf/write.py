"""Writes a shared library in the format ELF, of 64 bits: headers, dynamic symbols, relocations and the parts that are loaded.

System V ABI, chapters 4 and 5."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from hlo.lazy_dataclasses import dataclass
from hlo.runtime.elf.read import ALLOC, EXECUTE, NOBITS, PROGBITS, RELA, WRITE
from hlo.saved_files import END, STAYS

PAGE = 1 << 16
"""The largest that processors have. The code's addresses are its offsets in the file and a page, those of what is
written two pages, so that the file has no gaps and no page is loaded for two purposes."""

HEADER, PROGRAM_HEADER, SECTION_HEADER, SYMBOL, RELOCATION = 64, 56, 64, 24, 24
SHARED = 3
PROGRAMS = 5
LOAD, DYNAMIC, STACK = 1, 2, 0x6474E551
READABLE, WRITABLE, EXECUTABLE = 4, 2, 1
STRTAB, HASH, DYNAMIC_SECTION, DYNSYM = 3, 5, 6, 11
NEEDED_TAG, HASH_TAG, STRTAB_TAG, SYMTAB_TAG, RELA_TAG, RELASZ, RELAENT, STRSZ, SYMENT = 1, 4, 5, 6, 7, 8, 9, 10, 11
SONAME_TAG, INIT_ARRAY_TAG, INIT_ARRAYSZ = 14, 25, 27

Section = tuple[str, int, int, int, int, int, int, int, int, int]
"""Name, sh_type, sh_flags, address, offset in the file, size, sh_link, sh_info, alignment, size of an entry."""

Extra = Mapping[str, Callable[[bytes], bytes]]
"""Sections that are not loaded, by name (without its dot): each is made of what is loaded, the file's beginning but for its header."""


@dataclass
class Dynamic:
    """What the loader is told. `relocations`: address, kind, name (or ""), addend. `exports`: addresses.
    `constructors`: arrays of addresses of functions, with their sizes."""

    relocations: list[tuple[int, int, str, int]]
    exports: dict[str, int]
    constructors: list[tuple[int, int]]


@dataclass
class Layout:
    """Where the parts are loaded, known from their sizes. `names`: of the dynamic symbols, in order. `stays`: whether
    `dlclose` leaves the library in the process."""

    machine: int
    needed: list[str]
    names: list[str]
    relocations: int
    reading_part: bytes
    code_part: bytes
    writing_part: bytes
    zeros_size: int
    constructors: int
    stays: bool

    @cached_property
    def strings(self) -> bytes:
        return b"\0" + b"".join(name.encode() + b"\0" for name in [*self.names, *self.needed])

    def string(self, name: str) -> int:
        return self.strings.index(b"\0" + name.encode() + b"\0") + 1

    @cached_property
    def symbols_at(self) -> int:
        return HEADER + PROGRAMS * PROGRAM_HEADER

    @cached_property
    def hash_at(self) -> int:
        return self.symbols_at + SYMBOL * (1 + len(self.names))

    @cached_property
    def strings_at(self) -> int:
        return self.hash_at + 4 * (2 + 1 + 1 + len(self.names))

    @cached_property
    def relocations_at(self) -> int:
        return _up(self.strings_at + len(self.strings), 8)

    @cached_property
    def reading(self) -> int:
        return _up(self.relocations_at + RELOCATION * self.relocations, 64)

    @cached_property
    def code_at(self) -> int:
        """In the file."""
        return _up(self.reading + len(self.reading_part), 64)

    @property
    def code(self) -> int:
        return self.code_at + PAGE

    @cached_property
    def writing_at(self) -> int:
        """In the file."""
        return _up(self.code_at + len(self.code_part), 64)

    @property
    def writing(self) -> int:
        return self.writing_at + 2 * PAGE

    @cached_property
    def dynamic(self) -> int:
        return _up(self.writing + len(self.writing_part), 16)

    @property
    def dynamic_entries(self) -> int:
        return 9 + len(self.needed) + 2 * self.constructors + self.stays

    @cached_property
    def zeros(self) -> int:
        return _up(self.dynamic + 16 * self.dynamic_entries, 64)


def _up(value: int, alignment: int) -> int:
    return value + -value % alignment


def write_library(layout: Layout, dynamic: Dynamic, parts: tuple[bytes, bytes, bytes], extra: Extra) -> bytes:
    """The file; `extra` comes after what is loaded."""
    reading, code, writing = parts
    head = [_symbols(layout, dynamic), _hash(layout), layout.strings]
    pieces = [
        (layout.symbols_at, b"".join(head)),
        (layout.relocations_at, b"".join(_relocation(layout, one) for one in dynamic.relocations)),
        (layout.reading, reading),
        (layout.code_at, code),
        (layout.writing_at, writing),
        (layout.writing_at + layout.dynamic - layout.writing, _dynamic(layout, dynamic)),
    ]
    body = bytearray(pieces[-1][0] + len(pieces[-1][1]))
    body[HEADER : layout.symbols_at] = _programs(layout, len(body))
    for at, data in pieces:
        body[at : at + len(data)] = data
    return _with_sections(layout, body, extra)


def _symbols(layout: Layout, dynamic: Dynamic) -> bytes:
    table = [b"\0" * SYMBOL]
    for name in layout.names:
        address = dynamic.exports.get(name, 0)
        section = 1 if name in dynamic.exports else 0  # any that is there: the loader asks only whether it is 0
        table.append(
            struct.pack("<IBBHQQ", layout.string(name), 1 << 4 | (2 if section else 0), 0, section, address, 0)
        )
    return b"".join(table)


def _hash(layout: Layout) -> bytes:
    """One bucket: programs have few symbols."""
    count = 1 + len(layout.names)
    chain = [n + 1 if n + 1 < count else 0 for n in range(count)]
    chain[0] = 0
    return struct.pack(f"<{3 + count}I", 1, count, 1 if count > 1 else 0, *chain)


def _relocation(layout: Layout, one: tuple[int, int, str, int]) -> bytes:
    address, kind, name, addend = one
    symbol = 1 + layout.names.index(name) if name else 0
    return struct.pack("<QQq", address, symbol << 32 | kind, addend)


def _dynamic(layout: Layout, dynamic: Dynamic) -> bytes:
    entries = [(NEEDED_TAG, layout.string(name)) for name in layout.needed]
    for address, size in dynamic.constructors[:1]:
        entries += [(INIT_ARRAY_TAG, address), (INIT_ARRAYSZ, size)]
    entries += [
        (HASH_TAG, layout.hash_at),
        (STRTAB_TAG, layout.strings_at),
        (SYMTAB_TAG, layout.symbols_at),
        (STRSZ, len(layout.strings)),
        (SYMENT, SYMBOL),
        (RELA_TAG, layout.relocations_at),
        (RELASZ, RELOCATION * layout.relocations),
        (RELAENT, RELOCATION),
    ]
    return b"".join(struct.pack("<QQ", *entry) for entry in entries) + STAYS * layout.stays + END


def _programs(layout: Layout, end: int) -> bytes:
    reading, code, writing = layout.reading + len(layout.reading_part), len(layout.code_part), end - layout.writing_at
    loads = [
        (LOAD, READABLE, 0, 0, reading, reading),
        (LOAD, READABLE | EXECUTABLE, layout.code_at, layout.code, code, code),
        (
            LOAD,
            READABLE | WRITABLE,
            layout.writing_at,
            layout.writing,
            writing,
            layout.zeros - layout.writing + layout.zeros_size,
        ),
    ]
    table = [
        struct.pack("<IIQQQQQQ", kind, flags, at, address, address, size, room, PAGE)
        for kind, flags, at, address, size, room in loads
    ]
    dynamic_at, size = layout.writing_at + layout.dynamic - layout.writing, 16 * layout.dynamic_entries
    table.append(
        struct.pack(
            "<IIQQQQQQ", DYNAMIC, READABLE | WRITABLE, dynamic_at, layout.dynamic, layout.dynamic, size, size, 8
        )
    )
    table.append(struct.pack("<IIQQQQQQ", STACK, READABLE | WRITABLE, 0, 0, 0, 0, 0, 16))
    return b"".join(table)


def _with_sections(layout: Layout, body: bytearray, extra: Extra) -> bytes:
    """Section headers, for linkers and tools, and the file's header."""
    loaded = bytes(body) if extra else b""
    sections = _sections(layout, len(body))
    for name, made_of in extra.items():
        data = made_of(loaded)
        body += b"\0" * (-len(body) % 64)
        sections.append((f".{name}", PROGBITS, 0, 0, len(body), len(data), 0, 0, 64, 0))
        body += data
    names = b"".join(s[0].encode() + b"\0" for s in sections) + b".shstrtab\0"
    sections.append((".shstrtab", STRTAB, 0, 0, len(body), len(names), 0, 0, 1, 0))
    body += names
    body += b"\0" * (-len(body) % 8)
    start = len(body)
    for name, kind, flags, address, at, size, linked, info, alignment, entry in sections:
        offset = names.index(name.encode() + b"\0") if name else 0
        body += struct.pack("<IIQQQQIIQQ", offset, kind, flags, address, at, size, linked, info, alignment, entry)
    body[:HEADER] = _header(layout, start, len(sections))
    return bytes(body)


def _sections(layout: Layout, end: int) -> list[Section]:
    """Of what is loaded, which ends at an offset in the file."""
    count = 1 + len(layout.names)
    dynamic_at = layout.writing_at + layout.dynamic - layout.writing
    symbols, strings = SYMBOL * count, len(layout.strings)
    relocations = RELOCATION * layout.relocations
    data, dynamic = layout.dynamic - layout.writing, 16 * layout.dynamic_entries
    return [
        ("", 0, 0, 0, 0, 0, 0, 0, 0, 0),
        (".dynsym", DYNSYM, ALLOC, layout.symbols_at, layout.symbols_at, symbols, 3, 1, 8, SYMBOL),
        (".hash", HASH, ALLOC, layout.hash_at, layout.hash_at, 4 * (3 + count), 1, 0, 4, 4),
        (".dynstr", STRTAB, ALLOC, layout.strings_at, layout.strings_at, strings, 0, 0, 1, 0),
        (".rela.dyn", RELA, ALLOC, layout.relocations_at, layout.relocations_at, relocations, 1, 0, 8, RELOCATION),
        (".rodata", PROGBITS, ALLOC, layout.reading, layout.reading, len(layout.reading_part), 0, 0, 64, 0),
        (".text", PROGBITS, ALLOC | EXECUTE, layout.code, layout.code_at, len(layout.code_part), 0, 0, 64, 0),
        (".data", PROGBITS, ALLOC | WRITE, layout.writing, layout.writing_at, data, 0, 0, 16, 0),
        (".dynamic", DYNAMIC_SECTION, ALLOC | WRITE, layout.dynamic, dynamic_at, dynamic, 3, 0, 8, 16),
        (".bss", NOBITS, ALLOC | WRITE, layout.zeros, end, layout.zeros_size, 0, 0, 64, 0),
    ]


def _header(layout: Layout, sections_at: int, count: int) -> bytes:
    identity = b"\x7fELF" + bytes((2, 1, 1, 0)) + b"\0" * 8
    sizes: Sequence[int] = (HEADER, PROGRAM_HEADER, PROGRAMS, SECTION_HEADER, count, count - 1)
    return identity + struct.pack("<HHIQQQIHHHHHH", SHARED, layout.machine, 1, 0, HEADER, sections_at, 0, *sizes)
