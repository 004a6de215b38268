"""Right inputs that a conversion made wider: f32 made of bf16 is read as bf16.

Before:  %w = linalg.generic {extf} ins(%k : bf16)     %r = linalg.generic {C += A * B} ins(%x : f32, %w : f32)
After:                                                 %r = linalg.generic {C += A * extf(B)} ins(%x : f32, %k : bf16)"""

from __future__ import annotations

from mlir import ir

from hlo.lowering.gpu.attention.expressions import maker_of
from hlo.lowering.gpu.contraction.other_inputs import with_inputs
from hlo.lowering.gpu.contraction.read_narrow import input_of, source_of

WIDENINGS = ("arith.extf",)


def narrow_kind(value: ir.Value) -> str:
    """The type of a tensor's elements before they were widened."""
    source = _source(value)
    return str((source.operands[0] if source else value).type.element_type)


def read_narrow(op: ir.Operation, number: int) -> ir.Operation:
    """The contraction with the narrow source of an input instead of it, in its place; the op itself if there is none."""
    sources = [_source(v) if n == number else None for n, v in enumerate(list(op.operands)[:2])]
    if not any(sources):
        return op
    maps = [ir.AffineMapAttr(m).value for m in ir.ArrayAttr(op.attributes["indexing_maps"])]
    made = with_inputs(op, [input_of(v, one, source) for v, one, source in zip(list(op.operands)[:2], maps, sources)])
    op.results[0].replace_all_uses_with(made.results[0])
    op.erase()
    return made


def _source(value: ir.Value) -> ir.Operation | None:
    return source_of(value, WIDENINGS) if maker_of(value) is not None else None
