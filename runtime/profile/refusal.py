"""Executables that cannot be profiled or saved say so."""

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


class NotSaved:
    """Base of such executables."""

    NOT_SAVED = ""
    """What they are."""

    def save(self, path: Any, format: str = "exe") -> NoReturn:
        """Raises HloError."""
        raise HloError(
            f"what is compiled for target 'cpu' or 'gpu' with static shapes can be saved, and this is {self.NOT_SAVED}"
        )
