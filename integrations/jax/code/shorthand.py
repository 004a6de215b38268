"""A short way to write the plugin's machine code: the LLVM dialect with `scf` loops and branches, and three forms for words of memory.

    %p = word %o[BLOCK]             the address of a word: a number or a value (%i), of 8 bytes each
    %v = get %o[BLOCK] : i64        what it holds
    put %v, %o[BLOCK] : i64         stores there

Names in capitals stand for numbers of the modules that define them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping

_WORD = re.compile(r"(%\w+) = word (%\w+)\[(%?\w+)\]")
_GET = re.compile(r"(%\w+) = get (%\w+)\[(%?\w+)\] : (\S+)")
_PUT = re.compile(r"put (%[\w#]+), (%\w+)\[(%?\w+)\] : (\S+)")
_NUMBER = re.compile(r"\b[A-Z][A-Z_]+\b")

LOWERING = "builtin.module(convert-scf-to-cf,convert-to-llvm)"
"""The passes that leave nothing but the LLVM dialect."""


def expanded(text: str, numbers: Mapping[str, int]) -> str:
    """The text as MLIR reads it."""
    counter = itertools.count()

    def store(match: re.Match[str]) -> str:
        value, base, index, kind = match.groups()
        address = f"%put.{next(counter)}"
        return f"{_address(address, base, index)}\n  llvm.store {value}, {address} : {kind}, !llvm.ptr"

    text = _NUMBER.sub(lambda m: str(numbers.get(m[0], m[0])), text)
    text = _WORD.sub(lambda m: _address(*m.groups()), text)
    return _PUT.sub(store, _GET.sub(_load, text))


def _load(match: re.Match[str]) -> str:
    value, base, index, kind = match.groups()
    return f"{_address(f'{value}.at', base, index)}\n  {value} = llvm.load {value}.at : !llvm.ptr -> {kind}"


def _address(name: str, base: str, index: str) -> str:
    kinds = "(!llvm.ptr, i64)" if index.startswith("%") else "(!llvm.ptr)"
    return f"{name} = llvm.getelementptr {base}[{index}] : {kinds} -> !llvm.ptr, i64"
