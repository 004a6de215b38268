"""Strides of arrays without gaps."""

from __future__ import annotations


def row_major(shape: tuple[int, ...]) -> tuple[int, ...]:
    """In elements."""
    strides: list[int] = []
    size = 1
    for extent in reversed(shape):
        strides.insert(0, size)
        size *= extent
    return tuple(strides)
