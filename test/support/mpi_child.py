"""What the ranks of test_mpi.py run: `mpirun -n N python mpi_child.py NAME FOLDER`. Each rank writes what it has to say into a file of the
folder, which is called by its number: mpirun mixes what ranks print."""

from __future__ import annotations

import os
import signal
import sys
import time
import weakref
from pathlib import Path

import mpi_channels
import numpy as np
from grid_programs import CASES, DIVERGES, LOOP, all_gather, all_reduce
from mpi4py import MPI

import hlo

COMM = MPI.COMM_WORLD
RANK = COMM.rank


AT_ONCE = 60
"""Seconds: many more than an error takes on a busy machine, and fewer than a run waits that nobody tells of it."""


def say(text: object) -> None:
    with open(Path(sys.argv[2]) / str(RANK), "a") as file:
        file.write(f"{text}\n")


def fails(function, *arguments, **options) -> None:
    """Says what HloError a call raises, and whether it took long."""
    start = time.monotonic()
    try:
        function(*arguments, **options)
    except hlo.HloError as error:
        limit = "at once" if time.monotonic() - start < AT_ONCE else "late"
        say(f"{limit}: {type(error).__name__}: {error}")
    else:
        say("no error")


def check(case, name: str, runs: int = 2) -> None:
    exe = hlo.compile(case.program, grid="mpi", **case.sizes)
    for _ in range(runs):
        found = exe.run_grid([case.inputs[n] for n in exe.numbers], timeout=60)
        for number, results in zip(exe.numbers, found, strict=True):
            for result, want in zip(results, case.expected[number], strict=True):
                assert result.dtype == want.dtype, name
                np.testing.assert_array_equal(result, want, err_msg=f"{name}, process {number}")


def cases() -> None:
    """All programs whose processes can be divided among the ranks."""
    count = 0
    for name, case in CASES.items():
        if case.replicas * case.partitions % COMM.size == 0:
            check(case, name)
            count += 1
    say(f"{count} cases")


def bits() -> None:
    """Sums of floats are the same bits as in one process; large ones go in parts, strided ones as rows."""
    for size in (1000, 16385, 100003):
        case = all_reduce("replica", [[2, 0, 3, 1]], (4, 1), [(size,)])
        arrays = [np.random.default_rng(n).standard_normal(size).astype(np.float32) for n in range(4)]
        alone = hlo.compile(case.program, num_replicas=4).run_grid([[a] for a in arrays])
        exe = hlo.compile(case.program, num_replicas=4, grid="mpi")
        assert exe.runner.transport._machine is not None, "MPI is to be called by address"
        for number, (result,) in zip(exe.numbers, exe.run_grid([[arrays[n]] for n in exe.numbers])):
            assert result.tobytes() == alone[number][0].tobytes()
    result = (
        exe(arrays[RANK * 4 // COMM.size]) if COMM.size == 4 else exe.run_grid([[arrays[n]] for n in exe.numbers])[0]
    )
    held = weakref.ref(result[0])
    del result
    assert held() is None, "the memory of results is free for the next run"
    exe = hlo.compile(
        LOOP.replace("[[0, 1, 2]]> : tensor<1x3xi64>", "[[0, 1, 2, 3]]> : tensor<1x4xi64>"), grid="mpi", num_replicas=4
    )
    values = [np.float32([n, 2 * n, 1]) for n in range(4)]
    found = exe.run_grid([[values[n]] for n in exe.numbers])
    for _ in range(20):
        total = ((values[0] + values[1]) + values[2]) + values[3]
        values = [total * np.float32(0.25) + np.float32(n) for n in range(4)]
    for number, (result,) in zip(exe.numbers, found):
        np.testing.assert_allclose(result, values[number], rtol=1e-6)
    say("same")


GATHER = all_gather("replica", [[0, 1]], (2, 1), (2,), 0)
REDUCE = all_reduce("replica", [[0, 1]], (2, 1), [(2,)])


def mistakes() -> None:
    """Two ranks; what follows a mistake works."""
    fails(hlo.compile, (GATHER if RANK == 0 else REDUCE).program, grid="mpi")
    fails(hlo.compile, GATHER.program, grid="mpi", num_replicas=2 + RANK)
    more = GATHER.program.replace("  return", "  %c = stablehlo.constant dense<1> : tensor<i32>\n  return")
    fails(hlo.compile, more if RANK else GATHER.program, grid="mpi")
    fails(hlo.compile, GATHER.program, grid="mpi", num_replicas=2, num_partitions=1, target="reference")
    fails(hlo.compile, "func.func @main() { return }", grid="mpi", num_replicas=3)
    exe = hlo.compile(REDUCE.program, grid="mpi")
    fails(exe.run_grid, [REDUCE.inputs[0][: 1 - RANK]])
    other = hlo.compile(DIVERGES, grid="mpi")
    fails(other.run_grid, [[np.array(RANK == 0), np.ones(3, np.float32)]])
    check(REDUCE, "after mistakes")
    say("fine")


SMALL = all_reduce("replica", [[0, 1]], (2, 1), [(3, 4)])
BYTES = """func.func @main(%x: tensor<4xi1>, %y: tensor<0x2xf32>) -> (tensor<8xi1>, tensor<0x2xf32>) {
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xi1>) -> tensor<8xi1>
  return %0, %y : tensor<8xi1>, tensor<0x2xf32>
}"""


def kinds_of_arrays() -> None:
    """Two ranks, each of which gives its one process arrays of many kinds, and keeps the results."""
    exe = hlo.compile(SMALL.program, grid="mpi")
    mine = np.arange(12, dtype=np.float32).reshape(3, 4) * (RANK + 1)
    wide = np.zeros((3, 8), np.float32)
    wide[:, ::2] = mine
    equal = np.dtype("f4", metadata={"equal": "and not the same"})
    kinds = [mine, mine.astype(equal), np.asfortranarray(mine), wide[:, ::2], mine.view(np.matrix), mine.astype(">f4")]
    kept = []
    for step, array in enumerate(kinds * 3):
        found = exe(array if step % 2 else mine) if step % 3 else exe.run_grid([[array]])[0]
        kept.append(found[0][1:] if step % 2 else found[0])
    total = np.arange(12, dtype=np.float32).reshape(3, 4) * 3
    for step, result in enumerate(kept):
        np.testing.assert_array_equal(result, total[1:] if step % 2 else total)
    value = mine
    for _ in range(20):
        (value,) = exe(value)
    np.testing.assert_array_equal(value, total * np.float32(2) ** 19)
    exe = hlo.compile(BYTES, grid="mpi", num_replicas=2)
    gathered, empty = exe(np.array([0, 2, 255, RANK], np.uint8).view(bool), np.zeros((0, 2), np.float32))
    assert gathered.view(np.uint8).tolist() == [0, 1, 1, 0, 0, 1, 1, 1] and empty.shape == (0, 2)
    fails(exe, np.zeros(4, bool))
    say("fine")


def late() -> None:
    """Rank 1 comes too late; both know, since large arrays are not sent before somebody takes them."""
    case = all_reduce("replica", [[0, 1]], (2, 1), [(4000000,)])
    exe = hlo.compile(case.program, grid="mpi")
    if RANK:
        time.sleep(1.5)
    fails(exe.run_grid, [case.inputs[RANK]], timeout=0.5)
    check(case, "large, after a run that came late")
    check(REDUCE, "after a run that came late")
    say("fine")


def dies() -> None:
    """Rank 1 of two or more ends in the middle of a run, by a signal."""
    exe = hlo.compile(REDUCE.program, grid="mpi", num_replicas=2) if COMM.size == 2 else None
    if RANK == 1:
        time.sleep(0.2)
        os.kill(os.getpid(), signal.SIGKILL)
    fails(exe.run_grid, [REDUCE.inputs[RANK]])


def leaves() -> None:
    """Rank 1 ends without having come."""
    exe = hlo.compile(REDUCE.program, grid="mpi")
    if RANK == 1:
        sys.exit(0)
    fails(exe.run_grid, [REDUCE.inputs[RANK]])


def part_of_the_ranks() -> None:
    """A communicator of two of three ranks."""
    some = COMM.Split(RANK % 2, RANK)
    if RANK % 2 == 0:
        exe = hlo.compile(GATHER.program, grid=some)
        (result,) = exe(GATHER.inputs[some.rank][0])
        say(result.tolist())
    fails(hlo.compile, GATHER.program, grid="nccl")


def channels() -> None:
    """Two or four ranks."""
    mpi_channels.ring(4, say)
    if COMM.size == 2:
        mpi_channels.rounds(say)
        mpi_channels.queues(say)


def channel_mistakes() -> None:
    mpi_channels.mistakes(fails, say)


def late_send() -> None:
    mpi_channels.late(fails, say)


def sender_dies() -> None:
    mpi_channels.dies(fails, say)


if __name__ == "__main__":
    globals()[sys.argv[1]]()
