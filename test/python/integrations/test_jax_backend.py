"""JAX on hlo: ordinary JAX programs in a process whose platform is hlo, compared with JAX's own CPU backend in a second one."""

import importlib
import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from jax_programs import AREAS, SLOW
from jax_programs.backend_features import FEATURES

CHILD = Path(__file__).parents[2] / "support" / "jax_backend_child.py"
TOLERANCE = 2e-5


def run(code, platform="hlo", **environment):
    """Runs Python code or a script with JAX on a platform; returns the finished process."""
    paths = os.pathsep.join([str(CHILD.parent), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": paths, "JAX_PLATFORMS": platform, **environment}
    arguments = ["-c", code] if isinstance(code, str) else [str(part) for part in code]
    return subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, text=True, timeout=300)


def found_by_child(out, kind, platform, *names):
    done = run([CHILD, kind, out, *names], platform)
    assert done.returncode == 0, done.stderr[-3000:]
    return pickle.loads(out.read_bytes())


@pytest.fixture(scope="module")
def features(tmp_path_factory):
    return found_by_child(tmp_path_factory.mktemp("jax") / "features", "features", "hlo")


@pytest.mark.parametrize("name", FEATURES)
def test_feature(name, features):
    assert features[name] == [], features[name]


def row_names(area):
    return [row[0] for row in importlib.import_module(f"jax_programs.{area}").PROGRAMS]


def close(found, expected, tolerance):
    """Integers exactly, floats relative to their own size and, below it, to 1 or the largest that there is."""
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    if expected.dtype.kind in "iub":
        np.testing.assert_array_equal(found, expected)
        return
    wide = np.complex128 if expected.dtype.kind == "c" else np.float64
    np.testing.assert_allclose(found.astype(wide), expected.astype(wide), rtol=tolerance, atol=tolerance)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("area", [pytest.param(a, marks=[pytest.mark.slow] if a in SLOW else []) for a in AREAS])
def test_programs_as_on_cpu(area, tmp_path):
    with ThreadPoolExecutor() as children:
        found, expected = children.map(
            lambda platform: found_by_child(tmp_path / platform, "programs", platform, area), ("hlo", "cpu")
        )
    table = {f"{area}-{row[0]}": row for row in importlib.import_module(f"jax_programs.{area}").PROGRAMS}
    assert found.keys() == expected.keys() == table.keys()
    failures = {}
    for name, row in table.items():
        tolerance = row[3] if len(row) > 3 else TOLERANCE
        try:
            assert not isinstance(found[name], str), found[name][-600:]
            assert not isinstance(expected[name], str), expected[name][-600:]
            assert len(found[name]) == len(expected[name])
            for ours, theirs in zip(found[name], expected[name]):
                close(ours, theirs, tolerance)
        except AssertionError as error:
            failures[name] = str(error)
    assert not failures, "\n".join(f"{name}: {text}" for name, text in failures.items())


START = "import hlo.jax; hlo.jax.register(); import jax, jax.numpy as jnp; "


def test_not_asked_for_is_not_used():
    done = run("import hlo.jax; hlo.jax.initialize(); import jax; print(jax.default_backend())", platform="")
    assert done.stdout.strip() == "cpu", done.stderr
    done = run(
        "import hlo.jax; hlo.jax.initialize(); import sys; print('hlo.jax.table' in sys.modules, 'mlir' in sys.modules)",
        platform="cpu",
    )
    assert done.stdout.strip() == "False False", done.stderr


def test_found_by_its_entry_point(tmp_path):
    """JAX also looks into the namespace package jax_plugins, which needs no installed distribution."""
    package = tmp_path / "jax_plugins" / "hlo_here"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("from hlo.jax import initialize\n")
    paths = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = run("import jax; print(jax.devices()[0].platform, jax.numpy.arange(3).sum())", PYTHONPATH=paths)
    assert done.stdout.split() == ["hlo", "3"], done.stderr


CLASHES = {
    "another plugin of the name": (
        "from jax._src import xla_bridge; xla_bridge.register_backend_factory('hlo', dict); import hlo.jax; hlo.jax.register()",
        "RuntimeError: another plugin has offered JAX a platform 'hlo': hlo's cannot be used together with it",
    ),
    "too late": (
        "import jax; jax.config.update('jax_platforms', 'cpu'); jax.devices(); import hlo.jax; hlo.jax.register()",
        "RuntimeError: JAX has its backends already: set JAX_PLATFORMS=hlo or HLO_AS_CPU=1, or call hlo.jax.register() before JAX is used",
    ),
    "a version that JAX finds by itself": (
        "import jax, hlo.jax, hlo.jax.versions as v; v.FIRST_UNKNOWN = (0, 8); hlo.jax.initialize(); jax.devices()",
        "RuntimeError: Unable to initialize backend 'hlo': hlo's JAX backend works with jax 0.8 to below 0.8, found",
    ),
}


@pytest.mark.parametrize("case", CLASHES)
def test_platform_clash(case):
    """The last line of the traceback says it."""
    code, message = CLASHES[case]
    done = run(code)
    assert done.returncode == 1 and done.stderr.splitlines()[-1].startswith(message), done.stderr


@pytest.mark.parametrize("platforms", ["hlo", "hlo,cpu", "cpu,hlo"])
def test_platforms_side_by_side(platforms):
    """The first is the default; registering twice changes nothing."""
    code = (
        START
        + "hlo.jax.register(); hlo.jax.initialize(); print(*[(d.platform, str(jnp.sin(jax.device_put(0.0, d)))) for d in"
    )
    done = run(code + " jax.devices() + jax.devices('hlo') + jax.devices('cpu')])", platforms)
    first = platforms.split(",")[0]
    assert done.stdout.strip() == f"('{first}', '0.0') ('hlo', '0.0') ('cpu', '0.0')", done.stderr


@pytest.mark.parametrize("end", ["", "; raise KeyError('as it was')", "; import sys; sys.exit(3)"])
def test_exit_with_live_buffers(end):
    done = run(START + "x = jnp.ones(100000) * 2; y = jax.jit(jnp.sin)(x)" + end)
    assert done.returncode == (3 if "exit" in end else 1 if end else 0), done.stderr
    assert ("as it was" in done.stderr) == ("KeyError" in end)
    assert "Fatal" not in done.stderr


EVERY_STEP = """
import sys, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from hlo.jax.table import _Callback
left, error = 0, None
def trace(frame, event, argument):
    global left
    if frame.f_code is not _Callback.call.__code__:
        return trace
    frame.f_trace_opcodes = True
    left -= event != "line"
    if left == 0:
        raise error
    return trace
x = jax.device_put(jnp.arange(4.0))
def outcome():
    try:
        sys.settrace(trace)
        try:
            jax.device_put(x, may_alias=False)
        finally:
            sys.settrace(None)
        return "right" if left > 0 else "swallowed"
    except jax.errors.JaxRuntimeError:
        return "JAX's error"
def raised():
    try:
        found = outcome()
        return found
    except KeyboardInterrupt:
        return "KeyboardInterrupt"
for error in (KeyboardInterrupt("a step"), RecursionError("a step")):
    found, step = [], 0
    while not found or found[-1] != "right":
        step += 1
        left = step
        found.append(raised())
    print(len(found) > 10, set(found[:-1]), (jax.device_put(x, may_alias=False) + 1).tolist())
"""


def test_an_exception_at_any_step_of_a_function_of_the_table():
    """An interrupt is raised behind the call, instead of the error that JAX made of it or in what handles that."""
    done = run(START + EVERY_STEP)
    wanted = [f"True {{{kind!r}}} [1.0, 2.0, 3.0, 4.0]" for kind in ("KeyboardInterrupt", "JAX's error")]
    assert done.stdout.splitlines() == wanted, done.stdout + done.stderr[-3000:]


@pytest.mark.slow
def test_stress():
    """`python test/support/jax_stress.py 60` is the same for a minute."""
    done = run([CHILD.with_name("jax_stress.py"), 5, 8])
    assert done.returncode == 0 and "stress passed" in done.stdout, done.stdout + done.stderr[-3000:]


SMALL_ARRAYS = """
step = jax.jit(lambda x, y: x + y, donate_argnums=0)
x = y = jnp.ones(8) + 1
view = np.asarray(y)
x = x + 0
place = x.unsafe_buffer_pointer()
z = step(x, y)
assert x.is_deleted() and z.unsafe_buffer_pointer() == place and z.tolist() == [4] * 8
assert step(y, z).tolist() == [6] * 8 and view.tolist() == [2] * 8, "a numpy view of a donated array was overwritten"
kept = np.asarray(z + 1)
try:
    step(z, z)
except ValueError as error:
    assert "donated and is another argument too" in str(error)
else:
    raise SystemExit("a buffer that is read was overwritten")
assert step(z, z + 0).tolist() == [8] * 8 and z.is_deleted()
del z
assert kept.tolist() == [5] * 8
print("as it should be", "mlir" in sys.modules)
"""


def test_small_arrays_need_no_python(tmp_path):
    """Donation and views of arrays that machine code makes; a second process needs no compiler."""
    code = START + "import sys, numpy as np\n" + SMALL_ARRAYS
    for compiler in ("True", "False"):
        done = run(code, HLO_CACHE_DIR=str(tmp_path / "cache"))
        assert done.stdout.split()[-1:] == [compiler], done.stderr


COMPILE_ONCE = """
import sys, hlo
jax.config.update("jax_compilation_cache_dir", sys.argv[1])
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
count, original = [], hlo.compile
hlo.compile = lambda *given, **options: count.append(1) or original(*given, **options)
x = jnp.arange(9.0).reshape(3, 3) + jnp.eye(3)
print(jax.jit(lambda x: jnp.sin(x) @ x + jnp.linalg.inv(x)[0])(x).tolist())
print(float(jax.jit(lambda x: jax.pure_callback(lambda y: y + int(sys.argv[2]), x, x))(jnp.float32(1))))
print(len(count))
"""


def test_compilation_cache_across_processes(tmp_path):
    """The second process compiles nothing but what calls Python: that function is its own."""
    code = START + COMPILE_ONCE
    lines = [
        run(["-c", code, tmp_path / "jax", number], HLO_CACHE_DIR="").stdout.splitlines()[-3:] for number in (10, 20)
    ]
    assert lines[0][0] == lines[1][0], lines
    assert [line[1] for line in lines] == ["11.0", "21.0"]
    assert int(lines[0][2]) > 2 and lines[1][2] == "1", lines


def test_serialised_executables_are_compiled_again_by_another_hlo():
    """Also where the machine code cannot be used; what is no executable is refused."""
    code = START + SERIALISED
    done = run(code)
    assert done.stdout.split() == ["1.0", "again", "1.0", "refused"], done.stderr


SERIALISED = """
from jax.experimental import serialize_executable as se
import hlo.jax.programs.serialised as serialised
data, ins, outs = se.serialize(jax.jit(jnp.cos).lower(0.0).compile())
print(se.deserialize_and_load(data, ins, outs)(0.0))
serialised._compiler = lambda: "another"
compile_artifact = serialised.compile_artifact
serialised.compile_artifact = lambda *given: print("again") or compile_artifact(*given)
print(se.deserialize_and_load(data, ins, outs)(0.0))
try:
    serialised.load(b"no program at all")
except ValueError as error:
    assert str(error) == "this is no executable that hlo has serialised"
    print("refused")
"""


@pytest.mark.slow
def test_training_as_on_cpu():
    """Every loss of examples/jax_training.py, step by step."""
    script = CHILD.parents[2] / "examples" / "jax_training.py"
    code = f"import hlo.jax; hlo.jax.register(); import runpy, sys; sys.argv[1:] = ['12']; runpy.run_path({str(script)!r}, run_name='__main__')"
    found, expected = (run(code, platform) for platform in ("hlo", "cpu"))
    assert found.returncode == expected.returncode == 0, found.stderr[-3000:]
    ours, theirs = ([line.split() for line in done.stdout.splitlines()] for done in (found, expected))
    assert (ours[0][1], theirs[0][1]) == ("hlo", "cpu") and [line[0] for line in ours[1:]] == [
        "mlp",
        "transformer",
        "lstm",
    ]
    for our, their in zip(ours[1:], theirs[1:]):
        losses = np.array(our[1:], float)
        np.testing.assert_allclose(losses, np.array(their[1:], float), rtol=1e-3, atol=2e-5)
        assert losses[-1] < losses[0]


@pytest.mark.parametrize(
    ("versions", "message"),
    [
        ({"jax": "0.7.2", "jaxlib": "0.7.2"}, "hlo's JAX backend works with jax 0.8 to below 0.13, found 0.7.2"),
        ({"jax": "0.13.0", "jaxlib": "0.12.0"}, "hlo's JAX backend works with jax 0.8 to below 0.13, found 0.13.0"),
        ({"jax": "0.10.0"}, "hlo's JAX backend needs jaxlib, which is not installed: pip install hlo[jax]"),
    ],
)
def test_versions_that_do_not_fit(versions, message, monkeypatch):
    from hlo.jax import versions as checked

    monkeypatch.setattr(checked, "_version", versions.get)
    with pytest.raises(RuntimeError) as raised:
        checked.check_versions()
    assert str(raised.value) == message
