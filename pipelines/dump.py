"""Dumps: the IR of each phase in a numbered file (`--dump-phases=DIR`, HLO_DUMP_TO=DIR for every program), and such files read again."""

from __future__ import annotations

import fcntl
import os
import re
from pathlib import Path

from mlir import ir

from hlo.dialect.printer import print_module
from hlo.dialect.reader import read
from hlo.dialect.registration import has_exact_types, make_context
from hlo.dialect.verifier import check
from hlo.environment import DUMP_TO
from hlo.errors import ArgumentError
from hlo.pipelines.legality import check_legality
from hlo.pipelines.phase import Phase
from hlo.program_text import shown
from hlo.whole_files import save


class PhaseDump:
    """Writes DIR/00_stablehlo.mlir, DIR/01_linalg.mlir, ... as phases end."""

    def __init__(self, directory: str, names: list[str]):
        self.directory = Path(directory)
        self.names = names
        _make_folder(self.directory, "")

    def __call__(self, phase: str, module: ir.Module) -> None:
        _write(self.directory / f"{self.names.index(phase):02d}_{phase}.mlir", module)


PROGRAM = "program.mlir"
"""The file with what was given to the first phase."""

LONGEST_NAME = 60


def dump_of_environment(module: ir.Module, names: list[str]) -> PhaseDump | None:
    """Where HLO_DUMP_TO names a folder: what writes a program's phases into a folder of their own in it, named for the
    order in which programs come and for the program (0003_jit_step); the program itself is written first. Several
    processes may use one folder. Raises ArgumentError if it cannot be written."""
    root = DUMP_TO.value()
    if not root:
        return None
    dump = PhaseDump(str(_next_folder(Path(root), _name(module))), names)
    _write(dump.directory / PROGRAM, module)
    return dump


def _next_folder(root: Path, name: str) -> Path:
    """A new folder behind the last number; a lock on the folder of all lets one thread or process at a time make one."""
    _make_folder(root, "HLO_DUMP_TO: ")
    try:
        held = os.open(root, os.O_RDONLY)
        try:
            fcntl.flock(held, fcntl.LOCK_EX)
            numbers = [int(found.group()) for one in os.listdir(root) if (found := re.match(r"\d+", one))]
            folder = root / f"{max(numbers, default=-1) + 1:04d}_{name}"
            folder.mkdir()
        finally:
            os.close(held)
    except OSError as error:
        raise ArgumentError(f"HLO_DUMP_TO: cannot write into {shown(root)!r}: {error.strerror}") from None
    return folder


def _name(module: ir.Module) -> str:
    """The module's, or its first public function's, as the name of a file."""
    ops = [module.operation, *(op.operation for op in module.body.operations)]
    names = [
        ir.StringAttr(op.attributes["sym_name"]).value
        for op in ops
        if "sym_name" in op.attributes and not _is_private(op)
    ]
    return as_file_name(names[0] if names else "program")


def as_file_name(symbol: str) -> str:
    """A symbol's name as a part of a file's: no separators of folders or other odd characters, and no more than file systems take."""
    return re.sub(r"[^\w.-]", "_", symbol)[:LONGEST_NAME]


def _is_private(op: ir.Operation) -> bool:
    return "sym_visibility" in op.attributes and ir.StringAttr(op.attributes["sym_visibility"]).value == "private"


def _make_folder(folder: Path, whose: str) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ArgumentError(f"{whose}cannot make folder {shown(folder)!r}: {error.strerror}") from None


def _write(path: Path, module: ir.Module) -> None:
    """Whole or not at all."""
    save(path, (print_module(module) + "\n").encode(errors="surrogateescape"))


def read_dump(text: str | bytes, file_name: str) -> ir.Module:
    """The module of a dump, in a context of its own. Raises ParseError or VerifyError."""
    module = read(text, make_context(exact=has_exact_types(text)), file_name)
    check(module, text, file_name, in_dump=True)
    return module


def check_dump(module: ir.Module, phases: list[Phase], name: str) -> None:
    """Raises CompileError for a module that is no dump of the phase of this name, with every op that the phase would not have left."""
    check_legality(module, next(phase for phase in phases if phase.name == name))


def phases_after(phases: list[Phase], name: str) -> list[Phase]:
    """The phases behind the one that left a dump. Raises ArgumentError for a name that none has."""
    names = [phase.name for phase in phases]
    if name not in names:
        raise ArgumentError(f"no phase {name!r}; phases: {', '.join(names)}")
    return phases[names.index(name) + 1 :]
