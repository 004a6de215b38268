"""Whether a plan that was read from a file is one: every field of its type, every register one of the plan's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any

from hlo.runtime.gpu.plan import Plan
from hlo.runtime.saved.file_structure import LARGEST, require

KINDS: dict[str, Callable[[Any, Plan], bool]] = {
    "Register": lambda v, plan: type(v) is int and 0 <= v < plan.registers,
    "int": lambda v, plan: type(v) is int and abs(v) < LARGEST,
    "str": lambda v, plan: type(v) is str,
    "bool": lambda v, plan: type(v) is bool,
    "Any": lambda v, plan: v is None or type(v) in (int, float, bool) or is_dataclass(v),
}
"""By the annotation of a field; others are names of classes."""


def checked_plan(plan: Any, header: dict[str, Any]) -> Plan:
    """Raises DamagedFile for what is no plan of a program with these arguments, results and constants."""
    require(isinstance(plan, Plan), "its plan is none")
    _check(plan, plan)
    for name in ("arguments", "results", "constants"):
        found, expected = getattr(plan, name), len(header[name])
        require(found == expected, f"its plan has {found} {name}, the program {expected}")
    first = plan.arguments + plan.results + plan.constants + 2
    require(first <= plan.registers < 1 << 24 and plan.arena >= 0, "its plan has too few registers, or too many")
    return plan


def _check(step: Any, plan: Plan) -> None:
    for one in fields(step):
        _check_field(getattr(step, one.name), str(one.type), plan, f"{type(step).__name__}.{one.name}")


def _check_field(value: Any, annotation: str, plan: Plan, name: str) -> None:
    if annotation.startswith("tuple["):
        require(type(value) is tuple, f"{name} must be a list, found {value!r}")
        for one in value:
            _check_field(one, annotation[len("tuple[") : -len(", ...]")], plan, name)
        return
    fits = KINDS[annotation](value, plan) if annotation in KINDS else type(value).__name__ == annotation
    require(fits, f"{name} must be {annotation}, found {value!r}")
    if is_dataclass(value):
        _check(value, plan)
