"""One program of a batch on its own, with its inputs: a module, or a file that anyone can run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from mlir import ir

from hlo.dialect.elements import make_elements
from hlo.dialect.printer import print_module


def without_unused(module: ir.Module, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Erases ops of main that no result needs, arguments that nothing uses, and private functions that nothing names;
    the inputs of the arguments that stay."""
    main = main_of(module)
    block = main.regions[0].blocks[0]
    for op in reversed([o.operation for o in block.operations][:-1]):
        if not any(len(list(r.uses)) for r in op.results):
            op.erase()
    kept = [bool(len(list(a.uses))) for a in block.arguments]
    for number in reversed(range(len(kept))):
        if not kept[number]:
            block.erase_argument(number)
    set_type(main)
    _erase_functions(module)
    return [array for array, keep in zip(inputs, kept) if keep]


def main_of(module: ir.Module) -> Any:
    return next(f for f in module.body.operations if f.operation.name == "func.func" and f.name.value == "main")


def set_type(function: Any) -> None:
    """The type of a function from its arguments and its return."""
    block = function.regions[0].blocks[0]
    operations = block.operations
    results = [v.type for v in operations[len(operations) - 1].operation.operands]
    kind = ir.FunctionType.get([a.type for a in block.arguments], results, context=function.context)
    function.operation.attributes["function_type"] = ir.TypeAttr.get(kind, context=function.context)


def _erase_functions(module: ir.Module) -> None:
    while True:
        text = module.operation.get_asm(assume_verified=True, print_generic_op_form=True)
        dead = [
            f for f in module.body.operations
            if f.operation.name == "func.func" and f.name.value != "main" and text.count(f"@{f.name.value}") == 0
        ]  # fmt: skip
        if not dead:
            return
        for function in dead:
            function.operation.erase()


def self_contained(module: ir.Module, inputs: Sequence[np.ndarray], header: str) -> str:
    """A text in which the arguments of main are constants, behind barriers, so that they are not folded."""
    main = main_of(module)
    block = main.regions[0].blocks[0]
    with module.context, ir.Location.unknown():
        ip = ir.InsertionPoint.at_block_begin(block)
        for number, array in enumerate(inputs):
            argument: Any = block.arguments[number]
            value = constant(array, argument.type, ip)
            barrier = ir.Operation.create(
                "stablehlo.optimization_barrier", results=[argument.type], operands=[value], ip=ip
            )
            argument.replace_all_uses_with(barrier.results[0])
        for number in reversed(range(len(inputs))):
            block.erase_argument(number)
        set_type(main)
    return f"{header}\n{print_module(module)}"


def constant(array: np.ndarray, kind: ir.Type, ip: ir.InsertionPoint) -> ir.Value:
    attribute = make_elements(np.ascontiguousarray(array), kind)
    return ir.Operation.create("stablehlo.constant", results=[kind], attributes={"value": attribute}, ip=ip).results[0]
