"""Chains of elementwise ops whose values nothing else reads, such as polynomials and updates of parameters: each is one
linalg.generic, which passes visit once. A kernel would compute them together anyway.

Before:  %0 = stablehlo.multiply %x, %x     %1 = stablehlo.add %0, %c     ...     %9 = stablehlo.multiply %8, %0
After:   %9 = linalg.generic ins(%x) { ^bb0(%a, %_): %0 = arith.mulf %a, %a; %1 = arith.addf %0, %cst; ...; linalg.yield %9 }"""

from __future__ import annotations

from typing import Any

from mlir import ir

from hlo.dialect.definition import OPS
from hlo.dialect.types import bit_width, element_type, is_complex, is_tensor, rank, shape
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.constants import signless_elements
from hlo.lowering.linalg.rules import Lowering
from hlo.lowering.linalg.scalar.table import has_scalar, scalar
from hlo.lowering.linalg.structured import elementwise
from hlo.lowering.numbers import emit

SHORTEST, LONGEST = 2, 512
"""Ops of a chain."""

BROADCAST, BITCAST = "stablehlo.broadcast_in_dim", "stablehlo.bitcast_convert"
ELEMENTWISE = {n for n, op in OPS.items() if op.DIALECT == "stablehlo" and op.ELEMENTWISE and has_scalar(op.MNEMONIC)}


@dataclass(frozen=True)
class Chain:
    """Ops in program order, of which only the last one is read by others."""

    ops: list[Any]

    def lower(self, lowering: Lowering) -> ir.Value:
        """The value of the last one."""
        made = {op.results[0] for op in self.ops}
        read = dict.fromkeys(v for op in self.ops for v in op.operands if v not in made)
        constants = {v: number for v in read if (number := _equal_elements(v)) is not None}
        inputs = [v for v in read if v not in constants]
        type = lowering.type(self.ops[-1].results[0].type)
        body = lambda *elements: self._body(dict(zip(inputs, elements)), constants)
        with self._location():
            return elementwise([lowering[v] for v in inputs], type, body)

    def _location(self) -> ir.Location:
        """Those of all ops, the last one's first."""
        return ir.Location.fused([op.location for op in reversed(self.ops)])

    def _body(self, known: dict[ir.Value, ir.Value], constants: dict[ir.Value, ir.Attribute]) -> ir.Value:
        for value, number in constants.items():
            known[value] = emit("arith.constant", number.type, attributes={"value": number})
        for op in self.ops:
            operands = [known[v] for v in op.operands]
            with op.location:
                known[op.results[0]] = operands[0] if op.operation.name == BROADCAST else scalar(op, *operands)
        return known[self.ops[-1].results[0]]


def _equal_elements(value: ir.Value) -> ir.Attribute | None:
    """The number that all elements of a constant are."""
    op = None if isinstance(value.owner, ir.Block) else value.owner.opview
    if op is None or op.operation.name != "stablehlo.constant":
        return None
    elements = signless_elements(op)
    return elements.get_splat_value() if isinstance(elements, ir.DenseElementsAttr) and elements.is_splat else None


def chains_of(operations: list[Any]) -> list[Chain]:
    """Those of the ops of a block."""
    joined: dict[ir.Operation, list[Any]] = {}
    """The chain that an op is in, last ops first."""
    for op in reversed(operations):
        if _is_elementwise(op):
            chain = _chain_of_users(op, joined)
            chain.append(op)
            joined[op.operation] = chain
    chains = {id(chain): chain for chain in joined.values() if len(chain) >= SHORTEST}
    return [Chain(chain[::-1]) for chain in chains.values()]


def _chain_of_users(op: Any, joined: dict[ir.Operation, list[Any]]) -> list[Any]:
    """The one that all users are in, if it has room; otherwise a new one."""
    found: list[Any] | None = None
    for use in op.results[0].uses:
        chain = joined.get(use.owner.operation)
        if chain is None or (found is not None and found is not chain):
            return []
        found = chain
    if found is None or len(found) == LONGEST or shape(found[0].results[0].type) != shape(op.results[0].type):
        return []
    return found


def _is_elementwise(op: Any) -> bool:
    """Whether it is a real number of each element, or one number for all of them."""
    name = op.operation.name
    if name == BROADCAST:
        return not rank(op.operands[0].type) and not is_complex(element_type(op.results[0].type))
    if name not in ELEMENTWISE:
        return False
    types = [v.type for v in (*op.operands, *op.results)]
    if name == BITCAST and len({bit_width(element_type(t)) for t in types}) > 1:
        return False
    return all(is_tensor(t) and not is_complex(element_type(t)) for t in types)
