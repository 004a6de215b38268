"""Further files next to an object and its header: an archive, a shared library, an example main, pkg-config and CMake files."""

from __future__ import annotations

import struct
from collections.abc import Callable

from hlo.errors import ArgumentError
from hlo.runtime.aot.example import example_main
from hlo.runtime.aot.model import Model
from hlo.runtime.aot.platforms import LINUX
from hlo.runtime.aot.symbols import Symbols
from hlo.runtime.elf.link import link_library
from hlo.runtime.saved.portable import NEEDED

Files = dict[str, bytes]

OPENBLAS_FILE = ("libopenblas.so.0",)
"""What the loader is told of LAPACK."""


def archive(model: Model, symbols: Symbols) -> Files:
    """libNAME.a: the object, and the index of its names (System V's; Apple's linker wants one of `ranlib`)."""
    if model.platform.system != LINUX:
        raise ArgumentError(
            f"archives are made for Linux; for {model.platform.name}: libtool -static -o lib{model.name}.a {model.name}.o"
        )
    names = [name for name in symbols.defined if name in model.exported or name.startswith("hlo_")]
    index = b"".join(name.encode() + b"\0" for name in names)
    table_size = 4 + 4 * len(names) + len(index)
    first = 8 + 60 + table_size + table_size % 2
    table = struct.pack(f">{1 + len(names)}I", len(names), *[first] * len(names)) + index
    data = b"!<arch>\n" + _member("/", table) + _member(f"{model.name}.o/", model.object)
    return {f"lib{model.name}.a": data}


def _member(name: str, data: bytes) -> bytes:
    """An entry without date and owner, so that the same program gives the same archive. Names of more than 16 bytes are
    cut: linkers look at contents."""
    shown = name if len(name) <= 16 else name[:15] + "/"
    head = f"{shown:<16}{0:<12}{0:<6}{0:<6}{644:<8}{len(data):<10}`\n".encode()
    return head + data + b"\n" * (len(data) % 2)


def shared(model: Model, _: Symbols) -> Files:
    """libNAME.so, by our own linker."""
    if model.platform.system != LINUX or model.platform.pointer_bits != 64:
        raise ArgumentError(
            f"shared libraries are made for Linux on 64 bits; for {model.platform.name}: cc -shared -o lib{model.name}.so {model.name}.o"
        )
    needed = [*OPENBLAS_FILE * bool(model.lapack_symbols), *NEEDED]
    stays = model.threads == "pool"
    return {f"lib{model.name}.so": link_library([model.object], model.exported, needed, stays=stays)}


def pkg_config(model: Model, _: Symbols) -> Files:
    text = f"""prefix=${{pcfiledir}}
Name: {model.name}
Description: a program compiled by hlo
Version: {model.version}
Cflags: -I${{prefix}}
Libs: ${{prefix}}/{model.name}.o {" ".join(libraries(model))}
"""
    return {f"{model.name}.pc": text.rstrip().encode() + b"\n"}


def cmake(model: Model, _: Symbols) -> Files:
    """For `find_package(NAME CONFIG PATHS folder)`: the target NAME::NAME."""
    target = f"{model.name}::{model.name}"
    linked = ";".join(libraries(model))
    text = f"""# A program compiled by hlo {model.version} for {model.platform.name}.
if(NOT TARGET {target})
  add_library({target} INTERFACE IMPORTED)
  set_target_properties({target} PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${{CMAKE_CURRENT_LIST_DIR}}"
    INTERFACE_LINK_LIBRARIES "${{CMAKE_CURRENT_LIST_DIR}}/{model.name}.o;{linked}")
endif()
"""
    return {f"{model.name}-config.cmake": text.encode()}


def libraries(model: Model) -> list[str]:
    """What the object is linked with."""
    openblas, threads = ["-lopenblas"] * bool(model.lapack_symbols), ["-pthread"] * (model.threads == "pool")
    return [*openblas, "-lm", *threads]


def main_program(model: Model, _: Symbols) -> Files:
    return {f"{model.name}_main.c": example_main(model).encode()}


PACKAGES: dict[str, Callable[[Model, Symbols], Files]] = {
    "archive": archive,
    "shared": shared,
    "main": main_program,
    "pkg-config": pkg_config,
    "cmake": cmake,
}
"""By the name that `also` takes."""
