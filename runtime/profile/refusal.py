"""Executables that cannot be profiled say so."""

from __future__ import annotations

from typing import Any, NoReturn

from hlo.errors import HloError


class NotProfiled:
    """Base of such executables."""

    NOT_PROFILED = ""
    """What they are."""

    def profile(self, *arrays: Any, repeat: int = 10) -> NoReturn:
        """Raises HloError."""
        raise HloError(f"profiles are of programs of one process for target 'cpu', and this is {self.NOT_PROFILED}")
