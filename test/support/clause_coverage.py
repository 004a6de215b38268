"""Which clauses the accepted programs of the tests speak of: each `return` of a clause's check by which it accepts has to be
taken for an op that the verifier accepts. A check that only ever sees a guard (no quantized operand, say) has said nothing.

Programs: the ops of test/dialect that nothing is wrong with, those of test_quantized_clauses, and, for an op that lacks
some clause then, those of its file in test/e2e."""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from mlir import ir

from hlo.dialect.definition import OPS, Constraint, Op
from hlo.dialect.quantized import has_quantized
from hlo.dialect.reader import read, split_input
from hlo.dialect.registration import make_context
from hlo.dialect.verifier import op_error

ROOT = Path(__file__).resolve().parents[2]
Clause = tuple[str, str]
"""An op and a label."""


def accepting_lines(check: Callable[..., Any]) -> set[int]:
    """The lines of the returns by which a check accepts: all but those of a message."""
    lines, first = inspect.getsourcelines(check)
    returns = [n for n in ast.walk(ast.parse(textwrap.dedent("".join(lines)))) if isinstance(n, ast.Return)]
    return {n.lineno + first - 1 for n in returns if not isinstance(n.value, (ast.JoinedStr, ast.Name))}


class Coverage:
    def __init__(self) -> None:
        make_context()
        labelled = {(name, c.label): c for name, cls in OPS.items() for c in cls.CONSTRAINTS if c.label}
        self.missing = {clause: accepting_lines(c.check) for clause, c in labelled.items()}
        """The lines that no accepted op has come to yet, by clause."""

    def incomplete(self, name: str) -> bool:
        return any(self.missing.get((name, c.label)) for c in OPS[name].CONSTRAINTS)

    def add(self, programs: Iterable[str]) -> None:
        for text in programs:
            module = read(text, make_context(native=False))
            with module.context, ir.Location.unknown():
                for op in _ops(module.body):
                    if isinstance(op, Op) and self.incomplete(op.operation.name) and op_error(op) is None:
                        self._check(op)

    def _check(self, op: Any) -> None:
        quantized = has_quantized(*(v.type for v in (*op.operands, *op.results)))
        for clause in op.CONSTRAINTS:
            if clause.label and (quantized or not clause.quantized):
                self.missing[op.operation.name, clause.label] -= _lines(clause, op)


def _lines(clause: Constraint, op: Any) -> set[int]:
    """The lines of the check that run on an op."""
    code, found = clause.check.__code__, set()

    def inside(frame: Any, event: str, argument: Any) -> Any:
        found.add(frame.f_lineno)
        return inside

    sys.settrace(lambda frame, event, argument: inside if frame.f_code is code else None)
    try:
        assert clause.check(op) is None
    finally:
        sys.settrace(None)
    return found


def _ops(block: ir.Block) -> Iterator[Any]:
    for op in block.operations:
        yield op
        for region in op.regions:
            for inner in region.blocks:
                yield from _ops(inner)


def programs(path: Path) -> Iterator[str]:
    return (text for _, text in split_input(path.read_text())) if path.exists() else iter(())


def coverage(others: Iterable[str]) -> Coverage:
    """What the programs of the tests, and `others`, leave missing."""
    found = Coverage()
    found.add(others)
    for path in sorted((ROOT / "test" / "dialect").glob("*.mlir")):
        found.add(programs(path))
    for name in sorted({name for (name, _), lines in found.missing.items() if lines}):
        found.add(programs(ROOT / "test" / "e2e" / f"{name.removeprefix('stablehlo.')}.mlir"))
    return found
