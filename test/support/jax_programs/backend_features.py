"""What a JAX user does besides plain programs, each a function that asserts. test_jax_backend.py runs them in a process whose
platform is hlo."""

import gc
import logging
import re
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import export, lax
from jax.experimental import io_callback, serialize_executable

from hlo.runtime.custom_calls.registry import register

DTYPES = [
    "bool",
    "int4",
    "uint4",
    "int8",
    "uint8",
    "int16",
    "uint32",
    "float16",
    "bfloat16",
    "float8_e4m3fn",
    "float8_e5m2",
    "complex64",
]


def platform_is_hlo():
    assert [d.platform for d in jnp.ones(3).devices()] == ["hlo"]
    assert jax.default_backend() == "hlo"


def element_types():
    for name in DTYPES:
        x = jnp.array([0, 1, 0, 1], name)
        y = (x | x) if name == "bool" else x + x
        assert y.dtype == name
        np.testing.assert_array_equal(np.asarray(y).astype(complex), (np.array([0, 1, 0, 1]) * (1 + (name != "bool"))))


def x64():
    with jax.enable_x64(True):
        x = jnp.linspace(0, 1, 5)
        assert x.dtype == np.float64
        np.testing.assert_allclose(jnp.sin(x), np.sin(np.linspace(0, 1, 5)), rtol=1e-15)
        assert (jnp.arange(3) * 2**40).tolist() == [0, 2**40, 2**41]


def empty_and_strided_arrays():
    assert (jnp.zeros((0, 3)) + np.zeros((0, 3), np.float32)).shape == (0, 3)
    a = np.arange(300 * 200, dtype=np.float32).reshape(300, 200)
    for view in (a[::-2, ::3], a.T, a[::-1], a[:0], np.broadcast_to(a[0], (4, 200))):
        np.testing.assert_array_equal(jnp.asarray(view) * 1, view)


def pytrees():
    tree = {"a": jnp.ones(3), "b": (jnp.zeros(2, int), [jnp.float32(2.0), None])}
    found = jax.jit(lambda t: jax.tree.map(lambda x: x + 1, t))(tree)
    assert jax.tree.structure(found) == jax.tree.structure(tree)
    assert found["b"][1][0] == 3


def donation_reuses_memory():
    step = jax.jit(lambda x: x + 1, donate_argnums=0)
    x = jnp.ones(10000) * 1
    place = x.unsafe_buffer_pointer()
    y = step(x)
    assert x.is_deleted() and y.unsafe_buffer_pointer() == place
    assert (np.asarray(y) == 2).all()
    with pytest.raises(RuntimeError, match=r"deleted|donated"):
        np.asarray(x)


def donation_leaves_what_others_see():
    step = jax.jit(lambda x: x + 1, donate_argnums=0)
    host = np.ones(100000, np.float32)
    assert step(jnp.asarray(host))[0] == 2 and host[0] == 1
    x = jnp.ones(10000) * 1
    view = np.asarray(x)
    assert step(x)[0] == 2 and view[0] == 1
    y = jnp.ones(10000) * 1
    copy = jax.device_put(y, may_alias=False)
    assert step(y)[0] == 2 and copy[0] == 1


def a_buffer_is_not_donated_twice():
    x = jnp.ones(10) * 1
    for donated in (0, (0, 1)):
        with pytest.raises(RuntimeError, match=r"donated"):
            jax.jit(lambda x, y: (x + y, x * y), donate_argnums=donated)(x, x)
    assert x[0] == 1 and jax.jit(lambda x, y: x + y, donate_argnums=0)(x, x * 2)[0] == 3


def compiler_options_are_those_of_xla():
    lowered = jax.jit(lambda x: x + 1).lower(1.0)
    options = {"xla_embed_ir_in_executable": True, "xla_dump_max_hlo_modules": 200}
    assert lowered.compile(compiler_options=options)(1.0) == 2
    with pytest.raises(RuntimeError, match=r"No such compile option: 'unheard_of'"):
        lowered.compile(compiler_options={"unheard_of": "x"})
    with pytest.raises(RuntimeError, match=r"not a valid bool"):
        lowered.compile(compiler_options={"xla_embed_ir_in_executable": "x"})


def checks_of_checkify():
    from jax.experimental import checkify

    def checked(x):
        checkify.check(jnp.all(x < 0), "not negative: {}", x[0])
        return x

    def debug_checked(x):
        checkify.debug_check(jnp.all(x < 0), "not negative")
        return x

    with pytest.raises(ValueError, match="was not functionalized"):
        jax.jit(checked)(jnp.ones(3))
    assert jax.jit(debug_checked)(jnp.ones(3))[0] == 1
    error, _ = checkify.checkify(jax.jit(checked))(jnp.full(3, 7.0))
    with pytest.raises(ValueError, match=r"not negative: 7\.0"):
        error.throw()
    with jax._src.config.xla_runtime_errors(True), pytest.raises(RuntimeError, match=r"not negative: 7\.0"):
        jax.jit(checked)(jnp.full(3, 7.0))


def sparse_matrices():
    from jax.experimental import sparse
    from jax.experimental.sparse.linalg import spsolve

    dense = np.array([[4, 1, 0], [1, 3, 0], [0, 2, 5]], np.float32)
    for kind in (sparse.BCSR, sparse.BCOO, sparse.CSR):
        np.testing.assert_array_equal(jax.jit(lambda m, x: m @ x)(kind.fromdense(dense), jnp.arange(3.0)), [1, 3, 12])
    matrix = sparse.BCSR.fromdense(dense)
    found = spsolve(matrix.data, matrix.indices, matrix.indptr, jnp.ones(3))
    np.testing.assert_allclose(found, np.linalg.solve(dense, np.ones(3)), rtol=1e-6)


def singular_tridiagonal_systems():
    zero, diagonal = jnp.zeros(3), jnp.array([1.0, 0.0, 3.0])
    found = lax.linalg.tridiagonal_solve(zero, diagonal, zero, jnp.ones((3, 1)), perturb_singular=True)
    np.testing.assert_allclose(found[:, 0], [1, 1 / (3 * np.finfo(np.float32).eps), 1 / 3], rtol=1e-6)


def donation_of_a_state_of_many_sizes():
    """Small and large arrays are updated where they lie, also beside a result of their own and with an ordered effect."""
    seen = []

    def step(state, x):
        io_callback(lambda v: seen.append(float(v)), None, x, ordered=True)
        return [s + x for s in state], x * 2

    state = [jnp.zeros(n) * 1 for n in (4, 1000, 100_000, 3_000_000)]
    places = [s.unsafe_buffer_pointer() for s in state]
    jitted, x = jax.jit(step, donate_argnums=0), jnp.float32(1)
    for _ in range(3):
        given = state
        state, x = jitted(given, x)
        assert all(s.is_deleted() for s in given)
    jax.effects_barrier()
    assert seen == [1, 2, 4] and [float(s[-1]) for s in state] == [7] * 4
    assert [s.unsafe_buffer_pointer() for s in state] == places


def deleted_memory_is_free():
    def used():
        return jax.devices()[0].memory_stats()["bytes_in_use"]

    def free_at_last(x):
        before = used()
        x.delete()
        return before - used()

    assert free_at_last((jnp.ones(1 << 20) * 2).block_until_ready()) == 4 << 20
    seen = jnp.ones(1 << 20) * 2
    view = np.asarray(seen)
    assert free_at_last(seen) == 0 and (view == 2).all()
    before = used()
    del view
    assert before - used() == 4 << 20


def more_memory_than_there_is():
    with pytest.raises(jax.errors.JaxRuntimeError, match=r"RESOURCE_EXHAUSTED.*35184372088832 bytes of results"):
        jnp.zeros(1 << 45, jnp.int8)
    assert (jnp.ones(1 << 16) + 1)[0] == 2


def ahead_of_time():
    compiled = jax.jit(lambda x: x @ x).lower(jnp.ones((4, 4))).compile()
    assert "stablehlo" in compiled.as_text() or "dot" in compiled.as_text()
    assert compiled.memory_analysis().argument_size_in_bytes == 64
    assert compiled.cost_analysis()["bytes accessed"] == 128
    assert (compiled(jnp.ones((4, 4))) == 4).all()


def export_round_trip():
    check = export.DisabledSafetyCheck.platform()
    exported = export.export(jax.jit(jnp.sin), disabled_checks=[check])(jnp.ones(3))
    np.testing.assert_allclose(
        export.deserialize(exported.serialize()).call(jnp.ones(3)), np.sin(np.ones(3)), rtol=1e-6
    )


def executables_are_serialised():
    compiled = jax.jit(jnp.cos).lower(jnp.ones(3)).compile()
    again = serialize_executable.deserialize_and_load(*serialize_executable.serialize(compiled))
    np.testing.assert_allclose(again(jnp.ones(3)), np.cos(np.ones(3)), rtol=1e-6)


def debug_print():
    jax.jit(lambda x: jax.debug.print("seen {}", x))(3.0)
    jax.effects_barrier()


def pure_callback():
    kind = jax.ShapeDtypeStruct((3,), np.float32)
    found = jax.jit(lambda x: 2 * jax.pure_callback(lambda y: np.sin(np.asarray(y)), kind, x))(jnp.arange(3.0))
    np.testing.assert_allclose(found, 2 * np.sin(np.arange(3)), rtol=1e-6)


def io_callbacks_in_order():
    seen = []

    @jax.jit
    def count(n):
        def body(i, _):
            io_callback(lambda v: seen.append(int(v)), None, i, ordered=True)
            return 0

        return lax.fori_loop(0, n, body, 0)

    for _ in range(2):
        count(4)
    jax.effects_barrier()
    assert seen == [0, 1, 2, 3] * 2


def callback_raises():
    def fail(_):
        raise KeyError("told by the callback")

    kind = jax.ShapeDtypeStruct((3,), np.float32)
    with pytest.raises(jax.errors.JaxRuntimeError, match="told by the callback"):
        jax.block_until_ready(jax.jit(lambda x: jax.pure_callback(fail, kind, x))(jnp.arange(3.0)))


def callbacks_give_what_they_promise():
    """Shape and type: JAX narrows 64-bit results where it has none, and converts nothing else."""

    def called(result, dtype="float32"):
        return jax.jit(lambda: jax.pure_callback(lambda: result, jax.ShapeDtypeStruct((), dtype)))()

    assert called(np.float64(1.5)) == called(1.5) == called(np.float32(1.5)) == 1.5 and called(7, "int32") == 7
    logging.getLogger("jax._src.callback").disabled = True
    for wrong, dtype in (
        (7, "float32"),
        (np.float16(1), "float32"),
        (np.int8(1), "int32"),
        (True, "int32"),
        (1.5, "bfloat16"),
    ):
        with pytest.raises(jax.errors.JaxRuntimeError, match=f"must have the type {dtype}, found"):
            called(wrong, dtype)
    with pytest.raises(jax.errors.JaxRuntimeError, match=r"must have the shape \(\), found \(3,\)"):
        called(np.ones(3, np.float32))
    with jax.enable_x64(True):
        assert called(1.5, "float64") == 1.5
        with pytest.raises(jax.errors.JaxRuntimeError, match="must have the type float32, found float64"):
            called(1.5)
    logging.getLogger("jax._src.callback").disabled = False


def buffer_callbacks():
    """Functions that write their results into what they are given, on trees, of any type, in place and under vmap."""
    from jax.experimental.buffer_callback import buffer_callback

    kinds = {"a": jax.ShapeDtypeStruct((3,), jnp.bfloat16), "b": jax.ShapeDtypeStruct((), np.int32)}

    def write(ctx, out, x, *, y):
        assert (x.shape, x.ndim, x.dtype, x.writeable) == ((3,), 1, jnp.bfloat16, False) and out["a"].writeable
        with pytest.raises(Exception, match="stream"):
            str(ctx.stream)
        np.asarray(out["a"])[...] = np.asarray(x) + np.asarray(y)
        np.from_dlpack(out["b"])[...] = ctx.stage.name == "EXECUTE"

    x = jnp.arange(3).astype(jnp.bfloat16)
    found = jax.jit(lambda x: buffer_callback(write, kinds)(x, y=x))(x)
    assert found["a"].tolist() == [0, 2, 4] and found["b"] == 1

    def increase(ctx, out, x):
        np.asarray(out)[...] += np.asarray(x)

    kind = jax.ShapeDtypeStruct((3,), np.float32)
    floats = jnp.arange(3.0)
    assert buffer_callback(increase, kind, input_output_aliases={0: 0})(floats).tolist() == [0, 2, 4]
    assert floats.tolist() == [0, 1, 2]
    in_turn = buffer_callback(
        lambda ctx, out, x: increase(ctx, out, x), kind, input_output_aliases={0: 0}, vmap_method="sequential"
    )
    assert jax.vmap(in_turn)(jnp.ones((2, 3))).tolist() == [[2] * 3] * 2
    with pytest.raises(jax.errors.JaxRuntimeError, match="must return nothing"):
        buffer_callback(lambda ctx, out, x: 1, kind)(floats)


def callbacks_fail_in_their_thread_only():
    def check(x):
        if x < 0:
            raise KeyError("negative")
        return x

    jitted = jax.jit(lambda x: jax.pure_callback(check, jax.ShapeDtypeStruct((), np.float32), x) * 2)

    def fails(n):
        try:
            return float(jitted(jnp.float32(n))) != 2 * n
        except (jax.errors.JaxRuntimeError, ValueError) as error:  # ValueError from the second call on, as on JAX's CPU
            return "negative" in str(error)

    logging.getLogger("jax._src.callback").disabled = True
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(fails, [1, -1, 2, -2] * 50)) == [False, True] * 100
    logging.getLogger("jax._src.callback").disabled = False


def debug_nans():
    with jax.debug_nans(True), pytest.raises(FloatingPointError, match="log"):
        jnp.log(jnp.float32(-1))


class Foreign:
    """An array of another library, of which nothing is known but the protocol."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def dlpack_in():
    for source in (np.arange(4, dtype=np.float32), Foreign(np.arange(4)), jnp.arange(4) + 0, jnp.arange(4) > -1):
        found = jnp.from_dlpack(source)
        assert [d.platform for d in found.devices()] == ["hlo"] and (found + 1).shape == (4,)
    half = jax.dlpack.from_dlpack(jnp.ones(3, jnp.bfloat16) + 1)
    assert half.dtype == jnp.bfloat16 and half.tolist() == [2] * 3 and [d.platform for d in half.devices()] == ["hlo"]
    large = jnp.arange(10000.0) + 1
    shared = jnp.from_dlpack(large, copy=False)
    assert shared.unsafe_buffer_pointer() == large.unsafe_buffer_pointer()
    assert jnp.from_dlpack(large, copy=True).unsafe_buffer_pointer() != large.unsafe_buffer_pointer()
    with pytest.raises(ValueError, match="would be copied"):
        jnp.from_dlpack(np.arange(4, dtype=np.float32), copy=False)
    on_cpu = jnp.from_dlpack(np.arange(4), device=jax.devices("cpu")[0])
    assert [d.platform for d in on_cpu.devices()] == ["cpu"]


def dlpack_out():
    x = jnp.arange(10000.0) + 1
    view, place = np.from_dlpack(x), x.unsafe_buffer_pointer()
    assert view.ctypes.data == place and x.__dlpack_device__() == (1, 0)
    x = jax.jit(lambda x: x * 0, donate_argnums=0)(x)
    assert view[:3].tolist() == [1, 2, 3] and x[1] == 0
    assert "dltensor" in repr(x.__dlpack__()) and "versioned" in repr(x.__dlpack__(max_version=(1, 0)))
    assert np.from_dlpack(jax.device_put(x, jax.devices("cpu")[0])).shape == (10000,)
    assert "dltensor" in repr((x[:3].astype(jnp.bfloat16)).__dlpack__())
    with pytest.raises(BufferError, match="asked for the device"):
        x.__dlpack__(dl_device=(2, 0))


def memory_stats():
    gc.collect()
    before = jax.devices()[0].memory_stats()["bytes_in_use"]
    x = jnp.ones(1 << 18) * 2
    x.block_until_ready()
    assert jax.devices()[0].memory_stats()["bytes_in_use"] - before >= x.nbytes


def profiler():
    with tempfile.TemporaryDirectory() as folder, jax.profiler.trace(folder):
        jnp.ones(3).block_until_ready()


def shardings_on_one_device():
    mesh = jax.make_mesh((1,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
    sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("x"))
    x = jax.device_put(jnp.arange(4.0), sharding)
    f = jax.jit(lambda x: lax.with_sharding_constraint(x + 1, sharding), in_shardings=sharding, out_shardings=sharding)
    assert f(x).tolist() == [1, 2, 3, 4]
    spec = jax.sharding.PartitionSpec("x")
    g = jax.shard_map(lambda x: lax.psum(x * 2, "x"), mesh=mesh, in_specs=spec, out_specs=jax.sharding.PartitionSpec())
    assert jax.jit(g)(jnp.arange(4.0)).tolist() == [0, 2, 4, 6]


def functions_are_as_exact_as_hlos():
    """jaxlib hands erf, asin and their like over with decompositions into StableHLO, which are less exact: erf of small numbers was off by 32 ulp."""
    from scipy import special

    x = np.array([1.4759442e-38, 3e-20, 0.1, 0.84, 3.5], np.float32)
    exact = special.erf(x.astype(np.float64)).astype(np.float32)
    np.testing.assert_array_max_ulp(np.asarray(lax.erf(x)), exact, maxulp=2)


def windows_of_negative_sizes():
    """XLA's form of this program ends the process that makes it: jaxlib must not need it to compile."""
    outside = jax.jit(lambda x: lax.reduce_window(x, np.float32(0), lax.add, (2,), (1,), ((-1, -3),)))
    assert outside(jnp.ones(3)).shape == (0,)


def layouts():
    """Row-major, of results, arguments and arrays of every number of dimensions."""
    compiled = jax.jit(lambda x, y: (x.sum(), y, x[None])).lower(np.ones((2, 3)), np.ones(4, np.int8)).compile()
    program = compiled.runtime_executable()
    assert [str(found) for found in program.get_output_layouts()] == ["{}", "{0}", "{2,1,0}"]
    assert [str(found) for found in program.get_parameter_layouts()] == ["{1,0}", "{0}"]
    ten = (1,) * 10
    assert jnp.ones((2, 3)).format.layout.major_to_minor == (0, 1)
    assert jnp.ones((*ten, 2)).format.layout.major_to_minor == tuple(range(11))
    assert compiled.input_formats[0][0].layout.major_to_minor == (0, 1)


def refused_programs_name_op_and_line():
    kind = jax.ShapeDtypeStruct((3,), np.float32)
    with pytest.raises(
        jax.errors.JaxRuntimeError, match=r"UNIMPLEMENTED: .*backend_features.py:\d+:\d+: .*'nobody_has_this'"
    ) as told:
        jax.jit(lambda x: jax.ffi.ffi_call("nobody_has_this", kind)(x))(jnp.ones(3))
    assert _line(told.value) == "jax.jit(lambda x: jax.ffi.ffi_call"


def failing_programs_name_op_and_line():
    @register("test.fails")
    def fails(x):
        raise ValueError("what it says")

    kind = jax.ShapeDtypeStruct((3,), np.float32)
    with pytest.raises(jax.errors.JaxRuntimeError, match=r"custom call @test.fails: ValueError: what it says") as told:
        jax.jit(lambda x: jax.ffi.ffi_call("test.fails", kind)(x))(jnp.ones(3))
    assert _line(told.value) == "jax.jit(lambda x: jax.ffi.ffi_call"


def _line(error):
    """The beginning of the line that a message names."""
    number = int(re.search(r"backend_features.py:(\d+):", str(error))[1])
    return Path(__file__).read_text().splitlines()[number - 1].split('("')[0].strip()


def deleted_arrays():
    x = jnp.ones(3) + 1
    x.delete()
    with pytest.raises(RuntimeError, match="deleted"):
        x + 1


FEATURES = {
    f.__name__: f
    for f in (
        platform_is_hlo, element_types, x64, empty_and_strided_arrays, pytrees, donation_reuses_memory,
        donation_leaves_what_others_see, donation_of_a_state_of_many_sizes, deleted_memory_is_free,
        a_buffer_is_not_donated_twice, compiler_options_are_those_of_xla, checks_of_checkify, sparse_matrices, singular_tridiagonal_systems,
        more_memory_than_there_is, callbacks_fail_in_their_thread_only, ahead_of_time, export_round_trip, executables_are_serialised, debug_print,
        pure_callback, io_callbacks_in_order, callback_raises, callbacks_give_what_they_promise, buffer_callbacks, debug_nans, dlpack_in, dlpack_out, memory_stats, profiler,
        shardings_on_one_device, refused_programs_name_op_and_line,
        failing_programs_name_op_and_line, deleted_arrays, windows_of_negative_sizes, layouts, functions_are_as_exact_as_hlos,
    )
}  # fmt: skip
