"""What relocations write, by processor: x86-64 (its psABI, 4.4) and AArch64 (ELF for the Arm 64-bit Architecture, 5.7)."""

from __future__ import annotations

from collections.abc import Callable

from hlo.errors import CompileError
from hlo.lazy_dataclasses import dataclass
from hlo.runtime.elf.read import AARCH64, X86_64

Write = Callable[[bytearray, int, int, int], None]
"""Writes at an index of the file: what (symbol and addend), and where it will be (address)."""


@dataclass(frozen=True)
class Kind:
    """`write`: None for an address of 64 bits, which is written when the library is loaded. `uses_got`: what is written is about the
    symbol's entry in the global offset table."""

    write: Write | None
    uses_got: bool = False


@dataclass(frozen=True)
class Processor:
    """`kinds`: by number. `stub`: the code that jumps to an address in the table (its own address, the entry's
    address). Numbers of dynamic relocations: `relative`, `absolute` (a symbol and addend), `entry` (of the table)."""

    kinds: dict[int, Kind]
    stub: Callable[[int, int], bytes]
    relative: int
    absolute: int
    entry: int


def _fits(value: int, bits: int) -> int:
    if not -(1 << (bits - 1)) <= value < 1 << (bits - 1):
        raise CompileError("a library of more than 2 GiB of code and data cannot be linked")
    return value & ((1 << bits) - 1)


def _pc(bits: int) -> Write:
    def write(data: bytearray, at: int, value: int, address: int) -> None:
        data[at : at + bits // 8] = _fits(value - address, bits).to_bytes(bits // 8, "little")

    return write


def _instruction(data: bytearray, at: int, mask: int, bits: int) -> None:
    word = int.from_bytes(data[at : at + 4], "little") & ~mask | bits
    data[at : at + 4] = word.to_bytes(4, "little")


def _branch(data: bytearray, at: int, value: int, address: int) -> None:
    _instruction(data, at, 0x03FFFFFF, _fits(value - address, 28) >> 2)


def _page(data: bytearray, at: int, value: int, address: int) -> None:
    pages = _fits((value >> 12) - (address >> 12), 21)
    _instruction(data, at, 0x60FFFFE0, (pages & 3) << 29 | (pages >> 2) << 5)


def _low(shift: int) -> Write:
    """The low 12 bits, in units of the access."""

    def write(data: bytearray, at: int, value: int, address: int) -> None:
        _instruction(data, at, 0x003FFC00, (value & 0xFFF) >> shift << 10)

    return write


def _x86_stub(address: int, entry: int) -> bytes:
    """jmp *entry(%rip)"""
    return b"\xff\x25" + _fits(entry - address - 6, 32).to_bytes(4, "little") + b"\xcc" * 10


def _arm_stub(address: int, entry: int) -> bytes:
    """adrp x16, entry; ldr x16, [x16, entry]; br x16"""
    code = bytearray(b"".join(w.to_bytes(4, "little") for w in (0x90000010, 0xF9400210, 0xD61F0200, 0xD503201F)))
    _page(code, 0, entry, address)
    _low(3)(code, 4, entry, address)
    return bytes(code)


PROCESSORS = {
    X86_64: Processor(
        {
            1: Kind(None),
            **{number: Kind(_pc(32)) for number in (2, 4)},  # PC32, PLT32
            **{number: Kind(_pc(32), uses_got=True) for number in (9, 41, 42)},  # GOTPCREL, with its relaxable forms
            24: Kind(_pc(64)),
        },
        _x86_stub,
        relative=8,
        absolute=1,
        entry=6,
    ),
    AARCH64: Processor(
        {
            257: Kind(None),
            260: Kind(_pc(64)),
            261: Kind(_pc(32)),
            275: Kind(_page),
            **{
                number: Kind(_low(shift))
                for number, shift in ((277, 0), (278, 0), (284, 1), (285, 2), (286, 3), (299, 4))
            },
            **{number: Kind(_branch) for number in (282, 283)},
            311: Kind(_page, uses_got=True),
            312: Kind(_low(3), uses_got=True),
        },
        _arm_stub,
        relative=1027,
        absolute=257,
        entry=1025,
    ),
}
"""By e_machine."""
