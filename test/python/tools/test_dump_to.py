"""HLO_DUMP_TO=DIR: every program that is compiled leaves its phases there, whoever compiles it."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import hlo
from hlo.pipelines.dump import read_dump

PROGRAM = "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n  %y = stablehlo.add %x, %x : tensor<3xf32>\n  return %y : tensor<3xf32>\n}"
PHASES = [f"{n:02d}_{name}.mlir" for n, name in enumerate(["stablehlo", "linalg", "kernels", "memory", "llvm"])]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("HLO_DUMP_TO", str(tmp_path / "made" / "dumps"))
    return tmp_path / "made" / "dumps"


def listed(folder):
    return {one.name: sorted(file.name for file in one.iterdir()) for one in sorted(folder.iterdir())}


def test_every_program_has_a_folder(folder):
    named = f"module @jit_step {{ {PROGRAM} }}"
    for program in (PROGRAM, named, named):
        hlo.compile(program)
    whole = [*PHASES, "program.mlir"]
    assert listed(folder) == {"0000_main": whole, "0001_jit_step": whole, "0002_jit_step": whole}


def test_the_files_are_programs(folder):
    exe = hlo.compile(PROGRAM, keep_phases=True)
    (one,) = folder.iterdir()
    for file in PHASES:
        assert (one / file).read_text() == exe.phases[file[3:-5]] + "\n"
    again = hlo.compile(read_dump((one / PHASES[1]).read_bytes(), "dump"), pipeline=hlo.pipelines.cpu()[2:])
    np.testing.assert_array_equal(again(np.ones(3, np.float32))[0], np.full(3, 2, np.float32))
    assert "stablehlo.add" in (one / "program.mlir").read_text()


def test_a_program_that_is_on_disk_is_compiled_again(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("HLO_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("HLO_DUMP_TO")
    hlo.compile(PROGRAM)
    monkeypatch.setenv("HLO_DUMP_TO", str(folder))
    hlo.compile(PROGRAM)
    assert listed(folder) == {"0000_main": [*PHASES, "program.mlir"]}


def test_other_targets(folder):
    hlo.compile(PROGRAM, target="reference")
    hlo.compile(PROGRAM, target="gpu", device="model")
    found = listed(folder)
    assert found["0000_main"] == ["program.mlir"]
    assert [name[3:] for name in found["0001_main"][:-1]] == [
        f"{p.name}.mlir" for p in hlo.pipelines.target_pipeline("gpu", device="model")
    ]


def test_a_failing_program_leaves_what_it_reached(folder):
    unknown = PROGRAM.replace(
        "stablehlo.add %x, %x : tensor<3xf32>", "stablehlo.custom_call @nobody(%x) : (tensor<3xf32>) -> tensor<3xf32>"
    )
    with pytest.raises(hlo.HloError):
        hlo.compile(unknown)
    (files,) = listed(folder).values()
    assert "program.mlir" in files and "00_stablehlo.mlir" in files


def test_threads_that_compile_at_once(folder):
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda n: hlo.compile(f"module @p{n} {{ {PROGRAM} }}"), range(8)))
    found = listed(folder)
    assert sorted(name[:4] for name in found) == [f"{n:04d}" for n in range(8)]
    assert sorted(name[5:] for name in found) == [f"p{n}" for n in range(8)]
    assert all(files == [*PHASES, "program.mlir"] for files in found.values())


def test_names_that_are_no_names_of_files(folder):
    hlo.compile(PROGRAM.replace("@main", '@"../a b/\\22"'), entry='../a b/"')
    assert list(listed(folder)) == ["0000_.._a_b__"]


def test_folders_that_cannot_be_written(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "file" / "below", "/proc/nowhere"):
        monkeypatch.setenv("HLO_DUMP_TO", str(place))
        with pytest.raises(hlo.ArgumentError, match="HLO_DUMP_TO: cannot make folder"):
            hlo.compile(PROGRAM)
    monkeypatch.setenv("HLO_DUMP_TO", "/proc/self")
    with pytest.raises(hlo.ArgumentError, match="HLO_DUMP_TO: cannot write into"):
        hlo.compile(PROGRAM)


JAX = """
import jax
@jax.jit
def twice(x):
    return x + x
print(twice(jax.numpy.ones(3)))
"""


def test_jax_programs(folder):
    pytest.importorskip("jax")
    environment = {**os.environ, "JAX_PLATFORMS": "hlo"}
    done = subprocess.run([sys.executable, "-c", JAX], env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0 and "2." in done.stdout, done.stderr
    found = listed(folder)
    (twice,) = [name for name in found if name.endswith("_jit_twice")]
    assert found[twice] == [*PHASES, "program.mlir"]
