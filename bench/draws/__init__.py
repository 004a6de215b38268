"""Programs drawn at random: `draw(seed, number)` is always the same one. Each family is a function of a random generator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from bench.draws import contractions, convolutions, elementwise, linear_algebra, movement, networks, rows, sorting
from bench.programs.program import Program

FAMILIES: dict[str, Callable[[np.random.Generator], Program]] = {
    "contraction": contractions.contraction,
    "complex contraction": contractions.complex_contraction,
    "convolution": convolutions.convolution,
    "window": convolutions.window,
    "rows": rows.row_function,
    "reduction": rows.reduction,
    "elementwise": elementwise.elementwise,
    "complex elementwise": elementwise.complex_elementwise,
    "movement": movement.movement,
    "indexing": movement.indexing,
    "sorting": sorting.sorting,
    "selection": sorting.selection,
    "linear algebra": linear_algebra.linear_algebra,
    "loop": networks.loop,
    "network": networks.network,
    "gradient": networks.gradient,
}


def draw(seed: int, number: int) -> tuple[str, Program]:
    """The family and the program of a number: families take turns, so that each has its share of any count."""
    family = list(FAMILIES)[number % len(FAMILIES)]
    program = FAMILIES[family](np.random.default_rng([seed, number]))
    return family, replace(program, name=f"{number}: {program.name}")
