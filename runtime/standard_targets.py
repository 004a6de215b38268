"""The custom call targets that every process has: checks, transfers, probes, and LAPACK when a program first needs it."""

from __future__ import annotations

from hlo.runtime import check_targets, lapack, probes, streams
from hlo.runtime.custom_calls import LIBRARIES

check_targets.register_all()
LIBRARIES["lapack_"] = lapack.register_all

REGISTERED = (check_targets, probes, streams)
"""Modules whose targets are there once this one is imported."""
