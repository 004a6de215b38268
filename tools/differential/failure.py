"""What a check of a random program finds."""

from __future__ import annotations

from hlo.lazy_dataclasses import dataclass

FEW, MANY = 6, 60
"""Moved runs before a difference is believed."""


@dataclass(frozen=True)
class Failure:
    """What is wrong with a program; `kind` is one of differs, error, bug, generator, died."""

    number: int
    kind: str
    what: str
    text: str = ""
    """The program as a file."""
