"""`--dump-phases=DIR`: the IR of each phase in a numbered file."""

from __future__ import annotations

from pathlib import Path

from mlir import ir

from hlo.dialect.printer import print_module
from hlo.errors import ArgumentError


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
