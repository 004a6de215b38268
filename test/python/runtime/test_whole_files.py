"""Several files that are written all or none."""

import errno
import os
from pathlib import Path

import pytest

import hlo
from hlo.whole_files import may_write, save_all

OLD = {"a": b"old a", "c": b"old c"}
NEW = {"a": b"new a", "b": b"new b", "c": b"new c"}


def contents(folder):
    return {p.name: p.read_bytes() for p in folder.iterdir()}


@pytest.fixture(params=[True, False], ids=["links", "no links"])
def folder(tmp_path, monkeypatch, request):
    """Where some files are already, on a file system whose files can have two names or not."""
    if not request.param:

        def refuse(*_):
            raise OSError(errno.EPERM, os.strerror(errno.EPERM))

        monkeypatch.setattr(os, "link", refuse)
    for name, data in OLD.items():
        (tmp_path / name).write_bytes(data)
    return tmp_path


def test_all_are_written(folder):
    save_all({str(folder / name): data for name, data in NEW.items()})
    assert contents(folder) == NEW


@pytest.mark.parametrize("error", [OSError(errno.EACCES, "Permission denied"), KeyboardInterrupt()])
@pytest.mark.parametrize("last", NEW)
def test_a_name_that_cannot_be_given_leaves_all_as_it_was(folder, monkeypatch, last, error):
    replace = os.replace

    def failing(source, target):
        if os.path.basename(target) == last and Path(source).read_bytes() == NEW[last]:
            raise error
        replace(source, target)

    monkeypatch.setattr(os, "replace", failing)
    expected = KeyboardInterrupt if isinstance(error, KeyboardInterrupt) else hlo.ArgumentError
    with pytest.raises(expected):
        save_all({str(folder / name): data for name, data in NEW.items()})
    assert contents(folder) == OLD


def test_a_disk_that_is_full_leaves_all_as_it_was(folder, monkeypatch):
    from hlo import whole_files

    def failing(path, data):
        if data == NEW["c"]:
            raise OSError(errno.ENOSPC, "No space left on device")
        write(path, data)

    write = whole_files.write_whole
    monkeypatch.setattr(whole_files, "write_whole", failing)
    with pytest.raises(hlo.ArgumentError, match="No space left"):
        save_all({str(folder / name): data for name, data in NEW.items()})
    assert contents(folder) == OLD


def test_no_file_can_be_written_into_a_file(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    assert may_write(tmp_path / "file") and may_write(tmp_path / "new")
    assert not may_write(tmp_path / "file" / "new") and not may_write(tmp_path)
