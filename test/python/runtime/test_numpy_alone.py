"""Saved programs on a machine that has numpy and hlo's own sources, but no mlir, no llvm, no ml_dtypes: a folder with links to those two."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import hlo
from hlo.runtime.code.native_library import may_load

ROOT = Path(__file__).parents[3]
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
    for _ in range(20):  # the last ones by what calls programs that are called often
        results = exe(*(file[name] for name in file.files))
np.savez(sys.argv[4], *results)
assert exe._quick or exe.has_loops or exe.dispatcher
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


LOAD = """
import sys
sys.path[:] = [p for p in sys.path if "site-packages" not in p] + [sys.argv[1]]
import numpy as np
before = set(sys.modules)
import hlo
exe = hlo.load_executable(sys.argv[2])
print(*sorted(set(sys.modules) - before))
"""
MOST_MODULES = 58
"""What loading imports beside numpy: 17 or 18 of Python's (logging and concurrent.futures with what they need: hlo/forks.py), 39 or 40 of ours, four of them folders; each takes about as long as any other (0.1 to 0.2 ms on a machine on
which numpy takes 60)."""
SLOW = {
    "dataclasses",
    "hashlib",
    "json",
    "pathlib",
    "mmap",
    "urllib",
    "glob",
    "argparse",
    "tempfile",
    "subprocess",
}
"""Modules of Python that take more."""


@pytest.mark.parametrize("name", ["softmax", "mlp", "transformer", "jacobi"])
def test_loading_imports_little(site, tmp_path, name):
    """Importing is what loading takes time for; modules are counted, since times differ. mlp has threads, jacobi loops."""
    hlo.compile(EXAMPLES / f"{name}.mlir").save(tmp_path / "program.exe")
    imported = set(run_alone(site, LOAD, site, tmp_path / "program.exe").split())
    assert "hlo.runtime.calls.executable" in imported
    assert len(imported) <= MOST_MODULES, sorted(imported)
    assert not imported & SLOW
    assert not {"hlo.api", "hlo.targets", "hlo.runtime.custom_calls.registry", "hlo.runtime.grid.processes"} & imported


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


@pytest.mark.parametrize("name", ["softmax", "mlp", "jacobi", "random_numbers"])
def test_programs_are_saved_wherever_they_come_from(tmp_path, monkeypatch, name):
    """The files are those of the program that was just compiled: softmax is small, mlp has threads, jacobi a loop, random_numbers constants."""
    monkeypatch.setenv("HLO_CACHE_DIR", str(tmp_path / "cache"))
    source = EXAMPLES / f"{name}.mlir"
    fresh, cached = hlo.compile(source), hlo.compile(source)
    assert not fresh.program.library and cached.program.library, "the second one is from the disk"
    fresh.save(tmp_path / "first.exe")
    sources = {"fresh": fresh, "disk": cached, "file": hlo.load_executable(tmp_path / "first.exe")}
    for format in ("exe", "so"):
        found = set()
        for kind, exe in sources.items():
            path = tmp_path / kind / f"libmodel.{format}"
            path.parent.mkdir(exist_ok=True)
            exe.save(path, format=format)
            found.add(path.read_bytes())
        assert len(found) == 1


def test_a_shared_library_is_not_made_without_llvm(site, tmp_path):
    hlo.compile(EXAMPLES / "softmax.mlir").save(tmp_path / "m.exe")
    code = "import sys\nsys.path[:] = [p for p in sys.path if 'site-packages' not in p] + [sys.argv[1]]\nimport hlo\ntry: hlo.load_executable(sys.argv[2]).save(sys.argv[3], format='so')\nexcept hlo.HloError as error: print(error)"
    assert "packages mlir and llvm must be installed" in run_alone(
        site, code, site, tmp_path / "m.exe", tmp_path / "libm.so"
    )


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


WEIGHTS = np.random.default_rng(0).standard_normal((256, 256)).astype(np.float32)
WEIGHED = f"""func.func @main(%x: tensor<256x256xf32>) -> tensor<256x256xf32> {{
  %w = stablehlo.constant dense<"0x{WEIGHTS.tobytes().hex()}"> : tensor<256x256xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %1 = stablehlo.add %0, %w : tensor<256x256xf32>
  return %1 : tensor<256x256xf32> }}"""


def test_a_shared_library_has_code_and_constants_once(tmp_path):
    from hlo.runtime.elf.read import sections_of
    from hlo.runtime.saved.portable import linked

    exe = hlo.compile(WEIGHED)
    exe.save(tmp_path / "libproduct.so", format="so")
    data = (tmp_path / "libproduct.so").read_bytes()
    arrays = [one for one in exe.program.constants if one.nbytes >= 1 << 10]
    assert arrays and all(data.count(one.tobytes()) == 1 for one in arrays)
    assert (
        len(sections_of(data)[".hlo.program"]) < 14 << 10
    )  # a header (with what the processor has), and what a process has once
    code = sections_of(linked(exe.program).library)[".text"]
    assert len(sections_of(data)[".text"]) < len(code) + (6 << 10)  # the pool, and the function for C
    x = np.eye(256, dtype=np.float32)
    assert hlo.load_executable(tmp_path / "libproduct.so")(x)[0].tobytes() == exe(x)[0].tobytes()


@pytest.mark.parametrize("name", ["mlp", "jacobi"])
def test_a_shared_library_needs_numpy_alone(site, tmp_path, name):
    """mlp has threads, jacobi a loop."""
    exe = hlo.compile(EXAMPLES / f"{name}.mlir")
    exe.save(tmp_path / "libmodel.so", format="so")
    inputs = EXAMPLES / f"{name}.inputs.npz"
    run_alone(site, RUN, site, tmp_path / "libmodel.so", inputs, tmp_path / "results.npz")
    with np.load(inputs) as file, np.load(tmp_path / "results.npz") as results:
        for number, one in enumerate(exe(*(file[key] for key in file.files))):
            assert results[f"arr_{number}"].tobytes() == np.ascontiguousarray(one).tobytes()
    hlo.load_executable(tmp_path / "libmodel.so").save(tmp_path / "again.exe")
    run_alone(site, RUN, site, tmp_path / "again.exe", inputs, tmp_path / "results.npz")


def test_a_library_that_was_changed_is_refused(tmp_path):
    path = tmp_path / "libm.so"
    hlo.compile(EXAMPLES / "softmax.mlir").save(path, format="so")
    data = bytearray(path.read_bytes())
    data[data.index(b"hlo_entry")] ^= 1
    path.write_bytes(data)
    with pytest.raises(hlo.ArgumentError, match="the library was changed"):
        hlo.load_executable(path)


def test_what_cannot_be_a_shared_library(tmp_path):
    exe = hlo.compile(EXAMPLES / "softmax.mlir")
    with pytest.raises(hlo.ArgumentError, match="format takes 'exe' or 'so'"):
        exe.save(tmp_path / "libm.so", format="dll")
    with pytest.raises(hlo.ArgumentError, match="must be a C identifier"):
        exe.save(tmp_path / "lib2.so", format="so")
    exe.save(tmp_path / "libm.so", format="so")
    with pytest.raises(hlo.HloError, match=r"comes from a shared library, .*: copy that file, or save"):
        hlo.load_executable(tmp_path / "libm.so").save(tmp_path / "libn.so", format="so")
    (tmp_path / "e.so").write_bytes(b"\x7fELF" + bytes(range(200)))
    with pytest.raises(hlo.ArgumentError, match="not a compiled program"):
        hlo.load_executable(tmp_path / "e.so")
