"""JAX on hlo with eight devices: each program of several_devices.py gives what it gives on JAX's own CPU backend with as many, in values,
shardings, and the part of each device."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from jax_programs import memory_kinds, shardings_of_calls, unreduced_sums  # noqa: F401  (they add programs)
from jax_programs.several_devices import PROGRAMS
from test_jax_backend import CHILD, START, close, run

PLATFORMS = {"hlo": {"HLO_DEVICES": "8"}, "cpu": {"JAX_NUM_CPU_DEVICES": "8"}}
TOLERANCE = 2e-5


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("devices")

    def one(platform):
        done = run([CHILD, "devices", folder / platform], platform, **PLATFORMS[platform])
        assert done.returncode == 0, done.stderr[-3000:]
        return pickle.loads((folder / platform).read_bytes())

    with ThreadPoolExecutor() as children:
        return dict(zip(PLATFORMS, children.map(one, PLATFORMS)))


def compare(ours, theirs):
    if isinstance(theirs, np.ndarray):
        close(ours, theirs, TOLERANCE)
    elif isinstance(theirs, (tuple, list)):
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs):
            compare(one, other)
    else:
        assert ours == theirs


@pytest.mark.parametrize("name", PROGRAMS)
def test_as_on_cpu(name, found):
    ours, theirs = (found[platform][name] for platform in PLATFORMS)
    assert not isinstance(theirs, str), theirs[-600:]
    assert not isinstance(ours, str), ours[-600:]
    compare(ours, theirs)


@pytest.mark.parametrize(
    ("environment", "count"),
    [({}, 1), ({"JAX_NUM_CPU_DEVICES": "3"}, 3), ({"HLO_DEVICES": "2", "JAX_NUM_CPU_DEVICES": "3"}, 2)],
)
def test_number_of_devices(environment, count):
    done = run(START + "print(len(jax.devices()), len(jax.devices('hlo')))", **environment)
    assert done.stdout.split() == [str(count)] * 2, done.stderr


def test_no_number():
    done = run(START + "jax.devices()", HLO_DEVICES="many")
    assert "HLO_DEVICES takes a number from 1 to 1024, found 'many'" in done.stderr.splitlines()[-1]


ONE_OF_ONE = """
import socket
with socket.socket() as free:
    free.bind(("localhost", 0))
    port = free.getsockname()[1]
jax.distributed.initialize(f"localhost:{port}", num_processes=1, process_id=0)
print(jax.process_count(), len(jax.devices()), (jnp.arange(3) + 1).tolist())
"""


def test_distributed_of_one_process():
    """jaxlib tells the client of processes, and ends the process where that fails."""
    done = run(START + ONE_OF_ONE, HLO_DEVICES="2")
    assert done.returncode == 0 and done.stdout.strip() == "1 2 [1, 2, 3]", done.stderr[-2000:]


DONATED_TWICE = """
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
x = jax.device_put(jnp.arange(8.0), NamedSharding(Mesh(np.array(jax.devices()), ("x",)), P("x")))
try:
    jax.jit(lambda a, b: a + b, donate_argnums=0)(x, x)
except jax.errors.JaxRuntimeError as error:
    print("donated and is another argument too" in str(error), x.is_deleted(), (x + 1).tolist()[:3])
"""


def test_a_donated_array_that_is_read_too():
    """JAX's CPU backend ends the process."""
    done = run(START + DONATED_TWICE, HLO_DEVICES="8")
    assert done.stdout.strip() == "True False [1.0, 2.0, 3.0]", done.stderr[-2000:]
