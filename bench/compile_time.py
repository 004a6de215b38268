"""Compile times beside XLA:CPU's: `python -m bench.compile_time [--benchmark | --draw N --seed S [--family NAME]...]
[--only NAME]... [--rounds N] [--cpu]`.

Each round traces every program anew, compiles it with hlo and with XLA in turns and keeps each side's fastest round. Imports and
the first use of both compilers come before the clock. `--cpu` counts processor time of all threads: steadier than the
clock where others use the machine."""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TRIVIAL = "func.func @main(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }"
LLVM_STAGES = {"split": "split", "translate": "to LLVM", "_files": "codegen", "link": "link"}
"""Functions of runtime/compile/llvm_engine.py and the names of their columns."""

COLUMNS = ("read", "verify", "stablehlo", "linalg", "kernels", "memory", "llvm", *LLVM_STAGES.values(), "rest")

Times = dict[str, float]


def main() -> int:
    options = _options()
    os.environ["JAX_PLATFORMS"] = "cpu"
    clock = time.process_time if options.cpu else time.perf_counter
    programs = _chosen_programs(options)
    chosen = {n: p for n, p in programs.items() if not options.only or any(o in n for o in options.only)}
    if not chosen:
        sys.exit(f"no such program; programs: {', '.join(programs)}")
    _warm_up()
    print(_line("program", [*COLUMNS, "hlo", "XLA", "XLA/hlo"]), _line(":-", ["-:"] * (len(COLUMNS) + 3)), sep="\n")
    totals = {name: _row(name, *make(), options.rounds, clock) for name, make in chosen.items()}
    _summary(totals)
    if options.draw:
        _families(totals)
    return 0


def _chosen_programs(options: argparse.Namespace) -> dict[str, Callable[[], Any]]:
    if options.draw:
        return _drawn(options.seed, options.draw, options.family)
    return _benchmark() if options.benchmark else _programs()


def _row(name: str, function: Callable[..., Any], arguments: Any, rounds: int, clock: Any) -> tuple[float, float]:
    """Prints a program's line; returns its seconds with hlo and XLA."""
    from bench.draws.run import of_64_bits

    ours, theirs = [], []
    for _ in range(rounds):
        with of_64_bits(arguments):
            lowered = _lower(function, arguments)
            ours.append(_ours(lowered.as_text(), clock))
            start = clock()
            lowered.compile()
            theirs.append(clock() - start)
    best = min(ours, key=lambda t: t["hlo"])
    cells = [f"{1e3 * best.get(c, 0.0):.0f}" for c in (*COLUMNS, "hlo")]
    print(_line(name, [*cells, f"{1e3 * min(theirs):.0f}", f"{min(theirs) / best['hlo']:.2f}"]), flush=True)
    return best["hlo"], min(theirs)


def _lower(function: Callable[..., Any], arguments: Any) -> Any:
    """A fresh function each time: JAX keeps what it has compiled for an old one."""
    import jax

    return jax.jit(lambda *values: function(*values)).lower(*arguments)


def _ours(text: str, clock: Any) -> Times:
    """Seconds by stage and together ("hlo")."""
    import hlo
    from hlo.dialect import contexts, verifier
    from hlo.dialect.reader import read

    times: Times = {}
    start = mark = clock()

    def stop(stage: str, _: Any = None) -> None:
        nonlocal mark
        times[stage], mark = clock() - mark, clock()

    borrowed = contexts.borrow()
    module = read(text, borrowed.context, "-")
    stop("read")
    verifier.check(module)
    stop("verify")
    with _watched(stop), _llvm_stages(times, clock):
        hlo.compile(module)
    times["rest"] = clock() - mark - sum(times.get(s, 0.0) for s in LLVM_STAGES.values())
    times["hlo"] = clock() - start
    contexts.give_back(borrowed, len(text))
    return times


@contextmanager
def _watched(stop: Callable[..., None]) -> Iterator[None]:
    """Calls `stop` after each phase."""
    from hlo import pipelines

    plain = pipelines.run

    def run(module: Any, phases: Any, **rest: Any) -> None:
        plain(module, phases, on_phase=stop)

    pipelines.run = run
    try:
        yield
    finally:
        pipelines.run = plain


@contextmanager
def _llvm_stages(times: Times, clock: Any) -> Iterator[None]:
    from hlo.runtime.compile import llvm_engine

    plain = {name: getattr(llvm_engine, name) for name in LLVM_STAGES}
    for name, function in plain.items():
        setattr(llvm_engine, name, _timed(function, LLVM_STAGES[name], times, clock))
    try:
        yield
    finally:
        for name, function in plain.items():
            setattr(llvm_engine, name, function)


def _timed(function: Any, stage: str, times: Times, clock: Any) -> Any:
    def timed(*arguments: Any) -> Any:
        start = clock()
        result = function(*arguments)
        times[stage] = times.get(stage, 0.0) + clock() - start
        return result

    return timed


def _warm_up() -> None:
    import jax
    import numpy as np

    import hlo

    hlo.compile(TRIVIAL, cache=False)
    hlo.compile((ROOT / "examples" / "mlp.mlir").read_text(), cache=False)
    jax.jit(lambda x: x @ x + 1).lower(np.ones((4, 4), np.float32)).compile()


def _programs() -> dict[str, Callable[[], Any]]:
    """The shipped examples and transformers of 2 and 12 layers, each layer with its own weights."""
    sys.path.insert(0, str(ROOT / "examples"))
    import export

    def layers(count: int) -> Any:
        def run(parameters: Any, x: Any) -> Any:
            for one in parameters:
                x = export.transformer_block(one, x)
            return x

        return run, ([export.transformer_parameters()] * count, export.normal(7, 2, export.TOKENS, export.WIDTH))

    return {**export.EXAMPLES, "transformer_2_layers": lambda: layers(2), "transformer_12_layers": lambda: layers(12)}


def _benchmark() -> dict[str, Callable[[], Any]]:
    """The programs of `python -m bench`."""
    from bench.programs import PROGRAMS

    return {name: lambda p=p: (p.function, p.inputs()) for name, p in PROGRAMS.items()}


def _drawn(seed: int, count: int, families: list[str] | None) -> dict[str, Callable[[], Any]]:
    """Programs of `python -m bench --draw`, named by their families."""
    from bench.draws import draw

    drawn = [draw(seed, number) for number in range(count)]
    chosen = [(family, p) for family, p in drawn if not families or family in families]
    return {f"{family}: {p.name}": lambda p=p: (p.function, p.inputs()) for family, p in chosen}


def _families(totals: dict[str, tuple[float, float]]) -> None:
    """The geometric mean of every family, and the programs that take more than twice XLA's time."""
    ratios: dict[str, list[float]] = {}
    for name, (ours, xla) in totals.items():
        ratios.setdefault(name.split(":")[0], []).append(math.log(xla / ours))
    for family, logs in sorted(ratios.items(), key=lambda pair: sum(pair[1]) / len(pair[1])):
        print(f"  {family} ({len(logs)}): {math.exp(sum(logs) / len(logs)):.2f}, least {math.exp(min(logs)):.2f}")
    slow = sum(ours > 2 * xla for ours, xla in totals.values())
    print(f"more than twice XLA's time: {slow} of {len(totals)}")


def _summary(totals: dict[str, tuple[float, float]]) -> None:
    mean = math.exp(sum(math.log(xla / ours) for ours, xla in totals.values()) / len(totals))
    print(f"\nXLA/hlo, geometric mean of {len(totals)}: {mean:.2f} (above 1: hlo compiles faster)")
    if {"transformer_2_layers", "transformer_12_layers"} <= totals.keys():
        pairs = zip(totals["transformer_12_layers"], totals["transformer_2_layers"], strict=True)
        ours, theirs = (many / few for many, few in pairs)
        print(f"12 layers over 2: hlo {ours:.2f}, XLA {theirs:.2f}")


def _line(first: str, cells: list[str]) -> str:
    return f"| {first} | {' | '.join(cells)} |"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench.compile_time", description=__doc__)
    parser.add_argument(
        "--benchmark", action="store_true", help="the programs of `python -m bench` instead of the examples"
    )
    parser.add_argument("--draw", type=int, default=0, metavar="N", help="the first N programs that a seed draws")
    parser.add_argument("--seed", type=int, default=1, help="of --draw")
    parser.add_argument("--family", action="append", metavar="NAME", help="some families of --draw")
    parser.add_argument("--only", action="append", metavar="NAME", help="programs whose name contains this")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cpu", action="store_true", help="processor time of all threads instead of the clock")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
