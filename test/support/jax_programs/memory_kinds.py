"""Kinds of memory on eight devices, compared as the programs of several_devices.py are."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.ad_checkpoint import checkpoint_name
from jax.experimental.compute_on import compute_on
from jax.sharding import NamedSharding, SingleDeviceSharding
from jax.sharding import PartitionSpec as P

from jax_programs.several_devices import mesh, message, numbers, program

KINDS = ("device", "pinned_host", "unpinned_host")


def cut(kind, *spec):
    return NamedSharding(mesh(4, 2), P(*spec or "xy"), memory_kind=kind)


def told(array):
    """An array, its kind of memory, and those of its parts."""
    return array, array.sharding.memory_kind, [s.data.sharding.memory_kind for s in array.addressable_shards]


@program
def memories_of_devices():
    found = [d.addressable_memories() for d in jax.devices()]
    numbers_of = [m.id if hasattr(m, "id") else 0 for memories in found for m in memories]
    lists = [[m.kind for m in memories] for memories in found], [d.default_memory().kind for d in jax.devices()]
    owners = [[d.id for d in m.addressable_by_devices()] for memories in found for m in memories]
    return (
        lists,
        numbers_of,
        owners,
        message(lambda: jax.devices()[1].memory("hbm"))[:15],
        jax.devices()[2].memory("pinned_host").kind,
    )


@program
def arrays_put_into_each_kind():
    x, found = numbers(8, 4), []
    for kind in KINDS:
        there = jax.device_put(x, cut(kind))
        alone = jax.device_put(jnp.array(x), SingleDeviceSharding(jax.devices()[3], memory_kind=kind))
        back = jax.device_put(there, cut("device", None, "x"))
        other = jax.device_put(alone, SingleDeviceSharding(jax.devices()[5], memory_kind="device"))
        found += [told(a) for a in (there, alone, back, other, jax.device_put(np.float32(3), alone.sharding))]
    return found


@program
def programs_take_and_give_each_kind():
    x, found = numbers(8, 4), []
    for kind in KINDS:
        there = jax.device_put(x, cut(kind))
        found.append(told(jax.jit(lambda a: a * 2 + 1)(there)))
        found.append(told(jax.jit(lambda a: a.sum(0), out_shardings=cut(kind, "y"))(x)))
        found.append(told(jax.jit(lambda a: jax.device_put(a, cut("device")) * 2, out_shardings=cut(kind))(there)))
        found.append(told(jax.jit(lambda a, k=kind: jax.device_put(a, cut(k)) + 1)(x)))
        found.append(told(jax.jit(lambda a, k=kind: jax.device_put(a, cut(k)))(x)))
        alone = SingleDeviceSharding(jax.devices()[2], memory_kind=kind)
        found.append(told(jax.jit(lambda a: a @ a.T, out_shardings=alone)(jax.device_put(x, alone))))
        compiled = jax.jit(lambda a: (a, a + 1), out_shardings=(cut(kind), cut("device"))).lower(there).compile()
        found.append(
            [str(s.memory_kind) for s in jax.tree.leaves((compiled.input_shardings, compiled.output_shardings))]
        )
    return found


@program
def spaces():
    x = numbers(4, 2)
    return [told(jax.device_put(x, space)) for space in (jax.memory.Space.Host, jax.memory.Space.Device)], told(
        jax.jit(lambda a: jax.device_put(a, jax.memory.Space.Host))(x)
    )


@program
def donated_arrays_of_other_kinds():
    found = []
    for kind in KINDS[:2]:
        x = jax.device_put(numbers(8, 4), cut(kind))
        made = jax.jit(lambda a: a + 1, donate_argnums=0, out_shardings=cut(kind))(x)
        found.append((told(made), x.is_deleted()))
    return found


@program
def what_is_saved_for_gradients_goes_to_the_host():
    policy = jax.checkpoint_policies.save_and_offload_only_these_names(
        names_which_can_be_saved=[], names_which_can_be_offloaded=["z"], offload_src="device", offload_dst="pinned_host"
    )

    def step(x):
        z = checkpoint_name(jnp.sin(x), "z")
        return jnp.sin(z) * z

    def f(x):
        return jax.lax.scan(lambda c, _: (jax.checkpoint(step, policy=policy)(c), None), x, None, length=3)[0].sum()

    return jax.jit(jax.grad(f))(numbers(8)), jax.jit(jax.grad(f))(jax.device_put(numbers(8, 4), cut("device")))


@program
def loops_with_operands_on_the_host():
    x = jax.device_put(numbers(3, 8, 4), cut("pinned_host", None, "x", "y"))

    def step(carry, row):
        return carry + jax.device_put(row, jax.memory.Space.Device), None

    return told(jax.jit(lambda a: jax.lax.scan(step, jnp.zeros((8, 4)), a)[0])(x))


@program
def computations_on_the_host():
    @compute_on("device_host")
    @jax.jit
    def on_host(a):
        return a * 3

    x = jax.device_put(numbers(8, 4), cut("device"))
    return jax.jit(lambda a: on_host(a + 1) - a)(x), jax.jit(lambda a: on_host(a + 1) - a)(numbers(4))


@program
def kinds_of_serialised_programs():
    from jax.experimental import serialize_executable

    x = jax.device_put(numbers(8, 4), cut("pinned_host"))
    compiled = jax.jit(lambda a: a + 1, out_shardings=cut("unpinned_host")).lower(x).compile()
    loaded = serialize_executable.deserialize_and_load(*serialize_executable.serialize(compiled))
    return told(loaded(x)), str(loaded.output_shardings)


@program
def results_without_any_sharding():
    """A program for all devices whose arrays nobody has cut tells that each device has them whole."""
    x, s = numbers(8, 4), cut("device")
    f = jax.jit(lambda a: jax.device_put(a, s))
    compiled = f.lower(x).compile()
    return told(f(x)), told(jax.jit(lambda a: (jax.device_put(a, s) + 1).sum())(x)), str(compiled.output_shardings)


@program
def kinds_that_there_are_not():
    return [message(cut, kind)[:25] for kind in ("hbm", "", "host")]
