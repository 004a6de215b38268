"""`hlo-run --compare=reference`: the first op whose value differs between the compiled program and the reference.

Top-level values of the entry function become its results, one program for both; the values of a prefix of ops are
compared in the order of the program, so what is named first is where the difference starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from mlir import ir

from hlo.errors import HloError

TOLERANCES = {np.dtype(np.float64): 1e-10, np.dtype(np.complex128): 1e-10, np.dtype(np.float32): 1e-4, np.dtype(np.complex64): 1e-4}  # fmt: skip
SMALL_FLOAT_TOLERANCE = 2e-2


@dataclass(frozen=True)
class Difference:
    """The place of the largest difference between two arrays."""

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
    exact = compiled.dtype.kind in "iub"
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
    number = next(i for i, d in enumerate(found) if d)
    last = f"result {number}: {found[number]}"
    return f"{last}\n{_first_op(module, entry, arrays) or 'no single op differs when all values are returned'}"


def _first_op(module: ir.Module, entry: str, arrays: Sequence[np.ndarray]) -> str:
    import hlo

    exposed = ir.Module.parse(
        module.operation.get_asm(enable_debug_info=True, assume_verified=True, print_generic_op_form=True),
        module.context,
    )
    ops = _return_all(exposed, entry)
    compiled = hlo.compile(exposed, entry=entry)(*arrays)
    expected = hlo.compile(exposed, target="reference", entry=entry)(*arrays)
    for (name, place), a, b in zip(ops, compiled, expected):
        found = difference(a, b)
        if found:
            return f"first differing op: {name} at {place}: {found}"
    return ""


def _return_all(module: ir.Module, entry: str) -> list[tuple[str, str]]:
    """Makes every tensor computed at the top level of a function a result; gives the name and location of its op."""
    function: Any = next(f for f in module.body.operations if f.operation.name == "func.func" and f.name.value == entry)
    operations = list(function.regions[0].blocks[0].operations)
    values = [r for op in operations[:-1] for r in op.operation.results if isinstance(r.type, ir.RankedTensorType)]
    if not values:
        raise HloError(f"function @{entry} computes no tensors")
    with module.context, operations[-1].location:
        ir.Operation.create("func.return", operands=values, ip=ir.InsertionPoint(operations[-1]))
        operations[-1].operation.erase()
        kind = ir.FunctionType.get(list(function.type.inputs), [v.type for v in values])
        function.operation.attributes["function_type"] = ir.TypeAttr.get(kind)
        if "res_attrs" in function.operation.attributes:
            del function.operation.attributes["res_attrs"]
    return [(str(v.owner.name), str(v.owner.location).removeprefix("loc(").removesuffix(")")) for v in values]
