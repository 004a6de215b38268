"""The parallel examples on several processes: hlo beside XLA:CPU with as many host devices, and both on one, in turns.

python -m bench.parallel [--quick] [--only NAME]...     times and ratios of larger sizes of the examples
python -m bench.parallel --traffic                      what is sent, of the examples as they are shipped; exit code 1
                                                        where it is more than what XLA's partitioner sends"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jax import numpy as jnp

import hlo
from bench.contenders import timed_turn
from bench.traffic import Collective, of_hlo, of_module, sent, summary
from examples.export import FOLDER
from examples.parallel import EXAMPLES, Parallel, use_devices
from hlo.runtime.grid.sharded import partitioned

SIZES: dict[str, dict[str, int]] = {
    "data_parallel": {"batch": 2048, "width": 256},
    "tensor_parallel": {"batch": 4, "tokens": 128, "width": 256},
    "fully_sharded": {"batch": 2048, "width": 256},
    "ring_attention": {"heads": 8, "tokens": 1024, "width": 64},
    "halo_exchange": {"size": 512},
}
"""Large enough that what is computed counts beside what is sent."""
KINDS = ("hlo", "XLA", "hlo, one process", "XLA, one device")
TOLERANCE = 1e-3


def sent_by_hlo(text: str) -> list[Collective]:
    """What our partitioner makes of a program."""
    return of_module(partitioned(hlo.parse(text), "main"))


def traffic(names: Sequence[str]) -> int:
    """Prints what each example sends beside what XLA's program for the same shardings sends; how many send more."""
    worse = 0
    print("| example | processes | hlo: results, bytes sent | XLA |\n|---|---|---|---|")
    for name in names:
        example = EXAMPLES[name]()
        ours = sent_by_hlo((FOLDER / f"{name}.mlir").read_text())
        theirs = of_hlo(example.jitted().lower(*example.arguments).compile().as_text())
        sides = [f"{summary(side)}, {sent(side):.0f}" for side in (ours, theirs)]
        print(f"| {name} | {example.mesh().size} | {sides[0]} | {sides[1]} |", flush=True)
        worse += sent(ours) > sent(theirs)
    return worse


@dataclass
class Contest:
    """All calls of one example, and what they gave the first time."""

    calls: dict[str, Callable[[], Any]]
    results: dict[str, list[np.ndarray]]

    def check(self) -> None:
        """Raises ValueError where the results are not those of XLA on one device."""
        wanted = self.results[KINDS[3]]
        for kind, found in self.results.items():
            for a, b in zip(found, wanted, strict=True):
                scale = float(np.abs(b).max(initial=0)) or 1.0
                if a.shape != b.shape or float(np.abs(a - b).max(initial=0)) > TOLERANCE * scale:
                    raise ValueError(f"{kind} gives another result")


def contest(example: Parallel) -> Contest:
    arguments = [np.asarray(a) for a in jax.tree.leaves(example.arguments)]
    lowered = example.jitted().lower(*example.arguments)
    whole = jax.jit(example.single).lower(*example.arguments)
    grid, one = (hlo.compile(program.as_text(), cache=False) for program in (lowered, whole))
    parts = grid.cut(arguments)  # type: ignore[union-attr]
    compiled, alone = lowered.compile(), whole.compile()
    placed = jax.tree.map(jax.device_put, example.arguments, compiled.input_shardings[0])
    here = jax.tree.map(jnp.asarray, example.arguments)
    calls: dict[str, Callable[[], Any]] = {
        "hlo": lambda: grid.run_grid(parts),  # type: ignore[union-attr]
        "XLA": lambda: jax.block_until_ready(compiled(*placed)),
        "hlo, one process": lambda: one(*arguments),
        "XLA, one device": lambda: jax.block_until_ready(alone(*here)),
    }
    results = {kind: call() for kind, call in calls.items()}
    results["hlo"] = grid.join(results["hlo"])  # type: ignore[union-attr]
    return Contest(calls, {kind: [np.asarray(a) for a in jax.tree.leaves(r)] for kind, r in results.items()})


def timed(name: str, rounds: int, duration: float) -> str:
    """A row of the table: milliseconds (the best turn), and XLA's over ours (the median over rounds)."""
    made = contest(EXAMPLES[name](**SIZES[name]))
    made.check()
    for call in made.calls.values():
        timed_turn(call, duration)
    turns = [{kind: timed_turn(call, duration) for kind, call in made.calls.items()} for _ in range(rounds)]
    best = [f"{min(turn[kind] for turn in turns) * 1e3:.2f}" for kind in KINDS]
    ratios = [statistics.median(turn[b] / turn[a] for turn in turns) for a, b in (KINDS[:2], KINDS[2:])]
    return f"| {name} | {best[0]} | {best[1]} | {ratios[0]:.2f} | {best[2]} | {best[3]} | {ratios[1]:.2f} |"


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench.parallel", description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--quick", action="store_true", help="fewer and shorter turns")
    parser.add_argument("--only", action="append", default=[], choices=EXAMPLES, metavar="NAME")
    parser.add_argument("--traffic", action="store_true", help="count what is sent; nothing is timed")
    options = parser.parse_args(argv)
    names = options.only or list(EXAMPLES)
    use_devices(8)
    if options.traffic:
        return int(traffic(names) > 0)
    rounds, duration = (3, 0.05) if options.quick else (15, 0.3)
    print(
        "| example | hlo, ms | XLA, ms | XLA / hlo | one process: hlo | XLA | XLA / hlo |\n|---|---|---|---|---|---|---|"
    )
    for name in names:
        print(timed(name, rounds, duration), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
