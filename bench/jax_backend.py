"""JAX on hlo: what a call through JAX costs, and how long the start takes.

python -m bench.jax_backend [ROUNDS]         prints a table of times and ratios

Calls run in two processes, one on hlo and one on JAX's own CPU backend; the process on hlo also calls what hlo.compile makes of the same
program, in turns with the calls through JAX. Starts are fresh processes in turns; each ends with the first result of a jit-compiled
function, and finds what the first start has left in the disk cache and in the files of byte code."""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

PLATFORMS = ("hlo", "cpu")
START = "import jax, jax.numpy as jnp; print(jax.jit(jnp.sin)(1.0))"
DURATION = 0.05


def add_one(x):
    return x + 1


def add_one_to_each(*arrays):
    return [x + 1 for x in arrays]


def attention(q, k, v):
    import jax

    return jax.nn.softmax(q @ k.T) @ v


def product(x, y):
    import jax

    return jax.numpy.tanh(x @ y)


def sine_and_cosine(x):
    import jax.numpy as jnp

    return jnp.sin(x), jnp.cos(x)


def perceptron(x, v, w):
    import jax

    return jax.nn.relu(x @ v) @ w


def factor(x):
    import jax.numpy as jnp

    return jnp.linalg.cholesky(x @ x.T + 100 * jnp.eye(len(x)))


PROGRAMS: dict[str, tuple[Callable[..., Any], list[tuple[int, ...]]]] = {
    "trivial": (add_one, [(4,)]),
    "20 arguments, 20 results": (add_one_to_each, [(4,)] * 20),
    "elementwise, 256 Ki": (add_one, [(512, 512)]),
    "matrix product, 256": (product, [(256, 256)] * 2),
    "attention, 256 x 64": (attention, [(256, 64)] * 3),
    "elementwise, 1 Mi": (add_one, [(1024, 1024)]),
    "sine and cosine, 64 Ki": (sine_and_cosine, [(256, 256)]),
    "perceptron, 64 x 256": (perceptron, [(64, 256), (256, 256), (256, 256)]),
    "Cholesky by LAPACK, 128": (factor, [(128, 128)]),
    "matrix product, 512": (product, [(512, 512)] * 2),
}
"""Function and shapes of the arguments."""


def seconds_of(call: Callable[[], Any]) -> float:
    """Of one call, over a turn of DURATION."""
    count, start = 0, time.perf_counter()
    while True:
        call()
        count += 1
        spent = time.perf_counter() - start
        if spent > DURATION:
            return spent / count


def _calls(name: str) -> dict[str, Callable[[], Any]]:
    import jax
    import numpy as np

    function, shapes = PROGRAMS[name]
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal(shape).astype(np.float32) * 0.1 for shape in shapes]
    jitted, placed = jax.jit(function), [jax.device_put(a) for a in arrays]
    calls = {"through JAX": lambda: jax.block_until_ready(jitted(*placed))}
    if jax.default_backend() == "hlo":
        import hlo

        executable = hlo.compile(jitted.lower(*placed).as_text(), cache=False)
        calls["direct"] = lambda: executable(*arrays)
    return calls


def child(rounds: int) -> None:
    """Prints as JSON, by program, the seconds of each kind of call in each round."""
    if os.environ["JAX_PLATFORMS"] == "hlo":
        import hlo.jax

        hlo.jax.register()
    found = {}
    for name in PROGRAMS:
        calls = _calls(name)
        for call in calls.values():
            seconds_of(call)
        turns = [{kind: seconds_of(call) for kind, call in calls.items()} for _ in range(rounds)]
        found[name] = {kind: [turn[kind] for turn in turns] for kind in calls}
    print(json.dumps(found))


def _run(platform: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    settings = {**os.environ, "JAX_PLATFORMS": platform, **environment}
    return subprocess.run([sys.executable, *arguments], env=settings, capture_output=True, text=True, check=True)


def measure_calls(rounds: int) -> dict[str, dict[str, float]]:
    """By program: medians of microseconds on both platforms, and the median ratio of calls through JAX to direct ones."""
    found = {p: json.loads(_run(p, "-m", "bench.jax_backend", "--child", str(rounds)).stdout) for p in PLATFORMS}
    rows = {}
    for name, kinds in found["hlo"].items():
        through, direct = kinds["through JAX"], kinds["direct"]
        rows[name] = {
            "hlo": 1e6 * statistics.median(through),
            "cpu": 1e6 * statistics.median(found["cpu"][name]["through JAX"]),
            "direct": 1e6 * statistics.median(direct),
            "ratio": statistics.median(t / d for t, d in zip(through, direct)),
        }
    return rows


def measure_start(rounds: int) -> dict[str, float]:
    """Medians of seconds, and of the ratio of starts that follow one another."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {"PYTHONPYCACHEPREFIX": folder, "PYTHONDONTWRITEBYTECODE": "", "HLO_CACHE_DIR": f"{folder}/hlo"}
        first = {platform: _seconds_to_start(platform, environment) for platform in PLATFORMS}
        turns = [{p: _seconds_to_start(p, environment) for p in PLATFORMS} for _ in range(rounds)]
    medians = {platform: statistics.median(turn[platform] for turn in turns) for platform in PLATFORMS}
    return {**medians, "ratio": statistics.median(t["hlo"] / t["cpu"] for t in turns), "first": first["hlo"]}


def _seconds_to_start(platform: str, environment: dict[str, str]) -> float:
    code = "import hlo.jax; hlo.jax.register(); " + START if platform == "hlo" else START
    start = time.perf_counter()
    _run(platform, "-c", code, **environment)
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="bench.jax_backend", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("rounds", nargs="?", type=int, default=9, metavar="ROUNDS", help="default 9")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    rounds = options.rounds
    if options.child:
        child(rounds)
        return
    print(f"{'call':<26}{'hlo':>10}{'JAX CPU':>10}{'direct':>10}  hlo : direct")
    for name, row in measure_calls(rounds).items():
        times = "".join(f"{row[kind]:>8.1f}us" for kind in ("hlo", "cpu", "direct"))
        print(f"{name:<26}{times}{row['ratio']:>10.2f}")
    start = measure_start(rounds)
    print(f"start: hlo {start['hlo']:.2f} s, JAX CPU {start['cpu']:.2f} s, ratio {start['ratio']:.2f}", end="; ")
    print(f"the very first start {start['first']:.1f} s")


if __name__ == "__main__":
    main()
