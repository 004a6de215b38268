"""What hlo-opt shows while passes run: IR before and after them, and their times."""

from __future__ import annotations

import sys
import time
from dataclasses import field
from pathlib import Path
from typing import Any

from mlir import ir

from hlo.dialect.printer import print_module
from hlo.errors import ArgumentError
from hlo.lazy_dataclasses import dataclass
from hlo.pipelines.dump import as_file_name
from hlo.tools.command_line import write_output
from hlo.tools.opt.pass_tables import report_counts, report_times


@dataclass
class PassWatcher:
    """Called around every pass. Names are passes' names; "*" stands for all.

    `style`: how `print_module` prints. `only_changes`: of the prints after passes, those that differ from the one before. `folder`: where
    prints become files. `timing`: passes are timed: "tree text", "list json", ...;
    `statistics`: their ops before and after are counted: "pipeline" or "list". `one_thread`: nothing is shown; watched passes
    run on one thread."""

    print_before: set[str] = field(default_factory=set)
    print_after: set[str] = field(default_factory=set)
    only_changes: bool = False
    after_failure: bool = False
    folder: Path | None = None
    timing: str = ""
    statistics: str = ""
    one_thread: bool = False
    style: dict[str, Any] = field(default_factory=dict)
    times: list[tuple[str, float]] = field(default_factory=list)
    counts: list[tuple[str, int, int]] = field(default_factory=list)
    _start: float = 0.0
    _ops: int = 0
    _text: str = ""
    _files: int = 0

    def __bool__(self) -> bool:
        shows = self.print_before or self.print_after or self.after_failure
        return bool(shows or self.timing or self.statistics or self.one_thread)

    def before(self, name: str, module: ir.Module) -> None:
        self._print("Before", name, module, self.print_before)
        if self.only_changes:
            self._text = str(module)
        if self.statistics:
            self._ops = count_ops(module)
        self._start = time.perf_counter()

    def after(self, name: str, module: ir.Module) -> None:
        self.times.append((name, time.perf_counter() - self._start))
        if self.statistics:
            self.counts.append((name, self._ops, count_ops(module)))
        if not self.only_changes or str(module) != self._text:
            self._print("After", name, module, self.print_after)

    def failed(self, name: str, module: ir.Module) -> None:
        if self.after_failure:
            self._print("After Failure of", name, module, {"*"})

    def _print(self, when: str, name: str, module: ir.Module, wanted: set[str]) -> None:
        if "*" not in wanted and base_name(name) not in wanted:
            return
        text = f"// -----// IR Dump {when} {name} //----- //\n{print_module(module, **self.style)}\n"
        if self.folder is None:
            print(text, file=sys.stderr, end="")
            return
        symbol = (
            module.operation.attributes["sym_name"].value
            if "sym_name" in module.operation.attributes
            else "no-symbol-name"
        )
        path = self.folder / f"builtin_module_{as_file_name(symbol)}" / f"{self._files}_{base_name(name)}.mlir"
        self._files += 1
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ArgumentError(f"cannot make folder {str(path.parent)!r}: {error.strerror}") from None
        write_output(str(path), text)

    def report(self) -> None:
        """The tables of --mlir-timing and --mlir-pass-statistics, on stderr."""
        if self.timing:
            report_times(self.times, *self.timing.split())
        if self.statistics:
            report_counts(self.counts, self.statistics)


def count_ops(module: ir.Module) -> int:
    """The ops in a module, those in regions counted too."""
    count = 0

    def visit(_: Any) -> ir.WalkResult:
        nonlocal count
        count += 1
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return count - 1


def base_name(name: str) -> str:
    """`func.func(cse{x=1})` -> `cse`: what the user calls the pass."""
    while name.endswith(")") and "(" in name:
        name = name[name.index("(") + 1 : -1]
    return name.split("{")[0]
