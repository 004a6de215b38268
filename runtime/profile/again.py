"""A program compiled once more, with timers: `exe.profile` works for each executable that this process has compiled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hlo.errors import HloError

MOST_TEXT = 64 << 20
"""Bytes of a program's text that its executable keeps for this."""


def compile_again(request: Any, compile_it: Callable[[Any], Any]) -> Callable[[], Any]:
    """What makes the executable with timers of a request (hlo.api.Request). Text is kept; a module is copied, since its
    owner may change it."""
    options = {**request.options, "profile": True}
    if options.get("tune"):
        options["tune"] = 0  # the same schedules, without another search
    if request.text is None:
        from hlo.runtime.compile.entry_function import entry_only

        request = replace(request, program=entry_only(request.program, request.entry))
    elif len(request.text.data) > MOST_TEXT:
        return _refuse
    return lambda: compile_it(replace(request, options=options, keep_phases=False))


def _refuse() -> Any:
    raise HloError(f"the text of a program of more than {MOST_TEXT} bytes is not kept: compile it with profile=True")
