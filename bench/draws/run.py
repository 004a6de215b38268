"""`--draw`: programs drawn at random on all contenders, in turns; ratios by family, the worst first."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import ml_dtypes
import numpy as np

from bench.contenders import Numpy, available
from bench.draws import FAMILIES, draw
from bench.machine import processor_name
from bench.measure import Row, prepare, problem_of, take_turns
from bench.programs.program import Program
from bench.report import geometric_mean

TOLERANCE = {"float64": 1e-9, "complex128": 1e-9, "float32": 2e-3, "complex64": 2e-3, "float16": 3e-2, "bfloat16": 1e-1}
"""Of differences from XLA, over the largest magnitude; other types have to be equal."""

FEW = 1e-3
"""The share of elements that may differ more: a comparison of rounded values can fall either way."""

PEERS = ("XLA", "IREE", "numpy")


@dataclass
class Drawn:
    family: str
    row: Row
    wrong: str = ""

    def ratio(self, peer: str) -> float | None:
        """How many times as long as hlo the peer takes, both in the fastest of their turns: what others do on the machine makes
        some turns longer, never shorter."""
        turns = self.row.turns
        return min(turns[peer]) / min(turns["hlo"]) if peer in turns and "hlo" in turns else None

    def best(self) -> float | None:
        """How many times as long as hlo the better one of XLA and IREE takes."""
        return min((r for p in PEERS[:2] if (r := self.ratio(p)) is not None), default=None)


def run(options: argparse.Namespace) -> int:
    print(f"{processor_name()}, {options.threads} threads, seed {options.seed}", flush=True)
    contenders = [c for c in available(options.threads) if c.name not in options.without]
    contenders += [Numpy()] if "numpy" in options.also else []
    rounds, duration = (5, 0.01) if options.quick else (9, 0.03)
    results = []
    for number in options.draw_only or range(options.draw):
        family, program = draw(options.seed, number)
        if options.family and not any(f in family for f in options.family):
            continue
        results.append(measured(family, program, contenders, rounds, duration))
        print(_line(results[-1]), flush=True)
    print(f"\n{report(results)}")
    folder = Path("build")
    folder.mkdir(exist_ok=True)
    rows = [{"family": r.family, "wrong": r.wrong, **r.row.as_json()} for r in results]
    (folder / f"draws-{options.seed}.json").write_text(json.dumps(rows, indent=1))
    return 1 if any(r.wrong for r in results) else 0


def measured(
    family: str, program: Program, contenders: Sequence[Any], rounds: int, duration: float, pause: float = 0.0
) -> Drawn:
    """A program whose results differ from XLA's is not timed."""
    row = Row(program.name)
    with of_64_bits(program.inputs()):
        outputs = prepare(row, program, problem_of(program), contenders)
        if "hlo" not in outputs:
            return Drawn(family, row, row.notes["hlo"])
        wrong = _difference(outputs["hlo"], outputs["XLA"]) if "XLA" in outputs else ""
        if not wrong:
            _leave_out_wrong_peers(row, outputs)
            take_turns(row, [c for c in contenders if c.name in outputs], rounds, duration, pause)
            wrong = "" if "hlo" in row.turns else row.notes["hlo"]
    return Drawn(family, row, wrong)


def of_64_bits(arguments: Any) -> AbstractContextManager[Any]:
    """JAX takes arrays of 64-bit elements as they are, if there are any."""
    wide = ("float64", "int64", "uint64", "complex128")
    return jax.enable_x64(any(np.asarray(a).dtype.name in wide for a in jax.tree.leaves(arguments)))


def _leave_out_wrong_peers(row: Row, outputs: dict[str, list[np.ndarray]]) -> None:
    """The time of other results says nothing."""
    if "IREE" in outputs and "XLA" in outputs and (wrong := _difference(outputs["IREE"], outputs["XLA"])):
        row.notes["IREE"] = wrong
        del outputs["IREE"]


def _difference(found: Sequence[np.ndarray], expected: Sequence[np.ndarray]) -> str:
    """What differs, in words; empty where nothing does."""
    for number, (a, b) in enumerate(zip(found, expected, strict=True)):
        if a.shape != b.shape or a.dtype != b.dtype:
            return f"result {number} is {a.dtype} {a.shape}, of XLA {b.dtype} {b.shape}"
        share = _share_that_differs(a, b)
        if share > (FEW if b.dtype.name in TOLERANCE else 0):
            return f"result {number}: {share:.2%} of the elements differ from XLA's"
    return ""


def _share_that_differs(a: np.ndarray, b: np.ndarray) -> float:
    if not b.size:
        return 0.0
    if b.dtype.name not in TOLERANCE:
        return float(np.mean(a != b))
    wide = np.complex128 if b.dtype.kind == "c" else np.float64
    smallest = float(ml_dtypes.finfo(b.dtype).tiny)  # what is below, XLA takes as zero
    with np.errstate(all="ignore"):
        a, b, tolerance = a.astype(wide), b.astype(wide), TOLERANCE[b.dtype.name]
        scale = np.abs(b[np.isfinite(b)]).max(initial=0.0)
        same = (np.abs(a - b) <= max(tolerance * scale, smallest)) | (a == b) | (np.isnan(a) & np.isnan(b))
    return float(np.mean(~same))


def _line(drawn: Drawn) -> str:
    if drawn.wrong:
        return f"{'WRONG':>8} {drawn.family}: {drawn.row.name}: {drawn.wrong}"
    ratios = " ".join(f"{p} {r:.2f}" for p in PEERS if (r := drawn.ratio(p)) is not None)
    fastest = min(drawn.row.turns["hlo"]) * 1e3
    return f"{drawn.best() or 0:8.2f} {drawn.family}: {drawn.row.name} ({fastest:.3g} ms; {ratios})"


def report(results: Sequence[Drawn]) -> str:
    """Means by family; then every draw behind, the worst first."""
    timed = [r for r in results if r.best() is not None]
    lines = [
        "| family | draws | better peer/hlo | XLA/hlo | IREE/hlo | numpy/hlo | compile XLA/hlo | worst |",
        "|---|" + "---:|" * 7,
    ]
    for family in [*FAMILIES, "all"]:
        chosen = [r for r in timed if family in (r.family, "all")]
        if chosen:
            means = [geometric_mean(map(Drawn.best, chosen))]
            means += [geometric_mean(r.ratio(p) for r in chosen) for p in PEERS]
            means += [geometric_mean(map(_compile_ratio, chosen)), min(r.best() or 0 for r in chosen)]
            cells = " | ".join("–" if m is None else f"{m:.2f}" for m in means)
            lines.append(f"| {family} | {len(chosen)} | {cells} |")
    behind = sorted((r for r in timed if (r.best() or 0) < 0.95), key=lambda r: r.best() or 0)
    lines += ["", f"Behind the better peer (below 0.95): {len(behind)} of {len(timed)}", *map(_line, behind)]
    wrong = [r for r in results if r.wrong]
    return "\n".join([*lines, f"Not run, or with other results: {len(wrong)}", *map(_line, wrong)])


def _compile_ratio(drawn: Drawn) -> float | None:
    times = drawn.row.compile
    return times["XLA"] / times["hlo"] if "XLA" in times and "hlo" in times else None
