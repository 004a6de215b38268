"""Long running sums, products and extremes of floats, and those of complex numbers, are made in blocks, which run side by side.

%r = reduce_window %x, window [n], padding [[n - 1, 0]]         (a running sum of n elements)
becomes
%x.b = reshape %x                                               [blocks, n / blocks]
%own = running sums of each block                               of which several are in registers at once
%sums = running sums of the last element of each block          made in the same way, where they are many
%before = concatenate 0, %sums[0 : blocks - 1]
%r = reshape(%own + broadcast %before)

One chain of n additions would wait for the last one before each, and rounding errors of floats would grow with n."""

from __future__ import annotations

from dataclasses import replace
from math import prod

from mlir import ir

from hlo.dialect.stablehlo import ReduceWindowOp
from hlo.dialect.types import element_type, is_complex, is_float, shape
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.copying import remade
from hlo.lowering.linalg.windows.scans import Scan, scan_of
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.stablehlo.arithmetic import Tensor, broadcast, joined, leading, padded, part_along, reshaped
from hlo.lowering.stablehlo.rewriting import combining_op, fill_region, move_body, rewrite_each

LEAST = 2048
"""Elements of a row that is made in blocks."""
MANY = 1 << 16
"""From which on rounding errors are too large without."""
SIDE_BY_SIDE = 4
"""Sums that run side by side without blocks: complex numbers have two."""
BLOCK = 512
"""Elements of a block."""


@register_pass
@dataclass(frozen=True)
class BlockScans(Pass):
    """Makes long scans of floats and of complex numbers in blocks, where one op of two elements combines them."""

    def run(self, module: ir.Module) -> None:
        rewrite_each(module, ReduceWindowOp, _in_blocks)


def _in_blocks(op: ReduceWindowOp) -> ir.Value | None:
    scan = _long_scan(op)
    return None if scan is None else _blocked(op, Tensor(op.inputs[0]), scan).value


def _long_scan(op: ReduceWindowOp) -> Scan | None:
    """The scan that an op is, if blocks are for it."""
    if len(op.inputs) != 1 or combining_op(op.body.blocks[0]) is None:
        return None
    sizes = shape(op.inputs[0].type)
    element = element_type(op.inputs[0].type)
    is_plain = (is_float(element) or is_complex(element)) and shape(op.results[0].type) == sizes
    scan = scan_of(op, sizes) if is_plain and min(sizes, default=0) > 0 else None
    if scan is None:
        return None
    before, behind = prod(sizes[: scan.dimension]) * (1 + is_complex(element)), prod(sizes[scan.dimension + 1 :])
    least = LEAST if before < SIDE_BY_SIDE and behind == 1 else MANY
    return scan if sizes[scan.dimension] >= least else None


def _blocked(op: ReduceWindowOp, x: Tensor, scan: Scan) -> Tensor:
    """The scan of x that the op makes of its operand."""
    d, start = scan.dimension, Tensor(op.init_values[0])
    *rows, size = x.shape[: d + 1]
    behind = x.shape[d + 1 :]
    if size < LEAST:
        return _scan_again(op, x, scan)
    blocks = -(-size // BLOCK)
    whole = _resized(x, d, blocks * BLOCK, start)
    own = _scan_again(op, reshaped(whole, [*rows, blocks, BLOCK, *behind]), replace(scan, dimension=d + 1))
    ends = part_along(own, d + 1, 0 if scan.reverse else BLOCK - 1, 1)
    sums = _blocked(op, reshaped(ends, [*rows, blocks, *behind]), scan)
    first = broadcast(start, [*rows, 1, *behind])
    others = part_along(sums, d, 1 if scan.reverse else 0, blocks - 1)
    before = joined([others, first] if scan.reverse else [first, others], d)
    kept = [n for n in range(len(own.shape)) if n != d + 1]
    combined = _combined(op, broadcast(before, own.shape, kept), own)
    return leading(reshaped(combined, whole.shape), x.shape)


def _resized(x: Tensor, dimension: int, size: int, value: Tensor) -> Tensor:
    """With elements of this value behind those that a dimension has."""
    missing = [size - n if d == dimension else 0 for d, n in enumerate(x.shape)]
    return padded(x, value, [0] * len(missing), missing) if any(missing) else x


def _scan_again(op: ReduceWindowOp, x: Tensor, scan: Scan) -> Tensor:
    """What the op does, along this dimension of x."""
    length = x.shape[scan.dimension]
    ends = (0, length - 1) if scan.reverse else (length - 1, 0)
    is_scanned = [d == scan.dimension for d in range(len(x.shape))]
    made = ReduceWindowOp.create(
        x.value,
        op.init_values[0],
        results=[x.type],
        window_dimensions=[length if one else 1 for one in is_scanned],
        padding=tuple(ends if one else (0, 0) for one in is_scanned),
    )
    copy = op.operation.clone()
    body = copy.regions[0].blocks[0]
    fill_region(made.body, [a.type for a in body.arguments], lambda *arguments: move_body(body, arguments))
    copy.erase()
    return Tensor(made.results[0])


def _combined(op: ReduceWindowOp, before: Tensor, own: Tensor) -> Tensor:
    """Element by element, what the op does with two."""
    return Tensor(remade(combining_op(op.body.blocks[0]), [before.value, own.value], [own.type]).result)
