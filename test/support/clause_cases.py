"""What the files of test/dialect say of each op: how often it is accepted, and which clauses it is refused for.

A case is a line that an `expected-error` comment points to: its op, and the labels that the message begins with. A line
that none points to is accepted, or else its file would fail."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from hlo.tools.opt.expected_diagnostics import Expectation, expectations

ROOT = Path(__file__).resolve().parents[2]
LABELS = re.compile(r"(?:'[\w.-]+' op )?(C\d+(?:, C\d+)*):")
OP = re.compile(r"(?:^|[\s=])\"?((?:stablehlo|chlo|check|interpreter)\.[\w-]+)\"?")


@cache
def refused() -> Counter[tuple[str, str]]:
    """How many cases there are by op and label ("C1", "C3, C4")."""
    return Counter(
        (OP.findall(lines[case.line - 1])[0], m[1])
        for lines, case in _expectations("test/dialect")
        if (m := LABELS.match(case.text))
    )


@cache
def accepted() -> frozenset[str]:
    """The ops of lines that nothing is expected of, in test/dialect and in the programs of test/e2e."""
    pointed_to = {(id(lines), case.line) for lines, case in _expectations("test/dialect")}
    return frozenset(
        op
        for folder in ("test/dialect", "test/e2e")
        for lines in _files(folder)
        for number, line in enumerate(lines, 1)
        if (id(lines), number) not in pointed_to and not line.lstrip().startswith("//")
        for op in OP.findall(line)
    )


@cache
def _files(folder: str) -> list[list[str]]:
    return [path.read_text().splitlines() for path in sorted((ROOT / folder).glob("*.mlir"))]


def _expectations(folder: str) -> Iterator[tuple[list[str], Expectation]]:
    for lines in _files(folder):
        for case in expectations("\n".join(lines)):
            yield lines, case
