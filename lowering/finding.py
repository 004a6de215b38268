"""Ops by name, found by MLIR: a walk in Python would visit every op, which takes thirty times as long."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from mlir import ir, rewrite


def ops_named(module: ir.Module, names: Iterable[str]) -> list[ir.Operation]:
    """The module's ops of these names, in the order of a walk. The module's context is the current one."""
    finder = _finder(module.context, names if isinstance(names, frozenset) else tuple(names))
    finder.found = []
    rewrite.walk_and_apply_patterns(module.operation, finder.patterns)
    found, finder.found = finder.found, []
    return found


def captured(ops: Sequence[Any], order: ir.WalkOrder = ir.WalkOrder.PRE_ORDER) -> list[ir.Value]:
    """Values that ops, or ops in them, use and none of them defines: each once, in the order of a walk."""
    used: dict[ir.Value, None] = {}
    own: set[ir.Value] = set()

    def visit(one: ir.Operation) -> ir.WalkResult:
        used.update(dict.fromkeys(one.operands))
        own.update(one.results)
        for region in regions_of(one):
            for block in each(region.blocks):
                own.update(block.arguments)
        return ir.WalkResult.ADVANCE

    for op in ops:
        op.operation.walk(visit, order)
    return [value for value in used if value not in own]


def values_from_outside(ops: Sequence[ir.Operation], is_computed: Callable[[ir.Value], bool]) -> list[ir.Value]:
    """The same behind those that they are computed from, if `is_computed` says that they can be; of ops in ops first."""
    found: dict[ir.Value, None] = {}

    def add(value: ir.Value) -> None:
        if value not in found:
            for operand in value.owner.operands if is_computed(value) else ():
                add(operand)
            found[value] = None

    for value in captured(ops, ir.WalkOrder.POST_ORDER):
        add(value)
    return list(found)


def made_by(value: ir.Value, *names: str) -> ir.Operation | None:
    """The op whose result a value is, if it has one of these names (any, where there are none); None for what a block is given."""
    op = value.owner
    return None if isinstance(op, ir.Block) or (names and op.name not in names) else op.operation


def each(items: Any) -> Iterator[Any]:
    """The ops of a block, the blocks of a region, the regions of an op or the like, counted beforehand: iterators of
    MLIR's bindings end by an exception of C++, which takes longer than ten ops."""
    return islice(items, len(items))


def regions_of(op: Any) -> Iterable[ir.Region]:
    """An op's regions: most ops have none."""
    return each(op.regions) if len(op.regions) else ()


def block_of(value: ir.Value) -> ir.Block:
    """The block that a value is defined in."""
    return value.owner if isinstance(value.owner, ir.Block) else value.owner.operation.block


def is_used(value: ir.Value) -> bool:
    return next(iter(value.uses), None) is not None


def is_unused(op: ir.OpView | ir.Operation) -> bool:
    return not any(is_used(result) for result in op.results)


def integer_of(value: ir.Value) -> int | None:
    """The number that a value is, if it is a constant integer or index."""
    if isinstance(value.owner, ir.Block) or value.owner.name != "arith.constant":
        return None
    attribute = value.owner.attributes["value"]
    return ir.IntegerAttr(attribute).value if isinstance(attribute, ir.IntegerAttr) else None


def name_of(function: Any) -> str:
    return ir.StringAttr(function.attributes["sym_name"]).value


def text_of(function: Any) -> str:
    """Equal functions have equal ones, but for their names."""
    return function.operation.get_asm(assume_verified=True, use_local_scope=True)


def callee_of(call: Any) -> str:
    """The name of the function that is called."""
    return ir.FlatSymbolRefAttr(call.attributes["callee"]).value


def function_of(op: ir.OpView | ir.Operation) -> ir.Operation:
    """The function of the program that an op is in; a function is in itself."""
    while op.operation.name != "func.func":
        op = op.operation.parent
    return op.operation


def ancestor_in(op: ir.Operation, block: ir.Block) -> Any:
    """The op of a block that an op is, or is in; None for what is elsewhere."""
    while op.block != block:
        if op.parent is None or op.parent.name == "builtin.module":
            return None
        op = op.parent.operation
    return op


class _Finder:
    """Patterns that rewrite nothing. MLIR's bindings never free patterns: a context keeps those for each tuple of names."""

    def __init__(self, names: Iterable[str]):
        self.found: list[ir.Operation] = []
        patterns = rewrite.RewritePatternSet()
        for name in names:
            patterns.add(name, self._take)
        self.patterns = patterns.freeze()

    def _take(self, op: ir.OpView, _: rewrite.PatternRewriter) -> bool:
        self.found.append(op.operation)
        return True  # nothing is rewritten


def _finder(context: ir.Context, names: tuple[str, ...] | frozenset[str]) -> _Finder:
    kept = vars(context).setdefault("hlo_finders", {})
    if names not in kept:
        kept[names] = _Finder(names)
    return kept[names]


def has_op(op: ir.Operation, is_wanted: Callable[[ir.Operation], bool]) -> bool:
    """Whether a condition holds for some op in an op, or for the op itself; those after it are not looked at."""
    found = False

    def visit(one: ir.Operation) -> ir.WalkResult:
        nonlocal found
        found = is_wanted(one)
        return ir.WalkResult.INTERRUPT if found else ir.WalkResult.ADVANCE

    op.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found


def ops_within(op: ir.Operation, is_wanted: Callable[[ir.Operation], bool] = lambda _: True) -> list[ir.Operation]:
    """Those of an op, itself included, that a condition holds for, in the order of a walk: for small ops."""
    found: list[ir.Operation] = []

    def visit(one: ir.Operation) -> ir.WalkResult:
        if is_wanted(one):
            found.append(one)
        return ir.WalkResult.ADVANCE

    op.operation.walk(visit)
    return found
