"""The folder for a machine with a card, made and run here on the numpy model; mistakes in it are found."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
pytest.importorskip("jax", reason="the benchmark's programs are written in JAX")


def run(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """In the folder, as on a machine where nothing of this project is installed."""
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONSAFEPATH")}
    command = [sys.executable, "-m", "bench.gpu", "--device=model", "--skip-sanitizer", *options]
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


def test_nothing_to_check_is_a_failure(folder: Path) -> None:
    done = run(folder, "--skip-times", "--only=no_such_program")
    assert done.returncode == 1 and "nothing to check" in done.stdout


def test_a_process_that_dies_or_hangs_is_one_failure(monkeypatch, tmp_path) -> None:
    """The checks behind it run in another process."""
    sys.path.insert(0, str(ROOT))
    from bench import gpu_checks

    worker = tmp_path / "worker.py"
    worker.write_text(
        "import os, sys, time\n"
        "for line in sys.stdin:\n"
        "    name = line.strip()\n"
        "    if name == 'dies': os._exit(1)\n"
        "    if name == 'hangs': time.sleep(60)\n"
        "    print('noise'); print('checked: [\"%s\", \"%s\"]' % (name, 'wrong' if name == 'fails' else ''), flush=True)\n"
    )
    monkeypatch.setattr(gpu_checks, "PATIENCE", 2.0)
    monkeypatch.setattr(gpu_checks, "COMMAND", [sys.executable, str(worker)])
    names = ["a", "dies", "b", "hangs", "fails", "c"]
    findings = dict(gpu_checks.run_all(tmp_path, names))
    assert list(findings) == names
    assert [name for name in names if not findings[name]] == ["a", "b", "c"]
    assert findings["dies"] == findings["hangs"] == "the process ended or hung"
