"""The pass `read-narrow`: contractions read what matrix instructions multiply, where a conversion made something wider of it.

Before:  %w = linalg.generic {extsi} ins(%b : i8)     %c = linalg.generic {C += A * B} ins(%a : i32, %w : i32)
After:                                                %c = linalg.generic {C += A * extsi(B)} ins(%a, %b : i8)

Integers of 8 bits that are multiplied as i32, and bytes seen as f8. Both inputs must be narrow then: one that stays wide has no
matrix instruction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir

from hlo.lowering.copying import cloned
from hlo.lowering.finding import ops_within
from hlo.lowering.gpu.contraction.inputs import Input, with_inputs
from hlo.lowering.gpu.contraction.problem import multiplies_and_adds
from hlo.lowering.linalg.structured import maps_of, reduces
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.vector.form_kernels import TILED
from hlo.lowering.vector.read_transposed import read_through

WIDENINGS = ("arith.extsi", "arith.extui", "arith.bitcast")


@register_pass
class ReadNarrow(Pass):
    """Puts conversions of 8-bit inputs into contractions."""

    def run(self, module: ir.Module) -> None:
        found = ops_within(module, reduces)
        for op in found:
            if len(op.operands) == 3 and multiplies_and_adds(op):
                _read_sources(op)


def _read_sources(op: ir.Operation) -> None:
    """Both inputs, if both are bytes then."""
    sources = [source_of(v) for v in list(op.operands)[:2]]
    kinds = [(source.operands[0] if source else v).type.element_type for source, v in zip(sources, op.operands)]
    if not any(sources) or any(not isinstance(kind, ir.IntegerType) or kind.width != 8 for kind in kinds):
        return
    with_sources(op, sources).attributes[TILED] = ir.UnitAttr.get()


def with_sources(op: ir.Operation, sources: Sequence[Any]) -> ir.Operation:
    """The contraction, at its position, with what these ops widen instead of what they give. `sources`: by input, None to leave it."""
    maps = maps_of(op)
    made = with_inputs(op, [input_of(v, one, source) for v, one, source in zip(list(op.operands)[:2], maps, sources)])
    op.results[0].replace_all_uses_with(made.results[0])
    op.erase()
    return made


def source_of(value: ir.Value, kinds: Sequence[str] = WIDENINGS) -> Any:
    """The op that widens each element of a tensor, by ops of these kinds, and does nothing more."""
    op = value.owner
    if isinstance(op, ir.Block) or op.name != "linalg.generic" or len(op.operands) != 2:
        return None
    block = op.regions[0].blocks[0]
    *widenings, end = block.operations
    maps = maps_of(op)
    if not widenings or not all(one.is_permutation for one in maps):
        return None
    value = block.arguments[0]
    for one in widenings:
        if one.operation.name not in kinds or one.operands[0] != value:
            return None
        value = one.results[0]
    return op if end.operands[0] == value else None


def narrow_source(value: ir.Value) -> Any:
    """The same for floats that are widened."""
    return source_of(value, ("arith.extf",))


def input_of(value: ir.Value, index_map: ir.AffineMap, source: Any) -> Input:
    if source is None:
        return Input(value, index_map)
    return Input(
        source.operands[0], read_through(index_map, *maps_of(source)), lambda element: _widened(element, source)
    )


def _widened(element: ir.Value, source: Any) -> ir.Value:
    *widenings, _ = source.regions[0].blocks[0].operations
    for one in widenings:
        element = cloned(one.operation, {one.operands[0]: element}).results[0]
    return element
