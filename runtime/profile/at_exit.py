"""HLO_PROFILE=FILE: when the process ends, the profiles of all programs that it ran are written to the file; `%p` in its name is the
process's number."""

from __future__ import annotations

import atexit
import functools
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from hlo.environment import PROFILE
from hlo.errors import HloError
from hlo.runtime.profile.machine_rates import rates

if TYPE_CHECKING:
    from hlo.runtime.calls.executable import Executable

_programs: dict[int, tuple[Executable, str]] = {}
"""They are kept until the process ends, with names, by identity."""


def remember(executable: Executable, name: str = "") -> None:
    """Has the profile of a program with timers written. `name`: what its front end calls it; without one, `program N`."""
    known = _programs.get(id(executable))
    if executable.record is not None:
        executable.record.keep_events()
        _programs[id(executable)] = executable, name or (known[1] if known else f"program {len(_programs) + 1}")
        _register()
        rates(executable.threads)  # measured now: when the process ends no thread can be started any more


@functools.cache
def _register() -> None:
    owner = os.getpid()
    atexit.register(
        lambda: _write() if os.getpid() == owner else None
    )  # the children of a fork have their parent's programs


def _write() -> None:
    """What cannot be written is said, and changes nothing about how the process ends."""
    from hlo.runtime.profile.files import write_profiles
    from hlo.runtime.profile.measure import profile_of

    found = [profile_of(executable, name) for executable, name in _programs.values()]
    ran = sorted((profile for profile in found if profile.runs), key=lambda profile: -profile.seconds * profile.runs)
    try:
        path = PROFILE.value()
        if ran and path:  # the variable may have changed
            write_profiles(ran, path.replace("%p", str(os.getpid())))
    except (HloError, OSError) as error:  # the latter where standard error is closed, or the current folder is gone
        with suppress(OSError):
            print(f"hlo: no profile is written: {error}", file=sys.stderr)
