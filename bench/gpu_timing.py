"""Times of compiled programs on a card: events around many calls, warm, on several sets of arguments that the L2 cache does
not hold together, none of them zeros."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench.gpu_programs import GpuProgram, expected, inputs, is_right

TURN = 0.2
"""Seconds of a turn."""
TURNS = 9
SETS = 6
"""Sets of arguments at most: an executable keeps a few graphs, by addresses."""
COPIED = 1 << 30


@dataclass
class Row:
    """Of the table. `seconds`: a call on the device. `share`: of the copy bandwidth, for programs bound by bytes.
    `others`: seconds of other compilers and libraries in the same run, by name."""

    name: str
    is_right: bool
    seconds: float
    spread: float
    bytes: int
    operations: float
    share: float | None
    others: dict[str, float]


def copy_bandwidth(driver: Any, size: int = COPIED) -> float:
    """Bytes a second, read and written, of copies within the card's memory."""
    source, target = driver.allocate(size), driver.allocate(size)
    try:
        times = _times(driver, lambda turn: driver.copy(target, source, size), 1)
    finally:
        driver.free(source)
        driver.free(target)
    return 2 * size / statistics.median(times)


def measure(folder: Path, program: GpuProgram, is_small: bool, bandwidth: float) -> Row:
    """Checks one program on fresh arguments, then times it."""
    import hlo
    from hlo.runtime.gpu.device_array import to_device

    exe = hlo.load_executable(folder / "programs" / f"{program.file}.hlo")
    shapes = program.small if is_small else program.shapes
    first = inputs(program, shapes, 0)
    size = exe.memory.arguments + exe.memory.results
    count = min(SETS, max(1, -(-4 * exe.driver.facts()["cache"] // max(size, 1))))
    others = [inputs(program, shapes, seed) for seed in range(1, count)]
    sets = [[to_device(exe.driver, a) for a in arrays] for arrays in (first, *others)]
    right = is_right(program, exe(*first)[0], expected(program, first))
    times = _times(exe.driver, lambda turn: exe.submit(*sets[turn % count]), count)
    seconds = statistics.median(times)
    share = None if program.operations else size / seconds / bandwidth
    spread = (max(times) - min(times)) / seconds
    operations = 0 if is_small else program.operations
    return Row(program.name, right, seconds, spread, size, operations, share, _others(program, sets))


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


def _others(program: GpuProgram, sets: Sequence[Sequence[Any]]) -> dict[str, float]:
    """XLA, and for plain matrix products cuBLAS through PyTorch, where they are installed with a card of their own."""
    found = {}
    for name, measured in (("XLA", _xla), ("cuBLAS", _cublas)):
        try:
            seconds = measured(program, sets)
        except Exception as error:  # a contender's failure is a result
            print(f"{program.name}: {name}: {type(error).__name__}: {str(error).splitlines()[:1]}")
            continue
        if seconds is not None:
            found[name] = seconds
    return found


def _xla(program: GpuProgram, sets: Sequence[Sequence[Any]]) -> float | None:
    """By the host's clock around calls that are queued one behind the other."""
    try:
        import jax
        import jax.numpy as jnp
    except ImportError:
        return None
    if jax.default_backend() != "gpu":
        return None
    compiled = jax.jit(lambda *arrays: program.function(jnp, *arrays))
    arrays = [[jnp.asarray(a.numpy()) for a in arguments] for arguments in sets]
    return _by_the_clock(lambda turn: compiled(*arrays[turn % len(arrays)]), lambda last: last.block_until_ready())


def _cublas(program: GpuProgram, sets: Sequence[Sequence[Any]]) -> float | None:
    if not program.name.startswith("matmul ") or "bias" in program.name:
        return None
    try:
        import torch
    except ImportError:
        return None
    if not torch.cuda.is_available():
        return None
    torch.backends.cuda.matmul.allow_tf32 = False
    arrays = [[torch.from_dlpack(a) for a in arguments] for arguments in sets]
    return _by_the_clock(lambda turn: torch.matmul(*arrays[turn % len(arrays)]), lambda _: torch.cuda.synchronize())


def _by_the_clock(call: Callable[[int], Any], wait: Callable[[Any], Any]) -> float:
    import time

    def turn(count: int) -> float:
        start = time.perf_counter()
        for number in range(count):
            last = call(number)
        wait(last)
        return (time.perf_counter() - start) / count

    turn(3)
    count = max(3, int(TURN / max(turn(5), 1e-6) / TURNS))
    return statistics.median(turn(count) for _ in range(TURNS))


def table(rows: Sequence[Row]) -> str:
    lines = [
        "| program | right | ms | spread | GB/s | of a copy | TFLOP/s | others, ms (times of hlo) |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        share = "" if row.share is None else f"{row.share:.0%}"
        work = f"{row.operations / row.seconds / 1e12:.1f}" if row.operations else ""
        others = ", ".join(f"{n} {1e3 * s:.4g} ({s / row.seconds:.2f})" for n, s in row.others.items())
        lines.append(
            f"| {row.name} | {'yes' if row.is_right else 'NO'} | {1e3 * row.seconds:.4g} | {row.spread:.0%} | "
            f"{row.bytes / row.seconds / 1e9:.0f} | {share} | {work} | {others} |"
        )
    return "\n".join([*lines, *_summary(rows)])


def _summary(rows: Sequence[Row]) -> list[str]:
    ratios = [row.others["XLA"] / row.seconds for row in rows if "XLA" in row.others]
    if not ratios:
        return []
    return [
        "",
        f"Geometric mean of XLA's times over hlo's, {len(ratios)} programs: {np.exp(np.mean(np.log(ratios))):.2f}",
    ]
