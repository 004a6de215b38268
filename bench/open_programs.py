"""Self-checking programs opened: what stood behind an optimization barrier becomes an argument, what was checked a result.

Before:  %0 = stablehlo.optimization_barrier %constant     After:  func.func @f(%0: tensor<3xf32>) -> tensor<3xf32>
         check.expect_eq_const %r, dense<...>                      return %r"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from mlir import ir

from hlo.dialect.elements import read_elements
from hlo.runtime.compile.entry_function import entry_only, function_named

BARRIER = "stablehlo.optimization_barrier"

AS_WRITTEN = ("stablehlo.cholesky", "stablehlo.triangular_solve", "stablehlo.custom_call", "stablehlo.dynamic_")
"""Ops whose operands have a structure that other values would not have, or say what shape a result has."""


@dataclass(frozen=True)
class Opened:
    """`written`: the arguments' values in the self-checking program. `is_free`: whether others make sense too."""

    module: ir.Module
    entry: str
    written: tuple[np.ndarray, ...]
    is_free: bool

    def arguments(self, seed: int) -> list[np.ndarray]:
        """Other values of the same kind: in another order, floats by up to a half larger or smaller."""
        generator = np.random.default_rng(seed)
        return [_changed(a, generator) if self.is_free else a for a in self.written]


def _changed(array: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    values = generator.permutation(array.reshape(-1)).reshape(array.shape)
    if array.dtype.kind in "biu" or array.dtype.name.startswith(("int", "uint")):
        return values
    with np.errstate(all="ignore"):
        factors = generator.uniform(0.5, 1.5, array.shape)
        return (values.astype(complex if array.dtype.kind == "c" else float) * factors).astype(array.dtype)


def opened(module: ir.Module, entry: str) -> Opened:
    """The module is not changed."""
    copy = entry_only(module, entry)
    function = function_named(copy, entry)
    body = function.regions[0].blocks[0]
    operations = [op.operation for op in body.operations]
    with copy.context, ir.Location.unknown():
        written = [value for op in operations if op.name == BARRIER for value in _open(op, body)]
        checks = [op for op in operations if op.name.startswith("check.expect_")]
        _return(function, operations[-1], [op.operands[0] for op in checks])
        for op in checks:
            op.erase()
    return Opened(copy, entry, tuple(written), not _uses(copy, AS_WRITTEN))


def _open(barrier: ir.Operation, body: ir.Block) -> list[np.ndarray]:
    found = []
    for operand, result in zip(barrier.operands, barrier.results):
        owner = operand.owner
        if isinstance(owner, ir.Block) or owner.name != "stablehlo.constant":
            continue
        values = read_elements(owner.attributes["value"])
        if values is not None:
            result.replace_all_uses_with(body.add_argument(result.type, ir.Location.unknown()))
            found.append(np.array(values))
    return found


def _return(function: Any, terminator: ir.Operation, results: list[ir.Value]) -> None:
    ir.Operation.create("func.return", operands=results, ip=ir.InsertionPoint(terminator))
    terminator.erase()
    arguments = [a.type for a in function.regions[0].blocks[0].arguments]
    kind = ir.FunctionType.get(arguments, [r.type for r in results])
    function.operation.attributes["function_type"] = ir.TypeAttr.get(kind)


def _uses(module: ir.Module, names: tuple[str, ...]) -> bool:
    text = str(module)
    return any(name in text for name in names)
