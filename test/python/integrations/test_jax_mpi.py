"""JAX on hlo over the ranks of MPI: each program of several_processes.py gives the bits that it gives in one process with as many devices."""

import os
import pickle
import sys
from pathlib import Path

import numpy as np
import pytest
from jax_programs.several_processes import PROGRAMS
from test_jax_backend import START, run
from test_mpi import mpirun, needs_mpi

CHILD = Path(__file__).parents[2] / "support" / "jax_mpi_child.py"
DEVICES = 4


def ranks(count, name, folder, survives=False, **environment):
    """What each rank has found; None for one that has written nothing."""
    chosen = {"JAX_PLATFORMS": "hlo", "HLO_DEVICES": str(DEVICES // count), "HLO_MPI": "1", **environment}
    with pytest.MonkeyPatch.context() as patch:
        for key, value in chosen.items():
            patch.setenv(key, value)
        done = mpirun(count, sys.executable, str(CHILD), name, str(folder), survives=survives)
    assert survives or done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    files = [folder / str(rank) for rank in range(count)]
    return [pickle.loads(file.read_bytes()) if file.exists() else None for file in files]


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """By number of processes what each of them has found."""
    return {count: ranks(count, "programs", tmp_path_factory.mktemp(str(count))) for count in (1, 2, 4)}


def joined(described):
    """A leaf from what the processes have of it."""
    if not isinstance(described[0], tuple):
        return described
    parts = {device: part for one in described for device, part in one[3].items()}
    assert len({one[:3] for one in described}) == 1 and len(parts) == sum(len(one[3]) for one in described)
    return described[0][:3], parts


@needs_mpi
@pytest.mark.parametrize("count", [2, 4])
@pytest.mark.parametrize("name", PROGRAMS)
def test_as_in_one_process(name, count, found):
    (alone,), several = [one[name] for one in found[1]], [one[name] for one in found[count]]
    for one in (alone, *several):
        assert not isinstance(one, str), one[-1500:]
    assert {len(one) for one in several} == {len(alone)}
    for want, *leaves in zip(alone, *several):
        if not isinstance(want, tuple):
            assert all(np.array_equal(leaf, want) and type(leaf) is type(want) for leaf in leaves)
            continue
        kind, parts = joined(leaves)
        assert kind == want[:3] and parts.keys() == want[3].keys()
        for device, (index, part) in parts.items():
            assert index == want[3][device][0]
            assert part.tobytes() == want[3][device][1].tobytes(), (device, part, want[3][device][1])


@needs_mpi
def test_mistakes(tmp_path):
    zero, one = ranks(2, "mistakes", tmp_path)
    assert zero[0] == one[0] and zero[1] == one[1]
    assert zero[0][0] == "at once" and "process 1 runs another program (jit__lambda) than process 0" in zero[0][1]
    assert zero[1][0] == "at once" and "their collectives are the same, other ops or constants are not" in zero[1][1]
    assert zero[2][0] == one[2][0] == "at once"
    assert "rank 1 has failed" in zero[2][1] and "no such value" in zero[2][1] and "no such value" in one[2][1]
    assert zero[3][1] == "INVALID_ARGUMENT: the program is for devices [3], none of which is in this process"
    assert one[3][1] == "INVALID_ARGUMENT: the program is for devices [0], none of which is in this process"
    assert zero[4] and one[4]


@needs_mpi
def test_a_process_that_dies(tmp_path):
    (how, text), _ = ranks(2, "dies", tmp_path, survives=True)
    assert how == "at once" and "not all of 2 ranks have come to the program jit__lambda: rank 1 has ended" in text


@needs_mpi
def test_a_process_that_leaves(tmp_path):
    (how, text), _ = ranks(2, "leaves", tmp_path)
    assert how == "at once" and "rank 1 has come to the end of its program" in text


@needs_mpi
def test_distributed(tmp_path):
    assert ranks(2, "distributed", tmp_path) == [(0, 2, 8.0), (1, 2, 8.0)]


@needs_mpi
def test_distributed_with_other_numbers(tmp_path):
    zero, one = ranks(2, "other_ranks", tmp_path)
    assert "jax.distributed says that this is process 1 of 2, MPI that it is rank 0 of 2" in zero[1]
    assert "jax.distributed says that this is process 0 of 2, MPI that it is rank 1 of 2" in one[1]


@needs_mpi
def test_more_devices_than_there_are(tmp_path):
    path = tmp_path / "program.py"
    path.write_text("import jax\njax.make_mesh((8,), ('x',))\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JAX_PLATFORMS", "hlo")
        done = mpirun(2, sys.executable, str(path))
    assert done.returncode and "Number of devices 2 must be" in done.stderr, done.stderr[-500:]


def test_no_mpi4py(tmp_path):
    (tmp_path / "mpi4py.py").write_text("raise ImportError('not here')\n")
    paths = os.pathsep.join([str(tmp_path), str(CHILD.parent)])
    done = run(START + "jax.devices()", PMI_SIZE="2", PYTHONPATH=paths)
    assert 'needs mpi4py and an MPI (pip install "hlo[mpi]"' in done.stderr, done.stderr[-500:]


@pytest.mark.parametrize(("told", "count"), [("0", "1"), ("", "1")])
def test_told_not_to(told, count):
    """A process that mpirun has started alone, or that is told so, asks no MPI."""
    size = "2" if told else "1"
    done = run(START + "print(jax.process_count(), 'mpi4py' in __import__('sys').modules)", PMI_SIZE=size, HLO_MPI=told)
    assert done.stdout.split() == [count, "False"], done.stderr


@pytest.mark.parametrize(
    ("environment", "many"),
    [
        ({}, False),
        ({"PMI_SIZE": "1"}, False),
        ({"PMI_SIZE": "3"}, True),
        ({"OMPI_COMM_WORLD_SIZE": "2"}, True),
        ({"SLURM_STEP_NUM_TASKS": "16"}, True),
        ({"SLURM_STEP_NUM_TASKS": "1"}, False),
        ({"PMI_SIZE": "many"}, False),
    ],
)
def test_launchers(environment, many, monkeypatch):
    from hlo.runtime.mpi.launcher import is_one_of_many

    monkeypatch.delenv("HLO_MPI", raising=False)
    assert is_one_of_many(environment) is many


def test_distributed_without_mpi():
    """Two processes that only jax.distributed knows of cannot compute together."""
    code = """
from jax._src import distributed
distributed.global_state.client = object()
from hlo.jax.programs.ranks import connect
from hlo.jax.code.process_memory import named_values
import ctypes
array, count = named_values([("node_id", 1), ("num_nodes", 2)])
try:
    connect(1, ctypes.addressof(array), count)
except __import__("hlo").HloError as error:
    print(error)
"""
    done = run(START + code)
    assert "jax.distributed says that there are 2 processes: hlo's collectives go by MPI" in done.stdout, done.stderr
