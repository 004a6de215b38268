"""One program on all contenders, in turns: a row of the table."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import jax
import numpy as np

from bench.contenders import Problem
from bench.machine import Machine
from bench.programs import Program

WARM_UP = 0.02

REORDERED = 1e-4
"""How much results of two calls may differ, over the largest magnitude: threads may sum in another order."""


@dataclass
class Row:
    """Seconds and bytes, by contender. `notes`: why a number is missing."""

    name: str
    turns: dict[str, list[float]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    compile: dict[str, float] = field(default_factory=dict)
    temporaries: dict[str, int] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    error: float | None = None
    floor: float = 0.0

    def ratio(self, peer: str) -> float | None:
        """How many times as long as hlo the peer takes: the median over rounds, since turns of one round share the
        machine's state."""
        if peer not in self.turns or "hlo" not in self.turns:
            return None
        return statistics.median(p / h for p, h in zip(self.turns[peer], self.turns["hlo"]))

    def share(self) -> float | None:
        return self.floor / self.seconds["hlo"] if "hlo" in self.seconds else None

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def measure(program: Program, contenders: Sequence[Any], machine: Machine, rounds: int, duration: float) -> Row:
    problem, row = problem_of(program), Row(program.name)
    outputs = prepare(row, program, problem, contenders)
    take_turns(row, [c for c in contenders if c.name in outputs], rounds, duration)
    _add_floor(row, program, problem, contenders, outputs, machine)
    return row


def prepare(row: Row, program: Program, problem: Problem, contenders: Sequence[Any]) -> dict[str, list[np.ndarray]]:
    """Lets all compile and run once; outputs by contender. Who failed has a note in the row."""
    outputs: dict[str, list[np.ndarray]] = {}
    for contender in contenders:
        if contender.name in program.skip:
            row.notes[contender.name] = "needs minutes, left out"
            continue
        try:
            row.compile[contender.name] = contender.prepare(problem)
            outputs[contender.name] = contender.outputs()
            contender.turn(WARM_UP)
            _compare_with_later(outputs[contender.name], contender.outputs())
        except Exception as error:  # a contender's failure is a result
            outputs.pop(contender.name, None)
            row.notes[contender.name] = _first_line(error)
    return outputs


def _first_line(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".splitlines()[0]


def _compare_with_later(first: Sequence[np.ndarray], later: Sequence[np.ndarray]) -> None:
    """A call that changes its arguments, or its earlier results, leaves out work that the others do."""
    difference = max((_error(a, b) for a, b in zip(later, first, strict=True)), default=0.0)
    if difference > REORDERED:
        raise ValueError(f"later calls have other results (by {difference:.1e} of the largest)")


def problem_of(program: Program) -> Problem:
    inputs = program.inputs()
    lowered = jax.jit(program.function, keep_unused=True).lower(*inputs)
    return Problem(program.name, lowered.as_text(), lowered, inputs, program.in_numpy)


HOPELESS = 100
"""Who takes this many times as long as the fastest contender keeps the times that it has: calls of seconds would say no more."""


def take_turns(row: Row, contenders: Sequence[Any], rounds: int, duration: float, pause: float = 0.0) -> None:
    """Who fails in a turn has a note, and no times. `pause`: seconds before each turn."""
    row.turns = {c.name: [] for c in contenders}
    for _ in range(rounds):
        fastest = min((min(times) for times in row.turns.values() if times), default=float("inf"))
        for contender in [c for c in contenders if c.name in row.turns]:
            if min(row.turns[contender.name], default=0.0) > HOPELESS * fastest:
                continue
            time.sleep(pause)
            take_turn(row, contender, duration)
    for contender in [c for c in contenders if c.name in row.turns]:
        row.seconds[contender.name] = statistics.median(row.turns[contender.name])
        temporaries = contender.temporaries()
        if temporaries is not None:
            row.temporaries[contender.name] = temporaries


def take_turn(row: Row, contender: Any, duration: float) -> None:
    try:
        row.turns[contender.name].append(contender.turn(duration))
    except Exception as error:  # as in `prepare`
        del row.turns[contender.name]
        row.notes[contender.name] = _first_line(error)


def _add_floor(
    row: Row,
    program: Program,
    problem: Problem,
    contenders: Sequence[Any],
    outputs: dict[str, list[np.ndarray]],
    machine: Machine,
) -> None:
    reference = outputs.get("XLA")
    if reference is None:
        return
    xla = next(c for c in contenders if c.name == "XLA")
    operations = xla.operations() if program.operations is None else program.operations
    size = sum(a.nbytes for a in (*problem.inputs, *reference))
    row.floor = machine.floor(operations / program.rate, size)
    if "hlo" in outputs:
        row.error = max((_error(a, b) for a, b in zip(outputs["hlo"], reference, strict=True)), default=0.0)


def _error(found: np.ndarray, expected: np.ndarray) -> float:
    """The largest difference over the largest magnitude; infinite where shapes or the places of NaN differ."""
    if found.shape != expected.shape or found.size == 0:
        return 0.0 if found.shape == expected.shape else float("inf")
    wide = np.complex128 if np.iscomplexobj(expected) else np.float64
    a, b = found.astype(wide), expected.astype(wide)
    if not np.array_equal(np.isfinite(a), np.isfinite(b)):
        return float("inf")
    finite = np.isfinite(b)
    difference = np.abs(a[finite] - b[finite]).max(initial=0.0)
    return float(difference / max(np.abs(b[finite]).max(initial=0.0), 1e-30))
