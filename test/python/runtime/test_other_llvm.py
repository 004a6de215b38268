"""Libraries that hold another LLVM and were loaded first: neither their unique symbols nor those that they export to all reach ours."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hlo import other_llvm

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("gcc") is None, reason="needs gcc, and Linux's dynamic linker"
)

PROGRAM = """
import ctypes, os, sys, warnings
import numpy as np
library, flags, before, guarded = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
if library: ctypes.CDLL(library, mode=flags)
if before: import mlir.ir
warnings.simplefilter("error")
import hlo
if not guarded:
    from hlo import other_llvm
    other_llvm.prepare = lambda: None
text = '''func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.convert %0 : (tensor<8x8xf32>) -> tensor<8x8xf8E4M3FN>
  %2 = stablehlo.convert %1 : (tensor<8x8xf8E4M3FN>) -> tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}'''
x = np.eye(8, dtype=np.float32) * 1.5
(found,) = hlo.compile(text, cache=False)(x)
np.testing.assert_array_equal(found, np.eye(8) * 2.25)
print("right", len(hlo.other_llvm._copies))
"""


def run(library, flags=0, before="", guarded="yes"):
    command = [sys.executable, "-c", PROGRAM, str(library), str(flags), before, guarded]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def built(folder: Path, name: str, source: str, suffix: str) -> Path:
    path = folder / f"{name}{suffix}"
    path.write_text(source)
    library = folder / f"lib{name}.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-nostdlib", str(path), "-o", str(library)], check=True)
    return library


@pytest.fixture(scope="module")
def unique(tmp_path_factory):
    """A library that defines and uses all of libLLVM's unique symbols, as zeros."""
    import mmap

    _, folder = other_llvm.folders()
    with open(folder / "libLLVM.so", "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        names = [name.decode() for name in other_llvm._unique_names(data)]
    assert len(names) > 100
    lines = [f".globl {n}\n.type {n}, @gnu_unique_object\n.size {n}, 256\n{n}: .zero 256\n.quad {n}\n" for n in names]
    source = ".data\n" + "".join(lines) + f".zero {other_llvm._LARGE}\n.section .note.GNU-stack\n"
    return built(tmp_path_factory.mktemp("unique"), "other", source, ".s")


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """A library that exports functions of LLVM's and MLIR's C API, which end the process."""
    names = ("LLVMContextCreate", "LLVMParseIRInContext", "LLVMRunPasses", "mlirContextCreateWithRegistry", "mlirContextCreate",
             "mlirContextCreateWithThreading", "mlirModuleCreateParse", "mlirOperationCreateParse", "mlirTypeParseGet", "mlirAttributeParseGet", "mlirOperationVerify")  # fmt: skip
    source = "".join(f"void {name}(void) {{ __builtin_trap(); }}\n" for name in names)
    return built(tmp_path_factory.mktemp("exported"), "exporting", source, ".c")


def test_unique_symbols(unique):
    done = run(unique)
    assert done.stdout in ("right 3\n", "right 4\n"), done.stdout + done.stderr
    assert run(unique, guarded="").returncode != 0, "the test's library clashes with nothing"


def test_exported_symbols(exported):
    done = run(exported, flags=os.RTLD_GLOBAL)
    assert done.stdout == "right 0\n", done.stderr
    assert run(exported, flags=os.RTLD_GLOBAL, guarded="").returncode != 0


def test_without_another_nothing_is_copied():
    assert run("").stdout == "right 0\n"


def test_too_late(unique):
    """mlir came before hlo, and the other before mlir: a warning says so. In the other order there is none to give."""
    done = run(unique, before="mlir")
    assert "holds another LLVM and was loaded before the package mlir" in done.stderr
    assert run("", before="mlir").stdout == "right 0\n"


def test_libraries_that_are_none(tmp_path):
    path = tmp_path / "libnone.so"
    for content in (
        b"",
        b"\x7fELF\x02\x01",
        b"\x7fELF\x02\x01" + b"\xff" * other_llvm._LARGE,
        b"x" * other_llvm._LARGE,
    ):
        path.write_bytes(content)
        assert not other_llvm._provides_symbols(str(path))
    assert not other_llvm._provides_symbols(str(tmp_path / "absent"))


def test_a_folder_called_mlir_beside_a_script(tmp_path):
    """The package mlir has no __init__.py: such a folder is a part of it, the first one."""
    (tmp_path / "mlir").mkdir()
    script = tmp_path / "script.py"
    script.write_text(PROGRAM.replace("cache=False", "cache=True"))
    for _ in range(2):  # the second time from the disk cache
        command = [sys.executable, str(script), "", "0", "", "yes"]
        environment = os.environ | {"HLO_CACHE_DIR": str(tmp_path / "cache")}
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)
        assert done.stdout == "right 0\n", done.stderr
