"""Object files become a shared library, by a linker of our own: no tools are needed where it is made, and only the system's loader
where it is used.

    headers, dynamic symbols, relocations, read-only data | code, stubs | data, table of addresses, dynamic section | room for zeros

What no object defines is left to the loader, which finds it in the process or in the libraries that
the file names. Tables for unwinding are left out: nothing in programs throws."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field
from types import MappingProxyType

from hlo.errors import CompileError
from hlo.lazy_dataclasses import dataclass
from hlo.runtime.elf.read import (
    ALLOC,
    COMMON,
    EXECUTE,
    INIT_ARRAY,
    LOCAL,
    NOBITS,
    UNDEFINED,
    WEAK,
    WRITE,
    ObjectFile,
    Relocation,
    Symbol,
)
from hlo.runtime.elf.relocations import PROCESSORS, Kind
from hlo.runtime.elf.write import Dynamic, Extra, Layout, write_library

LEFT_OUT = (".eh_frame", ".ARM.")
"""How the names of sections begin that are not taken."""


Found = tuple[int, Symbol] | str
"""An object with a symbol of it, or the name of what no object has."""


@dataclass
class _Part:
    """Sections of one kind of memory, in the order of their addresses. `offsets`: (object, section) to offset in the part."""

    data: bytearray = field(default_factory=bytearray)
    offsets: dict[tuple[int, int], int] = field(default_factory=dict)

    def add(self, key: tuple[int, int], data: bytes, alignment: int) -> None:
        self.data += b"\0" * (-len(self.data) % max(alignment, 1))
        self.offsets[key] = len(self.data)
        self.data += data

    def room(self, size: int, alignment: int = 8) -> int:
        self.data += b"\0" * (-len(self.data) % alignment)
        self.data += b"\0" * size
        return len(self.data) - size


def link_library(
    objects: Sequence[bytes],
    exported: Iterable[str],
    needed: Sequence[str] = (),
    extra: Extra = MappingProxyType({}),
    stays: bool = False,
) -> bytes:
    """The shared library of some objects of one processor. `exported`: names that are seen outside. `needed`: libraries
    that the loader is to load too. `extra`: sections that are not loaded (write.py). `stays`: for a library with
    threads of its own, which `dlclose` leaves in the process. Raises CompileError for what cannot be linked here."""
    return _Linker([ObjectFile(one) for one in objects], list(exported), list(needed)).library(extra, stays)


class _Linker:
    def __init__(self, files: list[ObjectFile], exported: list[str], needed: list[str]):
        machines = {f.machine for f in files}
        if len(machines) != 1 or not machines <= set(PROCESSORS):
            raise CompileError(
                "shared libraries are linked for x86-64 and aarch64; link the object by the system's C compiler"
            )
        (self.machine,) = machines
        self.processor = PROCESSORS[self.machine]
        self.files, self.exported, self.needed = files, exported, needed
        self.reading, self.code, self.writing, self.zeros = (_Part() for _ in range(4))
        self.constructors: list[tuple[int, int]] = []
        self._take_sections()
        self.definitions = self._definitions()
        self.imports: dict[str, None] = {}
        self.entries: dict[Found, int] = {}
        self.stubs: dict[str, int] = {}
        self.work = [(number, r) for number, file in enumerate(files) for r in self._used(number, file)]
        for number, relocation in self.work:
            self._prepare(number, relocation)

    def _take_sections(self) -> None:
        """The arrays of constructors come last, one behind the other: the loader is told of one."""
        arrays = []
        for number, file in enumerate(self.files):
            for position, section in enumerate(file.sections):
                if not section.flags & ALLOC or section.name.startswith(LEFT_OUT):
                    continue
                key = number, position
                if section.kind == NOBITS:
                    self.zeros.add(key, bytes(section.size), section.alignment)
                    continue
                if section.kind == INIT_ARRAY:
                    arrays.append((key, section))
                    continue
                part = self.code if section.flags & EXECUTE else self.writing if section.flags & WRITE else self.reading
                part.add(key, section.data, section.alignment)
        for key, section in arrays:
            self.writing.add(key, section.data, section.alignment)
        if arrays:
            self.constructors = [(self.writing.offsets[arrays[0][0]], sum(section.size for _, section in arrays))]

    def _used(self, number: int, file: ObjectFile) -> list[Relocation]:
        return [r for r in file.relocations if self._part_of((number, r.section)) is not None]

    def _part_of(self, key: tuple[int, int]) -> _Part | None:
        return next((p for p in (self.reading, self.code, self.writing, self.zeros) if key in p.offsets), None)

    def _definitions(self) -> dict[str, tuple[int, Symbol]]:
        """By name, of what objects let others see; the first strong one, or the first."""
        found: dict[str, tuple[int, Symbol]] = {}
        for number, file in enumerate(self.files):
            for symbol in file.symbols:
                if symbol.binding == LOCAL or symbol.section == UNDEFINED:
                    continue
                if symbol.section == COMMON:
                    raise CompileError(f"{symbol.name}: common symbols are not linked here")
                old = found.get(symbol.name)
                if old is None or (old[1].binding == WEAK and symbol.binding != WEAK):
                    found[symbol.name] = number, symbol
        return found

    def _resolved(self, number: int, relocation: Relocation) -> Found:
        """The object and symbol that a relocation is about, or the name of what no object has."""
        symbol = self.files[number].symbols[relocation.symbol]
        if symbol.binding == LOCAL:
            return number, symbol
        return self.definitions.get(symbol.name, symbol.name)

    def _kind(self, relocation: Relocation) -> Kind:
        if relocation.kind not in self.processor.kinds:
            raise CompileError(
                f"relocation {relocation.kind} is not linked here; link the object by the system's C compiler"
            )
        return self.processor.kinds[relocation.kind]

    def _prepare(self, number: int, relocation: Relocation) -> None:
        """Makes room in the table of addresses and for stubs."""
        kind, found = self._kind(relocation), self._resolved(number, relocation)
        if isinstance(found, str):
            self.imports.setdefault(found)
        if kind.uses_got or (isinstance(found, str) and kind.write is not None):
            self._entry(found)
        if isinstance(found, str) and kind.write is not None and not kind.uses_got and found not in self.stubs:
            self.stubs[found] = self.code.room(16, 16)

    def _entry(self, found: Found) -> int:
        if found not in self.entries:
            self.entries[found] = self.writing.room(8)
        return self.entries[found]

    def library(self, extra: Extra, stays: bool) -> bytes:
        layout = Layout(
            self.machine,
            self.needed,
            [*self.imports, *self.exported],
            sum(1 for _ in self._dynamic_sites()) + len(self.entries),
            bytes(self.reading.data),
            bytes(self.code.data),
            bytes(self.writing.data),
            len(self.zeros.data),
            len(self.constructors),
            stays,
        )
        dynamic = Dynamic([], dict(self._exports(layout)), list(self._constructors(layout)))
        for number, relocation in self.work:
            self._relocate(number, relocation, layout, dynamic)
        for found, offset in self.entries.items():
            address = layout.writing + offset
            if isinstance(found, str):
                dynamic.relocations.append((address, self.processor.entry, found, 0))
            else:
                dynamic.relocations.append((address, self.processor.relative, "", self._address(found, layout)))
        for name, at in self.stubs.items():
            address = layout.code + at
            self.code.data[at : at + 16] = self.processor.stub(address, layout.writing + self.entries[name])
        parts = bytes(self.reading.data), bytes(self.code.data), bytes(self.writing.data)
        return write_library(layout, dynamic, parts, extra)

    def _dynamic_sites(self) -> Iterable[Relocation]:
        return (r for _, r in self.work if self._kind(r).write is None)

    def _start(self, part: _Part, layout: Layout) -> int:
        starts = (
            (self.reading, layout.reading),
            (self.code, layout.code),
            (self.writing, layout.writing),
            (self.zeros, layout.zeros),
        )
        return next(at for one, at in starts if one is part)

    def _address(self, found: tuple[int, Symbol], layout: Layout) -> int:
        number, symbol = found
        key = number, symbol.section
        part = self._part_of(key)
        if part is None:
            raise CompileError(f"{symbol.name or 'a section'}: what is not loaded cannot be referred to")
        return self._start(part, layout) + part.offsets[key] + symbol.value

    def _relocate(self, number: int, relocation: Relocation, layout: Layout, dynamic: Dynamic) -> None:
        kind, found = self._kind(relocation), self._resolved(number, relocation)
        key = number, relocation.section
        part = self._part_of(key)
        assert part is not None
        at = part.offsets[key] + relocation.offset
        address = self._start(part, layout) + at
        if kind.write is None:
            if isinstance(found, str):
                dynamic.relocations.append((address, self.processor.absolute, found, relocation.addend))
            else:
                value = self._address(found, layout) + relocation.addend
                dynamic.relocations.append((address, self.processor.relative, "", value))
            return
        if kind.uses_got:
            value = layout.writing + self.entries[found]
        elif isinstance(found, str):
            value = layout.code + self.stubs[found]
        else:
            value = self._address(found, layout)
        kind.write(part.data, at, value + relocation.addend, address)

    def _exports(self, layout: Layout) -> Iterable[tuple[str, int]]:
        for name in self.exported:
            if name not in self.definitions:
                raise CompileError(f"no object defines {name!r}")
            yield name, self._address(self.definitions[name], layout)

    def _constructors(self, layout: Layout) -> Iterable[tuple[int, int]]:
        return ((layout.writing + at, size) for at, size in self.constructors)
