"""Boolean constants written as bytes in hexadecimal.

LLVM 22 packs eight elements into a byte (`dense<"0x05"> : tensor<8xi1>`), newer MLIR, and with it JAX, writes a byte
an element (`dense<"0x0100010000000000"> : tensor<8xi1>`); each rejects the other's."""

from __future__ import annotations

import math
import re

import numpy as np

_BOOLEANS = re.compile(r'dense<"0[xX]([0-9A-Fa-f]*)">(\s*:\s*)(tensor<((?:\d+x)*)i1>)')


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
