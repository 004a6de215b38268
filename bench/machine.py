"""What the machine allows, measured: the rate of fused multiply-adds and of copying, with the benchmark's threads."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

CHAINS, STEPS = 24, 2_000_000
"""Independent sums (enough to hide the latency of an FMA on every x86 core so far), and how often each is added to."""


@dataclass(frozen=True)
class Machine:
    """Rates a second: f32 operations, bytes copied (read and written bytes both count)."""

    processor: str
    threads: int
    operations: float
    bytes: float

    def floor(self, operations: float, size: float) -> float:
        """The seconds that a program needs at least."""
        return max(operations / self.operations, size / self.bytes)


def measure(threads: int) -> Machine:
    return Machine(processor_name(), threads, _fma_rate(threads), _copy_rate(threads))


def processor_name() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown processor")


def _best(work: Callable[[], object], threads: int, repeats: int = 7) -> float:
    """Seconds of the fastest of a few runs, every thread doing `work` at once."""
    with ThreadPoolExecutor(threads) as pool:
        times = []
        for _ in range(repeats):
            start = time.perf_counter()
            for done in [pool.submit(work) for _ in range(threads)]:
                done.result()
            times.append(time.perf_counter() - start)
    return min(times)


def _copy_rate(threads: int, size: int = 1 << 27) -> float:
    """Of blocks that no cache holds."""
    blocks = [(np.ones(size // 8), np.zeros(size // 8)) for _ in range(threads)]
    free = list(blocks)

    def copy() -> None:
        pair = free.pop()
        np.copyto(pair[1], pair[0])
        free.append(pair)

    return 2 * size * threads / _best(copy, threads)


def _fma_rate(threads: int) -> float:
    from mlir import ir

    from hlo.runtime.engine import compile_code

    lanes = 16 if "avx512f" in Path("/proc/cpuinfo").read_text() else 8
    with ir.Context(), ir.Location.unknown():
        code = compile_code(ir.Module.parse(_fma_loop(lanes)), "chains")
    run = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(code.entry)
    places = [np.zeros((CHAINS, lanes), np.float32) for _ in range(threads)]
    free = list(places)

    def work() -> None:
        place = free.pop()
        run(place.ctypes.data)
        free.append(place)

    return 2.0 * lanes * CHAINS * STEPS * threads / _best(work, threads)


def _fma_loop(lanes: int) -> str:
    """LLVM dialect: CHAINS vectors x = x * a + a, STEPS times, stored at the end."""
    vector = f"vector<{lanes}xf32>"
    names = [f"%x{i}" for i in range(CHAINS)]
    sums = "\n".join(
        f"%y{i} = llvm.intr.fma(%x{i}, %a, %a) : ({vector}, {vector}, {vector}) -> {vector}" for i in range(CHAINS)
    )
    stores = "\n".join(
        f"%p{i} = llvm.getelementptr %place[{i * lanes}] : (!llvm.ptr) -> !llvm.ptr, f32\n"
        f"llvm.store %y{i}, %p{i} {{alignment = 4 : i64}} : {vector}, !llvm.ptr"
        for i in range(CHAINS)
    )
    parameters = ", ".join(f"{n}: {vector}" for n in names)
    types = ", ".join([vector] * CHAINS)
    return f"""
llvm.func @chains(%place: !llvm.ptr) {{
  %a = llvm.mlir.constant(dense<0.5> : {vector}) : {vector}
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %end = llvm.mlir.constant({STEPS} : i64) : i64
  llvm.br ^loop(%zero, {", ".join(["%a"] * CHAINS)} : i64, {types})
^loop(%i: i64, {parameters}):
  {sums}
  %next = llvm.add %i, %one : i64
  %more = llvm.icmp "slt" %next, %end : i64
  llvm.cond_br %more, ^loop(%next, {", ".join(f"%y{i}" for i in range(CHAINS))} : i64, {types}), ^done
^done:
  {stores}
  llvm.return
}}
"""
