"""Files that the API reads and writes: once, whole, through links; saved programs that somebody has forged are refused."""

import hashlib
import json
import os
import pickle
import re
import stat
import threading

import numpy as np
import pytest

import hlo
from hlo import environment
from hlo.runtime.saved.file_format import pack_parts, unpack_parts

EXP = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n %0 = stablehlo.exponential %x : tensor<4xf32>\n return %0 : tensor<4xf32> }"
X = np.ones(4, np.float32)
E = np.exp(X)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("HLO_CACHE_DIR", str(tmp_path / "cache"))


def test_a_file_that_is_saved_while_it_is_compiled(cache, tmp_path, monkeypatch):
    """What is kept under the digest of a text is the program of that text."""
    from hlo.runtime.saved import disk_cache

    path, digest = tmp_path / "p.mlir", disk_cache.digest

    def saved_meanwhile(*arguments):
        path.write_text(EXP.replace("exponential", "negate"))
        return digest(*arguments)

    path.write_text(EXP)
    with monkeypatch.context() as patch:
        patch.setattr(disk_cache, "digest", saved_meanwhile)
        np.testing.assert_allclose(hlo.compile(path)(X)[0], E, rtol=1e-6)
    np.testing.assert_allclose(hlo.compile(EXP)(X)[0], E, rtol=1e-6)
    np.testing.assert_array_equal(hlo.compile(path)(X)[0], -X)


def test_a_pipe_is_read_once(cache, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_text(EXP))
    writer.start()
    np.testing.assert_allclose(hlo.compile(pipe)(X)[0], E, rtol=1e-6)
    writer.join()


def test_a_byte_order_mark_is_no_part_of_the_text():
    for text in ("\ufeff" + EXP, ("\ufeff" + EXP).encode()):
        assert "exponential" in hlo.print_module(hlo.parse(text))


@pytest.mark.parametrize("umask, mode", [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_a_saved_program_has_the_mode_of_any_file(tmp_path, umask, mode):
    before = os.umask(umask)
    try:
        hlo.compile(EXP).save(tmp_path / "e.exe")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "e.exe").stat().st_mode) == mode


def test_saving_through_a_link_and_to_a_device(tmp_path):
    (tmp_path / "there").mkdir()
    target, link = tmp_path / "there" / "e.exe", tmp_path / "link"
    target.write_bytes(b"old")
    target.chmod(0o640)
    link.symlink_to(target)
    exe = hlo.compile(EXP)
    exe.save(link)
    assert link.is_symlink() and stat.S_IMODE(target.stat().st_mode) == 0o640
    np.testing.assert_allclose(hlo.load_executable(link)(X)[0], E, rtol=1e-6)
    exe.save("/dev/null")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def _forged(data, change):
    """The file with another header and the right checksum."""
    header, blobs = unpack_parts(data)
    header = json.loads(json.dumps(header))
    del header["sizes"]
    change(header)
    return pack_parts(header, [b.tobytes() for b in blobs])


def _set(*path):
    *keys, last, value = path

    def change(header):
        place = header
        for key in keys:
            place = place[key]
        place[last] = value

    return change


CHANGES = [
    _set("target", "x"), _set("target", 5), _set("target", []), _set("entry", 5), _set("machine", None), _set("arena", -1),
    _set("arena", 1 << 70), _set("arena", "8"), _set("objects", [7]), _set("objects", [-1]), _set("objects", [True]),
    _set("arguments", 5), _set("arguments", [[[4], "f99"]]), _set("arguments", [[[-4], "f32"]]), _set("arguments", [[[4]]]),
    _set("results", [[[1 << 40, 1 << 40], "f32"]]), _set("constants", [{"array": 0, "shape": [1 << 40], "dtype": "f32"}]),
    _set("constants", [{"array": 99, "shape": [0], "dtype": "f32"}]), _set("constants", [5]), _set("custom_calls", [{}]),
    _set("donation", {}), _set("donation", "results", [[0, 0]]), _set("donation", "arguments", [5]), lambda h: h.pop("entry"),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(CHANGES)))
def test_a_forged_file_is_refused(tmp_path, number):
    path = tmp_path / "e.exe"
    hlo.compile(EXP).save(path)
    path.write_bytes(_forged(path.read_bytes(), CHANGES[number]))
    with pytest.raises(hlo.HloError):
        hlo.load_executable(path)


@pytest.mark.parametrize("size, text", [(1 << 60, b"{}"), (2, b"5{"), (4, b"null"), (40000, b"[" * 40000)])
def test_a_forged_header_is_refused(tmp_path, size, text):
    from hlo.runtime.saved import file_format

    rest = size.to_bytes(8, "little") + text
    path = tmp_path / "e.exe"
    path.write_bytes(file_format.MAGIC + hashlib.sha256(rest).digest() + rest)
    with pytest.raises(hlo.ArgumentError):
        hlo.load_executable(path)


@pytest.mark.parametrize(
    "change, found",
    [
        (lambda data: data[: len(data) // 2], "cut off or was changed"),
        (
            lambda data: re.sub(rb"format \d+", b"format 5", data, count=1),
            "of format 5, which another version of hlo wrote",
        ),
        (lambda data: b"#!/bin/sh", "not a compiled program"),
    ],
)
def test_a_file_that_is_no_program_of_this_version(tmp_path, change, found):
    path = tmp_path / "e.exe"
    hlo.compile(EXP).save(path)
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(hlo.ArgumentError, match=found):
        hlo.load_executable(path)


@pytest.mark.parametrize("format", ["exe", "so"])
def test_a_compiled_program_where_text_is_taken(tmp_path, format):
    path = tmp_path / "e.bin"
    hlo.compile(EXP).save(path, format=format)
    for read in (hlo.load, hlo.compile):
        with pytest.raises(hlo.ParseError, match=f"{path} is a compiled program or a library; hlo.load_executable"):
            read(path)


def test_an_executable_is_pickled():
    exe = pickle.loads(pickle.dumps(hlo.compile(EXP, threads=1)))
    np.testing.assert_allclose(exe(X)[0], E, rtol=1e-6)
    assert exe.threads == 1


def test_an_executable_that_cannot_be_saved_is_not_pickled():
    with pytest.raises(hlo.HloError, match="can be saved"):
        pickle.dumps(hlo.compile(EXP, engine="mlir"))


def test_a_cache_file_under_another_name_is_not_used(cache, tmp_path):
    hlo.compile(EXP)
    hlo.compile(EXP.replace("exponential", "negate"))
    first, second = sorted((tmp_path / "cache").glob("*"), key=lambda p: p.stat().st_mtime_ns)[-2:]
    swapped = first.read_bytes(), second.read_bytes()
    first.write_bytes(swapped[1])
    second.write_bytes(swapped[0])
    np.testing.assert_allclose(hlo.compile(EXP)(X)[0], E, rtol=1e-6)


def test_what_processes_that_are_gone_have_begun_to_write_is_removed(cache, tmp_path, monkeypatch):
    from hlo.runtime.saved import disk_cache

    folder = tmp_path / "cache"
    folder.mkdir(mode=0o700)
    old, new = folder / ".hlo-old", folder / ".hlo-new"
    for path in (old, new):
        path.write_bytes(b"part")
    os.utime(old, (0, 0))
    disk_cache._written.clear()
    hlo.compile(EXP)
    assert not old.exists() and new.exists()


@pytest.mark.parametrize(
    "name, value",
    [("HLO_CACHE_SIZE", "abc"), ("HLO_CACHE_SIZE", "-1"), ("HLO_CPU", "zen"), ("HLO_GPU_CHECK", "yes"), ("HLO_THREADS", "0"),
     ("HLO_GPU_GRAPHS", "2"), ("HLO_GPU_CONDITIONS", "on"), ("HLO_ISOLATE", "x"), ("HLO_ISOLATE_SECONDS", "1s"),
     ("HLO_TUNE", "-1"), ("HLO_TUNE", "nan"), ("HLO_TUNE", "1e99"), ("HLO_TUNE", "0x1")],
)  # fmt: skip
def test_environment_variables_are_checked_first(monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    with pytest.raises(hlo.ArgumentError, match=f"{name} takes .*, found '{value}'"):
        hlo.compile("no program {")


def test_seconds_have_fractions(monkeypatch):
    for text, seconds in (("0.5", 0.5), ("10", 10), ("0", 0), ("1e2", 100)):
        monkeypatch.setenv("HLO_TUNE", text)
        assert environment.TUNE.value() == seconds


def test_all_variables_that_are_read_are_in_the_table():
    """Variables of other programs are read where they are needed; HLO_CACHE_DIR takes every text."""
    from pathlib import Path

    from hlo.lowering.target import TARGETS

    assert ("host", *TARGETS) == environment.PROCESSORS
    root = Path(__file__).parents[3]
    folders = ("hlo", "dialect", "builder", "lowering", "pipelines", "reference", "runtime", "integrations")
    found = {
        (path.name, line.strip())
        for folder in folders
        for path in (root / folder).rglob("*.py")
        for line in path.read_text().splitlines()
        if "environ" in line and '"HLO_' in line
    }
    assert {name for name, _ in found} <= {"disk_cache.py"}, found
