"""The op that a name which no op has may have meant."""

from __future__ import annotations

import difflib

from hlo.dialect.definition import OPS

FUNCTION_OPS = ("func.func", "func.call", "func.return")


def nearest_op(name: str) -> str | None:
    """The full name of the op that is nearest, None if none is near. After a dialect that there is, mnemonics are
    compared: the dialect's own, and the same one of another dialect (`stablehlo.erf` is `chlo.erf`); without dialect
    those of all (`add` is `stablehlo.add`); after any other, full names."""
    full = (*FUNCTION_OPS, *OPS)
    dialect, _, mnemonic = name.rpartition(".")
    everywhere = {op.partition(".")[2]: op for op in reversed(full)}
    own = {op.partition(".")[2]: op for op in full if op.startswith(f"{dialect}.")}
    if dialect and not own:
        return _nearest(name, {op: op for op in full})
    if dialect and mnemonic in everywhere:
        return everywhere[mnemonic]
    return _nearest(mnemonic, own, 0.6) if dialect else _nearest(mnemonic, everywhere, 0.7)


def _nearest(name: str, named: dict[str, str], likeness: float = 0.6) -> str | None:
    near = difflib.get_close_matches(name, list(named), 1, likeness)
    return named[near[0]] if near else None


def unknown_op(name: str) -> str:
    """The message about an op that no dialect has."""
    near = nearest_op(name)
    return f"unknown op '{name}'" + (f"; did you mean '{near}'?" if near else "")
