"""python -m hlo.tools.differential: random programs, compiled and compared with the reference."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

from hlo.errors import ArgumentError
from hlo.tools.command_line import FINE, INPUT_AT_FAULT, run_tool, write_output
from hlo.tools.differential.check import Failure
from hlo.tools.differential.workers import run_all
from hlo.tools.tool_parser import ToolParser

EPILOG = """\
examples:
  python -m hlo.tools.differential --programs 50000 -j 2 --seed 7
  python -m hlo.tools.differential --seed 7 --only 1234           one program again
  python -m hlo.tools.differential --ops scatter,add --programs 500
  python -m hlo.tools.differential --target=gpu --gpu-arch=sm_90a --programs 500
  python -m hlo.tools.differential --target=sharded --programs 20000 -j 2
  hlo-reduce build/differential/7-1234.mlir                       the smallest program that still fails

Program N of a seed is always the same. Each failure is written to DIR/SEED-N.mlir, which
`hlo-run --compare=reference` runs. Exit code 1 if there was any."""


def _parser() -> argparse.ArgumentParser:
    parser = ToolParser(
        prog="hlo.tools.differential",
        description="Compiles random StableHLO programs and compares each with the reference.",
        epilog=EPILOG,
    )
    add = parser.add_argument
    add("--programs", type=int, default=2000, metavar="N", help="how many (default 2000)")
    add("--minutes", type=float, metavar="M", help="begin no program after so many minutes, whatever --programs says")
    add("--seed", type=int, default=0, metavar="S", help="which programs (default 0)")
    add("--first", type=int, default=0, metavar="N", help="number of the first program (default 0)")
    add("--only", type=int, metavar="N", help="program number N alone")
    add("--ops", default="", metavar="A,B", help="programs of these ops only (chlo ops as chlo.erf)")
    add("--batch", type=int, default=20, metavar="N", help="programs in a module (default 20)")
    add(
        "--target",
        choices=("cpu", "gpu", "sharded"),
        default="cpu",
        help="gpu: the numpy model of a card, slow; sharded: on the processes of a random mesh (default cpu)",
    )
    add("--gpu-arch", default="sm_80", metavar="ARCH", help="what --target=gpu compiles for (default sm_80)")
    add("-j", "--jobs", type=int, default=1, metavar="N", help="worker processes (default 1)")
    add("--output", default="build/differential", metavar="DIR", help="where failures are written")
    return parser


def main(argv: list[str] | None = None) -> int:
    return run_tool("hlo.tools.differential", _main, argv)


def _main(argv: list[str]) -> int:
    options = _parser().parse_args(argv)
    for name in ("programs", "batch", "jobs"):
        if getattr(options, name) < 1:
            raise ArgumentError(f"--{name} takes a number from 1, found {getattr(options, name)}")
    kinds: Counter[str] = Counter()
    done, start, last = 0, time.monotonic(), time.monotonic()
    seconds = options.minutes and options.minutes * 60
    work = options.seed, _batches(options), _ops(options.ops), options.jobs, _how(options), seconds
    for count, failures in run_all(*work):
        done += count
        for failure in failures:
            kinds[failure.kind] += 1
            _report(failure, options)
        if time.monotonic() - last > 30:
            last = time.monotonic()
            print(f"{done} programs, {sum(kinds.values())} failures, {last - start:.0f} s", file=sys.stderr, flush=True)
    counted = ", ".join(f"{n} {kind}" for kind, n in sorted(kinds.items())) or "0 differences"
    print(f"{done} programs of seed {options.seed} in {time.monotonic() - start:.0f} s: {counted}")
    return INPUT_AT_FAULT if kinds else FINE


def _batches(options: argparse.Namespace) -> list[range]:
    if options.only is not None:
        return [range(options.only, options.only + 1)]
    end = options.first + options.programs
    return [range(n, min(n + options.batch, end)) for n in range(options.first, end, options.batch)]


def _how(options: argparse.Namespace) -> dict[str, str]:
    """The options of hlo.compile; a GPU is the numpy model of one."""
    if options.target != "gpu":
        return {"target": options.target}
    return {"target": "gpu", "device": "model", "arch": options.gpu_arch}


def _ops(given: str) -> list[str]:
    from hlo.tools.differential.families import load_all
    from hlo.tools.differential.table import GENERATORS

    load_all()
    names = [name if "." in name else f"stablehlo.{name}" for name in given.split(",") if name]
    for name in names:
        if name not in GENERATORS:
            raise ArgumentError(f"--ops: no generator for {name!r}; there are {', '.join(sorted(GENERATORS))}")
    return names


def _report(failure: Failure, options: argparse.Namespace) -> None:
    written_to = ""
    if failure.text:
        folder = Path(options.output)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{options.seed}-{failure.number}.mlir"
        write_output(str(path), failure.text)
        written_to = f" ({path})"
    print(f"program {failure.number} {failure.kind}: {failure.what}{written_to}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
