"""`hlo-run --profile`: a program's profile on standard error, or in a file."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from hlo.errors import ArgumentError
from hlo.whole_files import check_writable

CALLS = 10
"""Where --repeat does not say another number."""


def wants_profile(options: argparse.Namespace) -> bool:
    return bool(options.profile or options.profile_output)


def check_profile_options(options: argparse.Namespace) -> None:
    """Raises ArgumentError before anything is compiled."""
    if not wants_profile(options):
        return
    if options.target != "cpu":
        raise ArgumentError(f"--profile is for --target=cpu, found {options.target!r}")
    if options.grid:
        raise ArgumentError("--profile is for programs of one process, found --grid")
    if options.profile_output:
        check_writable(options.profile_output)


def tell_profile(executable: Any, arrays: Sequence[Any], options: argparse.Namespace) -> None:
    """Profiles --repeat calls."""
    profile = executable.profile(*arrays, repeat=options.repeat if options.repeat > 1 else CALLS)
    if options.profile_output:
        profile.write(options.profile_output)
    if options.profile:
        sys.stderr.write(str(profile))
