"""Checks of compiled programs on a card. A worker (gpu_workers.py) answers the name of a check with what is wrong ("" where
nothing is), and what the runtime warned of."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bench.gpu_workers import serve

COMMAND = (sys.executable, "-m", "bench.gpu_checks")


def check(folder: Path, name: str) -> str:
    """Runs one program three times (as it is, recorded as a graph, replayed); what is wrong with its results."""
    import hlo

    exe = hlo.load_executable(folder / "checks" / f"{name}.hlo")
    arguments, runs = _arrays(folder / "checks" / f"{name}.npz", exe.signature)
    for turn in range(3):
        for number, (found, kind) in enumerate(zip(exe(*arguments), exe.signature.results)):
            if found.shape != runs[0][number].shape:
                return f"run {turn}: result {number} ({kind}) has shape {found.shape}, not {runs[0][number].shape}"
            wrong = np.atleast_1d(_differs(found, [run[number] for run in runs]))
            if wrong.any():
                at = tuple(int(i) for i in np.argwhere(wrong)[0]) if found.ndim else ()
                count = f"{int(wrong.sum())} of {found.size}"
                return f"run {turn}: result {number} ({kind}): {count} differ, at {list(at)} {found[at]} for {runs[0][number][at]}"
    return ""


def _differs(found: np.ndarray, runs: Sequence[np.ndarray]) -> np.ndarray:
    """By element. Errors of Fourier transforms, the complex programs, are small beside the whole result."""
    from hlo.tools.differential.comparison import differs

    wrong = differs(found, runs)
    if found.dtype.kind != "c" or not found.size:
        return wrong
    with np.errstate(all="ignore"):
        return wrong & ~(np.abs(found - runs[0]) <= 64 * np.finfo(found.dtype).eps * np.abs(runs[0]).max())


def _arrays(path: Path, signature: object) -> tuple[list[np.ndarray], list[list[np.ndarray]]]:
    """Arguments, and results of several runs. Element types beyond numpy's are bytes in numpy's files (gpu_files.py)."""
    arguments, results = signature.arguments, signature.results  # type: ignore[attr-defined]
    with np.load(path) as found:

        def all_of(prefix: str, kinds: Sequence[object]) -> list[np.ndarray]:
            named = [(found[f"{prefix}_{n}"], kind.dtype) for n, kind in enumerate(kinds)]  # type: ignore[attr-defined]
            return [a if a.dtype == dtype else a[..., 0].copy().view(dtype) for a, dtype in named]

        count = sum(name.endswith("_0") and name.startswith("run_") for name in found.files) if results else 0
        return all_of("argument", arguments), [all_of(f"run_{i}", results) for i in range(count)]


def answer(folder: Path, name: str) -> tuple[list[str], bool]:
    """What is wrong, and remarks; whether the card can still be used."""
    from hlo.errors import HloError

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RuntimeWarning)
        try:
            finding, goes_on = check(folder, name), True
        except HloError as error:
            finding, goes_on = f"error: {error}", False
        except Exception as error:
            finding, goes_on = f"bug in hlo: {type(error).__name__}: {error}", False
    return [finding, "; ".join(str(one.message) for one in caught if "CUDA graph" in str(one.message))], goes_on


if __name__ == "__main__":
    serve(lambda name: answer(Path(sys.argv[1]), name))
