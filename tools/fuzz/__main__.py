"""python -m hlo.tools.fuzz: programs with mistakes through the compiler, which must say what is wrong with each."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from hlo.errors import ArgumentError
from hlo.tools.command_line import FINE, INPUT_AT_FAULT, run_tool, write_output
from hlo.tools.fuzz.stages import STAGES, make
from hlo.tools.fuzz.upstream import agreement
from hlo.tools.fuzz.workers import Finding, run_all

BATCH = 1000
"""Mutants a worker process takes."""

EPILOG = """\
examples:
  python -m hlo.tools.fuzz --stage parse --count 200000 --seed 7 -j 2
  python -m hlo.tools.fuzz --stage run --runs 20000 --seed 8 -j 2
  python -m hlo.tools.fuzz --stage hlo --count 20000 --seed 7 -j 2       HLO text
  python -m hlo.tools.fuzz --stage verify --count 10000 --seed 7    single ops: ours and upstream's verifier (needs jaxlib)
  python -m hlo.tools.fuzz --stage run --seed 8 --only 1234         one mutant again

A finding is a process that dies, 20 seconds of processor time, an exception that is not an HloError, or another verdict than upstream's without a reason. Mutant N of a seed
is always the same; those with findings are written to DIR/STAGE-SEED-N.mlir. Exit code 1 if there was any."""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="hlo.tools.fuzz",
        description="Reads, compiles and runs programs with mistakes in worker processes.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add(
        "--stage",
        choices=STAGES,
        default="parse",
        help="how far the mutants go: run is next to guard pages, verify compares with upstream's verifier (default parse)",
    )
    add("--count", type=int, default=1000, metavar="N", help="how many (default 1000)")
    add("--runs", type=int, metavar="N", help="of --stage run: mutants until so many have run, instead of --count")
    add("--seed", type=int, default=0, metavar="S", help="which mutants (default 0)")
    add("--first", type=int, default=0, metavar="N", help="number of the first mutant (default 0)")
    add("--only", type=int, metavar="N", help="mutant number N alone")
    add("-j", "--jobs", type=int, default=1, metavar="N", help="worker processes at a time (default 1)")
    add("--output", default="build/fuzz", metavar="DIR", help="where mutants with findings are written")
    return parser


def main(argv: list[str] | None = None) -> int:
    return run_tool("hlo.tools.fuzz", _main, argv)


def _main(argv: list[str]) -> int:
    options = _options(argv)
    counts: Counter[str] = Counter()
    found, start, last = 0, time.monotonic(), time.monotonic()
    for report in run_all(options.stage, options.seed, _ranges(options, counts), options.jobs):
        counts.update(report.counts)
        found += len(report.findings)
        for finding in report.findings:
            _report(finding, options)
        if time.monotonic() - last > 30:
            last = time.monotonic()
            told = f"{sum(counts.values())} mutants, {counts['ran']} ran, {found} findings, {last - start:.0f} s"
            print(told, file=sys.stderr, flush=True)
    listed = ", ".join(f"{n} {name}" for name, n in counts.most_common())
    seconds = time.monotonic() - start
    print(f"{sum(counts.values())} mutants of seed {options.seed} in {seconds:.0f} s: {listed}; {found} findings")
    if options.stage == "verify":
        print(agreement(counts))
    return INPUT_AT_FAULT if found else FINE


def _options(argv: list[str]) -> argparse.Namespace:
    options = _parser().parse_args(argv)
    for name in ("count", "jobs", "runs"):
        if (given := getattr(options, name)) is not None and given < 1:
            raise ArgumentError(f"--{name} takes a number from 1, found {given}")
    if options.runs is not None and (options.stage != "run" or options.only is not None):
        raise ArgumentError("--runs goes with --stage run, and not with --only")
    return options


def _ranges(options: argparse.Namespace, counts: Counter[str]) -> Iterator[range]:
    """What the workers take next; `counts`: of the mutants that are done."""
    if options.only is not None:
        yield range(options.only, options.only + 1)
        return
    end = sys.maxsize if options.runs else options.first + options.count
    first = options.first
    while first < end and (not options.runs or counts["ran"] < options.runs):
        yield range(first, min(first + BATCH, end))
        first += BATCH


def _report(finding: Finding, options: argparse.Namespace) -> None:
    folder = Path(options.output)
    folder.mkdir(parents=True, exist_ok=True)
    suffix = {"bytecode": "mlirbc", "hlo": "hlo"}.get(options.stage, "mlir")
    path = folder / f"{options.stage}-{options.seed}-{finding.number}.{suffix}"
    program = make(options.stage, options.seed, finding.number)
    write_output(str(path), program if isinstance(program, bytes) else program.encode("utf-8", "surrogatepass"))
    print(f"mutant {finding.number} {finding.kind}: {finding.what} ({path})", flush=True)


if __name__ == "__main__":
    sys.exit(main())
