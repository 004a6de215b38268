"""Ways to make a program smaller. An edit is a function of a module that yields one thunk for each op where it may
be applied; the caller takes one of them, so a thunk may leave the module in any state that the verifier can judge."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from mlir import ir

from hlo.dialect.types import is_tensor
from hlo.tools.differential.isolate import main_of, set_type

Thunk = Callable[[], None]
Edit = Callable[[ir.Module], Iterator[Thunk]]

EDITS: dict[str, Edit] = {}
"""In the order in which they are tried: large steps first."""


def edit(function: Edit) -> Edit:
    EDITS[function.__name__] = function
    return function


def all_ops(module: ir.Module) -> list[ir.Operation]:
    """Ops of all functions, what is inside of an op after it; no functions, no terminators."""
    found: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name not in ("builtin.module", "func.func", "func.return", "stablehlo.return"):
            found.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found


def end_of(block: Any) -> ir.Operation:
    return block.operations[len(block.operations) - 1].operation


def _with_results(module: ir.Module, numbers: list[int]) -> Thunk:
    def apply() -> None:
        main = main_of(module)
        end = end_of(main.regions[0].blocks[0])
        with module.context, end.location:
            ir.Operation.create("func.return", operands=[end.operands[n] for n in numbers], ip=ir.InsertionPoint(end))
        end.erase()
        set_type(main)
        if "res_attrs" in main.operation.attributes:
            del main.operation.attributes["res_attrs"]

    return apply


@edit
def keep_one_result(module: ir.Module) -> Iterator[Thunk]:
    count = len(end_of(main_of(module).regions[0].blocks[0]).operands)
    return (_with_results(module, [n]) for n in range(count if count > 1 else 0))


@edit
def drop_a_result(module: ir.Module) -> Iterator[Thunk]:
    count = len(end_of(main_of(module).regions[0].blocks[0]).operands)
    return (_with_results(module, [i for i in range(count) if i != n]) for n in range(count if count > 1 else 0))


@edit
def return_an_operand(module: ir.Module) -> Iterator[Thunk]:
    """The op that gives a result is left out: its operands are results instead."""
    main = main_of(module)
    end = end_of(main.regions[0].blocks[0])
    for position, value in enumerate(end.operands):
        owner = value.owner
        if not isinstance(owner, ir.Block) and owner.name not in (
            "stablehlo.constant",
            "stablehlo.optimization_barrier",
        ):
            for operand in owner.operands:
                if is_tensor(operand.type):
                    yield _return(module, position, operand)


def _return(module: ir.Module, position: int, value: ir.Value) -> Thunk:
    def apply() -> None:
        main = main_of(module)
        end_of(main.regions[0].blocks[0]).operands[position] = value
        set_type(main)
        if "res_attrs" in main.operation.attributes:
            del main.operation.attributes["res_attrs"]

    return apply


@edit
def inline_calls(module: ir.Module) -> Iterator[Thunk]:
    """All calls at once."""
    from hlo.lowering.stablehlo.calls.inline_calls import InlineCalls

    if any(op.name in ("func.call", "stablehlo.composite") for op in all_ops(module)):
        yield lambda: InlineCalls().run(module)


@edit
def inline_a_region(module: ir.Module) -> Iterator[Thunk]:
    """A branch instead of the choice; the body once instead of the loop."""
    for op in all_ops(module):
        if op.name in ("stablehlo.if", "stablehlo.case"):
            for region in op.regions:
                if len(region.blocks):
                    yield _inlined(op, region, [])
        if op.name == "stablehlo.while":
            yield _inlined(op, op.regions[1], list(op.operands))


def _inlined(op: ir.Operation, region: Any, arguments: list[ir.Value]) -> Thunk:
    def apply() -> None:
        block = region.blocks[0]
        for inner, outer in zip(block.arguments, arguments):
            inner.replace_all_uses_with(outer)
        *body, end = [o.operation for o in block.operations]
        for inside in body:
            inside.move_before(op)
        for result, value in zip(op.results, end.operands):
            result.replace_all_uses_with(value)
        op.erase()

    return apply


@edit
def pass_an_operand_on(module: ir.Module) -> Iterator[Thunk]:
    """Instead of an op's result one of its operands, or an argument of its region, of the same type."""
    for op in reversed(all_ops(module)):
        for result in op.results:
            block: Any = op.block
            values = [*op.operands, *(block.arguments if not isinstance(block.owner, ir.Module) else [])]
            for value in values:
                if value.type == result.type and len(list(result.uses)):
                    yield _replaced(result, value)


def _replaced(old: ir.Value, new: ir.Value) -> Thunk:
    def apply() -> None:
        old.replace_all_uses_with(new)

    return apply
