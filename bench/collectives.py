"""The speed of collectives: hlo's processes beside XLA:CPU with as many host devices, in turns in one run.

    python -m bench.collectives                                   2, 4 and 8 processes, 4 KiB to 64 MiB, four ops
    python -m bench.collectives --processes 4 --op all_reduce --chain 16
    mpirun -n 4 python -m bench.collectives --mpi                 hlo over the ranks of MPI beside mpi4py's own collectives

A size is that of the larger of a process's operand and result, of f32. Prints for each the milliseconds of both (medians of turns) and
"peer/hlo", the median over rounds of how many times as long as hlo the peer takes: more than 1 is good. `--chain N`: N collectives in one
program, each on the result of the one before (all_reduce, all_to_all), and the time of one: what a call of a program costs counts less."""

from __future__ import annotations

import argparse
import math
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

OPS = ("all_reduce", "all_gather", "all_to_all", "reduce_scatter")
SIZES = [4096 * 4**n for n in range(8)]
"""4 KiB to 64 MiB, each four times the one before."""

KEEP_SHAPE = ("all_reduce", "all_to_all")

Call = Callable[[], Any]


@dataclass(frozen=True)
class Case:
    op: str
    processes: int
    bytes: int
    chain: int = 1

    @property
    def elements(self) -> int:
        """Of a process's operand."""
        whole = max(self.bytes // 4 // self.processes, 1) * self.processes
        return whole // self.processes if self.op == "all_gather" else whole

    @property
    def results(self) -> int:
        """Elements of a process's result."""
        scale = {"all_gather": self.processes, "reduce_scatter": 1 / self.processes}
        return round(self.elements * scale.get(self.op, 1))

    def inputs(self) -> list[np.ndarray]:
        """One array a process: small whole numbers, whose sums are exact in any order."""
        return [((np.arange(self.elements) + p) % 5).astype(np.float32) for p in range(self.processes)]


def program(case: Case) -> str:
    """The StableHLO of a process."""
    n, operand, result = case.processes, f"tensor<{case.elements}xf32>", f"tensor<{case.results}xf32>"
    groups = f"replica_groups = dense<[{list(range(n))}]> : tensor<1x{n}xi64>"
    add = "({\n^bb0(%a: tensor<f32>, %b: tensor<f32>):\n%s = stablehlo.add %a, %b : tensor<f32>\nstablehlo.return %s : tensor<f32>\n})"
    region = f" {add}" if "reduce" in case.op else ""
    attributes = {
        "all_gather": ", all_gather_dim = 0 : i64",
        "all_to_all": f", split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = {n} : i64",
        "reduce_scatter": ", scatter_dimension = 0 : i64",
    }.get(case.op, "")
    lines = [
        f'%x{k + 1} = "stablehlo.{case.op}"(%x{k}){region} {{{groups}{attributes}}} : ({operand}) -> {result}'
        for k in range(case.chain)
    ]
    body = "\n".join(lines)
    return f"func.func @main(%x0: {operand}) -> {result} {{\n{body}\nreturn %x{case.chain} : {result}\n}}"


def hlo_call(case: Case) -> Call:
    import hlo

    exe = hlo.compile(program(case), num_replicas=case.processes)
    inputs = [[a] for a in case.inputs()]
    return lambda: [r for (r,) in exe.run_grid(inputs)]


def xla_call(case: Case) -> Call:
    import jax
    from jax.sharding import Mesh, NamedSharding, PartitionSpec

    def function(x):
        for _ in range(case.chain):
            x = _in_jax(case.op, x)
        return x

    mesh, cut = Mesh(np.array(jax.devices("cpu")[: case.processes]), ("i",)), PartitionSpec("i")
    mapped = jax.shard_map(function, mesh=mesh, in_specs=cut, out_specs=cut, check_vma=False)
    placed = jax.device_put(np.concatenate(case.inputs()), NamedSharding(mesh, cut))
    compiled = jax.jit(mapped).lower(placed).compile()
    return lambda: jax.block_until_ready(compiled(placed))


def _in_jax(op: str, x: Any) -> Any:
    from jax import lax

    calls = {
        "all_reduce": lambda: lax.psum(x, "i"),
        "all_gather": lambda: lax.all_gather(x, "i", tiled=True),
        "all_to_all": lambda: lax.all_to_all(x, "i", 0, 0, tiled=True),
        "reduce_scatter": lambda: lax.psum_scatter(x, "i", tiled=True),
    }
    return calls[op]()


def mpi_calls(case: Case, comm: Any) -> tuple[Call, Call]:
    """hlo's call in this rank, and MPI's."""
    import hlo

    exe = hlo.compile(program(case), grid=comm, num_replicas=case.processes)
    mine = case.inputs()[comm.rank]
    first, second = np.array(mine), np.empty(case.results, np.float32)
    own = {
        "all_reduce": comm.Allreduce,
        "all_gather": comm.Allgather,
        "all_to_all": comm.Alltoall,
        "reduce_scatter": comm.Reduce_scatter_block,
    }[case.op]

    def call() -> np.ndarray:
        for _ in range(case.chain):
            own(first, second)
        return second

    return lambda: exe(mine)[0], call


def check(case: Case, found: Sequence[Any], other: Sequence[Any]) -> None:
    for a, b in zip(found, other, strict=True):
        if case.chain == 1 and not np.array_equal(np.asarray(a), np.asarray(b)):
            sys.exit(f"{case}: results differ")


def turn(call: Call, calls: int) -> float:
    """Seconds of a call."""
    start = time.perf_counter()
    for _ in range(calls):
        call()
    return (time.perf_counter() - start) / calls


def calls_of(seconds: float, duration: float) -> int:
    return max(1, math.ceil(duration / max(seconds, 1e-6)))


def cases(options: argparse.Namespace, counts: Sequence[int]) -> Iterator[Case]:
    for op in options.op or OPS:
        if options.chain > 1 and op not in KEEP_SHAPE:
            continue
        for processes in counts:
            for size in options.size or SIZES:
                yield Case(op, processes, size, options.chain)


HEAD = "| op | processes | size | hlo ms | {peer} ms | {peer}/hlo |\n|---|---:|---:|---:|---:|---:|"


def line(case: Case, turns: Sequence[tuple[float, float]]) -> tuple[str, float]:
    ratio = statistics.median(b / a for a, b in turns)
    mine, theirs = (1e3 * statistics.median(column) / case.chain for column in zip(*turns))
    size = f"{case.bytes >> 20} MiB" if case.bytes >= 1 << 20 else f"{case.bytes >> 10} KiB"
    return f"| {case.op} | {case.processes} | {size} | {mine:.4f} | {theirs:.4f} | {ratio:.2f} |", ratio


def summary(found: Sequence[tuple[Case, float]]) -> str:
    """Geometric means, by op and processes."""
    groups: dict[tuple[str, int], list[float]] = {}
    for case, ratio in found:
        groups.setdefault((case.op, case.processes), []).append(ratio)
    lines = [
        f"{op}, {n} processes: {statistics.geometric_mean(r):.2f} (worst {min(r):.2f})" for (op, n), r in groups.items()
    ]
    return "\n".join([*lines, f"all: {statistics.geometric_mean([r for _, r in found]):.2f}"])


def beside_xla(options: argparse.Namespace) -> None:
    os.environ["JAX_PLATFORMS"] = "cpu"
    flag = f"--xla_force_host_platform_device_count={max(options.processes)}"
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {flag}".strip()
    print(HEAD.format(peer="XLA"), flush=True)
    found = []
    for case in cases(options, options.processes):
        both = hlo_call(case), xla_call(case)
        check(case, both[0](), np.split(np.asarray(both[1]()), case.processes))
        numbers = [calls_of(turn(call, 2), options.duration) for call in both]
        turns = [tuple(turn(c, n) for c, n in zip(both, numbers)) for _ in range(options.rounds)]
        text, ratio = line(case, turns)
        found.append((case, ratio))
        print(text, flush=True)
    print(f"\n{summary(found)}")


def beside_mpi(options: argparse.Namespace) -> None:
    """All ranks do the same; the first one's clock counts."""
    from mpi4py import MPI

    comm, found = MPI.COMM_WORLD, []
    say = print if comm.rank == 0 else lambda *_, **__: None
    say(HEAD.format(peer="MPI"), flush=True)
    for case in cases(options, [comm.size]):
        both = mpi_calls(case, comm)
        check(case, *([call()] for call in both))
        numbers = [comm.bcast(calls_of(turn(call, 3), options.duration)) for call in both]
        turns = []
        for _ in range(options.rounds):
            seconds = []
            for call, number in zip(both, numbers):
                comm.Barrier()
                seconds.append(turn(call, number))
            turns.append(tuple(seconds))
        text, ratio = line(case, turns)
        found.append((case, ratio))
        say(text, flush=True)
    say(f"\n{summary(found)}")


def main() -> None:
    def numbers(text: str) -> list[int]:
        return [int(part) for part in text.split(",")]

    parser = argparse.ArgumentParser(
        prog="bench.collectives", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--mpi", action="store_true", help="beside mpi4py, under mpirun")
    parser.add_argument("--processes", type=numbers, default=[2, 4, 8], metavar="N,...")
    parser.add_argument("--op", action="append", choices=OPS)
    parser.add_argument("--size", type=numbers, metavar="BYTES,...")
    parser.add_argument("--chain", type=int, default=1, metavar="N")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--duration", type=float, default=0.05, help="seconds of a turn")
    options = parser.parse_args()
    (beside_mpi if options.mpi else beside_xla)(options)


if __name__ == "__main__":
    main()
