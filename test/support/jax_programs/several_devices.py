"""JAX programs on eight devices. Each gives a tree of arrays, which are compared with their shardings and the part of each device, and of
texts and numbers."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

PROGRAMS = {}


def program(function):
    PROGRAMS[function.__name__] = function
    return function


def mesh(*shape, names="xyz"):
    return Mesh(np.array(jax.devices()).reshape(shape), tuple(names[: len(shape)]))


def numbers(*shape, dtype=np.float32):
    """Small whole numbers, so that sums are exact."""
    return (np.arange(np.prod(shape)) % 13 - 5).reshape(shape).astype(dtype)


def put(array, devices, *spec):
    return jax.device_put(array, NamedSharding(devices, P(*spec)))


def message(function, *arguments):
    """The kind of exception that a call raises, and the first words."""
    try:
        function(*arguments)
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:60]}"
    return "no exception"


def sharded(function, devices, ins, outs, **options):
    return jax.jit(jax.shard_map(function, mesh=devices, in_specs=ins, out_specs=outs, **options))


@program
def results_whose_dimensions_axes_do_not_cut():
    """A part of an axis might cut them: JAX cannot name it."""
    devices = mesh(8)
    x, cut = put(numbers(8), devices, "x"), NamedSharding(devices, P("x"))
    f = jax.jit(lambda a: lax.with_sharding_constraint(a, cut) * 2)
    return jax.jit(lambda a: (a.reshape(2, 4), a.reshape(4, 2)))(x), [f(numbers(n)) for n in (10, 12, 16)]


# Devices, and arrays on them


@program
def devices():
    found = jax.devices()
    return [(d.id, d.process_index, d.local_hardware_id) for d in found], jax.device_count(), jax.local_device_count()


@program
def a_program_runs_where_its_arguments_are():
    x = jax.device_put(numbers(3), jax.devices()[3])
    y = jax.device_put(x, jax.devices()[5])
    return x, x + 1, y, jnp.sin(y) * 2, jax.jit(lambda a: a @ a)(x), jnp.zeros_like(y)


@program
def uncommitted_arrays_follow_committed_ones():
    x = jax.device_put(numbers(4), jax.devices()[2])
    with jax.default_device(jax.devices()[6]):
        free = jnp.arange(4)
        made = jnp.ones(3) * 2
    return x * np.float32(2), x + jnp.arange(4.0), free + 1, made, x + free


@program
def arguments_on_different_devices():
    x, y = (jax.device_put(numbers(4), jax.devices()[n]) for n in (1, 2))
    return message(lambda: x + y), message(lambda: jax.jit(lambda a, b: a * b)(x, y))


@program
def from_device_to_device():
    x = numbers(8, 6)
    first = put(x, mesh(4, 2), "x", "y")
    placed = [
        jax.device_put(first, NamedSharding(mesh(2, 4), P(*spec))) for spec in [("y",), (None, "x"), (("x", "y"),)]
    ]
    alone = jax.device_put(placed[0], jax.devices()[7])
    tree = jax.device_put({"a": x, "b": [first, 3.0]}, jax.devices()[4])
    several = jax.device_put([x, x], [jax.devices()[1], NamedSharding(mesh(8), P("x"))])
    return first, placed, alone, jax.device_put(alone, NamedSharding(mesh(8), P())), tree, several


@program
def devices_in_another_order():
    backwards = Mesh(np.array(jax.devices()[::-1]).reshape(2, 4), ("x", "y"))
    x = put(numbers(8, 8), backwards, "x", "y")
    y = jax.jit(lambda a: jnp.cumsum(a, axis=0) + a.T)(x)
    return (
        x,
        y,
        jax.device_put(x, NamedSharding(mesh(2, 4), P("x", "y"))),
        x[1:5],
        jax.device_put(x, jax.sharding.SingleDeviceSharding(jax.devices()[5])),
    )


@program
def meshes_of_some_devices():
    few = Mesh(np.array(jax.devices())[[5, 2, 7]], ("x",))
    x = put(numbers(6, 2), few, "x")
    return x, x * 2, jnp.sum(x, axis=0), sharded(lambda a: lax.psum(a, "x"), few, P("x"), P())(x)


@program
def empty_and_odd_arrays():
    devices = mesh(2, 4)
    empty = put(np.zeros((0, 4), np.float32), devices, None, "y")
    return (
        empty,
        np.asarray(empty + 1),
        put(np.float32(3), devices),
        put(numbers(5, 7), devices) * 2,
        message(put, numbers(5), devices, "y"),
    )


TYPES = ["bool", "int4", "uint8", "int64", "bfloat16", "float16", "float8_e4m3fn", "complex64"]


@program
def element_types():
    devices = mesh(8)
    arrays = [jnp.asarray(numbers(8, 2)).astype(t) for t in TYPES]
    placed = [put(a, devices, "x") for a in arrays]
    return [a.astype("float32") if a.dtype != "complex64" else a for a in placed], [
        np.asarray(a[::-1].astype("int32")) for a in placed[:6]
    ]


@program
def arrays_from_callbacks_and_parts():
    x, devices = numbers(8, 4), mesh(4, 2)
    sharding = NamedSharding(devices, P("x", "y"))
    made = jax.make_array_from_callback(x.shape, sharding, lambda index: x[index])
    local = jax.make_array_from_process_local_data(NamedSharding(devices, P("x")), x)
    parts = [jax.device_put(x[2 * n : 2 * n + 2], d) for n, d in enumerate(devices.devices[:, 0])]
    parts += [jax.device_put(x[2 * n : 2 * n + 2], d) for n, d in enumerate(devices.devices[:, 1])]
    joined = jax.make_array_from_single_device_arrays(x.shape, NamedSharding(devices, P("x")), parts)
    wrong = message(jax.make_array_from_single_device_arrays, (9, 4), NamedSharding(devices, P("x")), parts)
    return (
        made,
        made + 1,
        local,
        joined,
        joined * 2,
        wrong,
        [s.index for s in made.addressable_shards][3:5] and len(made.global_shards),
    )


@program
def parts_of_arrays():
    x = put(numbers(8, 4), mesh(4, 2), "x", "y")
    shards = [(s.device.id, str(s.index), s.replica_id, np.asarray(s.data)) for s in x.addressable_shards]
    copies = put(numbers(8), mesh(4, 2), "x").addressable_shards
    return (
        shards,
        [(s.device.id, s.replica_id) for s in copies],
        x.is_fully_replicated,
        x.is_fully_addressable,
        list(x.addressable_data(3).shape),
    )


@program
def deleted_arrays():
    x = put(numbers(8), mesh(8), "x")
    x.delete()
    return x.is_deleted(), message(lambda: x + 1), message(lambda: np.asarray(x))


@program
def copies_and_iteration():
    x = put(numbers(8, 3), mesh(8), "x")
    return (
        x.copy(),
        list(x)[:2],
        float(x[3, 1]),
        x.tolist(),
        jnp.copy(x),
        np.asarray(x.addressable_data(2)),
        np.asarray(x.at[2].set(7)),
    )


@program
def drawn_shardings():
    import io
    from contextlib import redirect_stdout

    out = io.StringIO()
    with redirect_stdout(out):
        jax.debug.visualize_array_sharding(put(numbers(8, 8), mesh(4, 2), "x", "y"))
    drawn = out.getvalue()
    return "".join(c for c in drawn if c.isdigit())


# jit with shardings


@program
def products():
    devices = mesh(2, 4)
    x, w = put(numbers(8, 16), devices, "x", "y"), put(numbers(16, 12), devices, "y", None)
    f = jax.jit(lambda a, b: jnp.tanh(a @ b) @ b.T, out_shardings=NamedSharding(devices, P("x", "y")))
    compiled = f.lower(x, w).compile()
    return f(x, w), jax.jit(jnp.matmul)(x, w), str(compiled.input_shardings), str(compiled.output_shardings)


@program
def chosen_shardings():
    devices = mesh(2, 4)
    rows, columns = (NamedSharding(devices, P(*spec)) for spec in [("x",), (None, ("x", "y"))])

    @functools.partial(jax.jit, in_shardings=(rows, columns), out_shardings=(columns, None, rows))
    def f(a, b):
        return a + b, (a * b).sum(), b.T

    x = numbers(8, 8)
    compiled = f.lower(x, x).compile()
    shapes = jax.jit(lambda a: a).lower(jax.ShapeDtypeStruct((8, 8), np.float32, sharding=rows)).compile()
    return (
        f(x, x),
        compiled(x, x),
        str(compiled.input_shardings),
        str(compiled.output_shardings),
        str(shapes.output_shardings),
    )


@program
def shardings_that_do_not_fit():
    devices = mesh(2, 4)
    f = jax.jit(lambda a: a, in_shardings=NamedSharding(devices, P("x", "y")))
    constraint = jax.jit(lambda a: lax.with_sharding_constraint(a, NamedSharding(devices, P("y"))) + 1)
    return (
        message(f, numbers(3, 4)),
        message(f, numbers(4)),
        message(f, put(numbers(8, 8), mesh(8), "x")),
        message(constraint, numbers(6)),
    )


@program
def constraints_inside():
    devices = mesh(2, 4)

    @jax.jit
    def f(a):
        b = lax.with_sharding_constraint(a * 2, NamedSharding(devices, P("y", "x")))
        with devices:
            c = lax.with_sharding_constraint(b.T, P("x", None))
        return b, c, lax.with_sharding_constraint(b.sum(0), NamedSharding(devices, P()))

    return f(put(numbers(8, 8), devices, "x")), f(numbers(8, 8))


@program
def what_jit_gives_without_being_asked():
    devices = mesh(2, 4)
    x = put(numbers(8, 16), devices, "x", "y")
    functions = [
        lambda a: a.T, lambda a: a.sum(1), lambda a: a.reshape(2, 4, 16), lambda a: a[:4], lambda a: jnp.sort(a, axis=1),
        lambda a: jnp.concatenate([a, a]), lambda a: jnp.pad(a, 1), lambda a: jnp.take(a, jnp.array([3, 1]), axis=0),
        lambda a: jnp.argmax(a, axis=0), lambda a: a[::-1], lambda a: jnp.cumsum(a, 1), lambda a: jnp.einsum("ij,kj->ik", a, a),
    ]  # fmt: skip
    return [np.asarray(jax.jit(f)(x)) for f in functions]


@program
def loops_and_branches():
    devices = mesh(4, 2)
    x = put(numbers(8, 4), devices, "x", "y")

    @jax.jit
    def f(a):
        a = lax.fori_loop(0, 3, lambda i, c: c + i * c[::-1], a)
        a, sums = lax.scan(lambda c, i: (c * 2 - i, c.sum()), a, jnp.arange(4.0))
        a = lax.cond(sums[0] > 0, lambda c: c + 1, lambda c: c - 1, a)
        return lax.while_loop(lambda c: c.max() < 1e4, lambda c: c * 3 + 1, a), sums

    return f(x)


@program
def gradients():
    devices = mesh(2, 4)
    x, w = put(numbers(8, 16) / 8, devices, "x"), put(numbers(16, 8) / 8, devices, None, "y")

    def loss(w, x):
        return jnp.mean(jax.nn.relu(x @ w) ** 2)

    value, gradient = jax.jit(jax.value_and_grad(loss))(w, x)
    each = jax.jit(jax.vmap(jax.grad(loss), (None, 0)))(w, x)
    return value, np.asarray(gradient), np.asarray(each), jax.jit(lambda w, g: w - 0.1 * g)(w, gradient)


@program
def donated_arrays():
    devices = mesh(8)
    x = put(numbers(16, 4), devices, "x")
    y = jax.jit(lambda a: a * 2, donate_argnums=0)(x)
    kept = put(numbers(16, 4), devices, "x")
    view = [np.asarray(s.data) for s in kept.addressable_shards]
    z = jax.jit(lambda a, b: (a + b, a.sum()), donate_argnums=(0,))(kept, y)
    return x.is_deleted(), y, np.concatenate(view), z, message(lambda: x + 1)[:12]


@program
def random_numbers():
    devices = mesh(8)
    key = jax.random.key(3)
    f = jax.jit(lambda k: jax.random.normal(k, (16, 4)), out_shardings=NamedSharding(devices, P("x")))
    keys = jax.device_put(jax.random.split(key, 8), NamedSharding(devices, P("x")))
    return f(key), jax.jit(jax.vmap(lambda k: jax.random.uniform(k, (3,))))(keys), jax.random.key_data(keys)


@program
def constants_and_no_arguments():
    devices = mesh(2, 4)
    sharding = NamedSharding(devices, P("x", "y"))
    x = put(numbers(4, 8), devices, "x")
    return (
        jax.jit(lambda: jnp.arange(32.0).reshape(4, 8), out_shardings=sharding)(), jnp.zeros((4, 8), device=sharding),
        jax.jit(lambda a: (a, 3.0, jnp.ones(4)))(x), jnp.full_like(x, 2), jax.jit(lambda: None)(),
    )  # fmt: skip


@program
def eager_ops():
    x = put(numbers(8, 4), mesh(4, 2), "x", "y")
    return (
        x + x,
        -x,
        x.T,
        x.sum(),
        x @ x.T,
        x > 0,
        jnp.where(x > 0, x, 0),
        x[2],
        x[:, 1],
        x.max(axis=1),
        jnp.linalg.norm(x),
    )


@program
def linear_algebra():
    x = numbers(8, 4, 4) + 20 * np.eye(4, dtype=np.float32)
    x = put(x, mesh(8), "x")
    functions = [
        lambda a: jnp.linalg.cholesky(a @ a.mT),
        jnp.linalg.inv,
        jnp.linalg.det,
        lambda a: jnp.linalg.svd(a)[1],
    ]
    return [np.asarray(jax.jit(f)(x)) for f in functions]


@program
def convolutions():
    x = put(numbers(8, 3, 16, 16), mesh(4, 2), "x", None, "y")
    k = numbers(4, 3, 3, 3)
    return np.asarray(jax.jit(lambda a: lax.conv(a, k, (1, 1), "SAME"))(x)), np.asarray(
        jax.jit(lambda a: lax.reduce_window(a, 0.0, lax.add, (1, 1, 2, 2), (1, 1, 2, 2), "VALID"))(x)
    )


@program
def explicit_axes():
    devices = jax.make_mesh((2, 4), ("x", "y"))
    with jax.set_mesh(devices):
        x = jax.device_put(numbers(8, 8), P("x", "y"))
        y = jax.jit(lambda a: jnp.sin(a) + a)(x)
        z = jax.jit(lambda a: jax.sharding.reshard(a, P("y", None)) * 2)(x)
        product = jax.jit(lambda a, b: jnp.einsum("ij,jk->ik", a, b, out_sharding=P("x", None)))(x, x)
        return y, z, product, str(jax.typeof(y)), x.T, jax.jit(lambda a: a.sum(1))(x), message(lambda: x @ x)


@program
def text_of_compiled_programs():
    x = put(numbers(8, 8), mesh(8), "x")
    compiled = jax.jit(lambda a: a.sum()).lower(x).compile()
    return "all-reduce" in compiled.as_text(), compiled.memory_analysis().argument_size_in_bytes, compiled(x)


# pmap


@program
def pmap_maps():
    x = numbers(8, 3)
    return (
        jax.pmap(lambda a: a * 2)(x), jax.pmap(lambda a, b: a + b, in_axes=(0, None))(x, numbers(3)),
        jax.pmap(lambda a: a.sum(), out_axes=None, axis_name="i")(np.zeros((8, 2), np.float32)),
        jax.pmap(lambda a: a, in_axes=1, out_axes=1)(numbers(3, 8)), jax.pmap(lambda a: {"b": a["a"] - 1})({"a": x}),
        jax.pmap(lambda a, n: a * n, static_broadcasted_argnums=1)(x, 3), jax.pmap(lambda a: a + 1, devices=jax.devices()[::-1])(x),
        jax.pmap(lambda a: a + 1)(x[:4]), jax.pmap(lambda a, b: a["c"] * b, in_axes=({"c": 0}, None))({"c": x}, 2.0),
    )  # fmt: skip


@program
def pmap_collectives():
    x = numbers(8, 8, 2)

    @functools.partial(jax.pmap, axis_name="i")
    def f(a):
        ring = [(n, (n + 1) % 8) for n in range(8)]
        return (
            lax.psum(a, "i"), lax.pmean(a, "i"), lax.pmax(a, "i"), lax.pmin(a, "i"), lax.all_gather(a, "i"), lax.ppermute(a, "i", ring),
            lax.all_gather(a, "i", axis=1, tiled=True), lax.psum_scatter(a, "i"), lax.psum_scatter(a, "i", tiled=True),
            lax.all_to_all(a, "i", 0, 1), lax.axis_index("i"), lax.psum(1, "i"), lax.ppermute(a, "i", [(0, 3), (5, 1)]),
        )  # fmt: skip

    return f(x)


@program
def pmap_groups():
    x = numbers(8, 4)
    halves = [[0, 1, 2, 3], [4, 5, 6, 7]]

    @functools.partial(jax.pmap, axis_name="i")
    def f(a):
        return (
            lax.psum(a, "i", axis_index_groups=halves), lax.all_gather(a, "i", axis_index_groups=halves),
            lax.psum_scatter(a, "i", axis_index_groups=halves), lax.all_to_all(a, "i", 0, 0, axis_index_groups=halves),
            lax.pmax(a, "i", axis_index_groups=[[0, 7], [1, 6], [2, 5], [3, 4]]),
        )  # fmt: skip

    return f(x)


@program
def pmap_gradients():
    x = numbers(8, 4) / 4

    def loss(a):
        return lax.pmean(jnp.sum(a**2) * lax.axis_index("i"), "i")

    f = jax.pmap(jax.grad(loss), axis_name="i")
    g = jax.grad(lambda a: jax.pmap(lambda b: jnp.sin(b).sum())(a).sum())
    return f(x), g(x), jax.vmap(jax.pmap(lambda a: a * 2), in_axes=1)(numbers(8, 2)), jax.jit(jax.pmap(jnp.cos))(x)


@program
def pmap_of_several_arrays():
    x = (
        jax.device_put_replicated(numbers(3), jax.devices())
        if hasattr(jax, "device_put_replicated")
        else jnp.stack([numbers(3)] * 8)
    )
    y = jax.pmap(lambda a: a + lax.axis_index("i"), axis_name="i")(x)
    return y, y[3], np.asarray(y[2:4]), jax.pmap(lambda a: a * 2)(y), message(jax.pmap(lambda a: a), numbers(9, 2))[:40]


@program
def pmap_scan():
    @functools.partial(jax.pmap, axis_name="i")
    def f(a):
        return lax.scan(lambda c, _: (lax.psum(c, "i") / 8 + 1, c), a, None, length=3)

    return f(numbers(8))


@program
def pmap_donation():
    x = jax.pmap(lambda a: a)(numbers(8, 4))
    y = jax.pmap(lambda a: a + 1, donate_argnums=0)(x)
    return y, x.is_deleted()


# shard_map


@program
def shard_map_collectives():
    devices = mesh(2, 4)
    x = numbers(8, 8)

    def f(a):
        ring = [(n, (n + 1) % 4) for n in range(4)]
        return (
            lax.psum(a, "y"), lax.psum(a, ("x", "y")), lax.all_gather(a, "x", tiled=True), lax.psum_scatter(a, "x", tiled=True),
            lax.all_to_all(a, "y", 0, 1, tiled=True), lax.ppermute(a, "y", ring), a * lax.axis_index("x") + lax.axis_index("y"),
            lax.pmax(a, "x"), a * lax.axis_index(("x", "y")), lax.axis_size("y") * a,
        )  # fmt: skip

    outs = (
        P("x", None),
        P(),
        P(None, "y"),
        P(("x",), "y"),
        P(("x", "y"), None),
        P("x", "y"),
        P("x", "y"),
        P(None, "y"),
        P("x", "y"),
        P("x", "y"),
    )
    return sharded(f, devices, P("x", "y"), outs, check_vma=False)(x)


@program
def shard_map_products():
    devices = mesh(2, 4)
    x, w = numbers(8, 16), numbers(16, 4)

    def f(a, b):
        return lax.psum_scatter(a @ b, "y", scatter_dimension=1, tiled=True)

    g = sharded(lambda a, b: lax.psum(a @ b, "y"), devices, (P("x", "y"), P("y", None)), P("x", None))
    eager = jax.shard_map(
        lambda a, b: lax.psum(a @ b, "y"), mesh=devices, in_specs=(P("x", "y"), P("y", None)), out_specs=P("x", None)
    )
    return (
        sharded(f, devices, (P("x", "y"), P("y", None)), P("x", "y"))(x, w),
        g(x, w),
        eager(x, w),
        jax.grad(lambda a: g(a, w).sum())(x),
    )


@program
def shard_map_control_flow():
    devices = mesh(8)

    def f(a):
        a = lax.fori_loop(0, 3, lambda i, c: lax.ppermute(c, "x", [(n, (n + 1) % 8) for n in range(8)]) + i, a)
        b, total = lax.scan(lambda c, _: (c + 1, lax.psum(c, "x")), a, None, length=2)
        c = lax.cond(lax.axis_index("x") > 3, lambda d: d * 2, lambda d: d - 1, b)
        n = lax.while_loop(lambda d: d < 5 + lax.axis_index("x"), lambda d: d + 1, lax.axis_index("x") * 0)
        return c, total, jnp.full((1,), n)

    return sharded(f, devices, P("x"), (P("x"), P(None), P("x")), check_vma=False)(numbers(16))


@program
def shard_map_over_some_axes():
    devices = mesh(2, 4)
    x = put(numbers(8, 8), devices, "x", "y")

    def f(a):
        return lax.psum(jnp.sin(a) * 0 + a, "x") + a.sum(axis=1, keepdims=True)

    auto = sharded(f, devices, P("x", None), P(None, None), axis_names={"x"}, check_vma=False)
    inner = sharded(
        lambda a: lax.with_sharding_constraint(a * 2, P("y")), devices, P(None, "x"), P(None, "x"), axis_names={"x"}
    )
    return np.asarray(auto(x)), np.asarray(inner(x))


@program
def shard_map_inside_jit():
    devices = mesh(4, 2)

    @jax.jit
    def f(x):
        y = jax.shard_map(lambda a: a + lax.axis_index("x"), mesh=devices, in_specs=P("x"), out_specs=P("x"))(x * 2)
        z = jax.shard_map(lambda a: lax.psum(a, "y"), mesh=devices, in_specs=P(None, "y"), out_specs=P())(y)
        return z.sum(0), y

    return [np.asarray(a) for a in f(numbers(8, 4))]


@program
def shard_map_transformed():
    devices = mesh(8)
    f = sharded(lambda a: jnp.sin(a) * lax.psum(a, "x"), devices, P("x"), P("x"))
    x = numbers(8) / 4
    vmapped = jax.vmap(f)(numbers(3, 8))
    forward = jax.jvp(f, (x,), (jnp.ones(8),))
    second = jax.hessian(lambda a: f(a).sum())(x)
    again = jax.grad(lambda a: jax.checkpoint(f)(a).sum())(x)
    return vmapped, forward, jax.grad(lambda a: f(a).sum())(x), np.asarray(second), again


@program
def shard_map_other_ops():
    devices = mesh(8)

    def f(a, key):
        drawn = jax.random.uniform(key[0], (2,))
        return (
            jnp.sort(a, axis=-1),
            lax.pcast(jnp.zeros(2), ("x",), to="varying") + a[0, :2],
            drawn,
        )

    keys = jax.random.split(jax.random.key(0), 8)
    return sharded(f, devices, (P("x"), P("x")), P("x"), check_vma=False)(numbers(8, 4), keys)


@program
def ragged_and_integer_collectives():
    devices = mesh(8)

    def f(a):
        return (
            lax.psum(a.astype(jnp.int8), "x"),
            lax.psum(a > 2, "x"),
            lax.pmax(a.astype(jnp.bfloat16), "x"),
            lax.psum(a * 1j, "x"),
            lax.pmin(a.astype(jnp.uint16), "x"),
        )

    return sharded(f, devices, P("x"), P(), check_vma=False)(numbers(8, 4))


# Callbacks, tokens, errors, asynchronous calls


@program
def callbacks():
    devices = mesh(8)
    seen = []

    def note(index, a):
        seen.append((int(index), a.tolist()))

    def f(a):
        jax.debug.callback(note, lax.axis_index("x"), a)
        b = jax.pure_callback(lambda c: np.asarray(c) * 2, jax.ShapeDtypeStruct(a.shape, a.dtype), a)
        return b + lax.psum(a, "x")

    found = sharded(f, devices, P("x"), P("x"), check_vma=False)(numbers(16))
    jax.effects_barrier()
    pmapped = jax.pmap(
        lambda a: jax.pure_callback(lambda c: np.asarray(c) + 1, jax.ShapeDtypeStruct((2,), np.float32), a)
    )(numbers(8, 2))
    return found, sorted(seen), pmapped


@program
def callbacks_of_whole_arrays():
    x = put(numbers(8, 2), mesh(8), "x")
    f = jax.jit(
        lambda a: (
            jax.pure_callback(lambda c: np.asarray(c)[::-1].copy(), jax.ShapeDtypeStruct((8, 2), np.float32), a) * 2
        )
    )
    seen = []
    g = jax.jit(lambda a: (jax.debug.callback(lambda c: seen.append(np.asarray(c).tolist()), a), a + 1)[1])
    found = f(x), g(x)
    jax.effects_barrier()
    return [np.asarray(a) for a in found], seen


@program
def ordered_effects():
    seen = []
    x = jax.device_put(numbers(3), jax.devices()[2])

    @jax.jit
    def f(a):
        jax.experimental.io_callback(lambda b: seen.append(float(b[0])), None, a, ordered=True)
        jax.experimental.io_callback(lambda b: seen.append(float(b[1])), None, a, ordered=True)
        return a * 2

    found = f(x), f(x + 1)
    jax.effects_barrier()
    return found, seen, jax.jit(lambda a: a)(found[0])


@program
def several_programs_at_once():
    from concurrent.futures import ThreadPoolExecutor

    devices = mesh(8)
    f = sharded(lambda a: lax.psum(a, "x") + a, devices, P("x"), P("x"))
    g = jax.pmap(lambda a: lax.all_gather(a, "i"), axis_name="i")
    f(numbers(8)), g(numbers(8))
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda n: (f(numbers(8) + n), g(numbers(8) * n)), range(6)))
    return jax.block_until_ready(found)


@program
def serialised_programs():
    from jax.experimental import serialize_executable

    x = put(numbers(8, 4), mesh(8), "x")
    compiled = jax.jit(lambda a: a - a.sum(0)).lower(x).compile()
    loaded = serialize_executable.deserialize_and_load(*serialize_executable.serialize(compiled))
    return loaded(x), str(loaded.output_shardings)


@program
def exported_programs():
    from jax import export

    x = put(numbers(8, 4), mesh(8), "x")
    f = jax.jit(lambda a: a * a.sum())
    exported = export.deserialize(
        export.export(f)(jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=x.sharding)).serialize()
    )
    return exported.nr_devices, jax.jit(exported.call)(x)


@program
def failing_callbacks():
    def fail(a):
        raise ValueError("no such value")

    def f(a):
        return jax.pure_callback(fail, jax.ShapeDtypeStruct(a.shape, a.dtype), lax.psum(a, "x") + a)

    def call():
        return jax.block_until_ready(sharded(f, mesh(8), P("x"), P("x"))(numbers(8)))

    try:
        call()
    except Exception as error:
        after = jax.pmap(lambda a: a + 1)(numbers(8))
        return "no such value" in str(error), after
    return "no exception"
