"""JAX programs with HLO_AS_CPU=1: hlo in the place of JAX's own CPU backend, under its name."""

import pytest
from test_jax_backend import run

FIRST = "import jax, jax.numpy as jnp, numpy as np\n"


def as_cpu(code, platform="", **environment):
    """The words that a program prints."""
    done = run(FIRST + code, platform, HLO_AS_CPU="1", **environment)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.split()


DEVICES = """
device, = jax.devices("cpu")
assert [device] == jax.devices() == jax.devices("hlo") and "hlo" in device.client.platform_version
x = jax.device_put(jnp.arange(3.0), device)
print(jax.default_backend(), device.platform, device.device_kind, x.devices() == {device}, (jnp.sin(x) @ x).dtype)
"""


@pytest.mark.parametrize("platform", ["", "cpu", "hlo"])
def test_it_is_the_cpu_device(platform):
    assert as_cpu(DEVICES, platform) == ["cpu", "cpu", "cpu", "True", "float32"]


def test_zero_changes_nothing():
    done = run(FIRST + "print('hlo' in jax.devices()[0].client.platform_version)", "cpu", HLO_AS_CPU="0")
    assert done.stdout.strip() == "False", done.stderr


def test_another_value():
    done = run(FIRST + "jax.devices()", "", HLO_AS_CPU="yes")
    assert done.returncode == 1 and "HLO_AS_CPU takes 0 or 1, found 'yes'" in done.stderr.splitlines()[-1]


def test_several_devices():
    code = (
        "f = jax.pmap(lambda x: jax.lax.psum(x, 'i'), 'i'); print(len(jax.devices('cpu')), *f(jnp.arange(3)).tolist())"
    )
    assert as_cpu(code, JAX_NUM_CPU_DEVICES="3") == ["3", "3", "3", "3"]


EXPORTED = """
import pathlib, sys
from jax import export
path = pathlib.Path(PATH)
if WRITE:
    shape = jax.ShapeDtypeStruct((3, 3), jnp.float32)
    path.write_bytes(export.export(jax.jit(jnp.linalg.cholesky), platforms=["cpu"])(shape).serialize())
else:
    a = np.array([[4, 2, 0], [2, 5, 0], [0, 0, 9]], np.float32)
    print(*np.asarray(export.deserialize(path.read_bytes()).call(a)).ravel())
"""


def test_what_was_exported_for_cpu(tmp_path):
    """By JAX's own CPU backend, in a process of its own."""
    path = tmp_path / "exported"
    done = run(FIRST + EXPORTED.replace("PATH", repr(str(path))).replace("WRITE", "True"), "cpu")
    assert done.returncode == 0, done.stderr[-3000:]
    found = as_cpu(EXPORTED.replace("PATH", repr(str(path))).replace("WRITE", "False"))
    assert list(map(float, found)) == [2, 0, 0, 1, 2, 0, 0, 0, 3]


CALLBACKS = """
from jax.experimental import io_callback
seen = []
def twice(x):
    "Computes with JAX, in the middle of a program."
    seen.append(type(x).__name__)
    return np.asarray(jax.jit(lambda y: y * 2)(jnp.asarray(x)))
kind = jax.ShapeDtypeStruct((4,), jnp.float32)
f = jax.jit(lambda x: jax.pure_callback(twice, kind, x + 1) + io_callback(twice, kind, x, ordered=True))
print(*f(jnp.arange(4.0)).tolist(), len(seen))
g = jax.jit(lambda x: jax.lax.fori_loop(0, 3, lambda i, y: jax.pure_callback(twice, kind, y), x))
print(*g(jnp.arange(4.0)).tolist())
jax.jit(lambda x: jax.debug.print("x={}", x))(5)
jax.effects_barrier()
"""


def test_callbacks():
    assert as_cpu(CALLBACKS) == ["2.0", "6.0", "10.0", "14.0", "2", "0.0", "8.0", "16.0", "24.0", "x=5"]


DLPACK = """
for kind in (jnp.float32, jnp.bfloat16, jnp.int8, jnp.bool_):
    x = (jnp.arange(20000) % 7).astype(kind)
    again = jnp.from_dlpack(x)
    assert again.dtype == x.dtype and again.devices() == x.devices() and np.array_equal(again, x)
    assert again.unsafe_buffer_pointer() == x.unsafe_buffer_pointer(), kind
    place = x.unsafe_buffer_pointer()
    del x
    assert np.array_equal(again, np.arange(20000) % 7 if kind != jnp.bool_ else np.arange(20000) % 7 > 0), kind
    assert again.unsafe_buffer_pointer() == place and (again + again).dtype == again.dtype
print(jax.devices()[0].memory_stats()["bytes_in_use"] < 200000)
"""


def test_dlpack():
    assert as_cpu(DLPACK) == ["True"]


ODD_PLACE = """
from hlo.runtime.gpu.dlpack import Description, make_capsule
memory = np.arange(1000, dtype=np.uint16)
class Lender:
    def __dlpack_device__(self):
        return 1, 0
    def __dlpack__(self, **_):
        view = memory[3:]
        return make_capsule(Description(view.ctypes.data, view.shape, None, jnp.bfloat16.dtype, (1, 0)), memory)
x = jnp.from_dlpack(Lender())
memory[:] = 0
print(x.dtype, *np.asarray(x).view(np.uint16)[[0, -1]].tolist())
"""


def test_dlpack_at_an_address_that_programs_do_not_take():
    """The array is a copy."""
    assert as_cpu(ODD_PLACE) == ["bfloat16", "3", "999"]


RULES = """
from jax._src.lax import lax
bits = jax.random.bits(jax.random.key(3), (5,))
assert jax.jit(lambda a, b: jax.lax.dot(a, b, precision="F32_F32_F32"))(jnp.eye(2), jnp.eye(2)).tolist() == [[1, 0], [0, 1]]
print(*bits.tolist(), *np.linalg.eigvals(np.eye(2)).real, *jnp.linalg.eigvals(jnp.eye(2)).real.tolist())
"""


def test_rules_of_the_platform():
    """Random bits are those of JAX's own CPU backend, linear algebra is LAPACK's."""
    theirs = run(FIRST + RULES, "cpu").stdout.split()
    assert len(theirs) == 9 and as_cpu(RULES) == theirs
