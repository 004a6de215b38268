"""The thread pool of this process, made when the first program needs it."""

from __future__ import annotations

import ctypes
import functools

from hlo.runtime.code.process_code import Loaded, load_brought, load_once
from hlo.runtime.threads.count import available_processors

RUN_PARTS = "hlo_run_parts"


def connect(words: int, threads: int, brought: tuple[str, ...] = ()) -> None:
    """Writes the words of a program that say who runs its parts (`parallel_parts.py`): the pool, on so many threads.
    `brought`: the names of what a saved program has brought; its pool is this process's where both are the same, and
    needs no text to be found."""
    ctypes.c_uint64.from_address(words).value = (_brought(brought) or _code()).address(RUN_PARTS)
    ctypes.c_int64.from_address(words + 8).value = threads


def text() -> str:
    """LLVM IR of the pool for this machine, with what processes of a grid need."""
    from hlo.host import host_triple
    from hlo.runtime.threads.systems import process_text

    return process_text(host_triple())


@functools.cache
def _code() -> Loaded:
    return _with_cores(load_once(text()))


@functools.cache
def _brought(names: tuple[str, ...]) -> Loaded | None:
    code = load_brought(names, RUN_PARTS)
    return _with_cores(code) if code else None


def _with_cores(code: Loaded) -> Loaded:
    ctypes.c_int64.from_address(code.address("hlo_cores")).value = available_processors()
    return code


def run_parts() -> int:
    """The address of `hlo_run_parts`."""
    return _code().address(RUN_PARTS)


def receive_guests() -> int:
    """The address of what is called before and behind calls of a library with threads of its own, to which idle workers
    then leave their cores."""
    return _code().address("hlo_receive_guests")


def waiting() -> tuple[int, int]:
    """The addresses of `hlo_wait` and `hlo_wake`, by which processes of a grid wait for each other."""
    return _code().address("hlo_wait"), _code().address("hlo_wake")


def run_together() -> int:
    """The address of `hlo_run_together`, by which they begin."""
    return _code().address("hlo_run_together")


def run_call() -> int:
    """The address of what `hlo_run_parts` is to call for calls that run one after the other."""
    return _code().address("hlo_run_call")
