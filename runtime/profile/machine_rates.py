"""What this machine allows at most, measured once: the rates of fused multiply-adds, and of copying between arrays of several sizes."""

from __future__ import annotations

import ctypes
import functools
import hashlib
import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from math import log2
from pathlib import Path

import numpy as np

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.target import target
from hlo.runtime.code.loaded_code import Code

CHAINS, STEPS = 24, 20_000
"""Independent sums (enough to hide the latency of an FMA on every x86 core so far), and how often each is added to: a run takes less than
a thread's time slice on a busy machine, and the fastest of many counts."""

SIZES = (1 << 15, 1 << 18, 1 << 21, 1 << 24, 1 << 27)
"""Bytes of two arrays of which one is copied into the other."""

LARGE = 1 << 24
"""Bytes from which copies are limited by what all threads have in common: all copy at once. Below, each core has what
one was measured to have."""

BYTES_OF_A_RUN = 1 << 23
REPEATS = 50
SECONDS = 0.08
"""Of the runs of one measurement, once there were five."""


@dataclass(frozen=True)
class Rates:
    """On so many threads, a second: operations on f32 and f64 (a fused multiply-add is two), and for each size in bytes, of what is read
    and written together, the bytes read and written by a copy of that size."""

    threads: int
    f32: float
    f64: float
    bytes: tuple[tuple[int, float], ...]

    def operations_rate(self, element: str) -> float:
        return self.f64 if "f64" in element else self.f32

    def bytes_rate(self, size: int) -> float:
        """For arrays of so many bytes together: between two sizes, in proportion to the logarithm."""
        exponent = log2(max(size, 1))
        known = [(log2(s), rate) for s, rate in self.bytes]
        return float(np.interp(exponent, [s for s, _ in known], [rate for _, rate in known]))


@functools.cache
def rates(threads: int) -> Rates:
    """Those of this machine; from the disk cache if it has them."""
    from hlo.runtime.saved import disk_cache

    facts = ("machine rates", processor_name(), threads, vector_bytes(), SIZES, STEPS)
    name = hashlib.sha256(repr(facts).encode()).hexdigest()
    known = disk_cache.find_object(name)
    if known is None:
        found = measure(threads)
        disk_cache.keep_object(name, json.dumps(asdict(found)).encode())
        return found
    read = json.loads(known)
    return Rates(read["threads"], read["f32"], read["f64"], tuple((size, rate) for size, rate in read["bytes"]))


def measure(threads: int, sizes: tuple[int, ...] = SIZES) -> Rates:
    """Takes a third of a second, the first time with compiling."""
    copies = tuple((size, copy_rate(size, threads) if size > LARGE else copy_rate(size, 1) * threads) for size in sizes)
    return Rates(threads, fma_rate("f32", 4) * threads, fma_rate("f64", 8) * threads, copies)


def processor_name() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown processor")


def _best(work: Callable[[int], object], threads: int = 1) -> float:
    """Seconds of the fastest of some runs; `work` gets the number of its thread."""
    times: list[float] = []
    with ThreadPoolExecutor(threads) as pool:
        while len(times) < 5 or (len(times) < REPEATS and sum(times) < SECONDS):
            start = time.perf_counter()
            if threads == 1:
                work(0)
            else:
                list(pool.map(work, range(threads)))
            times.append(time.perf_counter() - start)
    return min(times)


def copy_rate(size: int, threads: int) -> float:
    """Bytes a second, read and written, of threads that copy `size` bytes together."""
    count = max(64, size // 2 // threads)
    times = max(1, BYTES_OF_A_RUN // size)
    blocks = [(np.ones(count, np.uint8), np.zeros(count, np.uint8)) for _ in range(threads)]
    code = _compiled(COPIES, "copies")
    copy = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 2, *[ctypes.c_int64] * 2)(code.entry)
    return (
        2.0
        * count
        * threads
        * times
        / _best(lambda n: copy(*(a.ctypes.data for a in blocks[n]), count, times), threads)
    )


def fma_rate(element: str, size: int) -> float:
    """Operations a second of one thread; `size`: bytes of an element."""
    lanes = vector_bytes() // size
    code = _compiled(_fma_loop(lanes, element, STEPS), "chains")
    run = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(code.entry)
    numbers = np.zeros((CHAINS, lanes * size), np.uint8)
    return 2.0 * lanes * CHAINS * STEPS / _best(lambda _: run(numbers.ctypes.data))


def vector_bytes() -> int:
    """Of the widest vectors that kernels use here."""
    return target("host").vector_bits // 8


COPIES = """
llvm.func @copies(%from: !llvm.ptr, %to: !llvm.ptr, %size: i64, %times: i64) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  "llvm.intr.memcpy"(%to, %from, %size) <{isVolatile = true}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
  %next = llvm.add %i, %one : i64
  %more = llvm.icmp "slt" %next, %times : i64
  llvm.cond_br %more, ^loop(%next : i64), ^done
^done:
  llvm.return
}
"""


@functools.cache
def _compiled(text: str, entry: str) -> Code:
    """Kept: the code is gone with the object."""
    from mlir import ir

    from hlo.runtime.compile.engine import compile_code

    with ir.Context(), ir.Location.unknown():
        return compile_code(ir.Module.parse(text), entry)


def _fma_loop(lanes: int, element: str, steps: int) -> str:
    """LLVM dialect: CHAINS vectors x = x * a + a, so many times, stored at the end."""
    vector = f"vector<{lanes}x{element}>"
    names = [f"%x{i}" for i in range(CHAINS)]
    sums = "\n".join(
        f"%y{i} = llvm.intr.fma(%x{i}, %a, %a) : ({vector}, {vector}, {vector}) -> {vector}" for i in range(CHAINS)
    )
    stores = "\n".join(
        f"%p{i} = llvm.getelementptr %numbers[{i * lanes}] : (!llvm.ptr) -> !llvm.ptr, {element}\n"
        f"llvm.store %y{i}, %p{i} {{alignment = 4 : i64}} : {vector}, !llvm.ptr"
        for i in range(CHAINS)
    )
    parameters = ", ".join(f"{n}: {vector}" for n in names)
    types = ", ".join([vector] * CHAINS)
    return f"""
llvm.func @chains(%numbers: !llvm.ptr) {{
  %a = llvm.mlir.constant(dense<0.5> : {vector}) : {vector}
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %end = llvm.mlir.constant({steps} : i64) : i64
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
