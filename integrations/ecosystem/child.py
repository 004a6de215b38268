"""One side of a trial: runs a program of programs/ and tells its times.

    python child.py PROGRAM hlo|cpu RESULTS.npz

runs it once, writes its results and prints the seconds that took and its tolerances as JSON; then each line on standard input is a round,
whose seconds are printed.
What libraries print goes to standard error."""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np


def main(program: str, backend: str, results: str) -> None:
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    sys.path.insert(0, str(Path(__file__).parent / "programs"))
    module = importlib.import_module(program)
    run = module.make()
    check_backend(backend)
    found, seconds = _timed(run)
    np.savez(results, **found)
    print(json.dumps({"seconds": seconds, "tolerances": module.TOLERANCES}), file=answers)
    for _ in sys.stdin:
        print(json.dumps({"seconds": _timed(run)[1]}), file=answers)


def check_backend(wanted: str) -> None:
    """Refuses to compare a backend with itself."""
    import jax

    found = "hlo" if "hlo" in jax.devices()[0].client.platform_version else "cpu"
    if found != wanted:
        raise SystemExit(f"the program would run on {found}, not on {wanted}")


def _timed(run: Callable[[], Any]) -> tuple[dict[str, np.ndarray], float]:
    """Results on the host, and the seconds until they were there."""
    start = time.perf_counter()
    found = {name: np.asarray(value) for name, value in run().items()}
    return found, time.perf_counter() - start


if __name__ == "__main__":
    main(*sys.argv[1:])
