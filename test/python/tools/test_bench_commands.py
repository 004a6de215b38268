"""The commands of bench/ start, explain themselves, and measure what they say."""

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
RUNS = 'if __name__ == "__main__":'
WORKERS = {"iree_worker", "gpu_workers", "gpu_checks", "gpu_timing"}
"""Processes that other commands start, which take no arguments of people."""
NEEDS = {"torch_models": "torch"}
COMMANDS = sorted(
    path.stem for path in (ROOT / "bench").glob("*.py") if RUNS in path.read_text() and path.stem not in WORKERS
)


def _run(*arguments, **options):
    return subprocess.run([sys.executable, "-m", *arguments], cwd=ROOT, capture_output=True, text=True, **options)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_explains(name):
    if name in NEEDS and find_spec(NEEDS[name]) is None:
        pytest.skip(f"needs {NEEDS[name]}")
    told = _run(f"bench.{name}", "--help", timeout=120)
    assert told.returncode == 0, told.stderr
    assert told.stdout.startswith("usage: ")


@pytest.mark.parametrize(
    "name, word", [("fit_polynomials", "EXP_F33"), ("read_speed", "many"), ("jax_backend", "many"), ("busy", "many")]
)
def test_wrong_arguments_are_named(name, word):
    told = _run(f"bench.{name}", word, timeout=120)
    assert told.returncode == 2
    assert word in told.stderr and "Traceback" not in told.stderr


def test_compile_times_are_those_of_all_stages():
    """Stages are functions that the clock is put around by name: one that has another name now would stay without a time."""
    told = _run("bench.compile_time", "--only", "jacobi", "--rounds", "1", "--cpu", timeout=300)
    assert told.returncode == 0, told.stderr
    header, _, row, *rest = told.stdout.splitlines()
    names, cells = ([cell.strip() for cell in line.strip("|").split("|")] for line in (header, row))
    found = dict(zip(names, cells, strict=True))
    assert found["program"] == "jacobi"
    stages = {name: float(found[name]) for name in names[1 : names.index("hlo")]}
    assert stages["codegen"] > 0 and stages["stablehlo"] > 0 and min(stages.values()) >= 0, stages
    assert abs(sum(stages.values()) - float(found["hlo"])) <= len(stages), found
    assert re.search(r"geometric mean of 1: \d", "\n".join(rest))


def test_busy_processes_and_what_calls_beside_them_take():
    from bench import busy

    assert busy.figures(list(range(100, 0, -1))) == (50.5, 95)
    rows = {
        "one": {"hlo": (1.0, 2.0), "XLA": (2.0, 8.0), "IREE": (4.0, 1.0)},
        "two": {"hlo": (2.0, 2.0), "XLA": (16.0, 2.0)},
    }
    found = [[cell.strip() for cell in line.split("|")[1:-1]] for line in busy.table(3, rows).splitlines()]
    assert [row[3:] for row in found[2:]] == [
        ["2.00", "4.00", "4.00", "0.50"],
        ["8.00", "1.00", "–", "–"],
        ["4.00", "2.00", "4.00", "0.50"],
        ["2.00", "1.00", "4.00", "0.50"],
    ]


class Contender:
    """One whose calls take a known time, or fail from one on."""

    def __init__(self, name, failing=None):
        self.name, self.failing, self.calls = name, failing, 0

    def turn(self, duration):
        self.calls += 1
        if self.calls == self.failing:
            raise RuntimeError("lost its way")
        return 0.002


@pytest.mark.parametrize("failing", ["hlo", "XLA"])
def test_who_fails_beside_busy_processes_has_a_dash_and_a_note(failing):
    from bench import busy
    from bench.measure import Row

    row, contenders = Row("one"), [Contender(name, 3 if name == failing else None) for name in ("hlo", "XLA")]
    busy.take_calls(row, contenders, 0)
    assert list(row.turns) == [c.name for c in contenders if c.name != failing]
    assert busy.failures([row]) == [f"one: {failing}: RuntimeError: lost its way"]
    own = [["2.000"] * 2, ["–"] * 2][failing == "hlo"]
    lines = busy.table(1, {"one": busy.all_figures(row)}).splitlines()
    assert [cell.strip() for cell in lines[2].split("|")[2:4]] == own


def test_nobody_runs_a_program_beside_busy_processes():
    from bench import busy
    from bench.measure import Row

    row = Row("one", notes={"hlo": "HloError: no"})
    busy.take_calls(row, [], 0)
    assert not row.turns and "| one | – | – |" in busy.table(0, {"one": {}})


def test_a_peer_without_any_ratio_has_no_mean():
    from bench import busy

    lines = busy.table(1, {"one": {"XLA": (1.0, 2.0)}, "two": {"hlo": (1.0, 2.0)}}).splitlines()
    assert lines[-2:] == ["| geometric mean |  |  | – | – |", "| least |  |  | – | – |"]
