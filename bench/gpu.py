"""`python -m bench.gpu`, in a folder that bench/gpu_files.py has made, on a machine with a card: checks all programs there,
runs compute-sanitizer over a few of them, measures, and prints a table. Nothing is compiled but PTX, by the card's driver.

--device=model runs a folder that was made for the numpy model of a card: a test of this script; its times mean nothing."""

from __future__ import annotations

import argparse
import datetime
import json
import shutil
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from bench.gpu_checks import run_all
from bench.gpu_programs import PROGRAMS

TOOLS = ("memcheck", "racecheck", "synccheck")
"""Of compute-sanitizer."""


def main() -> int:
    options = _options()
    folder: Path = options.folder
    about = json.loads((folder / "about.json").read_text())
    if about["device"] != options.device:
        sys.exit(f"the folder was made for {about['device']}, not for {options.device}")
    failed = [] if options.skip_checks else _check(folder, options.only)
    if not options.skip_checks and not options.skip_sanitizer:
        failed += _sanitize(folder, options.sample)
    if not options.skip_times:
        failed += _measure(folder, options)
    print(f"\n{len(failed)} failures{': ' if failed else ''}{', '.join(failed[:20])}")
    return 1 if failed else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench.gpu", description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path.cwd(), help="default: this one")
    parser.add_argument("--device", default="cuda", choices=["cuda", "model"])
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="what has this in its name")
    parser.add_argument("--sample", type=int, default=24, metavar="N", help="programs under compute-sanitizer")
    parser.add_argument("--output", type=Path, metavar="FOLDER", help="also writes gpu.md and gpu.json there")
    for what in ("checks", "sanitizer", "times"):
        parser.add_argument(f"--skip-{what}", action="store_true")
    return parser.parse_args()


def _is_chosen(name: str, only: Sequence[str]) -> bool:
    return not only or any(o in name for o in only)


def _check(folder: Path, only: Sequence[str]) -> list[str]:
    names = [p.stem for p in sorted((folder / "checks").glob("*.hlo")) if _is_chosen(p.stem, only)]
    failed = [] if names else ["nothing to check"]
    for name, finding in run_all(folder, names):
        if finding:
            failed.append(name)
            print(f"FAIL {name}: {finding}", flush=True)
    print(
        f"checks: {len(names) - len(failed) if names else 0} of {len(names)} programs give the reference's results",
        flush=True,
    )
    return failed


def _sanitize(folder: Path, sample: int) -> list[str]:
    """Evenly over the names: a program of every kind."""
    if not shutil.which("compute-sanitizer"):
        print("compute-sanitizer: not found, left out")
        return []
    names = [p.stem for p in sorted((folder / "checks").glob("*.hlo"))]
    chosen = names[:: max(1, len(names) // max(sample, 1))]
    failed = []
    for tool in TOOLS:
        prefix = [
            "compute-sanitizer",
            "--tool",
            tool,
            "--error-exitcode",
            "9",
            "--log-file",
            str(folder / f"{tool}.log"),
        ]
        findings = [(name, finding) for name, finding in run_all(folder, chosen, prefix) if finding]
        log = folder / f"{tool}.log"
        last = log.read_text().splitlines()[-1:] if log.exists() else ["no log"]
        print(f"compute-sanitizer {tool}: {len(chosen)} programs, {len(findings)} failed; {' '.join(last)}", flush=True)
        clean = any("0 errors" in line or "0 hazards" in line for line in last)
        failed += [f"{tool}:{name}" for name, _ in findings] + ([] if clean else [tool])
    return failed


def _measure(folder: Path, options: argparse.Namespace) -> list[str]:
    from bench.gpu_timing import copy_bandwidth, measure, table
    from hlo.errors import HloError
    from hlo.runtime.gpu.devices import driver_named

    try:
        driver, is_small = driver_named(options.device), options.device == "model"
    except HloError as error:
        print(f"no times: {error}")
        return ["no device"]
    bandwidth = copy_bandwidth(driver, 1 << 20) if is_small else copy_bandwidth(driver)
    facts = driver.facts()
    about = f"{facts['card']}, {facts['driver']}, {datetime.date.today()}, copies {bandwidth / 1e9:.0f} GB/s (read and written)"
    print(about, flush=True)
    rows, failed = [], []
    for program in PROGRAMS:
        if not _is_chosen(program.name, options.only) or not (folder / "programs" / f"{program.file}.hlo").exists():
            continue
        try:
            rows.append(measure(folder, program, is_small, bandwidth))
            print(table(rows[-1:]).splitlines()[2], flush=True)
        except HloError as error:
            failed.append(program.name)
            print(f"FAIL {program.name}: {error}", flush=True)
    print(f"\n{about}\n\n{table(rows)}")
    if options.output:
        options.output.mkdir(parents=True, exist_ok=True)
        (options.output / "gpu.md").write_text(f"{about}\n\n{table(rows)}\n")
        (options.output / "gpu.json").write_text(json.dumps([asdict(row) for row in rows], indent=1))
    return failed + [row.name for row in rows if not row.is_right]


if __name__ == "__main__":
    sys.exit(main())
