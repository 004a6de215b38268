"""`hlo-run --compare=reference`: the first op whose value differs between the compiled program and the reference.

Calls are inlined and all top-level values of the entry function become results of the compiled program. Then the
reference makes each op's results of the operands that the *compiled* program had, so that rounding before an op is not
blamed on it. A difference beyond the tolerance counts when the reference, with its inexact steps moved by their last
digits (tools/differential/moved.py), never comes near: a long sum may be taken in another order. Where no op differs by
itself, the results as a whole may differ by as much as the same moves make them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from mlir import ir

from hlo.dialect.numpy_types import is_whole
from hlo.errors import HloError
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.stablehlo.calls.inline_calls import InlineCalls
from hlo.reference.executable import ReferenceExecutable
from hlo.reference.interpreter import Step
from hlo.tools.differential.comparison import differs
from hlo.tools.differential.moved import MovedReference

TOLERANCES = {np.dtype(np.float64): 1e-10, np.dtype(np.complex128): 1e-10, np.dtype(np.float32): 1e-4, np.dtype(np.complex64): 1e-4}  # fmt: skip
SMALL_FLOAT_TOLERANCE = 2e-2

MOVED_RUNS = 6

OPEN = ("stablehlo.rng",)
"""Ops whose numbers are the implementation's choice."""


@dataclass(frozen=True)
class Difference:
    """The index of the largest difference between two arrays."""

    index: tuple[int, ...]
    compiled: Any
    reference: Any
    distance: float

    def __str__(self) -> str:
        return f"largest difference {self.distance:g} at {list(self.index)}: compiled {self.compiled}, reference {self.reference}"


def difference(compiled: np.ndarray, reference: np.ndarray) -> Difference | None:
    """None when the arrays agree: integers exactly, floats within the type's tolerance (relative above 1)."""
    if not compiled.size:
        return None
    exact = is_whole(compiled.dtype)
    kind: Any = np.complex128 if compiled.dtype.kind == "c" else np.float64
    with np.errstate(all="ignore"):
        a, b = compiled.astype(kind), reference.astype(kind)
        distance = np.where((a == b) | ((a != a) & (b != b)), 0, np.abs(a - b) / np.maximum(1, np.abs(b)))
    distance = np.where(compiled != reference, np.maximum(distance, 5e-324), 0) if exact else distance
    distance = np.where(np.isnan(distance), np.inf, distance)
    if distance.max() <= (0 if exact else TOLERANCES.get(compiled.dtype, SMALL_FLOAT_TOLERANCE)):
        return None
    index = tuple(int(i) for i in np.unravel_index(np.argmax(distance), compiled.shape))
    return Difference(index, compiled[index], reference[index], float(distance[index]))


def compare(module: ir.Module, entry: str, arrays: Sequence[np.ndarray], results: Sequence[np.ndarray]) -> str:
    """What differs from the reference, in words; "" when nothing does."""
    import hlo

    expected = hlo.compile(module, target="reference", entry=entry)(*arrays)
    found = [difference(a, b) for a, b in zip(results, expected)]
    if not any(found):
        return ""
    first = _first_op(module, entry, arrays)
    if not first and _is_rounding(module, entry, arrays, results, expected):
        return ""
    number = next(i for i, d in enumerate(found) if d)
    return f"result {number}: {found[number]}\n{first or 'no single op differs when all values are returned'}"


def _is_rounding(
    module: ir.Module, entry: str, arrays: Sequence[np.ndarray], results: Sequence[np.ndarray], expected: Sequence[Any]
) -> bool:
    """Whether the results lie where they can lie when every inexact op is off by its last digits."""
    runs = [expected, *(_moved(module, entry, seed)(*arrays) for seed in range(MOVED_RUNS))]
    return not any(differs(a, [run[i] for run in runs]).any() for i, a in enumerate(results))


def _moved(module: ir.Module, entry: str, seed: int) -> MovedReference:
    return MovedReference(module, entry, seed)


def _first_op(module: ir.Module, entry: str, arrays: Sequence[np.ndarray]) -> str:
    """The first top-level op that gives something else than the reference makes of the same operands."""
    import hlo

    exposed = ir.Module.parse(
        module.operation.get_asm(enable_debug_info=True, assume_verified=True, print_generic_op_form=True),
        module.context,
    )
    with exposed.context, ir.Location.unknown():
        InlineCalls().run(exposed)
    _return_all(exposed, entry)
    compiled = iter(hlo.compile(exposed, entry=entry)(*arrays))
    references = [ReferenceExecutable(exposed, entry), *(_moved(exposed, entry, seed) for seed in range(MOVED_RUNS))]
    body = references[0].interpreter.body(entry)
    values = dict(zip(body.arguments, references[0].values(*arrays)))
    for position, step in enumerate(body.steps):
        expected = references[0].interpreter.run_step(step, values)
        results = [next(compiled) if _is_tensor(r) else e for r, e in zip(step.op.operation.results, expected)]
        found = _difference_of(step, position, results, expected, values, references[1:], entry)
        if found:
            return f"first differing op: {step.op.operation.name} at {_location(step.op)}: {found}"
        values.update(zip(step.results, results))
    return ""


def _difference_of(
    step: Step, position: int, results: Sequence[Any], expected: Sequence[Any], values: dict[int, Any],
    moved: Sequence[ReferenceExecutable], entry: str,
) -> Difference | None:  # fmt: skip
    """A difference between results of one step that rounding inside of the step does not explain."""
    if step.op.operation.name in OPEN:
        return None
    kinds = zip(results, expected, step.op.operation.results)
    found = [difference(np.asarray(a), np.asarray(b)) if _is_tensor(r) else None for a, b, r in kinds]
    if not any(found):
        return None
    runs = [expected, *(m.interpreter.run_step(m.interpreter.body(entry).steps[position], values) for m in moved)]
    for number, one in enumerate(found):
        if one and differs(np.asarray(results[number]), [np.asarray(run[number]) for run in runs]).any():
            return one
    return None


def _is_tensor(value: ir.Value) -> bool:
    return isinstance(value.type, ir.RankedTensorType)


def _location(op: Any) -> str:
    return str(op.operation.location).removeprefix("loc(").removesuffix(")")


def _return_all(module: ir.Module, entry: str) -> None:
    """Makes every tensor computed at the top level of a function a result."""
    function: Any = next(f for f in module.body.operations if f.operation.name == "func.func" and f.name.value == entry)
    operations = list(function.regions[0].blocks[0].operations)
    values = [r for op in operations[:-1] for r in op.operation.results if _is_tensor(r)]
    if not values:
        raise HloError(f"function @{entry} computes no tensors")
    with module.context, operations[-1].location:
        ir.Operation.create("func.return", operands=values, ip=ir.InsertionPoint(operations[-1]))
        operations[-1].operation.erase()
        kind = ir.FunctionType.get(list(function.type.inputs), [v.type for v in values])
        function.operation.attributes["function_type"] = ir.TypeAttr.get(kind)
        if "res_attrs" in function.operation.attributes:
            del function.operation.attributes["res_attrs"]
