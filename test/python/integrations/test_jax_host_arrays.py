"""Host arrays that become JAX's arrays on hlo: values, memory, and that ordinary ones come there without Python."""

import pytest
from test_jax_backend import run

VALUES = """
import jax, jax.numpy as jnp, ml_dtypes, numpy as np
jax.config.update("jax_enable_x64", True)
TYPES = ["bool", "int8", "uint16", "int32", "int64", "uint64", "float16", "float32", "float64", "complex64", "complex128"]
TYPES += [getattr(ml_dtypes, name) for name in ("bfloat16", "float8_e4m3fn", "int4", "uint4")]
SHAPES = [(), (0,), (1,), (7,), (2, 0, 3), (2, 3, 4), (1, 5, 1), (3, 1, 1, 2), (70, 90)]
def unaligned(a):
    raw = np.zeros(a.nbytes + 1, np.uint8)
    made = np.ndarray(a.shape, a.dtype, raw, 1)
    made[...] = a
    return made
def one_of_each(a):
    # NumPy leaves strides of dimensions of one element to whom makes the array.
    strides = tuple(s if n > 1 else 8 * a.itemsize for n, s in zip(a.shape, a.strides))
    return np.lib.stride_tricks.as_strided(a, a.shape, strides)
LAYOUTS = {
    "rows": lambda a: a, "columns": np.asfortranarray, "reversed": lambda a: a[::-1] if a.ndim else a, "unaligned": unaligned,
    "every second": lambda a: np.concatenate([a, a], -1)[..., ::2] if a.ndim else a, "transposed": lambda a: a.T,
    "repeated": lambda a: np.broadcast_to(a, (3, *a.shape)), "strides of one": one_of_each,
}
rng = np.random.default_rng(0)
for kind in TYPES:
    for shape in SHAPES:
        numbers = np.asarray(rng.integers(0, 7, shape)).astype(kind)
        for name, make in LAYOUTS.items():
            host = make(numbers)
            found = jax.device_put(host)
            assert (found.dtype, found.shape) == (host.dtype, host.shape), (kind, shape, name)
            assert np.array_equal(np.asarray(found), host), (kind, shape, name, found, host)
            assert np.array_equal(np.asarray(jax.jit(lambda x: x[None])(host))[0], host), (kind, shape, name)
for value in (True, False, 3, -1.5, 2 + 1j, np.bool_(True), np.int8(-3), np.float64("nan")):
    found = jax.jit(lambda x: x)(value)
    assert found.dtype == jnp.asarray(value).dtype and np.array_equal(found, value, equal_nan=value != value), (value, found)
print("equal")
"""

BOOLEANS = """
import jax, jax.numpy as jnp, numpy as np
for size in (5, 20000):
    print(jax.jit(lambda x: x.astype(jnp.int32).sum())(np.full(size, 2, np.uint8).view(bool)))
"""

MEMORY = """
import gc, jax, numpy as np
device = jax.devices()[0]
used = lambda: device.memory_stats()["bytes_in_use"]
def stays(size):
    host = np.arange(size, dtype=np.float32)
    found = jax.numpy.array(host)
    host[:] = -1
    return bool((np.asarray(found) == np.arange(size)).all())
jax.device_put(np.zeros(3))
gc.collect()
for size in (0, 3, 5000, 100000):
    before, host = used(), np.zeros(size, np.float32)
    arrays = [jax.device_put(host) for _ in range(50)]
    during = used() - before
    del arrays
    gc.collect()
    print(during == 50 * host.nbytes, used() == before, stays(size))
kept = jax.device_put(np.arange(6.0, dtype=np.float32).reshape(2, 3))
others = [jax.device_put(np.full((2, 3), n, np.float32)) for n in range(1000)]
print(kept.shape, (kept + 1).tolist(), float(sum(o.sum() for o in others)))
"""

BORROWED = """
import gc, weakref, jax, numpy as np
device = jax.devices()[0]
used = lambda: device.memory_stats()["bytes_in_use"]
class Owner(np.ndarray):
    pass
def aligned(size):
    raw = np.zeros(size + 64, np.uint8).view(Owner)
    start = -raw.ctypes.data % 64
    return raw[start : start + size].view(np.float32), weakref.ref(raw)
jax.device_put(np.zeros(3))
gc.collect()
for size in (1 << 13, (1 << 14) - 64, 1 << 14, 1 << 22):
    before = used()
    host, owner = aligned(size)
    host[:] = np.arange(host.size) % 1000
    found = jax.device_put(np.asarray(host))
    shared = found.unsafe_buffer_pointer() == host.ctypes.data
    right, counted = bool((np.asarray(found + 1) == host + 1).all()), used() - before >= size
    del host
    gc.collect()
    kept = owner() is not None and bool((np.asarray(found)[:3] == [0, 1, 2]).all())
    del found
    gc.collect()
    jax.device_put(np.zeros(3))
    gc.collect()
    print(shared, right, counted, kept == shared, owner() is None, used() - before)
"""

WITHOUT_PYTHON = """
import sys, jax, jax.numpy as jnp, numpy as np
x, product = jnp.ones((2, 3)), jax.jit(lambda a, b: a * b)
HOST = {
    "scalars": [2, 2.5, True, np.float32(3), np.int32(4)],
    "arrays": [np.ones((2, 3), np.float32), np.ones((2, 3), bool), np.ones((1, 1), np.int32), np.ones((200, 2, 3), np.float32)],
    "other strides": [np.ones((3, 2), np.float32).T],
}
for name, values in HOST.items():
    called = set()
    def note(frame, event, _):
        if event == "call" and frame.f_globals.get("__name__", "").startswith("hlo."):
            called.add(frame.f_code.co_name)
    for value in values:
        product(x, value), jax.device_put(value)
        sys.setprofile(note)
        product(x, value), jax.device_put(value)
        sys.setprofile(None)
    print(name, "Client_BufferFromHostBuffer" in called, len(called) > 0)
"""


def printed(code, **environment):
    done = run(code, **environment)
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
    return done.stdout.splitlines()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("platform", ["hlo", "cpu"])
def test_values_of_all_types_and_strides(platform):
    """JAX's CPU backend says that the program itself is right."""
    assert printed(VALUES, platform=platform) == ["equal"]


def test_every_boolean_that_is_not_0_is_true():
    assert printed(BOOLEANS) == ["5", "20000"]


def test_copies_are_counted_and_freed_and_stay_as_they_were():
    same = [[n, n + 1.0, n + 2.0] for n in (1.0, 4.0)]
    *rows, last = printed(MEMORY)
    assert rows == ["True True True"] * 4
    assert last == f"(2, 3) {same} {6.0 * sum(range(1000))}"


def test_large_aligned_arrays_are_used_where_they_lie():
    """They live as long as JAX's array does; smaller ones are copied."""
    rows = printed(BORROWED)
    assert rows == [f"{shared} True True True True 0" for shared in (False, False, True, True)]


def test_ordinary_host_arrays_need_no_python():
    """Those with other strides do, which shows that calls of Python would be seen."""
    assert printed(WITHOUT_PYTHON) == ["scalars False False", "arrays False False", "other strides True True"]
