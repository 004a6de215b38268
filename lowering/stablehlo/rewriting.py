"""What the StableHLO passes have in common: walking blocks, asking for uses and effects, replacing ops, building constants."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from mlir import ir

from hlo.dialect.definition import Op
from hlo.dialect.stablehlo import CustomCallOp, ReturnOp
from hlo.lowering.finding import each, made_by, regions_of
from hlo.lowering.replacing import Made, rewrite

PURE_IF_REGIONS_ARE = frozenset(
    f"stablehlo.{mnemonic}" for mnemonic in ("if", "case", "while", "optimization_barrier", "map", "reduce")
)
"""Ops whose only effects are those of their regions."""

CONSTRAINT = "sdy.sharding_constraint"

CHECKS = "check."
"""How the targets of custom calls begin that check a program: they have their effect, to fail, though none says so."""


def function_blocks(module: ir.Module) -> Iterator[ir.Block]:
    """The top block of every function that has a body."""
    for function in each(module.body.operations):
        for region in regions_of(function):
            yield from each(region.blocks)


def nested_blocks(op: ir.OpView) -> Iterator[ir.Block]:
    """The blocks directly inside an op."""
    for region in regions_of(op):
        yield from each(region.blocks)


def each_op(module: ir.Module) -> Iterator[ir.OpView]:
    """Every op of a module's functions, those inside of an op before it. It may be replaced meanwhile."""
    for block in function_blocks(module):
        yield from ops_in(block)


def ops_in(block: ir.Block) -> Iterator[ir.OpView]:
    """The same of a block."""
    for op in list(each(block.operations)):
        for inner in nested_blocks(op):
            yield from ops_in(inner)
        yield op


def nested_ops(op: ir.OpView) -> Iterator[ir.OpView]:
    """Every op inside an op, each before those inside it. Nothing changes meanwhile."""
    for block in nested_blocks(op):
        for inner in each(block.operations):
            yield inner
            yield from nested_ops(inner)


def values_read(op: ir.OpView) -> list[ir.Value]:
    """The operands of an op, and of all ops inside it."""
    found = list(op.operands)
    for block in nested_blocks(op) if len(op.regions) else ():
        for inner in block.operations:
            found += values_read(inner)
    return found


def defining(value: ir.Value, name: str) -> Any:
    """The op of a name that makes a value, or None."""
    owner = value.owner
    if isinstance(owner, ir.Block) or owner.name != f"stablehlo.{name}":
        return None
    return owner.opview


def combining_op(block: ir.Block) -> Any:
    """The one op that a function of two elements applies to them, in either order, and whose result it returns; None
    for any other function. Constraints say nothing about elements."""
    *ops, end = [op for op in block.operations if op.operation.name != CONSTRAINT]
    pair = list(block.arguments)
    if len(ops) != 1 or len(ops[0].regions) or list(ops[0].operands) not in (pair, pair[::-1]) or len(pair) != 2:
        return None
    (returned,) = end.operands
    while (constraint := made_by(returned, CONSTRAINT)) is not None:
        returned = constraint.operands[0]
    return ops[0] if [returned] == list(ops[0].results) else None


def is_pure(op: ir.OpView) -> bool:
    """Whether an op may be erased when its results are not used."""
    if not isinstance(op, Op) or op.IS_TERMINATOR:
        return False
    if isinstance(op, CustomCallOp):
        return not op.has_side_effect and not op.call_target_name.startswith(CHECKS)
    if not op.IS_PURE and op.OPERATION_NAME not in PURE_IF_REGIONS_ARE:
        return False
    return all(is_pure(inner) for block in nested_blocks(op) for inner in list(block.operations)[:-1])


def rewrite_each(module: ir.Module, kinds: Any, make: Callable[[Any], Made]) -> None:
    """Replaces the ops of some classes by what `make` makes of them."""
    for op in each_op(module):
        if isinstance(op, kinds):
            rewrite(op, make)


def move_body(block: ir.Block, arguments: Sequence[ir.Value]) -> list[ir.Value]:
    """Moves the ops of a region's block to the insertion point, its arguments replaced; returns what it returned."""
    for old, new in zip(block.arguments, arguments, strict=True):
        old.replace_all_uses_with(new)
    *body, last = list(block.operations)
    results = list(last.operands)
    target = ir.InsertionPoint.current
    for op in body:
        op.operation.detach_from_parent()
        target.insert(op)
    last.operation.erase()
    return results


def fill_region(region: ir.Region, types: Sequence[ir.Type], build: Callable[..., Sequence[ir.Value]]) -> None:
    """Gives a region its block: what `build` makes of arguments of these types is returned."""
    block = region.blocks.append(*types, arg_locs=[ir.Location.current] * len(types))
    with ir.InsertionPoint(block):
        ReturnOp.create(*build(*block.arguments), results=[])


def unshaped(value: ir.Value) -> ir.Value:
    """The same elements in the same order, before reshapes."""
    reshape = defining(value, "reshape")
    return value if reshape is None else unshaped(reshape.operands[0])
