"""What hlo-opt shows while passes run: IR before and after them, and their times."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, field

from mlir import ir


@dataclass
class PassWatcher:
    """Called around every pass. Names are passes' names; "*" stands for all."""

    print_before: set[str] = field(default_factory=set)
    print_after: set[str] = field(default_factory=set)
    timing: bool = False
    generic: bool = False
    times: list[tuple[str, float]] = field(default_factory=list)
    _start: float = 0.0

    def __bool__(self) -> bool:
        return bool(self.print_before or self.print_after or self.timing)

    def before(self, name: str, module: ir.Module) -> None:
        self._print("Before", name, module, self.print_before)
        self._start = time.perf_counter()

    def after(self, name: str, module: ir.Module) -> None:
        self.times.append((name, time.perf_counter() - self._start))
        self._print("After", name, module, self.print_after)

    def _print(self, when: str, name: str, module: ir.Module, wanted: set[str]) -> None:
        if "*" not in wanted and base_name(name) not in wanted:
            return
        from hlo.dialect.printer import print_module

        print(f"// -----// IR Dump {when} {name} //----- //", file=sys.stderr)
        print(print_module(module, generic=self.generic), file=sys.stderr)

    def report(self) -> None:
        """The table of --mlir-timing, on stderr."""
        if not self.timing:
            return
        from rich.console import Console
        from rich.table import Table

        total = sum(seconds for _, seconds in self.times)
        table = Table(title="Pass execution time", title_justify="left")
        table.add_column("pass")
        table.add_column("ms", justify="right")
        table.add_column("share", justify="right")
        for name, seconds in [*self.times, ("total", total)]:
            table.add_row(name, f"{seconds * 1e3:.2f}", f"{seconds / total if total else 0:.0%}")
        Console(stderr=True).print(table)


def base_name(name: str) -> str:
    """`func.func(cse{x=1})` -> `cse`: what the user calls the pass."""
    while name.endswith(")") and "(" in name:
        name = name[name.index("(") + 1 : -1]
    return name.split("{")[0]
