"""Arrays that are yet to be summed along axes of a mesh, on eight devices, compared as the programs of several_devices.py are."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

from jax_programs.several_devices import numbers, program


def explicit(*shape):
    return jax.make_mesh(shape, tuple("xyz"[: len(shape)]), axis_types=(AxisType.Explicit,) * len(shape))


def told(array):
    """The spec of an array, and the part of each device."""
    spec = array.sharding.spec
    return (
        str(spec).split("unreduced")[0],
        sorted(spec.unreduced),
        [np.asarray(s.data) for s in array.addressable_shards],
    )


def product(spec):
    def f(a, b):
        c = jnp.einsum("ab,bc->ac", a, b)
        return lax.pcast(c, tuple(spec.unreduced), to="unreduced")

    return jax.jit(jax.shard_map(f, in_specs=(P("x", "y"), P("y", None)), out_specs=spec))


def operands():
    return jax.device_put(numbers(8, 4), P("x", "y")), jax.device_put(numbers(4, 6), P("y", None))


@program
def sums_of_manual_computations():
    with jax.set_mesh(explicit(2, 4)):
        f, (a, b) = product(P("x", None, unreduced={"y"})), operands()
        u = f(a, b)
        gradients = jax.jit(jax.grad(lambda a, b: jax.sharding.reshard(f(a, b), P("x", None)).sum(), argnums=(0, 1)))
        return told(u), [told(jax.sharding.reshard(u, P(*s))) for s in (("x",), (None, "x"), ())], gradients(a, b)


@program
def sums_as_arguments():
    with jax.set_mesh(explicit(2, 4)):
        u = product(P("x", None, unreduced={"y"}))(*operands())
        take = jax.shard_map(lambda v: lax.psum(v, "y"), in_specs=P("x", None, unreduced={"y"}), out_specs=P("x", None))
        return (
            told(jax.jit(lambda v: v + v + v)(u)),
            told(jax.jit(lambda v: jax.sharding.reshard(v, P("x", None)) * 2)(u)),
            told(jax.jit(take)(u)),
            told(jax.jit(lambda v: (v, jax.sharding.reshard(v + v, P(None, "x"))))(u)[1]),
        )


@program
def sums_of_products_and_reductions():
    with jax.set_mesh(explicit(2, 4)):
        a, b = operands()
        out = P("x", None, unreduced={"y"})

        def multiplied(a, b):
            return jnp.einsum("ab,bc->ac", a, b, out_sharding=out)

        return (
            told(jax.jit(multiplied)(a, b)),
            told(jax.jit(lambda a, b: multiplied(a, b) + multiplied(a, b))(a, b)),
            told(jax.jit(lambda a, b: jax.sharding.reshard(multiplied(a, b), P("x", None)))(a, b)),
            told(jax.jit(lambda a: lax.reduce_sum(a, (1,), out_sharding=P("x", unreduced={"y"})))(a)),
        )


@program
def sums_along_several_axes_and_with_copies():
    with jax.set_mesh(explicit(2, 2, 2)) as _:
        a = jax.device_put(numbers(4, 8), P("x", ("y", "z")))
        both = jax.jit(lambda a: lax.reduce_sum(a, (1,), out_sharding=P("x", unreduced={"y", "z"})))(a)
        b = jax.device_put(numbers(4, 8), P(None, "z"))
        copies = jax.jit(lambda a: lax.reduce_sum(a, (1,), out_sharding=P(None, unreduced={"z"})))(b)
        c = jax.device_put(numbers(3, 8), P(None, ("x", "y", "z")))
        every = jax.jit(lambda a: lax.reduce_sum(a, (1,), out_sharding=P(None, unreduced={"x", "y", "z"})))(c)
        return [(told(v), told(jax.sharding.reshard(v, P(None)))) for v in (both, copies, every)]


@program
def arrays_put_as_sums():
    devices = explicit(2, 4)
    with jax.set_mesh(devices):
        x = numbers(4, 2)
        found = [
            jax.device_put(x, P("x", None, unreduced={"y"})),
            jax.device_put(jnp.array(x), P(None, None, unreduced={"x"})),
        ]
        return [(told(v), told(jax.sharding.reshard(v, P(None, None)))) for v in found]


@program
def shardings_of_sums():
    with jax.set_mesh(explicit(2, 4)):
        compiled = product(P("x", None, unreduced={"y"})).lower(*operands()).compile()
        return sorted(compiled.output_shardings.spec.unreduced), isinstance(compiled.output_shardings, NamedSharding)
