"""`exe.profile(*arrays, repeat=N)`: calls a program with timers and tells where the time went."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from hlo.errors import ArgumentError, HloError
from hlo.runtime.grid.processes import refuse_call
from hlo.runtime.profile.machine_rates import processor_name, rates
from hlo.runtime.profile.profile import Profile, entries_of

if TYPE_CHECKING:
    from hlo.runtime.calls.executable import Executable


def profile_calls(executable: Executable, arrays: Sequence[Any], repeat: int) -> Profile:
    """Calls the program once, then `repeat` times with timers. Donated arguments are copies, so that each call gets the same."""
    if not isinstance(repeat, Integral) or isinstance(repeat, bool) or repeat < 1:
        raise ArgumentError(f"repeat takes a number from 1, found {repeat!r}")
    refuse_call(executable.grid)
    record = executable.record
    if record is None:
        raise HloError("the program has no timers: compile it with profile=True")
    call = _call(executable, arrays)
    call()
    record.clear()
    seconds = []
    for _ in range(repeat):
        record.keep_events()  # those of the last call are left
        seconds.append(call())
    return profile_of(executable, "main", seconds)


def _call(executable: Executable, arrays: Sequence[Any]) -> Callable[[], float]:
    donated = executable.program.donation.arguments

    def call() -> float:
        given = [np.array(a) if number in donated else a for number, a in enumerate(arrays)]
        start = time.perf_counter()
        executable(*given)
        return time.perf_counter() - start

    return call


def profile_of(executable: Executable, name: str, calls: Sequence[float] = ()) -> Profile:
    """What the program's record says. `calls`: the seconds of its runs as their caller saw them; without them, those
    that the program itself has measured."""
    record, rows = executable.record, executable.program.profile
    assert record is not None and rows is not None
    runs, inside = max(1, record.runs), record.seconds
    total = sum(calls) if calls else inside
    found = rates(executable.threads) if record.runs else None
    entries, spans = entries_of(rows, record, total, runs, found)
    return Profile(
        name,
        processor_name(),
        executable.threads,
        record.runs,
        total / runs,
        inside / runs,
        dict(vars(executable.memory)),
        entries,
        spans,
        found,
        tuple(calls),
        executable.compile_phases,
        tuple(record.kept_events()),
        record.is_full,
        rows,
    )
