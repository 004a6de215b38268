"""Whether two backends gave the same, by the tolerances that a program states for each of its results."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path

import numpy as np

PROGRAMS = Path(__file__).parent / "programs"


def differences(
    expected: Mapping[str, np.ndarray], found: Mapping[str, np.ndarray], tolerances: Mapping[str, tuple[float, float]]
) -> list[str]:
    """A line for each result that is not within its (relative, absolute) tolerance; NaN is equal to nothing."""
    if not expected.keys() == found.keys() == tolerances.keys():
        return [f"results are {sorted(found)}, expected {sorted(expected)}, tolerances of {sorted(tolerances)}"]
    return [
        line for name in sorted(expected) for line in _difference(name, expected[name], found[name], tolerances[name])
    ]


def _difference(name: str, expected: np.ndarray, found: np.ndarray, tolerance: tuple[float, float]) -> list[str]:
    if expected.shape != found.shape or expected.dtype != found.dtype:
        return [f"{name}: {found.dtype}{list(found.shape)}, expected {expected.dtype}{list(expected.shape)}"]
    relative, absolute = tolerance
    away = np.abs(found.astype(np.float64) - expected.astype(np.float64))
    allowed = absolute + relative * np.abs(expected.astype(np.float64))
    wrong = ~(away <= allowed)
    if not wrong.any():
        return []
    return [
        f"{name}: {wrong.sum()} of {wrong.size} differ, by up to {away.max():.2e} (relative {relative}, absolute {absolute} allowed)"
    ]


def description_of(program: str) -> str:
    """The first paragraph of a program's docstring, behind the library's name."""
    text = ast.get_docstring(ast.parse((PROGRAMS / f"{program}.py").read_text())) or ""
    return " ".join(text.partition("\n\n")[0].split()).partition(": ")[2].rstrip(".")
