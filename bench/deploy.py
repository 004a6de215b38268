"""`python -m bench --deploy`: linked programs beside the same programs in a Python process: sizes, start, time of a call. The numbers of
docs/deploy.md.

In turns, the least of many: a call of the object (by ctypes, which costs both sides the same) and `exe.run_addresses`
of the same target on one thread."""

from __future__ import annotations

import ctypes
import subprocess
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import hlo
from hlo.lowering.target import host_name

EXAMPLES = Path(__file__).parent.parent / "examples"
NAMES = ("softmax", "mlp", "transformer")
TURNS = 150


def run() -> int:
    print(f"{_processor()}, one thread; the least of {TURNS} turns")
    for name in NAMES:
        for cpu in dict.fromkeys(("baseline", host_name())):
            with TemporaryDirectory() as folder:
                print(_row(name, cpu, Path(folder)), flush=True)
    return 0


def _processor() -> str:
    with open("/proc/cpuinfo") as file:
        return next((line.partition(":")[2].strip() for line in file if line.startswith("model name")), "a processor")


def _row(name: str, cpu: str, folder: Path) -> str:
    source, arrays = EXAMPLES / f"{name}.mlir", _inputs(name)
    written = hlo.aot.compile(source, folder / "model", cpu=cpu, also=["main"])
    (function,) = written.model.functions
    _compile(folder, "-shared", "-o", "libmodel.so", "model.o")
    _compile(folder, "model_main.c", "model.o", "-o", "model")
    subprocess.run(["strip", "--strip-unneeded", "model.o"], cwd=folder, check=True)
    size = (folder / "model.o").stat().st_size
    exe = hlo.compile(source, cpu=cpu, pipeline=hlo.pipelines.cpu(f"{cpu}/1"), threads=1)
    jit, linked = _calls(exe, ctypes.CDLL(str(folder / "libmodel.so"))[function.name], arrays)
    start, nothing = _starts(folder, function.name, arrays)
    return (
        f"{name:12} {cpu:9} {size:7,} bytes; in process / object {jit / linked:.3f} "
        f"({jit * 1e6:.1f}, {linked * 1e6:.1f} us); start to end {start * 1e3:.2f} ms beside {nothing * 1e3:.2f} of true"
    )


def _inputs(name: str) -> list[np.ndarray]:
    if name == "softmax":
        return [np.arange(6, dtype=np.float32).reshape(2, 3)]
    with np.load(EXAMPLES / f"{name}.inputs.npz") as file:
        return [np.ascontiguousarray(file[key]) for key in file.files]


def _compile(folder: Path, *words: str) -> None:
    subprocess.run(["cc", "-O1", *words, "-lm"], cwd=folder, check=True)


def _calls(exe: Any, function: Any, arrays: list[np.ndarray]) -> tuple[float, float]:
    """Seconds of a call in the process, and of the object's."""
    results = exe(*arrays)
    found = [np.zeros_like(one) for one in results]
    room = np.zeros(exe.memory.temporaries + (1 << 20), np.uint8)
    inputs, outputs = ([a.ctypes.data for a in some] for some in (arrays, found))
    words = [ctypes.c_void_p(a) for a in (*inputs, *outputs, room.ctypes.data + -room.ctypes.data % 64)]
    assert function(*words) == 0
    assert all(one.tobytes() == other.tobytes() for one, other in zip(results, found)), "results differ"
    return _least(lambda: exe.run_addresses(inputs, outputs), lambda: function(*words))


def _least(*calls: Any) -> tuple[float, ...]:
    """Of the mean of some calls, in turns."""
    clock = time.perf_counter
    start = clock()
    calls[0]()
    repeats = max(1, int(1e-3 / (clock() - start)))
    found: list[list[float]] = [[] for _ in calls]
    for _ in range(TURNS):
        for times, call in zip(found, calls):
            start = clock()
            for _ in range(repeats):
                call()
            times.append((clock() - start) / repeats)
    return tuple(map(min, found))


def _starts(folder: Path, name: str, arrays: list[np.ndarray]) -> tuple[float, float]:
    """Seconds from the start of the linked program to its end, beside a program that does nothing."""
    for number, one in enumerate(arrays):
        one.tofile(folder / f"{number}.in")
    words = ["./model", "-f", name, "-o", "out", *(f"{n}.in" for n in range(len(arrays)))]
    return _least(
        lambda: subprocess.run(words, cwd=folder, check=True), lambda: subprocess.run(["/bin/true"], cwd=folder)
    )
