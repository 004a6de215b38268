"""Programs as MLIR bytecode: read with jaxlib; without it, or damaged, one line says so."""

import contextlib
import io
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import export
from jax._src.interpreters.mlir import make_ir_context
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

import hlo
from hlo.dialect.reader.reading_process import READER

X = np.linspace(-1, 1, 6, dtype=np.float32)


def function(x):
    return jnp.sin(x).sum() + jax.lax.sort(x)


TEXT = jax.jit(function).lower(X).as_text()
"""Before a portable artifact is made of the module, which changes it."""


def bytecode():
    module = jax.jit(function).lower(X).compiler_ir("stablehlo")
    buffer = io.BytesIO()
    module.operation.write_bytecode(buffer)
    return buffer.getvalue()


def artifact():
    module = jax.jit(function).lower(X).compiler_ir("stablehlo")
    return stablehlo.serialize_portable_artifact(module, stablehlo.get_minimum_version(), True)


def exported():
    return export.export(jax.jit(function))(X).mlir_module_serialized


def artifact_of_another_writer():
    """As StableHLO before 0.9 and MLIR's own tools write it: without StableHLO's name in the header."""
    with make_ir_context() as context:
        buffer = io.BytesIO()
        ir.Module.parse(artifact(), context).operation.write_bytecode(buffer)
        return buffer.getvalue()


def vhlo_text():
    with make_ir_context() as context:
        return b"// A comment\n" + str(ir.Module.parse(artifact(), context)).encode()


@pytest.mark.parametrize("made", [bytecode, artifact, exported, artifact_of_another_writer, vhlo_text])
def test_bytecode_runs(made, tmp_path):
    path = tmp_path / "program.mlir"
    path.write_bytes(made())
    expected = np.sin(X).sum() + np.sort(X)
    for program in (path, made(), hlo.load(path)):
        (found,) = hlo.compile(program, cache=False)(X)
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


AS_CUSTOM_CALLS = """func.func @main(%x: tensor<6xf32>) -> (tensor<6xf32>, tensor<2xf32>, tensor<2xi32>) {
  %0 = stablehlo.custom_call @mhlo.erf(%x) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<6xf32>) -> tensor<6xf32>
  %1:2 = stablehlo.custom_call @mhlo.topk(%x) {mhlo.attributes = {k = 2 : i64}, mhlo.version = 1 : i64}
    : (tensor<6xf32>) -> (tensor<2xf32>, tensor<2xi32>)
  return %0, %1#0, %1#1 : tensor<6xf32>, tensor<2xf32>, tensor<2xi32>
}"""


def test_chlo_ops_as_older_versions_of_jaxlib_write_them():
    with make_ir_context() as context:
        module = ir.Module.parse(AS_CUSTOM_CALLS, context)
        data = stablehlo.serialize_portable_artifact(module, stablehlo.get_minimum_version(), True)
    erf, values, places = hlo.compile(data, cache=False)(X)
    np.testing.assert_allclose(erf, jax.scipy.special.erf(X), rtol=1e-6)
    assert values.tolist() == sorted(X)[:-3:-1] and places.tolist() == [5, 4]


def test_hlo_opt_reads_bytecode(tmp_path):
    path = tmp_path / "program.bc"
    path.write_bytes(artifact())
    command = [sys.executable, "-m", "hlo.tools.hlo_opt", str(path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0 and "stablehlo.sine" in done.stdout, done.stderr


def test_damaged_bytecode():
    with pytest.raises(hlo.ParseError, match=r"^- is MLIR bytecode that jaxlib cannot read: [^\n]*$"):
        hlo.parse(bytecode()[:200])


def test_without_jaxlib(monkeypatch):
    for name in ("jaxlib", "jaxlib.mlir", "jaxlib.mlir.dialects"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(
        hlo.ParseError, match=r"^- is MLIR bytecode, which is read with jaxlib: pip install jaxlib[^\n]*$"
    ):
        hlo.parse(bytecode_without_jax)


bytecode_without_jax = b"ML\xefR" + b"\x0d"


def test_a_reader_that_dies_is_followed_by_another():
    data = exported()
    hlo.parse(data)
    process = READER._process
    process.kill()
    process.wait()
    hlo.parse(data)
    assert READER._process is not process


def test_damaged_files_end_no_process():
    """Some of them end jaxlib's reader."""
    data, died = exported(), 0
    for start in range(8, len(data), 37):
        with contextlib.suppress(hlo.HloError):
            hlo.parse(data[:start] + b"\xff\xff\x01" + data[start + 3 :])
        died += READER._process is None
    assert died < len(range(8, len(data), 37))


def test_a_text_that_ends_the_parser():
    """In a copy of a process with one thread, in another process else."""
    code = (
        "import hlo, os\n"
        "from hlo.dialect.reader import trial\n"
        "if THREADS: trial._threads = lambda: THREADS\n"
        "kept = trial._read_and_exit\n"
        "trial._read_and_exit = lambda read: kept(os.abort)\n"
        "try: hlo.parse('module attributes {a.b = affine_map<(d0) -> (d0)>} {}'); print('read')\n"
        "except hlo.ParseError as error: print(error)\n"
    )
    for threads, wanted in ((1, "- cannot be read: MLIR's parser ends with signal 6"), (2, "read")):
        command = [sys.executable, "-c", code.replace("THREADS", str(threads))]
        assert subprocess.run(command, capture_output=True, text=True).stdout.strip() == wanted


def test_an_exported_function():
    """The file that `serialize()` makes, not only the module in it; with arguments that the program does not use."""
    data = export.export(jax.jit(lambda unused, x: function(x)))(X, X).serialize()
    (found,) = hlo.compile(data, cache=False)(X)
    np.testing.assert_allclose(found, np.sin(X).sum() + np.sort(X), rtol=1e-6, atol=1e-6)


def test_exported_functions_of_any_shape():
    argument = jax.ShapeDtypeStruct(export.symbolic_shape("n, 2"), np.float32)
    exe = hlo.compile(export.export(jax.jit(lambda x: x @ x.T))(argument).serialize(), cache=False)
    for count in (1, 5):
        x = np.arange(2 * count, dtype=np.float32).reshape(count, 2)
        (found,) = exe(x)
        np.testing.assert_array_equal(found, x @ x.T)


def test_exported_functions_of_several_platforms():
    """The number of the platform comes first."""

    def run(x):
        return jax.lax.platform_dependent(x, cpu=lambda x: x + 1, cuda=lambda x: x - 1)

    exe = hlo.compile(export.export(jax.jit(run), platforms=("cpu", "cuda"))(X).serialize(), cache=False)
    for platform, expected in enumerate((X + 1, X - 1)):
        (found,) = exe(np.int32(platform), X)
        np.testing.assert_array_equal(found, expected)


def test_damaged_exported_functions():
    """A file cut anywhere is an error in words, as is one whose offsets lead elsewhere."""
    data = bytes(export.export(jax.jit(lambda x: x + 1))(X).serialize())
    start = data.index(b"ML\xefR")
    length = int.from_bytes(data[start - 4 : start], "little")
    for end in range(0, start + length, 7):
        with pytest.raises(hlo.HloError):
            hlo.parse(data[:end])
    for place in range(64):
        with contextlib.suppress(hlo.HloError):
            hlo.parse(data[:place] + b"\xff" + data[place + 1 :])


OPT = [sys.executable, "-m", "hlo.tools.hlo_opt"]


@pytest.mark.parametrize("version", ["--serialize", "--serialize=minimum", "--serialize=1.8.0"])
def test_hlo_opt_writes_portable_artifacts(version, tmp_path):
    program, written = tmp_path / "program.mlir", tmp_path / "program.mlirbc"
    program.write_text(TEXT)
    subprocess.run([*OPT, str(program), version, "-o", str(written)], check=True)
    data = written.read_bytes()
    wanted = {"--serialize": stablehlo.get_current_version(), "--serialize=minimum": stablehlo.get_minimum_version()}
    assert data.startswith(b"ML\xefR") and b"StableHLO_v" + wanted.get(version, "1.8.0").encode() in data[:64]
    with make_ir_context() as context:
        assert "stablehlo.sine" in str(stablehlo.deserialize_portable_artifact(context, data))
    (found,) = hlo.compile(written, cache=False)(X)
    np.testing.assert_allclose(found, np.sin(X).sum() + np.sort(X), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("version", ["0.0.1", "99.0.0", "new", "1.8", ""])
def test_versions_that_no_artifact_has(version, tmp_path):
    program, written = tmp_path / "program.mlir", tmp_path / "program.mlirbc"
    program.write_text(TEXT)
    command = [*OPT, str(program), f"--serialize={version}", "-o", str(written)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1 and not written.exists()
    assert f"current or minimum, found {version!r}" in done.stderr and done.stderr.count("\n") == 1


def test_programs_that_an_old_version_lacks(tmp_path):
    program = tmp_path / "program.mlir"
    program.write_text(
        "func.func @main(%x: tensor<2xf4E2M1FN>) -> tensor<2xf4E2M1FN> { return %x : tensor<2xf4E2M1FN> }"
    )
    done = subprocess.run([*OPT, str(program), "--serialize=1.0.0"], capture_output=True, text=True)
    assert done.returncode == 1 and "the program cannot be said in this version" in done.stderr, done.stderr
    assert done.stderr.count("\n") == 1
