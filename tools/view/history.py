"""The texts of a program after each pass, as a list of edits: each step says what it keeps, drops and adds of the one before."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import field

from mlir import ir

from hlo.lazy_dataclasses import dataclass
from hlo.tools.view.alignment import Pair
from hlo.tools.view.lines import Line, lines_of, printed
from hlo.tools.view.origins import NumberedOps, Ops
from hlo.tools.view.stable_names import with_stable_names

Edit = int | str
"""A number n keeps n lines, -n drops n; a string is a line that is added: the number of its ops in `History.ops` (base 36), a blank, the
text."""


@dataclass
class Step:
    """A text. `phase`, `name`: what made it. `seconds`: how long that took."""

    phase: str
    name: str
    seconds: float
    edits: list[Edit]
    added: int
    dropped: int


@dataclass
class History:
    """Watches the passes of `pipelines.run`: `on_pass`, and `ends_phase` as `on_phase`."""

    numbered: NumberedOps
    steps: list[Step] = field(default_factory=list)
    ops: dict[Ops, int] = field(default_factory=lambda: {(): 0})
    """The sets of ops that lines compute, numbered."""

    lines: list[Line] = field(default_factory=list)
    """The last text."""

    _printed: str = ""
    _unnamed: int = 0
    _start: float = 0.0

    def before(self, _name: str, _module: ir.Module) -> None:
        self._start = time.perf_counter()

    def after(self, name: str, module: ir.Module) -> None:
        seconds = time.perf_counter() - self._start
        self.add_module("", name, seconds, module)

    def ends_phase(self, phase: str, _module: ir.Module) -> None:
        for step in self.steps[self._unnamed :]:
            step.phase = phase
        self._unnamed = len(self.steps)

    def add_module(self, phase: str, name: str, seconds: float, module: ir.Module) -> None:
        text = printed(module)
        if text == self._printed:
            self._append(Step(phase, name, seconds, [len(self.lines)] if self.lines else [], 0, 0))
            return
        self._printed = text
        self.add(phase, name, seconds, lines_of(text, self.numbered))

    def add(self, phase: str, name: str, seconds: float, lines: Sequence[Line], *, anew: bool = False) -> None:
        """`anew`: nothing is kept of the text before (it is of another language)."""
        renamed, pairs = (list(lines), []) if anew else with_stable_names(self.lines, lines)
        edits, added, dropped = self._edits(self.lines, renamed, pairs)
        self._append(Step(phase, name, seconds, edits, added, dropped))
        self.lines = renamed

    def _append(self, step: Step) -> None:
        self.steps.append(step)
        if step.phase:
            self._unnamed = len(self.steps)

    def _edits(self, old: Sequence[Line], new: Sequence[Line], pairs: list[Pair]) -> tuple[list[Edit], int, int]:
        edits: list[Edit] = []
        kept = [(i, j) for i, j in pairs if old[i] == new[j]]
        i = j = same = 0
        for p, q in [*kept, (len(old), len(new))]:
            if (p, q) != (i, j):
                if same:
                    edits.append(same)
                    same = 0
                if p > i:
                    edits.append(i - p)
                edits += map(self._written, new[j:q])
            same += 1
            i, j = p + 1, q + 1
        if same > 1:
            edits.append(same - 1)  # the end is no line
        return edits, len(new) - len(kept), len(old) - len(kept)

    def _written(self, line: Line) -> str:
        number = self.ops.setdefault(line.ops, len(self.ops))
        return f"{base36(number)} {line.text}"


def base36(number: int) -> str:
    """As JavaScript's parseInt(text, 36) reads it."""
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"
    text = digits[number % 36]
    while number := number // 36:
        text = digits[number % 36] + text
    return text
