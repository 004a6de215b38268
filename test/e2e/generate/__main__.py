"""Writes the self-checking programs of test/e2e: constants in, one op, the expected result as a constant.

    python test/e2e/generate                    writes every file
    python test/e2e/generate --check            says whether they are up to date; numbers may differ, as numpy's last
                                                digits and the signs of NaNs do from one processor to another
    python test/e2e/generate --only fft map     writes these files

The expected values are computed here by numpy, ml_dtypes and SciPy, or copied from the specification and from papers;
nothing of the compiler is imported. `optimization_barrier` keeps the compiler from folding the constants."""

from __future__ import annotations

import argparse
import importlib
import re
import sys
from pathlib import Path

import numpy as np
from cases import FILES

FAMILIES = ("elementwise", "conversion", "data_movement", "dynamic", "reduction", "windows", "control_flow", "indexing",
            "attention", "distribution", "normalization", "linear_algebra", "random_numbers", "structure", "chlo", "harness",
            "grids")  # fmt: skip
FOLDER = Path(__file__).parents[1]
NUMBER = re.compile(r"-?\d[\d.]*(e[-+]?\d+)?")
NAN = re.compile(r"0x[7F](?=(E00|FC0|FC00000|FF8000000000000)\b)")
"""How a NaN of either sign begins."""


def contents(name: str) -> str:
    head = f"// {name}: made by test/e2e/generate.\n// RUN: hlo-run --check --target=%target %s\n"
    with np.errstate(all="ignore"):
        return head + "\n" + "\n\n".join(case.text() for case in FILES[name]()) + "\n"


def is_current(path: Path, text: str) -> bool:
    return path.exists() and _form(path.read_text()) == _form(text)


def _form(text: str) -> str:
    """A text without what differs from one processor to another."""
    return NUMBER.sub("0", NAN.sub("0x7", text))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument("--only", nargs="+", metavar="NAME", default=[], help="the files of these names")
    options = parser.parse_args()
    for family in FAMILIES:
        importlib.import_module(family)
    texts = {FOLDER / f"{name}.mlir": contents(name) for name in options.only or FILES}
    if options.check:
        stale = [path.name for path, text in texts.items() if not is_current(path, text)]
        print(f"{len(texts)} files, stale: {', '.join(stale) or 'none'}")
        return int(bool(stale))
    for path, text in texts.items():
        path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
