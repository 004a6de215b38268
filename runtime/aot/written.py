"""From a request to files: `hlo.aot.compile` and hlo-compile."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from operator import index
from typing import Any

from mlir import ir

from hlo.dialect.locations import file_location
from hlo.errors import ArgumentError
from hlo.lazy_dataclasses import dataclass
from hlo.program_text import program_text, shown
from hlo.runtime.aot.header import header
from hlo.runtime.aot.lower import LAPACK, Shapes
from hlo.runtime.aot.model import Model, Options, build, entries_of
from hlo.runtime.aot.names import check_identifier, is_parameter
from hlo.runtime.aot.packages import PACKAGES
from hlo.runtime.aot.platforms import levels, platform_named
from hlo.runtime.aot.symbols import Symbols, symbols_of
from hlo.runtime.aot.threads import PARTS, check_threads
from hlo.whole_files import save_all

WORKSPACES = ("caller", "static")
CONSTANTS = ("object", "file")


@dataclass(frozen=True)
class Request:
    """The arguments of `hlo.aot.compile`."""

    program: Any
    output: Any
    triple: Any
    cpu: Any
    features: Any
    threads: Any
    entries: Any
    shapes: Any
    workspace: Any
    constants: Any
    lapack: Any
    also: Any


@dataclass(frozen=True)
class Written:
    """What was written: the paths, the object's model (its C functions with their signatures), and its symbols."""

    paths: tuple[str, ...]
    model: Model
    symbols: Symbols


def write(request: Request) -> Written:
    """Makes all files, then writes them. Raises an HloError."""
    folder, name = _split(request.output)
    options = _options(request)
    also = _also(request.also)
    shapes = _shapes(request.shapes)
    program, lines = _read(request.program)
    entries = entries_of(program, request.entries)
    names = {entry: _argument_names(program, entry, lines) for entry in entries}
    model = build(program, name, entries, options, names, shapes)
    symbols = symbols_of(model.object, model.c_calls, model.lapack_symbols)
    files = {f"{name}.o": model.object, f"{name}.h": header(model).encode()}
    if model.constants_file is not None:
        files[f"{name}.bin"] = model.constants_file
    for kind in also:
        files.update(PACKAGES[kind](model, symbols))
    paths = {os.path.join(folder, file): data for file, data in files.items()}
    save_all(paths)
    return Written(tuple(paths), model, symbols)


def _split(output: Any) -> tuple[str, str]:
    if not isinstance(output, (str, os.PathLike)):
        raise ArgumentError(f"output takes a path such as 'out/model', found {output!r}")
    folder, name = os.path.split(os.fspath(output))
    check_identifier(name, "the last part of the output's path")
    if folder and not os.path.isdir(folder):
        raise ArgumentError(f"cannot write to {shown(folder)!r}: no such folder")
    return folder, name


def _options(request: Request) -> Options:
    where = platform_named(request.triple)
    threads = check_threads(request.threads, where)
    for key, value, known in (
        ("workspace", request.workspace, WORKSPACES),
        ("constants", request.constants, CONSTANTS),
        ("lapack", request.lapack, LAPACK),
    ):
        if value not in known:
            raise ArgumentError(f"{key} takes one of {', '.join(known)}, found {value!r}")
    if request.lapack == "openblas" and where.pointer_bits != 64:
        raise ArgumentError(f"LAPACK is called on processors of 64 bits; {where.name} has lapack='own' only")
    found = levels(request.cpu, request.features, where, PARTS[threads])
    is_static, uses_file = request.workspace == "static", request.constants == "file"
    return Options(where, tuple(found), threads, is_static, uses_file, request.lapack)


def _also(kinds: Any) -> list[str]:
    if isinstance(kinds, str) or not isinstance(kinds, Sequence):
        raise ArgumentError(f"also takes a list of {', '.join(PACKAGES)}, found {kinds!r}")
    for kind in kinds:
        if kind not in PACKAGES:
            raise ArgumentError(f"also takes a list of {', '.join(PACKAGES)}, found {kind!r}")
    return [kind for kind in PACKAGES if kind in kinds]


def _shapes(shapes: Any) -> Shapes | None:
    if shapes is None:
        return None
    try:
        return [tuple(index(n) for n in shape) for shape in shapes]
    except TypeError:
        raise ArgumentError(f"shapes takes a list of sizes for each argument, found {shapes!r}") from None


def _read(program: Any) -> tuple[ir.Module, list[str]]:
    """The module, and the lines of its text where there is one."""
    import hlo

    text = program_text(program)
    if text is None:
        if not isinstance(program, ir.Module):
            raise ArgumentError(f"hlo.aot.compile takes a module, text or a path, found {type(program).__name__}")
        return program, []
    data = text.encoded
    return hlo.parse(text.data, text.file_name), [] if b"\0" in data else data.decode(errors="replace").splitlines()


_NAME = re.compile(r"%([A-Za-z]\w*)")


def _argument_names(program: ir.Module, entry: str, lines: Sequence[str]) -> list[str]:
    """What the program's text calls the arguments, where C takes it; else arg0, arg1, ..."""
    (function,) = [op for op in program.body.operations if op.operation.name == "func.func" and op.name.value == entry]
    found: list[str] = []
    for number, argument in enumerate(function.regions[0].blocks[0].arguments):
        name = _written(argument.location, lines)
        taken = name in found or re.fullmatch(r"(result|arg)\d*|workspace", name)
        found.append(name if is_parameter(name) and not taken else f"arg{number}")
    return found


def _written(location: ir.Location, lines: Sequence[str]) -> str:
    found = file_location(location)
    if found is None or not 0 < found.start_line <= len(lines):
        return ""
    match = _NAME.match(lines[found.start_line - 1], max(found.start_col - 1, 0))
    return match.group(1) if match else ""
