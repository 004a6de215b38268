"""Compiles and runs the programs of a module of this folder, in the environment where they are written: `python check.py MODULE`."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path

import numpy as np

RELATIVE, ABSOLUTE = 1e-4, 1e-5
"""In f32, sums of some hundred terms in another order."""


def main(module: str) -> int:
    sys.path.insert(0, str(Path(__file__).parent))
    wrong = 0
    for name, text, arguments, expected in importlib.import_module(module).programs():
        problem = _problem(text, arguments, expected)
        wrong += bool(problem)
        print(
            f"{module} {name}: {problem or 'equal'} ({len(text)} characters, {', '.join(_dialects(text))})", flush=True
        )
    return 1 if wrong else 0


def _problem(text: str, arguments: list[np.ndarray], expected: list[np.ndarray]) -> str:
    import hlo

    try:
        found = hlo.compile(text)(*arguments)
    except hlo.HloError as error:
        return str(error)
    if len(found) != len(expected):
        return f"{len(found)} results, expected {len(expected)}"
    for number, (f, e) in enumerate(zip(found, expected)):
        if f.shape != e.shape or not np.allclose(f, e, RELATIVE, ABSOLUTE):
            return f"result {number} differs"
    return ""


def _dialects(text: str) -> list[str]:
    """Those of the dialects that only some writers use which are there."""
    forms = ("dense_resource<", "arith.", "tensor.", "shape.", "chlo.", "stablehlo.")
    return [f.rstrip(".<") for f in forms if re.search(rf"(?<![\w.]){re.escape(f)}", text)]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
