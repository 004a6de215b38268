"""send and recv between ranks of MPI: what mpi_child.py runs of them, by the names of the functions."""

from __future__ import annotations

import os
import signal
import time

import ml_dtypes
import numpy as np
from mpi4py import MPI

import hlo

COMM = MPI.COMM_WORLD
RANK = COMM.rank

DTYPES = {
    "f32": np.float32, "bf16": ml_dtypes.bfloat16, "f8E4M3FN": ml_dtypes.float8_e4m3fn, "i1": np.bool_, "i4": ml_dtypes.int4,
    "ui16": np.uint16, "i64": np.int64, "complex<f64>": np.complex128,
}  # fmt: skip
SHAPES = ((), (3,), (0, 2), (2, 0), (3, 1, 5), (1 << 12,))


def op(name: str, operands: str, types: str, channel: int = 0, pairs: str | None = None) -> str:
    """A send or recv between devices in MLIR."""
    named = ""
    if pairs is not None:
        count = pairs.count("[") - 1
        named = f", source_target_pairs = dense<{pairs if count else ''}> : tensor<{count}x2xi64>"
    return f'"stablehlo.{name}"({operands}) {{channel_handle = #stablehlo.channel_handle<handle = {channel}, type = 1>{named}}} : {types}'


def sends(value: str, kind: str, channel: int = 0, pairs: str | None = None) -> str:
    return op("send", f"{value}, %t", f"({kind}, !stablehlo.token) -> !stablehlo.token", channel, pairs)


def receives(kind: str, channel: int = 0, pairs: str | None = None) -> str:
    return op("recv", "%t", f"(!stablehlo.token) -> ({kind}, !stablehlo.token)", channel, pairs)


def main(kind: str, body: str) -> str:
    return f"func.func @main(%x: {kind}) -> {kind} {{\n%t = stablehlo.create_token : !stablehlo.token\n{body}\n}}"


def shift(kind: str, pairs: str, channel: int = 0) -> str:
    """Each process sends its array, and gives what it has received."""
    return main(
        kind,
        f"%u = {sends('%x', kind, channel, pairs)}\n%y, %v = {receives(kind, channel, pairs)}\nreturn %y : {kind}",
    )


def tensor(shape: tuple[int, ...], element: str) -> str:
    return f"tensor<{''.join(f'{n}x' for n in shape)}{element}>"


def of_process(number: int, shape: tuple[int, ...], dtype: type) -> np.ndarray:
    values = np.random.default_rng(number).integers(-7, 8, shape)
    return np.asarray(values % 8 if dtype is np.uint16 else values).astype(dtype)


def ring(count: int, say) -> None:
    """Arrays go round, except to process 0, to which nobody sends."""
    pairs = [[n, n + 1] for n in range(count - 1)]
    checked = 0
    for element, dtype in DTYPES.items():
        for shape in SHAPES:
            program = shift(tensor(shape, element), str(pairs))
            exe = hlo.compile(program, grid="mpi", num_replicas=count)
            arrays = [of_process(n, shape, dtype) for n in range(count)]
            expected = [np.zeros(shape, dtype), *arrays[:-1]]
            for number, (result,) in zip(exe.numbers, exe.run_grid([[arrays[n]] for n in exe.numbers], timeout=60)):
                assert result.dtype == expected[number].dtype
                np.testing.assert_array_equal(result, expected[number], err_msg=f"{element} {shape} process {number}")
            checked += 1
    say(f"{checked} rings")


QUANTIZED = "tensor<2x!quant.uniform<i8:f32, 0.5:3>>"


def rounds(say) -> None:
    """A loop in which values go to the next process ten times: they arrive in their order."""
    kind = "tensor<3xf32>"
    pairs = "[[0, 1], [1, 0]]"
    program = f"""
func.func @main(%x: {kind}) -> {kind} {{
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c10 = stablehlo.constant dense<10> : tensor<i32>
  %ten = stablehlo.constant dense<3.0> : {kind}
  %t = stablehlo.create_token : !stablehlo.token
  %r:2 = stablehlo.while(%i = %c0, %v = %x) : tensor<i32>, {kind}
   cond {{
    %p = stablehlo.compare LT, %i, %c10 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }} do {{
    %twice = stablehlo.multiply %v, %ten : {kind}
    %u = {sends("%v", kind, 1, pairs)}
    %w = {sends("%twice", kind, 1, pairs)}
    %a, %b = {receives(kind, 1, pairs)}
    %c, %d = {receives(kind, 1, pairs)}
    %sum = stablehlo.subtract %c, %a : {kind}
    %n = stablehlo.add %i, %c1 : tensor<i32>
    stablehlo.return %n, %sum : tensor<i32>, {kind}
  }}
  return %r#1 : {kind}
}}"""
    exe = hlo.compile(program, grid="mpi", num_partitions=2, num_replicas=1)
    (result,) = exe(np.float32([RANK + 1, 0, 2]))
    for _ in range(3):
        np.testing.assert_array_equal(exe(np.float32([RANK + 1, 0, 2]))[0], result)
    np.testing.assert_array_equal(result, np.float32([RANK + 1, 0, 2]) * 2**10)
    (result,) = hlo.compile(shift(QUANTIZED, "[[0, 1]]"), grid="mpi")(np.array([5, 6], np.int8))
    say(result.tolist())


def by_role(kind: str, first: str, second: str) -> str:
    """Process 0 does one thing, process 1 another: each the body of a branch, which ends by %y."""
    branches = ", ".join(f"{{\n{body}\nstablehlo.return %y : {kind}\n}}" for body in (first, second))
    return main(
        kind,
        f"""%id = stablehlo.replica_id : tensor<ui32>
%r = stablehlo.convert %id : (tensor<ui32>) -> tensor<i32>
%0 = "stablehlo.case"(%r) ({branches}) : (tensor<i32>) -> {kind}
return %0 : {kind}""",
    )


PAIR = "tensor<2xf32>"
KEEP = f"%y = stablehlo.negate %x : {PAIR}"


def queues(say) -> None:
    """Channels without ends, at home in either rank: who receives gets what was sent, in its order, also of large arrays."""
    for channel in (1, 2):
        program = by_role(
            PAIR,
            f"%u = {sends('%x', PAIR, channel)}\n{KEEP}\n%w = {sends('%y', PAIR, channel)}",
            f"%a, %b = {receives(PAIR, channel)}\n%c, %d = {receives(PAIR, channel)}\n%two = stablehlo.add %c, %c : {PAIR}\n"
            f"%y = stablehlo.subtract %a, %two : {PAIR}",
        )
        exe = hlo.compile(program, grid="mpi")
        for _ in range(5):
            say(exe(np.float32([1, 2]))[0].tolist())
    kind = tensor((3 << 20,), "f32")
    program = by_role(
        kind, f"%u = {sends('%x', kind)}\n%y = stablehlo.negate %x : {kind}", f"%y, %b = {receives(kind)}"
    )
    values = np.arange(3 << 20, dtype=np.float32)
    (result,) = hlo.compile(program, grid="mpi")(values if RANK == 0 else values * 0)
    np.testing.assert_array_equal(result, -values if RANK == 0 else values)


def mistakes(fails, say) -> None:
    """Two ranks; what follows a mistake works."""
    triple, x = "tensor<3xf32>", np.float32([1, 2])
    to_one = "[[0, 1]]"
    wrong_type = f"%a, %b = {receives(triple, 0, to_one)}\n%y = stablehlo.slice %a [0:2] : ({triple}) -> {PAIR}"
    send, keep = f"%u = {sends('%x', PAIR, 0, to_one)}\n{KEEP}", KEEP
    take = f"%y, %b = {receives(PAIR, 0, to_one)}"
    programs = {
        "another type": by_role(PAIR, send, wrong_type),
        "another channel": by_role(PAIR, send, f"%y, %b = {receives(PAIR, -2, to_one)}"),
        "another channel without ends": by_role(
            PAIR, f"%u = {sends('%x', PAIR, 1)}\n{KEEP}", f"%y, %b = {receives(PAIR, 2)}"
        ),
        "nobody receives": by_role(PAIR, send, keep),
        "nobody receives without ends": by_role(PAIR, f"%u = {sends('%x', PAIR, 3)}\n{KEEP}", keep),
        "nobody sends": by_role(PAIR, keep, take),
        "both receive": by_role(PAIR, f"%y, %b = {receives(PAIR, 4)}", f"%y, %b = {receives(PAIR, 4)}"),
    }
    fine = hlo.compile(shift(PAIR, to_one), grid="mpi")
    for name, program in programs.items():
        exe = hlo.compile(program, grid="mpi")
        say(name)
        fails(exe, x)
        np.testing.assert_array_equal(fine(x)[0], x * RANK)
    fails(hlo.compile, shift(PAIR, "[[0, 2]]"), grid="mpi")
    say("fine")


def late(fails, say) -> None:
    """Process 0 sends when process 1 has given up."""
    exe = hlo.compile(shift(PAIR, "[[0, 1]]"), grid="mpi")
    if RANK == 0:
        COMM.recv(source=1)
    fails(exe.run_grid, [[np.float32([1, 2])]], timeout=0.5)
    if RANK == 1:
        COMM.send(None, 0)
    np.testing.assert_array_equal(exe(np.float32([1, 2]))[0], np.float32([1, 2]) * RANK)
    say("fine")


def dies(fails, say) -> None:
    """Rank 0 is killed when rank 1 waits for what it sends."""
    exe = hlo.compile(shift(PAIR, "[[0, 1]]"), grid="mpi")
    if RANK == 0:
        time.sleep(0.2)
        os.kill(os.getpid(), signal.SIGKILL)
    fails(exe.run_grid, [[np.float32([1, 2])]])
