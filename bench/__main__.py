"""`make bench`, or `python -m bench [--quick] [--only NAME]... [--threads N]`: hlo, XLA:CPU and IREE in turns.

A full run rewrites the table and the plot in docs/; a partial one only prints. `--draw COUNT --seed N` measures programs
that are drawn at random instead (bench/draws), `--linear-algebra` factorisations and solves (bench/linear_algebra.py)."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    from hlo.tools.command_line import run_tool

    return run_tool("bench", _main, None)


def _main(argv: list[str]) -> int:
    options = _options(argv)
    _limit_threads(options.threads)
    if options.draw or options.draw_only:
        from bench.draws import run

        return run.run(options)
    if options.deploy:
        from bench import deploy

        return deploy.run()
    if options.linear_algebra:
        from bench import linear_algebra

        return linear_algebra.run(options)
    from bench import contenders, machine, report
    from bench.measure import measure
    from bench.programs import PROGRAMS

    chosen = [p for n, p in PROGRAMS.items() if not options.only or any(o in n for o in options.only)]
    if not chosen:
        sys.exit(f"no such program; programs: {', '.join(PROGRAMS)}")
    here = machine.measure(options.threads)
    print(report.describe(here), flush=True)
    rounds, duration = (3, 0.01) if options.quick else (9, 0.04)
    competing = contenders.available(options.threads)
    rows = []
    for program in chosen:
        rows.append(measure(program, competing, here, rounds, duration))
        print(report.table(rows[-1:]).splitlines()[-1], flush=True)
    print(f"\n{report.table(rows)}\n\n{report.summary(rows)}")
    if not options.only:
        _save(rows, here, options.output)
    return 0


def _save(rows, here, folder: Path) -> None:
    from bench import report

    report.write(folder / "performance.md", rows, here)
    report.plot(folder / "performance.png", rows)
    (ROOT / "build").mkdir(exist_ok=True)
    (ROOT / "build" / "bench.json").write_text(json.dumps([row.as_json() for row in rows], indent=1))


def _options(argv: list[str]) -> argparse.Namespace:
    cores = len(os.sched_getaffinity(0))
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer and shorter turns")
    parser.add_argument("--only", action="append", metavar="NAME", help="programs whose name contains this")
    parser.add_argument("--threads", type=int, default=min(2, cores), help="of every contender")
    parser.add_argument("--output", type=Path, default=ROOT / "docs", help="folder of performance.md and .png")
    parser.add_argument("--linear-algebra", action="store_true", help="a table of factorisations and solves beside XLA")
    types = ["float32", "float64", "complex64", "complex128"]
    parser.add_argument("--dtype", default="float32", choices=types, help="the element type of --linear-algebra")
    parser.add_argument("--orders", type=_orders, help="of --linear-algebra, such as 2-34,128")
    parser.add_argument("--deploy", action="store_true", help="linked objects: sizes, starts, calls (docs/deploy.md)")
    draws = parser.add_argument_group("programs drawn at random")
    draws.add_argument("--draw", type=int, default=0, metavar="COUNT", help="so many, families in turn")
    draws.add_argument("--seed", type=int, default=0, help="of the draws")
    draws.add_argument(
        "--draw-only", type=int, action="append", default=[], metavar="NUMBER", help="this one of the seed"
    )
    draws.add_argument("--family", action="append", default=[], help="draws of families whose name contains this")
    draws.add_argument("--also", action="append", default=[], choices=["numpy"], help="numpy/SciPy too, where they can")
    draws.add_argument("--without", action="append", default=[], choices=["IREE"], help="a contender to leave out")
    return parser.parse_args(argv)


def _orders(text: str) -> tuple[int, ...]:
    """Of "2-34,128": every one from 2 to 34, and 128."""
    ends = [[int(end) for end in part.split("-")] for part in text.split(",")]
    if any(len(part) > 2 or part[0] < 1 for part in ends):
        raise ValueError
    return tuple(order for part in ends for order in range(part[0], part[-1] + 1))


def _limit_threads(count: int) -> None:
    """Before anything that reads them is imported. XLA takes as many threads as the process may use cores."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:count])
    os.environ["HLO_THREADS"] = str(count)
    os.environ["JAX_PLATFORMS"] = "cpu"


if __name__ == "__main__":
    sys.exit(main())
