"""Runs a library's program on JAX's CPU backend and on hlo: two processes that run alternately."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .comparison import differences
from .errors import EcosystemError
from .libraries import Library

CHILD = Path(__file__).parent / "child.py"
SETTINGS = ("JAX_", "XLA_", "HLO_")
"""Variables of the caller that would make the two sides differ; those that say where to keep files and how many threads stay."""
KEPT = {"HLO_CACHE_DIR", "HLO_CACHE_SIZE", "HLO_THREADS"}


@dataclass(frozen=True)
class Outcome:
    """What a trial showed."""

    differences: list[str]
    first: dict[str, float]
    """Seconds of each backend's first run, with compilation."""
    best: dict[str, float]
    """Seconds of its fastest round."""

    @property
    def ratio(self) -> float:
        return self.best["cpu"] / self.best["hlo"]


class Side:
    """A process with one backend."""

    def __init__(self, library: Library, python: Path, backend: str, folder: Path) -> None:
        self.results = folder / f"{backend}.npz"
        self.messages = (folder / f"{backend}.log").open("w+")
        self.name = f"{library.name} on {backend}"
        kept = {k: v for k, v in os.environ.items() if k in KEPT or not k.startswith(SETTINGS)}
        self.process = subprocess.Popen(
            [python, CHILD, library.program, backend, self.results],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.messages,
            text=True,
            env={**kept, **library.variables, **library.backends[backend]},
        )
        assert self.process.stdin and self.process.stdout
        self.commands, self.answers = self.process.stdin, self.process.stdout

    def answer(self) -> dict[str, Any]:
        """What the process tells next."""
        line = self.answers.readline()
        if not line:
            raise EcosystemError(f"{self.name} failed (exit code {self.process.wait()}): {self._last_message()}")
        return json.loads(line)

    def round(self) -> float:
        print("go", file=self.commands, flush=True)
        return self.answer()["seconds"]

    def stop(self) -> None:
        self.process.kill()
        self.process.communicate()
        self.messages.close()

    def _last_message(self) -> str:
        self.messages.seek(0)
        lines = [line.strip() for line in self.messages if line.strip()]
        return "\n    ".join(lines[-30:]) if lines else "it said nothing"


def run(library: Library, python: Path, seconds: float) -> Outcome:
    """Results of both first runs compared, then rounds for some seconds, three at least."""
    with tempfile.TemporaryDirectory() as folder:
        sides: dict[str, Side] = {}
        try:
            first: dict[str, dict[str, Any]] = {}
            for backend in library.backends:
                sides[backend] = Side(library, python, backend, Path(folder))
                first[backend] = sides[backend].answer()
                print(f"  first run on {backend}: {first[backend]['seconds']:.1f} s", file=sys.stderr, flush=True)
            wrong = differences(*(np.load(sides[b].results) for b in ("cpu", "hlo")), first["hlo"]["tolerances"])
            return Outcome(wrong, {b: told["seconds"] for b, told in first.items()}, _best(sides, seconds))
        finally:
            for side in sides.values():
                side.stop()


def _best(sides: dict[str, Side], seconds: float) -> dict[str, float]:
    times: dict[str, list[float]] = {name: [] for name in sides}
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times["hlo"]) < 3:
        for name, side in sides.items():
            times[name].append(side.round())
    return {name: min(found) for name, found in times.items()}
