"""Compiled programs on disk: found by the next process, never used when anything is different or damaged."""

import os
import subprocess
import sys

import numpy as np
import pytest

import hlo
from hlo.runtime.saved import disk_cache
from hlo.runtime.saved.program_file import pack, unpack

SQUARE = """func.func @main(%x: tensor<5xf32>) -> tensor<5xf32> {
  %0 = stablehlo.multiply %x, %x : tensor<5xf32>
  return %0 : tensor<5xf32>
}
func.func @other(%x: tensor<5xf32>) -> tensor<5xf32> { return %x : tensor<5xf32> }"""

X = np.arange(5, dtype=np.float32)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    hlo.compile(SQUARE, cache=False, engine="mlir")  # makes the thread pool, which is kept too
    place = tmp_path / "cache"
    monkeypatch.setenv("HLO_CACHE_DIR", str(place))
    return place


@pytest.fixture
def compilations(monkeypatch):
    """One entry for each program that was compiled and not loaded."""
    from hlo.runtime.compile import compilation

    found, plain = [], compilation.compile_program
    monkeypatch.setattr(compilation, "compile_program", lambda *a: found.append(a) or plain(*a))
    return found


def _files(folder):
    return sorted(folder.iterdir())


def test_the_second_compilation_is_a_look_up(folder, compilations):
    for _ in range(2):
        np.testing.assert_array_equal(hlo.compile(SQUARE)(X)[0], X * X)
    assert len(compilations) == 1 and len(_files(folder)) == 1


def test_a_path_is_looked_up_by_what_is_in_the_file(folder, compilations, tmp_path):
    path = tmp_path / "p.mlir"
    path.write_text(SQUARE)
    hlo.compile(path), hlo.compile(str(path)), hlo.compile(SQUARE), hlo.compile(SQUARE.encode())
    assert len(compilations) == 1
    path.write_text(SQUARE.replace("multiply", "add"))
    np.testing.assert_array_equal(hlo.compile(path)(X)[0], X + X)
    assert len(compilations) == 2


@pytest.mark.parametrize("options", [{"entry": "other"}, {"cpu": "baseline"}])
def test_options_make_another_program(folder, compilations, options):
    hlo.compile(SQUARE), hlo.compile(SQUARE, **options)
    assert len(compilations) == 2 and len(_files(folder)) == 2


@pytest.mark.parametrize("part", ["_compiler", "identity_of"])
def test_another_compiler_or_processor_compiles_again(folder, compilations, monkeypatch, part):
    hlo.compile(SQUARE)
    monkeypatch.setattr(disk_cache, part, lambda *_: "another")
    hlo.compile(SQUARE)
    assert len(compilations) == 2 and len(_files(folder)) == 2


def test_another_number_of_threads_compiles_again(folder, compilations, monkeypatch):
    hlo.compile(SQUARE)
    known = disk_cache.target("host")
    monkeypatch.setattr(disk_cache, "target", lambda _: known._replace(threads=known.threads + 1))
    hlo.compile(SQUARE)
    assert len(compilations) == 2


@pytest.mark.parametrize(
    "options", [{"cache": False}, {"keep_phases": True}, {"engine": "mlir"}, {"target": "reference"}]
)
def test_nothing_is_kept_of_other_compilations(folder, options):
    hlo.compile(SQUARE, **options)
    hlo.compile(hlo.parse(SQUARE))
    hlo.compile(SQUARE, pipeline=hlo.pipelines.cpu())
    assert not folder.exists()


def test_an_empty_folder_name_turns_it_off(monkeypatch, compilations):
    monkeypatch.setenv("HLO_CACHE_DIR", "")
    hlo.compile(SQUARE), hlo.compile(SQUARE)
    assert len(compilations) == 2


@pytest.mark.parametrize(
    "change", [lambda d: d[:-1], lambda d: d[:200] + b"?" + d[201:], lambda d: b"", lambda d: d[::-1]]
)
def test_damaged_files_are_compiled_again(folder, compilations, change):
    hlo.compile(SQUARE)
    (path,) = _files(folder)
    path.write_bytes(change(path.read_bytes()))
    np.testing.assert_array_equal(hlo.compile(SQUARE)(X)[0], X * X)
    assert len(compilations) == 2
    hlo.compile(SQUARE)
    assert len(compilations) == 2, "the new file is good"


@pytest.mark.parametrize("mode", [0o722, 0o770])
def test_a_folder_that_others_may_write_to_is_not_used(folder, compilations, mode):
    hlo.compile(SQUARE)
    folder.chmod(mode)
    hlo.compile(SQUARE)
    assert len(compilations) == 2


def test_a_file_that_others_may_write_to_and_a_link_are_not_used(folder, compilations):
    hlo.compile(SQUARE)
    (path,) = _files(folder)
    path.chmod(0o666)
    hlo.compile(SQUARE)
    assert len(compilations) == 2
    real = path.rename(folder / "real")
    path.symlink_to(real)
    hlo.compile(SQUARE)
    assert len(compilations) == 3


def test_a_file_of_another_user_is_not_used(folder, compilations, monkeypatch):
    hlo.compile(SQUARE)
    monkeypatch.setattr(disk_cache.os, "getuid", lambda: 12345)
    hlo.compile(SQUARE)
    assert len(compilations) == 2


def test_programs_of_another_processor_are_not_run(folder, compilations):
    exe = hlo.compile(SQUARE)
    (path,) = _files(folder)
    path.write_bytes(pack(type(exe.program)(**{**exe.program._asdict(), "machine": "znver99 +unheard_of"})))
    hlo.compile(SQUARE)
    assert len(compilations) == 2


def test_a_folder_that_cannot_be_made_is_no_error(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("HLO_CACHE_DIR", str(tmp_path / "file" / "cache"))
    np.testing.assert_array_equal(hlo.compile(SQUARE)(X)[0], X * X)


def test_what_was_used_longest_ago_goes_first(folder, monkeypatch):
    texts = [SQUARE + f"\n// {n}" for n in range(3)]
    hlo.compile(texts[0]), hlo.compile(texts[1])
    first, second = _files(folder)
    for age, path in enumerate((first, second)):
        os.utime(path, (1000 - age, 1000 - age))
    monkeypatch.setenv("HLO_CACHE_SIZE", str(2 * first.stat().st_size + 100))
    hlo.compile(texts[2])
    left = _files(folder)
    assert len(left) == 2 and first in left and second not in left


def test_the_folder_is_looked_through_now_and_then(folder, monkeypatch):
    looks, plain = [], disk_cache._evict
    monkeypatch.setattr(disk_cache, "_evict", lambda *a: looks.append(a) or plain(*a))
    for n in range(3):
        hlo.compile(SQUARE + f"\n// {n}")
    assert len(looks) == 1
    (one, *_) = _files(folder)
    monkeypatch.setenv("HLO_CACHE_SIZE", str(64 * 3 * one.stat().st_size))
    for n in range(3, 7):
        hlo.compile(SQUARE + f"\n// {n}")
    assert len(looks) == 2


def test_the_size_must_be_a_number(folder, monkeypatch):
    monkeypatch.setenv("HLO_CACHE_SIZE", "much")
    with pytest.raises(hlo.ArgumentError, match="HLO_CACHE_SIZE takes a whole number of bytes, found 'much'"):
        hlo.compile(SQUARE)


CONSTANTS_AND_CALLS = """func.func @main(%x: tensor<4xbf16>) -> (tensor<4xbf16>, tensor<2xi1>) {
  %c = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xbf16>
  %b = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  %0 = stablehlo.add %x, %c : tensor<4xbf16>
  %1 = stablehlo.custom_call @disk_cache_test(%0) {api_version = 4 : i32, backend_config = {by = 3 : i64,
       list = [1.5, "two"], table = dense<[5, 6]> : tensor<2xi32>}} : (tensor<4xbf16>) -> tensor<4xbf16>
  return %1, %b : tensor<4xbf16>, tensor<2xi1>
}"""


def test_constants_and_custom_calls_come_back(folder, compilations):
    from hlo.runtime.custom_calls.registry import register

    seen = []

    @register("disk_cache_test")
    def scale(x, *, backend_config):
        seen.append(backend_config)
        return x * np.asarray(backend_config["by"], x.dtype)

    x = np.ones(4, hlo.compile(CONSTANTS_AND_CALLS).signature.arguments[0].dtype)
    results = hlo.compile(CONSTANTS_AND_CALLS)(x)
    assert len(compilations) == 1
    np.testing.assert_array_equal(results[0].astype(np.float32), [6, 9, 12, 15])
    np.testing.assert_array_equal(results[1], [True, False])
    assert seen[0]["by"] == 3 and seen[0]["list"] == [1.5, "two"]
    np.testing.assert_array_equal(seen[0]["table"], [5, 6])


def test_files_hold_what_they_were_given():
    program = hlo.compile(
        "func.func @main() -> tensor<3xi32> { %c = stablehlo.constant dense<[7, 8, 9]> : tensor<3xi32>\n return %c : tensor<3xi32> }"
    ).program
    back = unpack(pack(program))
    assert (back.objects, back.signature, back.arena) == (program.objects, program.signature, program.arena)
    np.testing.assert_array_equal(back.constants[0], [7, 8, 9])
    assert back.constants[0].ctypes.data % 64 == 0


def test_saved_programs_are_loaded(tmp_path):
    hlo.compile(SQUARE).save(tmp_path / "square.exe")
    np.testing.assert_array_equal(hlo.load_executable(tmp_path / "square.exe")(X)[0], X * X)


def test_what_cannot_be_saved_or_loaded_is_said(tmp_path):
    with pytest.raises(hlo.HloError, match="only programs compiled with engine='llvm'"):
        hlo.compile(SQUARE, engine="mlir").save(tmp_path / "x")
    with pytest.raises(hlo.ArgumentError, match="cannot write"):
        hlo.compile(SQUARE).save(tmp_path / "no" / "x")
    with pytest.raises(hlo.ArgumentError, match="cannot read"):
        hlo.load_executable(tmp_path / "x")
    (tmp_path / "text").write_text(SQUARE)
    with pytest.raises(hlo.ArgumentError, match="not a compiled program"):
        hlo.load_executable(tmp_path / "text")


DYNAMIC = SQUARE.replace("5xf32", "?xf32")
SHARDED = """module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @m = <["a"=2]>
  func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}]>}) -> tensor<4xf32> {
    %0 = stablehlo.multiply %x, %x : tensor<4xf32>
    return %0 : tensor<4xf32> } }"""
OTHERS = {
    "interpreted": (SQUARE, {"target": "reference"}),
    "for arguments of any size": (DYNAMIC, {}),
    "a program with shardings": (SHARDED, {}),
}


@pytest.mark.parametrize("message", OTHERS)
@pytest.mark.parametrize("format", ["exe", "so"])
def test_other_executables_say_why_they_are_not_saved(tmp_path, message, format):
    text, options = OTHERS[message]
    with pytest.raises(hlo.HloError, match=f"can be saved, and this is .*{message}"):
        hlo.compile(text, **options).save(tmp_path / "libx.so", format=format)
    assert not list(tmp_path.iterdir())


def test_programs_of_a_gpu_are_no_shared_libraries(tmp_path):
    with pytest.raises(hlo.ArgumentError, match="saved with format='exe', found 'so'"):
        hlo.compile(SQUARE, target="gpu", device="model").save(tmp_path / "libx.so", format="so")


def test_a_second_process_loads_without_mlir(tmp_path):
    (tmp_path / "p.mlir").write_text(SQUARE)
    code = (
        "import sys, numpy, hlo; r = hlo.compile(sys.argv[1])(numpy.arange(5, dtype=numpy.float32))[0]; "
        "print(r.tolist(), any(m.startswith('mlir') for m in sys.modules))"
    )
    environment = {**os.environ, "HLO_CACHE_DIR": str(tmp_path / "cache")}
    command = [sys.executable, "-c", code, str(tmp_path / "p.mlir")]
    runs = [subprocess.run(command, env=environment, capture_output=True, text=True, check=True) for _ in range(2)]
    assert [r.stdout.split("] ")[1].strip() for r in runs] == ["True", "False"]
    assert runs[0].stdout.split("]")[0] == runs[1].stdout.split("]")[0]


LOOKED_UP = """
import sys
import numpy as np
import hlo
print(hlo.compile(sys.argv[1])(np.arange(5, dtype=np.float32))[0])
assert "LLVM" not in open("/proc/self/maps").read()
"""


@pytest.mark.skipif(not os.path.exists("/proc/cpuinfo"), reason="the kernel tells nothing of processors here")
def test_a_look_up_needs_no_llvm(folder, tmp_path):
    hlo.compile(SQUARE)
    done = subprocess.run([sys.executable, "-c", LOOKED_UP, SQUARE], capture_output=True, text=True)
    assert done.returncode == 0 and "16." in done.stdout, done.stderr
