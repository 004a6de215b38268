"""Regions as scalar code: the bodies of reduce, sort, scatter, map and the like, inlined where an element is computed.

Before:  ^bb0(%a: tensor<f32>, %b: tensor<f32>): %0 = stablehlo.add %a, %b; stablehlo.return %0
After:   %0 = arith.addf %a, %b : f32"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from mlir import ir

from hlo.dialect.locations import diagnostic
from hlo.dialect.types import element_type, rank
from hlo.errors import CompileError
from hlo.lowering.linalg.constants import scalar_constant
from hlo.lowering.linalg.loops import extract, if_else, switch, while_loop
from hlo.lowering.linalg.rules import Lowering, signless
from hlo.lowering.linalg.scalar.arrays import LARGEST, RULES, elements_of, fits, lower_arrays
from hlo.lowering.linalg.scalar.table import has_scalar, mnemonic, scalar

Scalars = dict[ir.Value, Any]


def scalar_block(
    lowering: Lowering, block: ir.Block, scalars: Sequence[ir.Value], wanted: Sequence[ir.Value] | None = None
) -> list[ir.Value]:
    """Creates a block's ops on scalars at the insertion point: `scalars` stand for its arguments; values from outside
    are read by tensor.extract. Returns the scalars that the terminator returns, or those of the `wanted` values of the block."""
    code = _Block(lowering, {})
    returned = code.run(block, scalars)
    return returned if wanted is None else [code[v] for v in wanted]


def is_scalar_code(block: ir.Block) -> bool:
    """Whether `scalar_block` can create a block's ops."""
    return all(_is_scalar_op(op) for op in list(block.operations)[:-1])


def _is_scalar_op(op: Any) -> bool:
    if not all(is_scalar_code(block) for region in op.regions for block in region.blocks):
        return False
    if _has_arrays(op) or op.operation.name not in STRUCTURED:
        return fits(op)
    return True


def _has_arrays(op: Any) -> bool:
    types = [v.type for v in (*op.operands, *op.results)]
    return any(rank(t) for t in types if isinstance(t, ir.RankedTensorType))


class _Block:
    """Scalar code of one region and those nested in it: `known` maps old tensors of rank 0 to scalars, others to arrays of them."""

    def __init__(self, lowering: Lowering, known: Scalars):
        self.lowering = lowering
        self.known = known

    def run(self, block: ir.Block, arguments: Sequence[ir.Value] = ()) -> list[ir.Value]:
        self.known.update(zip(block.arguments, arguments, strict=True))
        operations = list(block.operations)
        for op in operations[:-1]:
            with op.location:
                results = self._lower(op)
            self.known.update(zip(op.results, results, strict=True))
        return [self[v] for v in operations[-1].operands]

    def __getitem__(self, old: ir.Value) -> Any:
        if old not in self.known:
            value = self.lowering[old]
            return elements_of(value) if rank(old.type) else extract(value, [])
        return self.known[old]

    def _lower(self, op: Any) -> list[Any]:
        name = op.operation.name
        if name in STRUCTURED and not _has_arrays(op):
            return STRUCTURED[name](self, op)
        if has_scalar(mnemonic(op)) and not _has_arrays(op):
            return [scalar(op, *[self[v] for v in op.operands])]
        if not fits(op):
            limit = f"of arrays of more than {LARGEST} elements " if op.operation.name in RULES else ""
            raise CompileError(diagnostic(op, f"'{name}' {limit}is not supported in a computation on elements"))
        return lower_arrays(self, op)

    def branch(self, block: ir.Block, arguments: Sequence[ir.Value] = ()) -> list[ir.Value]:
        """What a nested block gives for some elements: what it defines is not visible outside."""
        return _Block(self.lowering, dict(self.known)).run(block, arguments)


def _if(block: _Block, op: Any) -> list[ir.Value]:
    then, otherwise = (partial(block.branch, r.blocks[0]) for r in op.regions)
    return if_else(block[op.operands[0]], _types(op), then, otherwise)


def _case(block: _Block, op: Any) -> list[ir.Value]:
    branches = [partial(block.branch, r.blocks[0]) for r in op.regions if len(r.blocks)]
    return switch(block[op.operands[0]], _types(op), branches)


def _types(op: Any) -> list[ir.Type]:
    return [signless(element_type(r.type)) for r in op.results]


def _while(block: _Block, op: Any) -> list[ir.Value]:
    condition, body = (r.blocks[0] for r in list(op.regions)[:2])
    initial = [block[v] for v in op.operands]
    return while_loop(initial, lambda *v: block.branch(condition, v)[0], lambda *v: block.branch(body, v))


def _constant(block: _Block, op: Any) -> list[ir.Value]:
    return [scalar_constant(op)]


def _same(block: _Block, op: Any) -> list[ir.Value]:
    return [block[v] for v in op.operands]


STRUCTURED: dict[str, Callable[[_Block, Any], list[ir.Value]]] = {
    "stablehlo.broadcast_in_dim": _same,
    "stablehlo.case": _case,
    "stablehlo.constant": _constant,
    "stablehlo.if": _if,
    "stablehlo.optimization_barrier": _same,
    "stablehlo.reshape": _same,
    "stablehlo.transpose": _same,
    "stablehlo.while": _while,
}
"""Ops of rank-0 tensors that are no arithmetic."""
