"""JAX programs of four devices, which may be in one process or in several: what each gives is the same in all, but for who holds which part."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

PROGRAMS = {}


def program(function):
    PROGRAMS[function.__name__] = function
    return function


def mesh(*shape, names="xyz"):
    return Mesh(np.array(jax.devices()).reshape(shape), tuple(names[: len(shape)]))


def numbers(*shape, dtype=np.float32):
    """Such that sums depend on their order."""
    return np.random.default_rng(len(shape)).standard_normal(shape).astype(dtype)


def put(array, devices, *spec):
    """Each process gives its own part."""
    return jax.make_array_from_callback(array.shape, NamedSharding(devices, P(*spec)), lambda index: array[index])


@program
def who_is_here():
    places = [(d.id, d.process_index, d in jax.local_devices()) for d in jax.devices()]
    own = [place[0] for place in places if place[2]]
    assert {place[1] for place in places} == set(range(jax.process_count()))
    assert all((place[1] == jax.process_index()) == place[2] for place in places)
    assert jax.local_device_count() == len(own) == jax.device_count() // jax.process_count()
    assert [d.local_hardware_id for d in jax.local_devices()] == list(range(len(own)))
    return [place[0] for place in places]


@program
def local_parts():
    whole = numbers(8, 3)
    rows = 8 // jax.process_count()
    mine = whole[rows * jax.process_index() :][:rows]
    x = jax.make_array_from_process_local_data(NamedSharding(mesh(4), P("x")), mine)
    return x, jnp.sin(x), (x * 2).sum(0)


@program
def arrays_of_devices():
    devices = mesh(4)
    parts = [jax.device_put(np.full((2, 3), d.id, np.float32), d) for d in jax.local_devices()]
    x = jax.make_array_from_single_device_arrays((8, 3), NamedSharding(devices, P("x")), parts)
    return x, x.T @ x


@program
def replicated_numpy_arguments():
    return jax.jit(lambda a, b: a @ b)(numbers(4, 6), put(numbers(6, 8), mesh(4), None, "x"))


@program
def resharding():
    x = put(numbers(8, 12), mesh(2, 2), "x", "y")
    specs = P("y", "x"), P(("x", "y")), P(None, "x"), P()
    return [jax.jit(lambda a: a, out_shardings=NamedSharding(mesh(2, 2), spec))(x) for spec in specs]


@program
def training():
    """A step of a perceptron whose batch is cut along x and whose weights along y."""
    devices = mesh(2, 2)
    x, y = put(numbers(16, 8), devices, "x"), put(numbers(16, 4), devices, "x")
    w, v = put(numbers(8, 32), devices, None, "y"), put(numbers(32, 4), devices, "y")

    def loss(parameters, x, y):
        hidden = jnp.tanh(x @ parameters[0])
        return jnp.mean((hidden @ parameters[1] - y) ** 2)

    @jax.jit
    def step(parameters, x, y):
        found, slopes = jax.value_and_grad(loss)(parameters, x, y)
        return jax.tree.map(lambda p, s: p - 0.1 * s, parameters, slopes), found

    parameters = (w, v)
    for _ in range(3):
        parameters, found = step(parameters, x, y)
    return parameters, found


@program
def collectives():
    def every(a):
        n = lax.axis_index("x")
        ring = [(i, (i + 1) % 4) for i in range(4)]
        return (
            lax.psum(a, "x"), lax.pmax(a, "x"), lax.all_gather(a, "x", tiled=True), lax.ppermute(a, "x", ring),
            lax.all_to_all(a, "x", 0, 0, tiled=True), lax.psum_scatter(a, "x", tiled=True), a + n,
            lax.psum(a, "x", axis_index_groups=[[0, 3], [1, 2]]),
        )  # fmt: skip

    mapped = jax.shard_map(every, mesh=mesh(4), in_specs=P("x"), out_specs=P("x"), check_vma=False)
    return jax.jit(mapped)(put(numbers(32), mesh(4), "x"))


@program
def loops_of_collectives():
    def power(a, v):
        def turn(_, v):
            w = lax.psum(a @ v, "x")
            return lax.dynamic_slice(w / jnp.linalg.norm(w), (lax.axis_index("x") * 2,), (2,))

        return lax.fori_loop(0, 20, turn, v)

    mapped = jax.shard_map(power, mesh=mesh(4), in_specs=(P(None, "x"), P("x")), out_specs=P("x"), check_vma=False)
    a = numbers(8, 8)
    return jax.jit(mapped)(put(a + a.T, mesh(4), None, "x"), put(np.ones(8, np.float32), mesh(4), "x"))


@program
def devices_in_another_order():
    others = Mesh(np.array(jax.devices())[[2, 0, 3, 1]], ("x",))
    x = put(numbers(8, 2), others, "x")
    return x, jax.jit(lambda a: a - a.sum(0))(x), jax.jit(lambda a: a, out_shardings=NamedSharding(others, P()))(x)


@program
def large_arrays():
    """Beyond what goes in one part."""
    x = put(numbers(4, 70_001), mesh(4), "x")
    return jax.jit(lambda a: a.sum(0), out_shardings=NamedSharding(mesh(4), P()))(x), jax.jit(lambda a: a * 2)(x)


@program
def empty_arrays_and_scalars():
    devices = mesh(4)
    empty = put(np.zeros((0, 4), np.float32), devices, None, "x")
    return (
        empty,
        empty + 1,
        put(np.float32(3).reshape(()), devices),
        multihost_utils.process_allgather(empty, tiled=True),
    )


@program
def donated_arrays():
    x = put(numbers(8, 4), mesh(4), "x")
    y = jax.jit(lambda a: a + a.sum(), donate_argnums=0)(x)
    return y, x.is_deleted()


@program
def callbacks():
    def f(a):
        b = jax.pure_callback(lambda c: np.asarray(c) * 2, jax.ShapeDtypeStruct(a.shape, a.dtype), a)
        return lax.psum(b, "x") + a

    return jax.jit(jax.shard_map(f, mesh=mesh(4), in_specs=P("x"), out_specs=P("x")))(put(numbers(8), mesh(4), "x"))


@program
def random_numbers():
    sharding = NamedSharding(mesh(4), P("x"))
    return jax.jit(lambda: jax.random.normal(jax.random.key(7), (8, 8)), out_shardings=sharding)()


@program
def between_processes():
    """multihost_utils: of one process they are what they are of several that say the same."""
    multihost_utils.sync_global_devices("begin")
    mine = {"a": np.arange(3, dtype=np.int32), "b": np.float32(2)}
    everybody = multihost_utils.process_allgather(mine)
    everybody = [np.asarray(everybody[key]).reshape(jax.process_count(), -1)[-1] for key in mine]
    first = multihost_utils.broadcast_one_to_all(jax.tree.map(lambda leaf: leaf + jax.process_index(), mine))
    multihost_utils.assert_equal(mine, "differs")
    whole = multihost_utils.process_allgather(put(numbers(8, 2), mesh(4), "x"), tiled=True)
    return [np.asarray(leaf).reshape(-1) for leaf in jax.tree.leaves((everybody, first))], whole


@program
def on_one_device():
    """Each process computes on its own."""
    x = jax.device_put(numbers(5), jax.local_devices()[-1])
    found = jnp.sort(x) + 1
    assert list(found.devices()) == [jax.local_devices()[-1]]
    return np.asarray(found), np.asarray(jnp.arange(3) + 1)


@program
def serialised_programs():
    from jax.experimental import serialize_executable

    x = put(numbers(8, 4), mesh(4), "x")
    compiled = jax.jit(lambda a: a - a.sum(0)).lower(x).compile()
    loaded = serialize_executable.deserialize_and_load(*serialize_executable.serialize(compiled))
    return loaded(x), str(loaded.output_shardings)
