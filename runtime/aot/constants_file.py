"""Constants in a file of their own, which a C function maps: large weights stay out of the object, and processes share their pages.

magic, SHA-256 of what follows (the first 16 bytes; they stand in the object too), constants at multiples of 64 bytes"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from hlo.runtime.aot.entry_text import FILE, NO_CONSTANTS
from hlo.runtime.aot.platforms import Platform

MAGIC = b"hlo constants 1\n"
HEAD = 64
ALIGNMENT = 64


class ConstantsFile:
    """Grows by constants; equal ones are there once."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._offsets: dict[bytes, int] = {}
        self._size = HEAD

    def add(self, array: np.ndarray) -> int:
        """The offset of an array's data."""
        data = array.tobytes()
        key = hashlib.sha256(data).digest()
        if key not in self._offsets:
            padding = -self._size % ALIGNMENT
            self._offsets[key] = self._size + padding
            self._parts += [b"\0" * padding, data]
            self._size += padding + len(data)
        return self._offsets[key]

    def contents(self) -> bytes:
        rest = b"".join(self._parts)
        return (MAGIC + hashlib.sha256(rest).digest()[:16]).ljust(HEAD, b"\0") + rest


TEXT = """
@{file} = global ptr null
@hlo_head = internal constant [32 x i8] [{head}], align 1

declare i32 @open(ptr, i32, ...)
declare i32 @close(i32)
declare {word} @lseek(i32, {word}, i32)
declare ptr @mmap(ptr, {word}, i32, i32, i32, {word})
declare i32 @munmap(ptr, {word})
declare i32 @memcmp(ptr, ptr, {word})

define i32 @{name}(ptr %path) {{
  %none = icmp eq ptr %path, null
  br i1 %none, label %refuse, label %open

open:
  %file = call i32 (ptr, i32, ...) @open(ptr %path, i32 0)
  %closed = icmp slt i32 %file, 0
  br i1 %closed, label %refuse, label %measure

measure:
  %size = call {word} @lseek(i32 %file, {word} 0, i32 2)
  %whole = icmp eq {word} %size, {size}
  br i1 %whole, label %map, label %close

close:
  %e0 = call i32 @close(i32 %file)
  br label %refuse

map:
  %mapped = call ptr @mmap(ptr null, {word} {size}, i32 1, i32 2, i32 %file, {word} 0)
  %e1 = call i32 @close(i32 %file)
  %failed = icmp eq ptr %mapped, inttoptr ({word} -1 to ptr)
  br i1 %failed, label %refuse, label %check

check:
  %different = call i32 @memcmp(ptr %mapped, ptr @hlo_head, {word} 32)
  %same = icmp eq i32 %different, 0
  br i1 %same, label %keep, label %drop

keep:
  %pair = cmpxchg ptr @{file}, ptr null, ptr %mapped acq_rel acquire
  %first = extractvalue {{ ptr, i1 }} %pair, 1
  br i1 %first, label %done, label %again

again:                                             ; others use the one that is mapped
  %e2 = call i32 @munmap(ptr %mapped, {word} {size})
  ret i32 0

done:
  ret i32 0

drop:
  %e3 = call i32 @munmap(ptr %mapped, {word} {size})
  br label %refuse

refuse:
  ret i32 {failure}
}}
"""


def map_text(name: str, contents: bytes, where: Platform) -> str:
    """LLVM IR of the C function `int name(const char *path)`."""
    head = ", ".join(f"i8 {b}" for b in contents[:32])
    word = f"i{where.pointer_bits}"
    return TEXT.format(file=FILE, head=head, word=word, name=name, size=len(contents), failure=NO_CONSTANTS)


def offsets(file: ConstantsFile, arrays: Sequence[np.ndarray]) -> tuple[int, ...]:
    return tuple(map(file.add, arrays))
