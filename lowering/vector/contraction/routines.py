"""Micro-kernels and the packing of panels as routines (`linalg/routine_calls.py`): their code knows no shapes, so that
it is made once a machine and shared by the contractions of all programs.

    hlo_routine_tile_rows_6_vectors_4_lanes_16_a_type_f32_b_type_f32_c_type_f32_accumulates_1

A name has the fields of what describes the code, those that have their default left out."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import MISSING, Field, fields
from typing import Any, NamedTuple, TypeVar

from hlo.lowering.linalg.routine_calls import PREFIX
from hlo.lowering.vector.contraction.function_text import External, FunctionText
from hlo.lowering.vector.contraction.gather_packing import pack_gathered
from hlo.lowering.vector.contraction.matrix_kernel import Registers, configuration, matrix_kernel
from hlo.lowering.vector.contraction.micro_kernel import ARGUMENTS, Tile, micro_kernel
from hlo.lowering.vector.contraction.packing import KINDS, Panel

Arguments = Sequence[tuple[str, str]]
T = TypeVar("T")


class Kind(NamedTuple):
    """What the routines of a kind are described by, their arguments, and what writes one under its name."""

    described_by: type
    arguments: Callable[[Any], Arguments]
    write: Callable[[str, Any], FunctionText]


def _panel(name: str, panel: Panel) -> FunctionText:
    f = FunctionText(name, panel.arguments)
    (pack_gathered if panel.kind == "gather" else KINDS[panel.kind])(f, panel)
    return f


TABLE = {
    "tile": Kind(Tile, lambda _: ARGUMENTS, micro_kernel),
    "matrix": Kind(Tile, lambda _: ARGUMENTS, matrix_kernel),
    "registers": Kind(Registers, lambda _: (), configuration),
    "panel": Kind(Panel, lambda panel: panel.arguments, _panel),
}
"""By the word behind the prefix of their names."""


def routine(kind: str, described: Any) -> External:
    """What a program calls."""
    return External(PREFIX + kind + _spelled(described), tuple(TABLE[kind].arguments(described)))


def is_named(name: str) -> bool:
    """Whether a routine's name is one of these kinds."""
    return _described(name) is not None


def function_named(name: str) -> FunctionText | None:
    """The function of a routine's name; None where it is no name of these kinds."""
    found = _described(name)
    return None if found is None else found[0].write(name, found[1])


def _described(name: str) -> tuple[Kind, Any] | None:
    word, _, rest = name.removeprefix(PREFIX).partition("_")
    if word not in TABLE:
        return None
    described = _read(TABLE[word].described_by, f"_{rest}")
    return None if described is None else (TABLE[word], described)


def _spelled(described: Any) -> str:
    given = [(f.name, getattr(described, f.name)) for f in fields(described) if getattr(described, f.name) != f.default]
    return "".join(f"_{name}_{_word(value)}" for name, value in given)


def _word(value: Any) -> str:
    if isinstance(value, tuple):
        return "..".join(".".join(map(str, numbers)) for numbers in value)
    return str(int(value)) if isinstance(value, bool) else str(value)


def _read(described_by: type[T], text: str) -> T | None:
    """What a text spells as `_spelled` does: fields in their order, words without underscores."""
    patterns = [rf"(?:_{f.name}_([a-z0-9.-]+))" + ("" if f.default is MISSING else "?") for f in fields(described_by)]  # type: ignore[arg-type]
    found = re.fullmatch("".join(patterns), text)
    if found is None:
        return None
    words = zip(fields(described_by), found.groups())  # type: ignore[arg-type]
    try:
        made = described_by(**{f.name: _value(f, word) for f, word in words if word is not None})
    except ValueError:
        return None
    return made if _spelled(made) == text else None


def _value(field: Field, word: str) -> Any:
    if field.type == "str":
        return word
    if field.type == "bool":
        return bool(int(word))
    if field.type == "int":
        return int(word)
    return tuple(tuple(map(int, one.split("."))) for one in word.split(".."))
