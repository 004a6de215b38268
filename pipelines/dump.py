"""Dumps: the IR of each phase in a numbered file (`--dump-phases=DIR`), and such files read again."""

from __future__ import annotations

from pathlib import Path

from mlir import ir

from hlo.dialect.printer import print_module
from hlo.dialect.reader import read
from hlo.dialect.registration import has_exact_types, make_context
from hlo.dialect.verifier import check
from hlo.errors import ArgumentError
from hlo.pipelines.phase import Phase


class PhaseDump:
    """Writes DIR/00_stablehlo.mlir, DIR/01_linalg.mlir, ... as phases end."""

    def __init__(self, directory: str, names: list[str]):
        self.directory = Path(directory)
        self.names = names
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ArgumentError(f"cannot make folder {directory!r}: {error.strerror}") from None

    def __call__(self, phase: str, module: ir.Module) -> None:
        path = self.directory / f"{self.names.index(phase):02d}_{phase}.mlir"
        path.write_text(print_module(module) + "\n")


def read_dump(text: str | bytes, file_name: str) -> ir.Module:
    """The module of a dump, in a context of its own. Raises ParseError or VerifyError."""
    module = read(text, make_context(exact=has_exact_types(text)), file_name)
    check(module, text, file_name, in_dump=True)
    return module


def phases_after(phases: list[Phase], name: str) -> list[Phase]:
    """The phases behind the one that left a dump. Raises ArgumentError for a name that none has."""
    names = [phase.name for phase in phases]
    if name not in names:
        raise ArgumentError(f"no phase {name!r}; phases: {', '.join(names)}")
    return phases[names.index(name) + 1 :]
