"""Users' functions of XLA's FFI in programs of JAX on hlo, compiled with jaxlib's own headers."""

import shutil
import subprocess
from pathlib import Path

import pytest
from test_jax_backend import START, run

COMPILER = shutil.which("g++") or shutil.which("clang++")
SOURCE = (Path(__file__).parents[2] / "support" / "jax_programs") / "ffi_handlers.cc"

pytestmark = pytest.mark.skipif(COMPILER is None, reason="needs a C++ compiler")


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    jax = pytest.importorskip("jax")
    path = tmp_path_factory.mktemp("ffi") / "handlers.so"
    command = [COMPILER, "-std=c++17", "-O1", "-shared", "-fPIC", "-w", "-I", jax.ffi.include_dir(), SOURCE, "-o", path]
    subprocess.run(command, check=True)
    return path


REGISTER = """
import ctypes, os, numpy as np
jax.config.update("jax_enable_x64", True)
library, platform = ctypes.CDLL(os.environ["HANDLERS"]), os.environ.get("NAME", "hlo")
for name in ("scale", "sum", "copy"):
    jax.ffi.register_ffi_target(name, jax.ffi.pycapsule(getattr(library, name)), platform=platform)
S = jax.ShapeDtypeStruct
def scale(x, factor=2.0):
    kinds = S(x.shape, jnp.float32), S((), jnp.int32)
    return jax.ffi.ffi_call("scale", kinds)(x, factor=np.float32(factor), shift=np.int64(1))
def copy(x):
    return jax.ffi.ffi_call("copy", S(x.shape, x.dtype))(x)
def total(**attributes):
    return jax.ffi.ffi_call("sum", S((), jnp.float64))(**attributes)
"""


def found(library, code, start=START, **environment):
    done = run(start + REGISTER + code, HANDLERS=str(library), **environment)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.splitlines()


CALLS = """
x = jnp.arange(6, dtype=jnp.float32).reshape(2, 3)
out, count = jax.jit(scale)(x)
print(out.tolist(), int(count))
print(jax.jit(lambda x: jax.lax.fori_loop(0, 3, lambda i, y: scale(y)[0], x))(x[0]).tolist())
print(float(total(flag=True, small=np.uint8(200), wide=0.5, text="four", numbers=np.array([10, 20]), none=np.zeros(0, np.float32))))
print(scale(jnp.zeros((0, 3), jnp.float32))[0].shape, float(scale(jnp.float32(4), 0.5)[0]))
for kind in (bool, "i1", "u2", "i4", "f2", "bfloat16", "f8", "c8", "c16", "float8_e4m3fn"):
    y = jnp.ones((2, 2), kind)
    assert np.array_equal(np.asarray(copy(y)).astype("c16"), np.asarray(y).astype("c16")), kind
"""


@pytest.mark.sampled(2)
@pytest.mark.parametrize("mode", ["hlo", "cpu"])
def test_calls(mode, library):
    environment = {"NAME": "cpu", "HLO_AS_CPU": "1"} if mode == "cpu" else {}
    rows = found(library, CALLS, **environment)
    assert rows[0] == "[[1.0, 3.0, 5.0], [7.0, 9.0, 11.0]] 6"
    assert rows[1] == "[7.0, 15.0, 23.0]"
    assert rows[2] == str(1 + 200 + 0.5 + 4 + 30)
    assert rows[3] == "(0, 3) 3.0"


THREADS = """
from concurrent.futures import ThreadPoolExecutor
f = jax.jit(lambda x: copy(x + jnp.int8(0)))
def attempt(number):
    try:
        return int(f(jnp.full(4, number, jnp.int8))[0])
    except (ValueError, RuntimeError) as error:
        return "<string>" in str(error) and "custom call @copy: FfiError: OUT_OF_RANGE: a negative byte" in str(error)
with ThreadPoolExecutor(4) as threads:
    answers = list(threads.map(attempt, [n if n % 3 else -n - 1 for n in range(60)]))
print(answers == [n if n % 3 else True for n in range(60)], attempt(5))
"""


def test_errors_in_several_threads(library):
    """The error of each call is its own, and the next call is right."""
    assert found(library, THREADS) == ["True 5"]


KEPT = """
print(jax.jit(scale)(jnp.ones(2, jnp.float32))[0].tolist())
"""


def test_a_program_that_is_kept_on_disk(library, tmp_path):
    """A second process takes machine code and attributes from the cache."""
    for _ in range(2):
        environment = {"HLO_CACHE_DIR": str(tmp_path / "hlo"), "JAX_COMPILATION_CACHE_DIR": str(tmp_path / "jax")}
        rows = found(library, KEPT, JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS="0", **environment)
        assert rows == ["[3.0, 3.0]"]


def test_on_several_devices(library):
    code = "print(jax.pmap(lambda x: scale(x)[0])(jnp.arange(4, dtype=jnp.float32).reshape(2, 2)).tolist())"
    assert found(library, code, HLO_DEVICES="2") == ["[[1.0, 3.0], [5.0, 7.0]]"]


REFUSED = """
def told(call):
    try:
        call()
    except Exception as error:
        print(str(error).splitlines()[0])
told(lambda: jax.ffi.register_ffi_target("future", jax.ffi.pycapsule(library.future), platform=platform))
told(lambda: jax.ffi.register_ffi_target("old", jax.ffi.pycapsule(library.copy), platform=platform, api_version=0))
told(lambda: jax.ffi.register_ffi_target("text", "copy", platform=platform))
told(lambda: jax.ffi.register_ffi_target("staged", dict(execute=jax.ffi.pycapsule(library.copy), prepare=jax.ffi.pycapsule(library.copy)), platform=platform))
told(lambda: jax.ffi.ffi_call("scale", S((3,), jnp.float32))(jnp.ones(3, jnp.float32)))
square = S((2, 2), jnp.float32)
told(lambda: jax.ffi.ffi_call("copy", square, input_layouts=[(1, 0)])(jnp.ones((2, 2), jnp.float32)))
told(lambda: jax.ffi.ffi_call("copy", square, input_output_aliases={0: 0})(jnp.ones((2, 2), jnp.float32)))
"""


def test_refused(library):
    rows = found(library, REFUSED)
    version = (
        "FFI target 'future' was compiled for version 1.7 of XLA's FFI; hlo has 0.1 to 0.5: compile it with the headers"
    )
    assert rows[0].startswith(version)
    assert rows[1:4] == [
        "FFI target 'old': hlo takes api_version 1, found 0",
        "FFI target 'text' must be a PyCapsule with a function's address, found 'copy'",
        "FFI target 'staged': hlo calls the stage 'execute' only, found ['execute', 'prepare']",
    ]
    assert "Wrong number of results" in rows[4] and "expected 2 but got 1" in rows[4]
    assert "custom call @copy: hlo gives functions row-major arrays of their own, found layouts" in rows[5]
    assert "custom call @copy: hlo gives functions row-major arrays of their own, found aliases" in rows[6]
