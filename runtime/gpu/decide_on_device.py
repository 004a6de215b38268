"""A plan whose conditions the device looks at itself: what the host reads in order to decide becomes Repeat and Choose.

Before:  While(before: Launch(cmp), Read(%13, at 10), Compute(%14, trunci %13); condition: %14; after: Launch(add))
After:   Launch(cmp), Repeat(at 10 & 1 == 1: Launch(add), Launch(cmp))"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from hlo.runtime.gpu import plan as steps
from hlo.runtime.gpu.plan import Condition, Plan

WIDTHS = {"bool": 1, "int8": 8, "int16": 16, "int32": 32, "int64": 64}


class _HostNeeded(Exception):
    """The host must do something in the middle of the plan."""


def decide_on_device(plan: Plan) -> Plan | None:
    """The same plan without steps of the host; None where it must read or call something, where a loop hands on
    addresses, or where what it decides by may have changed since it was read."""
    try:
        return replace(plan, steps=tuple(_Rewriter().steps(plan.steps)))
    except _HostNeeded:
        return None


class _Rewriter:
    def __init__(self) -> None:
        self.constants: dict[int, int] = {}
        self.read: dict[int, Condition] = {}
        """What was read since the last launch: as the condition that it is not 0 in any bit of the mask."""
        self.decided: dict[int, Condition] = {}
        """Conditions made of that."""

    def steps(self, program: Sequence[Any]) -> list[Any]:
        return [new for step in program for new in RULES[type(step)](self, step)]

    def forget(self) -> None:
        """Memory changes: what was read may be old."""
        self.read, self.decided = {}, {}

    def condition(self, register: int) -> Condition:
        if register not in self.decided:
            raise _HostNeeded
        return self.decided[register]


def _same(rewriter: _Rewriter, step: Any) -> list[Any]:
    return [step]


def _queued(rewriter: _Rewriter, step: Any) -> list[Any]:
    rewriter.forget()
    return [step]


def _read(rewriter: _Rewriter, step: steps.Read) -> list[Any]:
    mask = (1 << WIDTHS[step.dtype]) - 1
    rewriter.read[step.result] = Condition(step.address, step.dtype, mask, 0, equal=False)
    return []


def _compute(rewriter: _Rewriter, step: steps.Compute) -> list[Any]:
    if step.operation == "constant":
        rewriter.constants[step.result] = int(step.value)
        return [step]
    name, _, kind = step.operation.split(".")
    if (name, kind) in CONDITIONS:
        rewriter.decided[step.result] = CONDITIONS[name, kind](rewriter, *step.operands)
        return []
    raise _HostNeeded


def _is_odd(rewriter: _Rewriter, number: int) -> Condition:
    if number not in rewriter.read:
        raise _HostNeeded
    return replace(rewriter.read[number], mask=1)


def _comparison(equal: bool) -> Callable[[_Rewriter, int, int], Condition]:
    def compare(rewriter: _Rewriter, number: int, other: int) -> Condition:
        if number not in rewriter.read or other not in rewriter.constants:
            raise _HostNeeded
        found = rewriter.read[number]
        return replace(found, expected=rewriter.constants[other] & found.mask, equal=equal)

    return compare


CONDITIONS: dict[tuple[str, str], Callable[..., Condition]] = {
    ("trunci", "i1"): _is_odd,
    ("cmpi_eq", "i1"): _comparison(True),
    ("cmpi_ne", "i1"): _comparison(False),
}
"""By operation and type of the result: conditions that the host computes."""


def _while(rewriter: _Rewriter, step: steps.While) -> list[Any]:
    """A loop whose values stay in their buffers: nothing is handed on."""
    if step.initial or step.results or step.before.parameters or step.after.parameters or step.after.results:
        raise _HostNeeded
    rewriter.forget()
    before = rewriter.steps(step.before.steps)
    condition = rewriter.condition(step.condition)
    after = rewriter.steps(step.after.steps)
    rewriter.forget()
    return [*before, steps.Repeat(condition, (*after, *before))]


def _if(rewriter: _Rewriter, step: steps.If) -> list[Any]:
    if step.results:
        raise _HostNeeded
    condition, read, decided = rewriter.condition(step.condition), dict(rewriter.read), dict(rewriter.decided)
    branches = []
    for body in (step.then, step.otherwise):
        rewriter.read, rewriter.decided = dict(read), dict(decided)
        branches.append(tuple(rewriter.steps(body.steps)))
    rewriter.forget()
    return [steps.Choose(condition, *branches)]


def _host(rewriter: _Rewriter, step: Any) -> list[Any]:
    raise _HostNeeded


RULES: dict[type, Callable[[_Rewriter, Any], list[Any]]] = {
    steps.Offset: _same,
    steps.Launch: _queued,
    steps.Copy: _queued,
    steps.Read: _read,
    steps.Compute: _compute,
    steps.While: _while,
    steps.If: _if,
    steps.HostCall: _host,
}
