"""The folder for a machine with a card, made and run here on the numpy model; mistakes in it are found."""

import os
import shutil
import subprocess
import sys
import sysconfig
import time
import venv
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

ROOT = Path(__file__).parents[3]
pytest.importorskip("jax", reason="the benchmark's programs are written in JAX")


NEEDED = ("numpy", "numpy.libs", "ml_dtypes")
"""All that is installed on a machine with a card (and cuda-bindings, which the numpy model does without)."""


def run(folder: Path, *options: str, sanitizer: bool = False) -> subprocess.CompletedProcess[str]:
    """In the folder, by a Python in which nothing of this project is installed: what the folder lacks is missing."""
    machine = folder / "machine"
    if not machine.exists():
        venv.create(machine, symlinks=True)
        here = Path(sysconfig.get_path("platlib"))
        (there,) = machine.glob("lib/python*/site-packages")
        for name in NEEDED:
            if (here / name).exists():
                (there / name).symlink_to(here / name)
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONSAFEPATH")}
    python = str(machine / "bin" / "python")
    command = [python, "-m", "bench.gpu", "--device=model", *["--skip-sanitizer"] * (not sanitizer), *options]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("card")
    only = [f"--only={name}" for name in ("case", "is_finite", "transpose")]
    command = [sys.executable, "-m", "bench.gpu_files", str(path), "--device=model", "--every=12", *only]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([os.environ.get("PYTHONPATH", ""), str(ROOT)])}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert " 0 left out" in done.stdout
    return path


def test_all_is_right_and_timed(folder: Path) -> None:
    done = run(folder, "--output=out")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 failures" in done.stdout and "| transpose 8192x8192 | yes |" in done.stdout
    assert "| transpose 8192x8192 | yes |" in (folder / "out" / "gpu.md").read_text()


def test_a_wrong_result_and_a_damaged_program_are_failures(folder: Path) -> None:
    checks = sorted((folder / "checks").glob("*.npz"))
    first, second = checks[:2]
    with np.load(first) as found:
        arrays = dict(found)
    for name, array in arrays.items():
        if name.startswith("run_"):
            arrays[name] = ~array if array.dtype == bool else array + np.ones((), array.dtype)
    np.savez(first, **arrays)
    (folder / "checks" / f"{second.stem}.hlo").write_bytes(b"nothing")
    done = run(folder, "--skip-times")
    assert done.returncode == 1 and "2 failures" in done.stdout, done.stdout + done.stderr
    assert f"FAIL {first.stem}: run 0: result 0" in done.stdout
    assert f"FAIL {second.stem}: error:" in done.stdout and "not a compiled program" in done.stdout


def test_where_all_of_the_first_programs_fail_nothing_else_is_tried(folder: Path, tmp_path) -> None:
    shutil.copytree(folder, tmp_path / "card", symlinks=True)
    for number in range(40):
        (tmp_path / "card" / "checks" / f"{number}.hlo").write_bytes(b"nothing")
    for path in (tmp_path / "card" / "checks").glob("*_*.hlo"):
        path.unlink()
    done = run(tmp_path / "card")
    assert done.returncode == 1 and done.stdout.count("FAIL") == 3, done.stdout + done.stderr
    assert done.stdout.endswith("nothing else is tried\n")


def test_nothing_to_check_is_a_failure(folder: Path) -> None:
    done = run(folder, "--skip-times", "--only=no_such_program")
    assert done.returncode == 1 and "nothing to check" in done.stdout


def test_a_process_that_dies_or_hangs_is_one_failure(tmp_path) -> None:
    """The names behind it are answered by another process; what has no answer at the deadline gets none."""
    sys.path.insert(0, str(ROOT))
    from bench.gpu_workers import GONE, Workers

    worker = tmp_path / "worker.py"
    worker.write_text(
        "import os, sys, time\n"
        "for line in sys.stdin:\n"
        "    name = line.strip()\n"
        "    if name == 'dies': os._exit(1)\n"
        "    if name == 'hangs': time.sleep(60)\n"
        "    goes_on = 'false' if name == 'fails' else 'true'\n"
        "    print('noise'); print('answer: [\"%s\", %d, %s]' % (name, os.getpid(), goes_on), flush=True)\n"
        "    if name == 'fails': time.sleep(60)\n"
    )
    names = ["a", "dies", "b", "hangs", "fails", "c", "d"]
    command = [sys.executable, str(worker)]
    started = time.monotonic()
    assert list(dict(Workers(command, patience=60.0, start=120.0).answers(["a"]))) == ["a"]
    patience = max(1.5, 20 * (time.monotonic() - started))  # longer on a busy machine, where answers take longer too
    found = dict(Workers(command, patience=patience, start=120.0).answers(names))
    assert list(found) == names and found["dies"] == found["hangs"] == GONE
    assert len({found[name] for name in ("a", "b", "fails", "c")}) == 4 and found["c"] == found["d"]
    shared = dict(Workers(command, jobs=3, patience=patience, start=120.0).answers(names))
    assert sorted(shared) == sorted(names) and shared["hangs"] == GONE
    in_time = Workers(command, deadline=time.monotonic() + 2 * patience)
    assert list(dict(in_time.answers(["a", "b", "hangs", "c"]))) == ["a", "b"]


@pytest.mark.parametrize("shape", [(), (0,), (2, 3)])
@pytest.mark.parametrize("kind", [ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, np.float32])
def test_arrays_are_read_as_they_were_written(shape: tuple[int, ...], kind: type, tmp_path) -> None:
    sys.path.insert(0, str(ROOT))
    from bench.gpu_checks import _arrays
    from bench.gpu_files import _plain
    from hlo.runtime.calls.signature import ArrayType, Signature

    array = np.arange(6)[: int(np.prod(shape))].reshape(shape).astype(kind)
    np.savez(tmp_path / "a.npz", argument_0=_plain(array), run_0_0=_plain(array))
    one = ArrayType(array.shape, array.dtype)
    (argument,), ((result,),) = _arrays(tmp_path / "a.npz", Signature((one,), (one,)))
    for found in (argument, result):
        assert (found.shape, found.dtype) == (array.shape, array.dtype) and np.array_equal(found, array)


def test_a_wait_for_the_deadline_that_ends_a_moment_early_finds_nobody_gone(monkeypatch) -> None:
    sys.path.insert(0, str(ROOT))
    from bench import gpu_workers

    monkeypatch.setattr(gpu_workers._Process, "line", lambda process, patience: None)
    workers = gpu_workers.Workers([sys.executable, "-c", ""], deadline=time.monotonic() + 5)
    assert list(workers.answers(["a", "b"])) == []


def test_what_is_not_reached_in_time_is_a_failure(folder: Path, capsys) -> None:
    sys.path.insert(0, str(ROOT))
    from bench.gpu import _Run

    run = _Run(folder, "model", jobs=2, seconds=0.0, output=None, only=())  # the time is over before the first answer
    run.check()
    assert run.failed == ["2 checks not reached"] and "not reached: the time was over" in capsys.readouterr().out


def test_what_the_sanitizer_finds_is_a_failure(folder: Path, tmp_path, monkeypatch) -> None:
    """A tool in its place whose log says "10 errors", which has "0 errors" in it."""
    tool = tmp_path / "compute-sanitizer"
    tool.write_text(
        '#!/bin/sh\nlog=$(echo "$4" | sed "s/%p/$$/")\nshift 4\n"$@"\necho "ERROR SUMMARY: 10 errors" > "$log"\n'
    )
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    done = run(folder, "--skip-times", "--sample=1", "--jobs=1", sanitizer=True)
    assert "compute-sanitizer memcheck: 1 of 1 programs; ERROR SUMMARY: 10 errors" in done.stdout
    assert "FAIL memcheck: ERROR SUMMARY" in done.stdout


def test_aims_are_held_against_the_rows() -> None:
    sys.path.insert(0, str(ROOT))
    from bench.gpu_report import aims, table
    from bench.gpu_timing import Row

    def row(name: str, seconds: float, operations: float = 1.0, replay: float | None = None, **others: float) -> Row:
        return Row(name, True, seconds, 0.1, 1000, operations, replay, others, [])

    rows = [
        row("add", 1.0, 0.0),
        row("matmul bf16 4096", 1.0, cuBLAS=0.9),
        row("200 small layers", 1.0, replay=0.8, XLA=4.0),
    ]
    rows.append(row("attention bf16", 2.0, XLA=1.0))
    found = aims(rows, 1250.0).splitlines()
    assert [text.rpartition(": ")[2] for text in found] == [
        "NOT reached", "reached", "not measured", "NOT reached", "NOT reached", "reached",
    ]  # fmt: skip
    assert "add 0.80" in found[0] and "0.90" in found[1] and "1.41 of 2 programs" in found[-1]
    assert "| add | yes | 1000 | 10% | 0 | 80% |" in table(rows, 1250.0)
