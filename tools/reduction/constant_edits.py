"""Values instead of what computes them, and simpler values instead of those."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from mlir import ir

from hlo.dialect.elements import DTYPES, make_elements, read_elements
from hlo.dialect.types import element_type, is_tensor
from hlo.dialect.types import shape as shape_of
from hlo.errors import HloError
from hlo.tools.differential.isolate import constant, main_of
from hlo.tools.reduction.edits import Thunk, all_ops, edit

INPUTS = ("stablehlo.constant", "stablehlo.optimization_barrier")


@edit
def cut_off(module: ir.Module) -> Iterator[Thunk]:
    """An op of main becomes the value that the reference computes, with all that was needed for it. Late ops first."""
    block = main_of(module).regions[0].blocks[0]
    ops = [o.operation for o in block.operations][:-1]
    targets = [(n, op) for n, op in enumerate(ops) if op.name not in INPUTS and _is_known(op)]
    if targets:
        values = _values(module, len(ops))
        yield from (_cut(op, values[n]) for n, op in reversed(targets) if n in values)


def _is_known(op: ir.Operation) -> bool:
    return len(op.results) > 0 and all(is_tensor(r.type) and str(element_type(r.type)) in DTYPES for r in op.results)


def _values(module: ir.Module, count: int) -> dict[int, Sequence[Any]]:
    """What the reference computes for each op at the top of main, by its position there."""
    from hlo.reference.executable import ReferenceExecutable

    seen: list[tuple[Any, Sequence[Any]]] = []
    main = main_of(module)
    if main.regions[0].blocks[0].arguments:
        return {}
    try:
        ReferenceExecutable(module, "main", lambda step, results: seen.append((step.op, results)))()
    except HloError:
        return {}
    numbers = {o.operation: n for n, o in enumerate(main.regions[0].blocks[0].operations)}
    return {numbers[op.operation]: results for op, results in seen if op.operation in numbers}


def _cut(op: ir.Operation, values: Sequence[Any]) -> Thunk:
    def apply() -> None:
        with op.context, op.location:
            ip = ir.InsertionPoint(op)
            for result, value in zip(op.results, values):
                made = constant(np.asarray(value), result.type, ip)
                barrier = ir.Operation.create(INPUTS[1], results=[result.type], operands=[made], ip=ip)
                result.replace_all_uses_with(barrier.results[0])

    return apply


@edit
def zero_instead(module: ir.Module) -> Iterator[Thunk]:
    """Inside of regions: a constant 0 instead of an op."""
    for op in reversed(all_ops(module)):
        if op.name not in INPUTS and _is_known(op) and op.parent and op.parent.name != "func.func":
            yield _cut_to_zero(op)


def _cut_to_zero(op: ir.Operation) -> Thunk:
    def apply() -> None:
        with op.context, op.location:
            for result in op.results:
                zeros = np.zeros(shape_of(result.type), DTYPES[str(element_type(result.type))])
                result.replace_all_uses_with(constant(zeros, result.type, ir.InsertionPoint(op)))

    return apply


@edit
def simplify_constants(module: ir.Module) -> Iterator[Thunk]:
    """All elements 0, 1, or the first one; a half, a quarter, ... of them 0; each rounded."""
    for op in all_ops(module):
        array = read_elements(op.attributes["value"]) if op.name == "stablehlo.constant" else None
        if array is not None and array.size:
            yield from (_with_value(op, simpler) for simpler in _simpler(array))


def _simpler(array: np.ndarray) -> Iterator[np.ndarray]:
    zero, one = array.dtype.type(0), array.dtype.type(1)
    for value in (zero, one, array.reshape(-1)[0]):
        yield np.full(array.shape, value, array.dtype)
    if np.any(array != np.zeros(1, array.dtype)):
        length = array.size
        while length > 1 and array.size // length <= 32:
            length = -(-length // 2)
            for start in range(0, array.size, length):
                part = array.copy().reshape(-1)
                part[start : start + length] = zero
                yield part.reshape(array.shape)
    if array.dtype.kind == "f":
        with np.errstate(all="ignore"):
            yield np.rint(array)


def _with_value(op: ir.Operation, array: np.ndarray) -> Thunk:
    def apply() -> None:
        with op.context:
            op.attributes["value"] = make_elements(array, op.results[0].type)

    return apply
