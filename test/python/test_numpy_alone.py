"""Saved programs on a machine that has numpy and hlo's own sources, but no mlir, no llvm, no ml_dtypes: a folder with links to those two."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import hlo
from hlo.runtime.native_library import may_load

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
FOLDERS = ("dialect", "lowering", "pipelines", "runtime", "tools", "reference", "builder")
pytestmark = pytest.mark.skipif(
    not may_load(), reason="saved programs are linked by LLVM where the system has no files in memory"
)

RUN = """
import sys
sys.path[:] = [p for p in sys.path if "site-packages" not in p] + [sys.argv[1]]
import time
import numpy as np
start = time.perf_counter()
import hlo
exe = hlo.load_executable(sys.argv[2])
seconds = time.perf_counter() - start
with np.load(sys.argv[3]) as file:
    results = exe(*(file[name] for name in file.files))
np.savez(sys.argv[4], *results)
assert not [m for m in sys.modules if m.split(".")[0] in ("mlir", "llvm", "ml_dtypes", "rich", "scipy")]
print(seconds, exe.threads)
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A folder for imports with numpy and hlo."""
    folder = tmp_path_factory.mktemp("site")
    (place,) = importlib.util.find_spec("numpy").submodule_search_locations
    for name in ("numpy", "numpy.libs"):
        if (Path(place).parent / name).exists():
            (folder / name).symlink_to(Path(place).parent / name)
    (folder / "hlo").mkdir()
    for source in (*(ROOT / "hlo").glob("*.py"), *(ROOT / name for name in FOLDERS)):
        (folder / "hlo" / source.name).symlink_to(source)
    return folder


def run_alone(site, code, *words, **environment):
    """In a new process that sees nothing else; its standard output."""
    command = [sys.executable, "-I", "-S", "-c", code, *map(str, words)]
    inherited = {"PATH": os.environ["PATH"], "HLO_CACHE_DIR": "", **environment}
    done = subprocess.run(command, env=inherited, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", ["softmax", "transformer", "jacobi", "random_numbers", "mlp_training_step"])
def test_a_saved_program_needs_numpy_alone(site, tmp_path, name):
    exe = hlo.compile(EXAMPLES / f"{name}.mlir", cpu="avx2" if name == "softmax" else "host")
    inputs = EXAMPLES / f"{name}.inputs.npz"
    if not inputs.exists():
        inputs = tmp_path / "inputs.npz"
        np.savez(inputs, np.arange(6, dtype=np.float32).reshape(2, 3))
    exe.save(tmp_path / "program.exe")
    run_alone(site, RUN, site, tmp_path / "program.exe", inputs, tmp_path / "results.npz")
    with np.load(inputs) as file, np.load(tmp_path / "results.npz") as results:
        expected = exe(*(file[key] for key in file.files))
        for found, one in zip((results[f"arr_{n}"] for n in range(len(expected))), expected, strict=True):
            assert found.tobytes() == np.ascontiguousarray(one).tobytes()


def test_types_of_ml_dtypes_are_missed(site, tmp_path):
    text = "func.func @main(%x: tensor<4xbf16>) -> tensor<4xbf16> { return %x : tensor<4xbf16> }"
    hlo.compile(text).save(tmp_path / "program.exe")
    code = RUN.partition("with np.load")[0].replace("exe = ", "try: ") + "\nexcept hlo.HloError as error: print(error)"
    code = code.replace("seconds = time.perf_counter() - start\n", "")
    assert "ml_dtypes must be installed" in run_alone(site, code, site, tmp_path / "program.exe")


def test_many_programs_are_loaded_and_dropped(tmp_path):
    """Files in memory have the same numbers again and again: each program must be its own."""
    text = "func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {{ %c = stablehlo.constant dense<{n}> : tensor<4xi32>\n %0 = stablehlo.add %x, %c : tensor<4xi32>\n return %0 : tensor<4xi32> }}"
    paths = []
    for number in range(3):
        paths.append(tmp_path / f"{number}.exe")
        hlo.compile(text.format(n=number)).save(paths[-1])
    x = np.zeros(4, np.int32)
    kept = [hlo.load_executable(path) for path in paths]
    for _ in range(20):
        for number, path in enumerate(paths):
            assert hlo.load_executable(path)(x)[0][0] == number
    assert [exe(x)[0][0] for exe in kept] == [0, 1, 2]
    before = len(os.listdir("/proc/self/fd"))
    [hlo.load_executable(paths[0]) for _ in range(5)]
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_loaded_program_is_saved_again(tmp_path):
    path, again = tmp_path / "one.exe", tmp_path / "two.exe"
    hlo.compile(EXAMPLES / "jacobi.mlir").save(path)
    hlo.load_executable(path).save(again)
    assert path.read_bytes() == again.read_bytes()


def test_hlo_run_runs_saved_programs(site, tmp_path):
    exe = hlo.compile(EXAMPLES / "softmax.mlir")
    for name, format in (("model.exe", "exe"), ("libmodel.so", "so")):
        exe.save(tmp_path / name, format=format)
        code = (
            RUN.partition("import time")[0]
            + "from hlo.tools.hlo_run import main\nmain([sys.argv[2], '--input', '2x3xf32=0,0,0,1,1,1'])"
        )
        assert "result 0: 2x3xf32" in run_alone(site, code, site, tmp_path / name)
        command = [sys.executable, "-m", "hlo.tools.hlo_run", tmp_path / name, "--entry", "x"]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 1 and "--entry does nothing for a program that is compiled" in done.stderr


MATMUL = """func.func @main(%x: tensor<512x512xf32>, %y: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %c = stablehlo.constant dense<[[1.0, 2.0]]> : tensor<1x2xf32>
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %1 = stablehlo.tanh %0 : tensor<512x512xf32>
  return %1 : tensor<512x512xf32> }"""


def test_a_shared_library_is_called_from_c(tmp_path):
    """By ctypes, which calls as C does: alone, and through hlo.load_executable."""
    import ctypes

    exe = hlo.compile(MATMUL, threads=2)
    exe.save(tmp_path / "libproduct.so", format="so")
    x, y = (np.random.default_rng(n).standard_normal((512, 512)).astype(np.float32) / 16 for n in range(2))
    (expected,) = exe(x, y)
    library = ctypes.CDLL(str(tmp_path / "libproduct.so"))
    result, room = np.zeros_like(x), np.zeros(exe.memory.temporaries + 64, np.uint8)
    workspace = room.ctypes.data + -room.ctypes.data % 64
    pointers = [ctypes.c_void_p(a.ctypes.data) for a in (x, y, result)]
    assert library.product_main(*pointers, ctypes.c_void_p(workspace)) == 0
    assert result.tobytes() == expected.tobytes()
    assert hlo.load_executable(tmp_path / "libproduct.so")(x, y)[0].tobytes() == expected.tobytes()


def test_what_cannot_be_a_shared_library(tmp_path):
    exe = hlo.compile(EXAMPLES / "softmax.mlir")
    with pytest.raises(hlo.ArgumentError, match="format takes 'exe' or 'so'"):
        exe.save(tmp_path / "libm.so", format="dll")
    with pytest.raises(hlo.ArgumentError, match="must be a C identifier"):
        exe.save(tmp_path / "lib2.so", format="so")
    exe.save(tmp_path / "m.exe")
    with pytest.raises(hlo.HloError, match="has no object files"):
        hlo.load_executable(tmp_path / "m.exe").save(tmp_path / "libm.so", format="so")
    (tmp_path / "e.so").write_bytes(b"\x7fELF" + bytes(range(200)))
    with pytest.raises(hlo.ArgumentError, match="not a compiled program"):
        hlo.load_executable(tmp_path / "e.so")
