"""What of an op's result types its writer chooses: the element type of a conversion, the sizes of a reshape.

An op class names it (`CHOICE`), and its `infer` asks for it here. An op that exists is asked for what its last result
has; one that is about to be built has what its writer gave, or what its operands suggest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir

from hlo.dialect.known_integers import constant_integers
from hlo.dialect.types import DYNAMIC, element_type, shape
from hlo.lazy_dataclasses import dataclass

ELEMENT, SIZES, TYPES = "element type", "sizes", "types"
"""Parts of result types that an op class may name in `CHOICE`; TYPES: those of all results, `infer` gives none."""


@dataclass(frozen=True)
class Chosen:
    """What the writer of an op gives for its last result; None is left to the op."""

    element: ir.Type | None = None
    sizes: Sequence[int] | None = None


NOTHING = Chosen()


class ChoiceMissing(Exception):
    """A part of the result types follows from nothing and was not given; the message names it."""


def chosen_element(op: Any, suggested: ir.Type | None = None) -> ir.Type:
    """The element type of the op's last result. Raises ChoiceMissing."""
    if len(op.results):
        return element_type(op.results[len(op.results) - 1].type)
    element = op.chosen.element or suggested
    if element is None:
        raise ChoiceMissing(ELEMENT)
    return element


def chosen_sizes(op: Any, suggested: Sequence[int] | None = None) -> Sequence[int]:
    """The sizes of the op's last result. Raises ChoiceMissing."""
    if len(op.results):
        return shape(op.results[len(op.results) - 1].type)
    sizes = op.chosen.sizes if op.chosen.sizes is not None else suggested
    if sizes is None:
        raise ChoiceMissing(SIZES)
    return sizes


def sizes_in(vector: ir.Value) -> list[int] | None:
    """The sizes that a vector holds: known ones, DYNAMIC ones of a computed vector, None if even their number
    is not known."""
    known = constant_integers(vector)
    if known is not None:
        return known
    (count,) = shape(vector.type)
    return None if count == DYNAMIC else [DYNAMIC] * count
