"""Another LLVM in the same process (torch_mlir's, say) must not provide its symbols to ours.

On Linux a symbol of the binding STB_GNU_UNIQUE (a static member of a C++ template) is one for the whole process: the
library that was loaded first has it, whatever the flags of dlopen, so that one LLVM would call another's functions.
Where such a library is there already, ours are loaded from copies in memory in which these are ordinary symbols. And
symbols that a library exports to all (RTLD_GLOBAL) come before ours, unless ours are loaded with RTLD_DEEPBIND. Both
are done where they are needed only: copies take 340 MB, and RTLD_DEEPBIND gets round a replaced malloc.

`watch` lets `prepare` run before the package mlir is first imported; what loads libLLVM without it asks `library` for its name."""

from __future__ import annotations

import ctypes
import os
import struct
import sys
import warnings
from functools import cache
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # imported where they are needed: `import hlo` is to stay cheap, and few processes come there
    import mmap
    from collections.abc import Iterator
    from pathlib import Path

_LARGE = 4 << 20
"""Bytes: no library that holds an LLVM is smaller."""
_UNIQUE, _GLOBAL = 10, 1
"""Bindings of symbols (STB_GNU_UNIQUE, STB_GLOBAL)."""
_DYNAMIC_SYMBOLS = 11
"""The type of their section (SHT_DYNSYM)."""
_SYMBOL = [("name", "<u4"), ("info", "u1"), ("other", "u1"), ("section", "<u2"), ("value", "<u8"), ("size", "<u8")]
_EXPORTED = ("LLVMContextCreate", "mlirContextCreate")
_NAMESPACES = (b"4llvm", b"4mlir")

_copies: dict[str, int] = {}
"""The file descriptors of the copies, by the libraries' names: they stay open, so that no other library gets a copy's path."""


class _Watch:
    """A finder that finds nothing: it sees the first import of mlir."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        if name == "mlir":
            prepare()


def watch() -> None:
    """Called when hlo is imported."""
    if sys.platform == "linux" and "mlir" in sys.modules:
        _warn_if_late()
    elif sys.platform == "linux":
        sys.meta_path.insert(0, _Watch())  # type: ignore[arg-type]


@cache
def prepare() -> None:
    """Loads libLLVM and the libraries of MLIR's bindings so that no other LLVM's symbols reach them."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, _Watch)]
    own = folders()
    loaded = _loaded() if own else []
    if not own or any(_own(loaded, own)):
        return
    is_exported = any(hasattr(ctypes.CDLL(None), name) for name in _EXPORTED)
    is_provided = any(map(_provides_symbols, loaded))
    if not is_exported and not is_provided:
        return
    flags = os.RTLD_NOW | os.RTLD_LOCAL | (os.RTLD_DEEPBIND if is_exported else 0)
    bindings, llvm = own
    needed = [llvm / "libLLVM.so", bindings / "libMLIRPythonCAPI.so"]
    needed += [bindings / "libnanobind-mlir.so", bindings / "libMLIRPythonSupport-mlir.so"]
    for path in (one for one in needed if one.exists()):
        ctypes.PyDLL(_without_unique(path) if is_provided else str(path), mode=flags)
    for path in sorted(bindings.glob("_mlir*.so")) if is_exported else ():
        ctypes.PyDLL(str(path), mode=flags)


def library(path: Path) -> str:
    """What dlopen takes for one of our libraries: its path, or the name of the copy that is loaded."""
    if sys.platform == "linux":
        prepare()
    return path.name if path.name in _copies else str(path)


def _warn_if_late() -> None:
    """mlir was imported before hlo: nothing can be changed if another LLVM was there even before that."""
    names = _loaded()
    first = next((n for n, own in enumerate(_own(names, folders() or ())) if own), 0)
    before = next(filter(_provides_symbols, names[:first]), None)
    if before:
        message = f"{before} holds another LLVM and was loaded before the package mlir: compiling may fail; import hlo before mlir"
        warnings.warn(message, RuntimeWarning, stacklevel=3)


def folders() -> tuple[Path, Path] | None:
    """Those of MLIR's bindings and of libLLVM; None where they are not installed. The package mlir is not imported. It
    has no __init__.py, so that any folder called mlir where Python looks (next to a script, say) is a part of it."""
    from pathlib import Path

    found = PathFinder.find_spec("mlir")
    for folder in (found.submodule_search_locations or ()) if found else ():
        bindings, llvm = Path(folder) / "_mlir_libs", Path(folder).parent / "llvm" / "lib"
        if bindings.is_dir() and llvm.is_dir():
            return bindings, llvm
    return None


def _own(names: list[str], folders: tuple[Path, ...]) -> Iterator[bool]:
    """Of each library, whether it lies in one of the folders."""
    real = {os.path.realpath(folder) for folder in folders}
    return (name.endswith(".so") and os.path.dirname(os.path.realpath(name)) in real for name in names)


def _provides_symbols(name: str) -> bool:
    """Whether a library has symbols of an LLVM that are one for the whole process."""
    import mmap

    try:
        if os.path.getsize(name) < _LARGE:
            return False
        with open(name, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return any(space in word for word in _unique_names(data) for space in _NAMESPACES)
    except (OSError, ValueError, OverflowError, struct.error):  # no file, or none of 64 bits
        return False


def _unique_names(data: mmap.mmap) -> list[bytes]:
    offset, size, names = _symbol_table(data)
    table = _symbols(data[offset : offset + size])
    is_unique = (table["info"] >> 4 == _UNIQUE) & (table["section"] != 0)
    starts = (names + table["name"][is_unique]).tolist()
    return [data[start : data.find(b"\0", start)] for start in starts]


def _symbols(data: bytes) -> Any:
    import numpy as np

    return np.frombuffer(data, np.dtype(_SYMBOL))


def _symbol_table(data: mmap.mmap) -> tuple[int, int, int]:
    """Offset and size of a library's dynamic symbols, and the offset of their names. Raises ValueError where there are none."""
    if data[:6] != b"\x7fELF\x02\x01":
        raise ValueError("no ELF file of 64 bits")
    (headers,) = struct.unpack_from("<Q", data, 0x28)
    each, count = struct.unpack_from("<HH", data, 0x3A)
    sections = [struct.unpack_from("<IIQQQQI", data, headers + n * each) for n in range(count)]
    for _, kind, _, _, offset, size, link in sections:
        if kind == _DYNAMIC_SYMBOLS:
            return offset, size, sections[link][4]
    raise ValueError("no dynamic symbols")


def _without_unique(path: Path) -> str:
    """The path of a copy in memory in which unique symbols are ordinary ones; that of the library if it has none."""
    import mmap
    import shutil

    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        if not _unique_names(data):
            return str(path)
        number = os.memfd_create(path.name)
        with os.fdopen(os.dup(number), "wb") as copy:
            shutil.copyfileobj(file, copy, 1 << 24)
    with mmap.mmap(number, 0) as data:
        offset, size, _ = _symbol_table(data)
        table = _symbols(data[offset : offset + size]).copy()
        is_unique = table["info"] >> 4 == _UNIQUE
        table["info"][is_unique] = (_GLOBAL << 4) | (table["info"][is_unique] & 0xF)
        data[offset : offset + size] = table.tobytes()
    _copies[path.name] = number
    return f"/proc/self/fd/{number}"


class _Header(ctypes.Structure):
    """The beginning of dl_phdr_info."""

    _fields_ = [("address", ctypes.c_void_p), ("name", ctypes.c_char_p)]


def _loaded() -> list[str]:
    """The libraries of this process in the order in which they were loaded."""
    names: list[str] = []
    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Header), ctypes.c_size_t, ctypes.c_void_p)

    def note(header: Any, size: int, data: Any) -> int:
        names.append(os.fsdecode(header.contents.name or b""))
        return 0

    ctypes.CDLL(None).dl_iterate_phdr(kind(note), None)
    return names
