"""Which dimension of the depth the inputs of a convolution are to lie along, so that 16 bytes of them can be copied at once.

With features first (n, c, h + kh, w + kw), neighbours in memory are pixels that windows share: no 16 bytes of it begin at a multiple
of 16. Stored with features last it is copied as it is by TMA and cp.async; the pass that does so takes the zeros around it along."""

from __future__ import annotations

from math import prod

from mlir import ir

from hlo.lowering.gpu.contraction.padding import padding_of
from hlo.lowering.gpu.contraction.problem import SMALL_FLOATS, Problem, innermost
from hlo.lowering.gpu.element import has_identity_layout
from hlo.lowering.gpu.tensor_maps import ALIGNMENT
from hlo.lowering.memory.storage import element_bytes

NEVER_TURNED = ("i8", "tf32", "f64", *SMALL_FLOATS)
"""Kinds of which matrix instructions want the depth in lines."""

ENOUGH = 128
"""Multiplications with an element, from which an input is worth a pass of its own."""


def is_windowed(p: Problem) -> bool:
    """An input is read at sums of dimensions."""
    return any(not isinstance(e, ir.AffineDimExpr) for one in p.nest.maps[:2] for e in one.results)


def line_of(p: Problem) -> int | None:
    """The dimension of the depth that at least one input lies along, if both can; otherwise the longest."""
    able = [d for d in p.depth if all(_is_able(p, number, d) for number in (0, 1))]
    found = [innermost(p.nest.maps[n]) for n in sorted((0, 1), key=lambda n: -_elements(p, n))]
    there = [d for d in found if d in able]
    return there[0] if there else max(able, key=lambda d: p.nest.sizes[d], default=None)


def _is_able(p: Problem, number: int, dimension: int) -> bool:
    """The dimension is one of the input, and 16 bytes divide it."""
    line = p.nest.sizes[dimension] * element_bytes(p.element_type(number))
    return ir.AffineExpr.get_dim(dimension) in p.nest.maps[number].results and line % ALIGNMENT == 0


def _stored(p: Problem, number: int) -> ir.Value:
    value = p.op.operands[number]
    padding = padding_of(value)
    return padding.source if padding else value


def _elements(p: Problem, number: int) -> int:
    return prod(_stored(p, number).type.shape)


def is_off_line(p: Problem, number: int) -> bool:
    """Whether an input of a convolution is to be stored anew, features last."""
    line, inner = line_of(p), innermost(p.nest.maps[number])
    if line is None or inner == line or not has_identity_layout(_stored(p, number).type):
        return False
    outer = p.rows if number == p.left else p.columns
    is_chunked = inner in outer and p.nest.sizes[inner] * element_bytes(p.element_type(number)) % ALIGNMENT == 0
    if is_chunked and p.kind(number) not in NEVER_TURNED:
        return False
    return p.m * p.n * p.k * p.batches > ENOUGH * _elements(p, number)


def along_line(p: Problem, number: int) -> list[int]:
    """The dimensions of the array, that along the line last."""
    results = list(p.nest.maps[number].results)
    last = results.index(ir.AffineExpr.get_dim(line_of(p)))
    return [axis for axis in range(len(results)) if axis != last] + [last]
