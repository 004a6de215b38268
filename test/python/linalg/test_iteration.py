"""Positions in memory: contiguous, aligned, walked through as one."""

from __future__ import annotations

import pytest
from mlir import ir

from hlo.lowering.linalg.iteration import Affine, Dim, are_one, flatten, kept_dimensions, strides_along


def position(sizes: list[int], strides: list[int], first: int = 0) -> tuple[list[Dim], Affine]:
    loops = [Dim(size) for size in sizes]
    return loops, sum((Affine.of(d) * n for d, n in zip(loops, strides)), Affine((), first))


@pytest.mark.parametrize(
    "what, sizes, strides, found",
    [
        ("rows", [8, 6], [6, 1], 1),
        ("columns", [8, 6], [1, 8], 0),
        ("windows that overlap", [8, 3], [1, 1], None),
        ("windows beside each other", [4, 2], [2, 1], 1),
        ("every second element", [8, 6], [12, 2], None),
        ("a loop that runs once", [8, 1], [1, 1], 0),
        ("a row that all read", [8, 6], [0, 1], 1),
        ("backwards", [8], [-1], None),
    ],
)
def test_contiguous_loop(what: str, sizes: list[int], strides: list[int], found: int | None) -> None:
    loops, one = position(sizes, strides)
    assert one.contiguous_loop(loops) is (None if found is None else loops[found])


def test_multiple() -> None:
    """Rows of 12 elements begin at multiples of 12, from the 8th element on at those of 4; one row, at 0, anywhere."""
    loops, one = position([5, 12], [12, 1])
    assert one.multiple(loops[1]) == 12
    assert (one + 8).multiple(loops[1]) == 4
    assert position([1, 12], [7, 1])[1].multiple(None) == 1
    loops, alone = position([12], [1])
    assert alone.multiple(loops[0]) == 0


def test_are_one() -> None:
    loops, whole = position([4, 6], [6, 1])
    broadcast = Affine.of(loops[1])
    assert are_one(*loops, [whole])
    assert not are_one(*loops, [whole, broadcast])
    assert are_one(*loops, [whole * 2])


def test_strides_along() -> None:
    with ir.Context():
        window = ir.AffineMapAttr(ir.Attribute.parse("affine_map<(d0, d1) -> (d0 * 2 + d1, 3)>")).value
        assert strides_along(window, (20, 6)) == ([12, 6], 3)
        division = ir.AffineMapAttr(ir.Attribute.parse("affine_map<(d0) -> (d0 floordiv 2)>")).value
        assert strides_along(division, (4,)) is None


def test_flatten() -> None:
    loops = [Dim(3), Dim(4)]
    assert (
        flatten([Affine.of(loops[0]), Affine.of(loops[1]) + 2], (3, 8))
        == Affine.of(loops[0]) * 8 + Affine.of(loops[1]) + 2
    )


def test_kept_dimensions() -> None:
    assert kept_dimensions([1, 4, 1, 8], [4, 1, 8]) == [False, True, True, True]
    assert kept_dimensions([1, 4, 8], [4, 8]) == [False, True, True]
