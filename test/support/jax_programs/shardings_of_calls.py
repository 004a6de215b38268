"""`custom_partitioning` and `inspect_array_sharding` on eight devices, compared as the programs of several_devices.py are."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental.custom_partitioning import BATCHING, SdyShardingRule, custom_partitioning
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

from jax_programs.several_devices import mesh, message, numbers, program, put


def shardings(shapes):
    return jax.tree.map(lambda s: s.sharding, shapes)


def told(shapes):
    """What a partition function is asked."""
    return jax.tree.map(lambda s: (s.shape, str(s.dtype), str(s.sharding.spec)), shapes)


def as_given(compute, asked=None):
    """A partition function that takes the shardings it is given."""

    def partition(mesh, arguments, result):
        if asked is not None:
            asked.append((told(arguments), told(result)))
        return mesh, compute, shardings(result), shardings(arguments)

    return partition


def custom(function, rule, partition, **options):
    made = custom_partitioning(function)
    made.def_partition(partition=partition, sharding_rule=rule, **options)
    return made


@program
def partition_of_a_product():
    """The contracted dimension is cut: the parts are summed by the program itself."""
    asked = []

    def partition(mesh, arguments, result):
        asked.append((told(arguments), told(result)))
        rows, inner = arguments[0].sharding.spec[0], arguments[1].sharding.spec[0]
        return (
            mesh,
            lambda a, b: lax.psum(a @ b, inner),
            NamedSharding(mesh, P(rows, None)),
            (NamedSharding(mesh, P(rows, inner)), NamedSharding(mesh, P(inner, None))),
        )

    f = custom(lambda a, b: a @ b, "i j, j k -> i k", partition, reduction_factors=("j",))
    devices = mesh(4, 2)
    a, b = put(numbers(8, 4), devices, "x", "y"), put(numbers(4, 6), devices, "y")
    return jax.jit(f)(a, b), jax.jit(lambda a, b: f(a * 2, b).sum(0))(a, b), asked


@program
def partition_with_other_shardings_than_asked():
    """Operands are gathered, results cut anew."""

    def partition(mesh, arguments, result):
        whole = NamedSharding(mesh, P(None))
        return mesh, lambda a: jnp.sort(a, axis=0), whole, (whole,)

    f = custom(lambda a: jnp.sort(a, axis=0), SdyShardingRule(((BATCHING, "i"),), ((BATCHING, "i"),)), partition)
    devices = mesh(4, 2)
    x = put(numbers(16, 8), devices, None, "x")
    return jax.jit(f, out_shardings=NamedSharding(devices, P("x")))(x), jax.jit(lambda a: f(a) + a)(x)


@program
def partition_of_trees():
    asked = []
    f = custom(
        lambda xs: (xs[0] + xs[0], xs[1] * xs[2]), "i j, i j, i j -> i j, i j",
        as_given(lambda xs: (xs[0] + xs[0], xs[1] * xs[2]), asked),
    )  # fmt: skip
    devices = mesh(4, 2)
    x = put(numbers(8, 4), devices, "x", "y")
    return jax.jit(lambda a: f((a, a + 1, a * 3)))(x), asked


@program
def partition_in_loops_and_branches():
    f = custom(
        lambda a: jnp.cumsum(a),
        "i -> i",
        lambda mesh, a, r: (mesh, jnp.cumsum, NamedSharding(mesh, P()), (NamedSharding(mesh, P()),)),
    )
    g = custom(lambda a: a * a, "i -> i", as_given(lambda a: a * a))
    x = put(numbers(8), mesh(8), "x")

    def loop(a):
        return lax.scan(lambda c, _: (g(c) - 1, c.sum()), a, None, length=3)

    return jax.jit(loop)(x), jax.jit(lambda a: lax.cond(a.sum() > 0, f, g, a))(x), jax.jit(f)(x)


@program
def partition_whose_function_calls_functions():
    """Loops, branches, jitted functions and the number of the device in the function of a part."""

    def compute(a):
        def step(carry, row):
            return carry + lax.psum(jnp.sum(row), "x"), lax.axis_index("x") + row

        total, rows = lax.scan(step, 0.0, a)
        return total, jax.jit(lambda b: lax.cond(total > 0, lambda: b * 2, lambda: b))(rows)

    def partition(mesh, arguments, result):
        return mesh, compute, (NamedSharding(mesh, P()), NamedSharding(mesh, P(None, "x"))), shardings(arguments)

    f = custom(lambda a: (a.sum(), a), "i j -> , i j", partition)
    return jax.jit(f)(put(numbers(4, 8), mesh(4, 2), None, "x"))


@program
def partition_with_compound_factors():
    def partition(mesh, arguments, result):
        return mesh, lambda a, b: a.reshape(-1) + b, shardings(result), shardings(arguments)

    f = custom(
        lambda a, b: a.reshape(8) + b,
        "(i k) j, (i k j) -> (i k j)",
        partition,
        i=2,
        k=2,
        need_replication_factors=("k",),
    )
    devices = mesh(2, 4)
    x, y = put(numbers(4, 2), devices, "x"), put(numbers(8), devices, "x")
    return jax.jit(f)(x, y)


@program
def partition_of_other_types():
    made = []
    for dtype in (jnp.bfloat16, jnp.int8, jnp.bool_, jnp.complex64):
        f = custom(
            lambda a: a[::-1] & a if a.dtype == bool else a + a,
            "i j -> i j",
            as_given(lambda a: a[::-1] & a if a.dtype == bool else a + a),
        )
        made.append(jax.jit(f)(put(numbers(1, 8).astype(dtype), mesh(8), None, "x")))
    return made


@program
def partition_on_one_device_and_without_shardings():
    f = custom(lambda a: a + 1, "i -> i", as_given(lambda a: a + 1))
    devices = mesh(8)
    in_map = jax.jit(jax.shard_map(f, mesh=devices, in_specs=P("x"), out_specs=P("x")))
    return f(numbers(3)), jax.jit(f)(numbers(3)), in_map(numbers(16)), jax.jit(f)(put(numbers(3), devices))


@program
def partition_that_fails():
    def wrong(mesh, arguments, result):
        return mesh, lambda a: a, NamedSharding(mesh, P(None)), (NamedSharding(mesh, P(None, "x")),)

    def fails(mesh, arguments, result):
        raise KeyError("no such axis")

    x = put(numbers(8, 8), mesh(4, 2), None, "x")
    found = []
    for partition, words in ((wrong, "Mismatch in result shapes"), (fails, "no such axis")):
        try:
            jax.jit(custom(lambda a: a, "i j -> i j", partition))(x)
        except jax.errors.JaxRuntimeError as error:
            found.append(words in str(error))
    no_rule = custom_partitioning(lambda a: a)
    no_rule.def_partition(partition=wrong, infer_sharding_from_operands=lambda *_: None)
    return found, message(jax.jit(no_rule), x), jax.jit(lambda a: a + 1)(x)


def inspected(function, x):
    seen = []
    made = function(
        x,
        lambda value: jax.debug.inspect_array_sharding(
            value, callback=lambda s: seen.append(str(getattr(s, "spec", s)))
        ),
    )
    return made, seen


@program
def shardings_inside_of_programs():
    def f(a, look):
        b = a @ a.T
        look(b), look(a), look(b.sum()), look((a.T, b.sum(0)))
        return b

    devices = mesh(4, 2)
    x = put(numbers(16, 8), devices, "x", "y")
    return [
        inspected(lambda x, look: jax.jit(lambda a: f(a, look))(x), one) for one in (x, put(numbers(16, 8), devices))
    ]


@program
def shardings_inside_of_loops_branches_and_manual_computations():
    def loop(a, look):
        return lax.scan(lambda c, _: ((look(c), c * 2)[1], None), a, None, length=2)[0]

    def branch(a, look):
        return lax.cond(a.sum() > 0, lambda b: (look(b), b + 1)[1], lambda b: b - 1, a)

    def gradient(a, look):
        return jax.grad(lambda b: (look(b), (b * b).sum())[1])(a)

    devices = mesh(4, 2)
    x = put(numbers(16, 8), devices, "x", "y")
    found = [inspected(lambda x, look, f=f: jax.jit(lambda a: f(a, look))(x), x) for f in (loop, branch, gradient)]
    for names in ({"x", "y"}, {"x"}):
        spec = P(*(name if name in names else None for name in "xy"))

        def manual(a, look, spec=spec, names=names):
            body = jax.shard_map(
                lambda b: (look(b), b + 1)[1], mesh=devices, in_specs=spec, out_specs=spec, axis_names=names
            )
            return jax.jit(body)(a)

        found.append(inspected(manual, x))
    return found


@program
def functions_that_fail_when_they_are_told_a_sharding():
    def fail(sharding):
        raise ValueError("not this one")

    x = put(numbers(8), mesh(8), "x")
    try:
        jax.jit(lambda a: (jax.debug.inspect_array_sharding(a, callback=fail), a)[1])(x)
    except jax.errors.JaxRuntimeError as error:
        return "not this one" in str(error), jax.jit(lambda a: a + 1)(x)
    return "no exception"
