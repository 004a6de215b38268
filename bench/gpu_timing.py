"""Times of compiled programs on a card: events around many calls, warm, on several sets of arguments that the L2 cache does
not hold together, none of them zeros. A worker (gpu_workers.py) answers the name of a program with its times."""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.gpu_programs import PROGRAMS, GpuProgram, expected, inputs, is_right
from bench.gpu_workers import serve

COMMAND = (sys.executable, "-m", "bench.gpu_timing")
DEVICE = "the device"
"""The name that is answered with facts about it."""

TURN = 0.2
"""Seconds of a turn."""
TURNS = 9
SETS = 6
"""Sets of arguments at most: an executable keeps a few graphs, by addresses."""
COPIED = 1 << 30
REPLAYS = 200


@dataclass
class Row:
    """Of the table. `seconds`: a call on the device. `replay`: seconds of one of its CUDA graphs, replayed by itself, where there
    are any. `others`: seconds of other compilers and libraries in the same run, by name; `remarks`: why one is missing."""

    name: str
    is_right: bool
    seconds: float
    spread: float
    bytes: int
    operations: float
    replay: float | None
    others: dict[str, float]
    remarks: list[str]


def facts(device: str) -> dict[str, Any]:
    """About the card, its driver, and the bytes a second, read and written, of copies within its memory."""
    from hlo.runtime.gpu.devices import driver_named

    driver = driver_named(device)
    size = COPIED if device == "cuda" else 1 << 20
    source, target = driver.allocate(size), driver.allocate(size)
    try:
        times = _times(driver, lambda turn: driver.copy(target, source, size), 1)
    finally:
        driver.free(source)
        driver.free(target)
    return {**driver.facts(), "bandwidth": 2 * size / statistics.median(times), "others": _versions()}


def _versions() -> dict[str, str]:
    from importlib.metadata import PackageNotFoundError, version

    found = {}
    for name in ("numpy", "cuda-bindings", "jax", "torch"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not there"
    return found


def measure(folder: Path, program: GpuProgram, device: str) -> Row:
    """Checks one program on fresh arguments, then times it."""
    import hlo
    from hlo.runtime.gpu.device_array import to_device

    exe = hlo.load_executable(folder / "programs" / f"{program.file}.hlo")
    is_small = device == "model"
    shapes = program.small if is_small else program.shapes
    first = inputs(program, shapes, 0)
    size = exe.memory.arguments + exe.memory.results
    count = min(SETS, max(1, -(-4 * exe.driver.facts()["cache"] // max(size, 1))))
    others = [inputs(program, shapes, seed) for seed in range(1, count)]
    sets = [[to_device(exe.driver, a) for a in arrays] for arrays in (first, *others)]
    right = is_right(program, exe(*first)[0], expected(program, first))
    times = _times(exe.driver, lambda turn: exe.submit(*sets[turn % count]), count)
    seconds = statistics.median(times)
    operations = 0 if is_small else program.operations
    replay = None if is_small else _replay(exe)
    found, remarks = _others(program, sets)
    spread = (max(times) - min(times)) / seconds
    return Row(program.name, right, seconds, spread, size, operations, replay, found, remarks)


def _replay(exe: Any) -> float | None:
    """What the driver alone takes for one of the program's graphs. Its memory is that of the last call: freed, but kept by the
    driver's pool, and nobody else's meanwhile."""
    graphs = exe.graphs
    if not graphs:
        return None
    _turn(exe.driver, lambda turn: exe.driver.replay(graphs[-1]), REPLAYS // 10)
    return _turn(exe.driver, lambda turn: exe.driver.replay(graphs[-1]), REPLAYS) / REPLAYS


def _times(driver: Any, call: Callable[[int], Any], least: int) -> list[float]:
    """Seconds a call, by turns. `call` gets the number of the call, so that it can take turns itself."""
    once = _turn(driver, call, 3 * least) / (3 * least)
    count = max(least, int(TURN / max(once, 1e-6) / TURNS)) if once < TURN else 1
    _turn(driver, call, count)
    return [_turn(driver, call, count) / count for _ in range(TURNS)]


def _turn(driver: Any, call: Callable[[int], Any], count: int) -> float:
    start = driver.record()
    for number in range(count):
        call(number)
    return driver.milliseconds(start, driver.record()) / 1e3


# Others


def _others(program: GpuProgram, sets: Sequence[Sequence[Any]]) -> tuple[dict[str, float], list[str]]:
    """XLA, and what PyTorch has, where they are installed with a card of their own; and why one of them gave no time."""
    found, remarks = {}, []
    for name, measured in (("XLA", _xla), ("cuBLAS", _cublas), ("SDPA", _attention)):
        try:
            seconds = measured(program, sets)
        except Exception as error:  # a contender's failure is a result
            remarks.append(f"{name}: {type(error).__name__}: {str(error)[:120]}")
            continue
        if seconds is not None:
            found[name] = seconds
    return found, remarks


def _xla(program: GpuProgram, sets: Sequence[Sequence[Any]]) -> float | None:
    """By the host's clock around calls that are queued one behind the other. Of f32 all bits count, as in ours."""
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # three quarters of the memory, otherwise
    try:
        import jax
        import jax.numpy as jnp
    except ImportError:
        return None
    if jax.default_backend() != "gpu":
        return None
    with jax.default_matmul_precision("highest"), jax.enable_x64("float64" in program.dtypes):
        compiled = jax.jit(lambda *arrays: program.function(jnp, *arrays))
        arrays = [[jnp.asarray(a.numpy()) for a in arguments] for arguments in sets]
        return _by_the_clock(lambda turn: compiled(*arrays[turn % len(arrays)]), lambda last: last.block_until_ready())


def _in_torch(sets: Sequence[Sequence[Any]], call: Callable[..., Any]) -> float | None:
    try:
        import torch
    except ImportError:
        return None
    if not torch.cuda.is_available():
        return None
    arrays = [[torch.from_dlpack(a) for a in arguments] for arguments in sets]
    return _by_the_clock(lambda turn: call(torch, *arrays[turn % len(arrays)]), lambda _: torch.cuda.synchronize())


def _cublas(program: GpuProgram, sets: Sequence[Sequence[Any]]) -> float | None:
    """The product alone: bias and activation are ours for nothing, or nearly so."""
    if not program.name.startswith("matmul ") or program.dtypes[0] not in ("bfloat16", "float16", "float32", "float64"):
        return None

    def call(torch: Any, x: Any, y: Any, *_: Any) -> Any:
        torch.backends.cuda.matmul.allow_tf32 = "tf32" in program.name
        return torch.matmul(x, y)

    return _in_torch(sets, call)


def _attention(program: GpuProgram, sets: Sequence[Sequence[Any]]) -> float | None:
    if "attention" not in program.name:
        return None
    is_causal = "causal" in program.name

    def call(torch: Any, *arrays: Any) -> Any:
        return torch.nn.functional.scaled_dot_product_attention(*(a[None] for a in arrays), is_causal=is_causal)

    return _in_torch(sets, call)


def _by_the_clock(call: Callable[[int], Any], wait: Callable[[Any], Any]) -> float:
    def turn(count: int) -> float:
        start = time.perf_counter()
        for number in range(count):
            last = call(number)
        wait(last)
        return (time.perf_counter() - start) / count

    turn(3)
    count = max(3, int(TURN / max(turn(5), 1e-6) / TURNS))
    return statistics.median(turn(count) for _ in range(TURNS))


def answer(folder: Path, device: str, name: str) -> tuple[Any, bool]:
    """A row, the facts, or the text of an error; whether the card can still be used."""
    try:
        if name == DEVICE:
            return facts(device), True
        return asdict(measure(folder, next(p for p in PROGRAMS if p.name == name), device)), True
    except Exception as error:
        return f"{type(error).__name__}: {error}", False


if __name__ == "__main__":
    serve(lambda name: answer(Path(sys.argv[1]), sys.argv[2], name))
