"""The op that a name which no op has may have meant."""

from __future__ import annotations

import difflib

from hlo.dialect.definition import OPS

FUNCTION_OPS = ("func.func", "func.call", "func.return")


def nearest_op(name: str) -> str | None:
    """The full name of the op that is nearest. A name without dialect is compared with those of ops without theirs: `add` is `stablehlo.add`."""
    full = (*FUNCTION_OPS, *OPS)
    named = {op: op for op in full} if "." in name else {op.partition(".")[2]: op for op in reversed(full)}
    near = difflib.get_close_matches(name, list(named), 1, 0.6)
    return named[near[0]] if near else None


def unknown_op(name: str) -> str:
    """The message about an op that no dialect has."""
    near = nearest_op(name)
    return f"unknown op '{name}'" + (f"; did you mean '{near}'?" if near else "")
