"""Arrays that slices are parts of: whether they are in memory, and what else may be done with them in between."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from mlir import ir

from hlo.lowering.finding import ancestor_in
from hlo.lowering.gpu.views import RULES, View
from hlo.lowering.vector.fusable import is_clonable

SLICE = "tensor.extract_slice"

LEAST_USE = 2
"""What is computed element by element is put into memory for its slices if they are one of so many parts of it or more."""

MADE_ANYWAY = ("func.call", "scf.while", "scf.if", "tensor.insert_slice")
"""What gives arrays that are in memory."""


def chain_to(value: ir.Value, view: View) -> list[ir.Operation]:
    """The slices and reshapes between a value and the array, the last one first."""
    found: list[ir.Operation] = []
    while value != view.source:
        found.append(value.owner.operation)
        value = found[-1].operands[0]
    return found


def is_in_memory(source: ir.Value) -> bool:
    """Whether an array is there anyway, or is worth it for all of its slices: not what is cheaper computed by those who read a few of
    its elements."""
    if isinstance(source.owner, ir.Block) or source.owner.name in MADE_ANYWAY:
        return True
    op = source.owner.operation
    if op.name != "linalg.generic" or is_clonable(source):
        return False
    return not is_elementwise(op) or _sliced_elements(source) * LEAST_USE >= prod(source.type.shape)


def is_elementwise(op: ir.Operation) -> bool:
    if op.name != "linalg.generic" or len(op.results) != 1:
        return False
    return "reduction" not in str(op.attributes["iterator_types"])


def _sliced_elements(source: ir.Value) -> int:
    users = [use.owner.operation for value in aliases(source) for use in value.uses]
    return sum(prod(user.results[0].type.shape) for user in users if user.name == SLICE)


def aliases(source: ir.Value) -> list[ir.Value]:
    """An array, and all of it in other shapes."""
    found = [source]
    for value in found:
        users = [use.owner.operation for use in value.uses]
        found += [op.results[0] for op in users if op.name in RULES and op.name != SLICE]
    return found


def is_written(source: ir.Value, after: ir.Operation, before: ir.Operation, reads: Callable[[Any], bool]) -> bool:
    """Whether something between two ops of a block may write to an array. `reads`: what a use of it surely does not."""
    ops = [op.operation for op in before.block.operations]
    between = set(ops[ops.index(after) : ops.index(before)])
    uses = (use for value in aliases(source) for use in value.uses)
    return any(ancestor_in(use.owner.operation, before.block) in between and not reads(use) for use in uses)


def ends_of_product(op: ir.Operation, is_product: Callable[[ir.Operation], bool]) -> list[ir.Value]:
    """If an op is the last of those that make something of a product's result, element by element, which is then only sliced: their
    results, the last one first. The product's kernel computes them, instead of each reader of a slice; else nothing."""
    if not is_elementwise(op) or not _is_only_sliced(op.results[0]):
        return []
    found = [op.results[0]]
    while True:
        above = [v.owner.operation for v in list(op.operands)[:-1] if _is_alone(v, op)]
        if any(is_product(one) for one in above):
            return found
        more = [one for one in above if is_elementwise(one)]
        if len(more) != 1:
            return []
        (op,) = more
        found.append(op.results[0])


def _is_only_sliced(source: ir.Value) -> bool:
    users = [use.owner for value in aliases(source) for use in value.uses]
    return all(user.name in RULES for user in users) and _sliced_elements(source) * LEAST_USE >= prod(source.type.shape)


def _is_alone(value: ir.Value, reader: ir.Operation) -> bool:
    """An op's result with as many elements as the reader's, which nothing else reads."""
    is_tensor = isinstance(value.type, ir.RankedTensorType) and not isinstance(value.owner, ir.Block)
    if not is_tensor or len(list(value.uses)) != 1 or value.owner.operation.block != reader.block:
        return False
    return prod(value.type.shape) == prod(reader.results[0].type.shape)
