"""What the ranks of test_jax_mpi.py run: `mpirun -n N python jax_mpi_child.py NAME FOLDER`. Each writes what it has found into a file of the folder, which is
called by its number."""

import os
import pickle
import signal
import sys
import time
import traceback
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import PartitionSpec as P
from jax_programs.several_processes import PROGRAMS, mesh, numbers, put

AT_ONCE = 60
"""Seconds: fewer than a run waits that nobody tells of a failure."""


def described(leaf):
    """An array as its type and the parts that this process has."""
    if not isinstance(leaf, jax.Array):
        return leaf
    parts = {s.device.id: (str(s.index), np.asarray(s.data)) for s in leaf.addressable_shards}
    return str(getattr(leaf.sharding, "spec", "")), leaf.shape, str(leaf.dtype), parts


def programs():
    found = {}
    for name, function in PROGRAMS.items():
        try:
            found[name] = [described(leaf) for leaf in jax.tree.leaves(function())]
        except BaseException:
            found[name] = traceback.format_exc()
    return found


def message(function, *arguments):
    """What a call fails with, and whether it took long."""
    start = time.monotonic()
    try:
        jax.block_until_ready(function(*arguments))
    except Exception as error:
        return "at once" if time.monotonic() - start < AT_ONCE else "late", str(error)
    return "no error", ""


def total(a):
    return jax.jit(lambda b: b.sum())(a)


def mistakes():
    """Two ranks; what follows a mistake works."""
    x = put(numbers(8), mesh(4), "x")
    rank = jax.process_index()
    other_op = (lambda a: a.max()) if rank else (lambda a: a.sum())
    other_constant = lambda a: a.sum() * (2 + rank)

    def fail(a):
        if rank:
            raise ValueError("no such value")
        return np.asarray(a)

    def with_callback(a):
        b = jax.pure_callback(fail, jax.ShapeDtypeStruct(a.shape, a.dtype), a)
        return jax.lax.psum(b, "x")

    mapped = jax.jit(jax.shard_map(with_callback, mesh=mesh(4), in_specs=P("x"), out_specs=P()))
    sharding = jax.sharding.SingleDeviceSharding(jax.devices()[-1 - 3 * rank])
    return [
        message(jax.jit(other_op), x),
        message(jax.jit(other_constant), x),
        message(mapped, x),
        message(jax.jit(lambda: jnp.arange(3), out_shardings=sharding)),
        float(total(x)) == float(total(x)),
    ]


def dies():
    x = put(numbers(8), mesh(4), "x")
    total(x)
    if jax.process_index() == 1:
        time.sleep(0.2)
        os.kill(os.getpid(), signal.SIGKILL)
    return message(total, x)


def leaves():
    x = put(numbers(8), mesh(4), "x")
    if jax.process_index() == 1:
        sys.exit(0)
    return message(total, x)


def distributed():
    """JAX's coordination service beside MPI."""
    from mpi4py import MPI

    port = MPI.COMM_WORLD.bcast(free_port())
    jax.distributed.initialize(f"localhost:{port}", MPI.COMM_WORLD.size, MPI.COMM_WORLD.rank)
    found = jax.process_index(), jax.process_count(), float(total(put(np.ones(8, np.float32), mesh(4), "x")))
    jax.distributed.shutdown()
    return found


def free_port():
    import socket

    with socket.socket() as free:
        free.bind(("localhost", 0))
        return free.getsockname()[1]


def other_ranks():
    """jax.distributed and MPI number the processes differently."""
    from mpi4py import MPI

    port = MPI.COMM_WORLD.bcast(free_port())
    jax.distributed.initialize(f"localhost:{port}", MPI.COMM_WORLD.size, 1 - MPI.COMM_WORLD.rank)
    return message(jax.devices)


if __name__ == "__main__":
    from mpi4py.MPI import COMM_WORLD

    found = globals()[sys.argv[1]]()
    (Path(sys.argv[2]) / str(COMM_WORLD.rank)).write_bytes(pickle.dumps(found))
