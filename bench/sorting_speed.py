"""Sorting and selection against numpy, by element type and row length, on one thread or as many as `--threads` says.

python -m bench.sorting_speed [--kinds sort,argsort,top] [--types f32,u16] [--sizes 1000,64x1000] [--threads N] [--first 0.1,10]

Prints numpy's time over hlo's: of `np.sort`, of the stable `np.argsort`, and for the first ones by `top_k` (values in
order, and their indices; `--first`: how many, or what part of a row, a tenth by default) of `np.partition` and, behind
it, of `np.argpartition`, neither of which orders what it selects, and of `np.sort` of what `np.partition` selects, which has no
indices. Calls through Python in alternation in one process; the fastest of each counts."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterable
from typing import Any

SIZES = ("1000", "4096", "32768", "262144", "1000000")
TYPES = ("i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "bf16", "f32", "f64")
KINDS = ("sort", "argsort", "top")
SECONDS = 0.06
"""For the calls of a program and of numpy, each."""


def _data(rng: Any, shape: tuple[int, ...], kind: str) -> Any:
    """Any number of an integer type; normally distributed floats."""
    import ml_dtypes
    import numpy as np

    if kind == "bf16":
        return rng.standard_normal(shape).astype(ml_dtypes.bfloat16)
    dtype = np.dtype(f"{kind[0]}{int(kind[1:]) // 8}")
    if dtype.kind == "f":
        return rng.standard_normal(shape).astype(dtype)
    return rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, shape, dtype=dtype, endpoint=True)


def _contenders(kind: str, k: int) -> tuple[Callable, list[Callable]]:
    """The function for JAX, and numpy's."""
    import jax
    import jax.numpy as jnp
    import numpy as np

    if kind == "sort":
        return jnp.sort, [np.sort]
    if kind == "argsort":
        return jnp.argsort, [lambda x: np.argsort(x, kind="stable")]
    part = lambda function: lambda x: function(x, x.shape[-1] - k)
    in_order = lambda x: np.sort(np.partition(x, x.shape[-1] - k)[..., -k:])
    return lambda x: jax.lax.top_k(x, k), [part(np.partition), part(np.argpartition), in_order]


def _fastest(calls: Iterable[Callable[[], Any]]) -> list[float]:
    """Seconds of a call of each: in turns, so that a change of the processor's clock is seen by all."""
    calls = list(calls)
    best = [float("inf")] * len(calls)
    for _ in range(4):
        for n, call in enumerate(calls):
            call()
            end = time.perf_counter() + SECONDS / 4
            while True:
                start = time.perf_counter()
                call()
                now = time.perf_counter()
                best[n] = min(best[n], now - start)
                if now > end:
                    break
    return best


def ratios(kind: str, stored: str, shape: tuple[int, ...], first: float = 0.1) -> list[float]:
    """Numpy's times over hlo's. `first`: how many `top_k` selects, or what part of a row if it is less than 1."""
    import jax
    import numpy as np

    import hlo

    x = _data(np.random.default_rng(0), shape, stored)
    function, peers = _contenders(kind, max(1, int(first * shape[-1] if first < 1 else first)))
    executable = hlo.compile(jax.jit(function).lower(x).as_text())
    own, *others = _fastest([lambda: executable(x), *(lambda peer=peer: peer(x) for peer in peers)])
    return [other / own for other in others]


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.sorting_speed", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    for name, default in (("kinds", KINDS), ("types", TYPES), ("sizes", SIZES)):
        parser.add_argument(f"--{name}", default=",".join(default), help="separated by commas; default %(default)s")
    parser.add_argument("--threads", default="1", help="of hlo; default 1")
    parser.add_argument("--first", default="0.1", help="what `top` selects, separated by commas; default %(default)s")
    options = parser.parse_args()
    os.environ["HLO_THREADS"] = options.threads
    import jax

    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_platforms", "cpu")
    sizes = options.sizes.split(",")
    print("| | " + " | ".join(sizes) + " |\n|---|" + "---:|" * len(sizes))
    firsts = options.first.split(",")
    wanted = [(k, f) for k in options.kinds.split(",") for f in (firsts if k == "top" else firsts[:1])]
    for kind, first in wanted:
        for stored in options.types.split(","):
            cells = [ratios(kind, stored, tuple(map(int, size.split("x"))), float(first)) for size in sizes]
            label = f"{kind} {first}" if kind == "top" else kind
            print(f"| {label} {stored} | " + " | ".join(", ".join(f"{r:.2f}" for r in cell) for cell in cells) + " |", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
