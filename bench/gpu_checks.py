"""Checks of compiled programs on a card, in processes of their own: after a failure a card's context may be of no use, and a
kernel may hang.

A worker reads names of checks, a line each, and answers each with a line of JSON: [name, "" or what is wrong]."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

COMMAND = [sys.executable, "-m", "bench.gpu_checks"]
MARK = "checked: "
PATIENCE = 120.0
"""Seconds that a check may take."""


def run_all(folder: Path, names: Sequence[str], prefix: Sequence[str] = ()) -> Iterator[tuple[str, str]]:
    """Name and finding of each check ("" when it is right). `prefix`: a tool that runs the workers."""
    left = list(names)
    while left:
        done = 0
        for name, finding in _worker(folder, left, prefix):
            done += 1
            yield name, finding
            if finding:
                break
        else:
            if done < len(left):
                yield left[done], "the process ended or hung"
                done += 1
        left = left[done:]


def _worker(folder: Path, names: Sequence[str], prefix: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Findings up to the first that is missing."""
    command = [*prefix, *COMMAND, str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin and process.stdout
        lines: queue.Queue[str] = queue.Queue()
        reader = threading.Thread(target=_read, args=(process, lines), daemon=True)
        reader.start()
        threading.Thread(target=_write, args=(process, "\n".join(names) + "\n"), daemon=True).start()
        try:
            for _ in names:
                line = lines.get(timeout=PATIENCE)
                if not line:
                    return
                name, finding = json.loads(line)
                yield name, finding
        except queue.Empty:
            return
        finally:
            process.kill()
            reader.join()  # the end of the process ends it; only then its pipe is closed


def _read(process: subprocess.Popen[str], lines: queue.Queue[str]) -> None:
    assert process.stdout
    for line in process.stdout:
        if line.startswith(MARK):  # tools and programs print, too
            lines.put(line[len(MARK) :])
    lines.put("")


def _write(process: subprocess.Popen[str], text: str) -> None:
    assert process.stdin
    try:
        process.stdin.write(text)
        process.stdin.close()
    except BrokenPipeError:
        pass


def check(folder: Path, name: str) -> str:
    """Runs one program three times (as it is, recorded as a graph, replayed); what is wrong with its results."""
    import hlo

    exe = hlo.load_executable(folder / "checks" / f"{name}.hlo")
    arguments, runs = _arrays(folder / "checks" / f"{name}.npz", exe.signature)
    for turn in range(3):
        for number, (found, kind) in enumerate(zip(exe(*arguments), exe.signature.results)):
            wrong = np.atleast_1d(_differs(found, [run[number] for run in runs]))
            if wrong.any():
                at = tuple(int(i) for i in np.argwhere(wrong)[0]) if found.ndim else ()
                count = f"{int(wrong.sum())} of {found.size}"
                return f"run {turn}: result {number} ({kind}): {count} differ, at {list(at)} {found[at]} for {runs[0][number][at]}"
    return ""


def _differs(found: np.ndarray, runs: Sequence[np.ndarray]) -> np.ndarray:
    """By element. Errors of Fourier transforms, the complex programs, are small beside the whole result."""
    from hlo.tools.differential.comparison import differs

    wrong = differs(found, runs)
    if found.dtype.kind != "c" or not found.size:
        return wrong
    with np.errstate(all="ignore"):
        return wrong & ~(np.abs(found - runs[0]) <= 64 * np.finfo(found.dtype).eps * np.abs(runs[0]).max())


def _arrays(path: Path, signature: object) -> tuple[list[np.ndarray], list[list[np.ndarray]]]:
    """Arguments, and results of several runs. Element types beyond numpy's are bytes in numpy's files (gpu_files.py)."""
    arguments, results = signature.arguments, signature.results  # type: ignore[attr-defined]
    with np.load(path) as found:

        def all_of(prefix: str, kinds: Sequence[object]) -> list[np.ndarray]:
            named = [(found[f"{prefix}_{n}"], kind.dtype) for n, kind in enumerate(kinds)]  # type: ignore[attr-defined]
            return [a if a.dtype == dtype else a[..., 0].copy().view(dtype) for a, dtype in named]

        count = sum(name.endswith("_0") and name.startswith("run_") for name in found.files) if results else 0
        return all_of("argument", arguments), [all_of(f"run_{i}", results) for i in range(count)]


def main() -> int:
    from hlo.errors import HloError

    for line in sys.stdin:
        name = line.strip()
        try:
            finding = check(Path(sys.argv[1]), name)
        except HloError as error:
            finding = f"error: {error}"
        except Exception as error:
            finding = f"bug in hlo: {type(error).__name__}: {error}"
        print(MARK + json.dumps([name, finding]), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
