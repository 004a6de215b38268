"""Constants written as bytes in hexadecimal: long ones are read past, boolean ones translated.

Of a long constant only MLIR's parser and the program look at the digits. So they are taken out while text is checked and rewritten, which
goes over it ten times or more: `shortened`, `restored`.

LLVM 22 packs eight elements into a byte (`dense<"0x05"> : tensor<8xi1>`), newer MLIR, and with it JAX, writes a byte
an element (`dense<"0x0100010000000000"> : tensor<8xi1>`); each rejects the other's."""

from __future__ import annotations

import math
import re

import numpy as np

_BOOLEANS = re.compile(r'dense<"0[xX]([0-9A-Fa-f]*)">(\s*:\s*)(tensor<((?:\d+x)*)i1>)')


_LONG = 8192
"""Digits from which on a constant is taken out."""
_TYPE = re.compile(r'">\s*:\s*tensor<(?:\d+x)*(?!i1>)[A-Za-z!]')
_KEY = "5EEDC0DE5EEDC0DE"
"""What the digits that stand for a long constant begin with; its number follows."""
_STAND_IN = re.compile(rf'"0x{_KEY}([0-9A-F]{{16}})">')


def shortened(text: str) -> tuple[str, list[str]]:
    """The text with a few digits for each long constant that is not boolean, and these constants' digits; no constants where
    text holds such digits already."""
    digits: list[str] = []
    parts, end, start = [], 0, text.find('dense<"0x')
    if start < 0 or _KEY in text:
        return text, []
    while start >= 0:
        first = start + len('dense<"0x')
        last = text.find('"', first)
        if last - first >= _LONG and _TYPE.match(text, last) and _is_hexadecimal(text[first:last]):
            parts.append(f"{text[end:first]}{_KEY}{len(digits):016X}")
            digits.append(text[first:last])
            end = last
        start = text.find('dense<"0x', max(first, last))
    return "".join([*parts, text[end:]]), digits


def _is_hexadecimal(digits: str) -> bool:
    """Whether they are whole bytes, and nothing else."""
    try:
        return 2 * len(bytes.fromhex(digits)) == len(digits)
    except ValueError:
        return False


def restored(text: str, digits: list[str]) -> str:
    """A text made of a shortened one, with its constants."""
    return _STAND_IN.sub(lambda found: f'"0x{digits[int(found[1], 16)]}">', text)


def repack_booleans(text: str) -> str:
    """A byte an element to a bit an element, wherever the size says that it is a byte an element."""
    if "i1>" not in text or not ('"0x' in text or '"0X' in text):
        return text
    return _BOOLEANS.sub(_pack, text)


def unpack_booleans(text: str) -> str:
    """A bit an element to a byte an element."""
    if '"0x' not in text or "i1>" not in text:
        return text
    return _BOOLEANS.sub(_unpack, text)


def _count(sizes: str) -> int:
    return math.prod(int(s) for s in sizes.split("x") if s)


def _pack(found: re.Match[str]) -> str:
    digits, colon, type, sizes = found.groups()
    count = _count(sizes)
    if len(digits) != 2 * count:
        return found.group()
    bits = np.frombuffer(bytes.fromhex(digits), np.uint8) != 0
    if count == 1 or bits.all() or not bits.any():
        return f"dense<{'true' if bits.all() else 'false'}>{colon}{type}"
    return f'dense<"0x{np.packbits(bits, bitorder="little").tobytes().hex().upper()}">{colon}{type}'


def _unpack(found: re.Match[str]) -> str:
    digits, colon, type, sizes = found.groups()
    count = _count(sizes)
    if len(digits) != 2 * ((count + 7) // 8) or count == 1:
        return found.group()
    packed = np.frombuffer(bytes.fromhex(digits), np.uint8)
    bits = np.unpackbits(packed, bitorder="little")[:count]
    return f'dense<"0x{bits.tobytes().hex().upper()}">{colon}{type}'
