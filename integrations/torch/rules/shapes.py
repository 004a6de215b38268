"""Shapes and parts of tensors. Views are copies here: AOTAutograd has made the graph functional."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

from hlo.builder.value import Value
from hlo.torch.element_types import dtype_of, result_type
from hlo.torch.graph_builder import dimension_of, dimensions_of
from hlo.torch.layouts import dense_layout, memory_order
from hlo.torch.registry import rule
from hlo.torch.rules.indexing import take


@rule("view", "reshape", "_unsafe_view", "_reshape_alias")
def view(b: Any, x: Value, size: Sequence[int], *_: Any) -> Value:
    """One size may be -1: what is left."""
    sizes = [int(n) for n in size]
    if -1 in sizes:
        known = math.prod(n for n in sizes if n != -1)
        sizes[sizes.index(-1)] = math.prod(x.shape) // max(known, 1)  # type: ignore[arg-type]
    return b.reshape(x, sizes)


@rule("permute")
def permute(b: Any, x: Value, dims: Sequence[int]) -> Value:
    return b.transpose(x, [dimension_of(d, x.rank) for d in dims])


@rule("t")
def t(b: Any, x: Value) -> Value:
    return b.transpose(x)


@rule("transpose.int")
def transpose(b: Any, x: Value, first: int, second: int) -> Value:
    order = list(range(x.rank))
    if order:
        first, second = dimension_of(first, x.rank), dimension_of(second, x.rank)
        order[first], order[second] = second, first
    return b.transpose(x, order)


@rule("expand")
def expand(b: Any, x: Value, size: Sequence[int], *, implicit: bool = False) -> Value:
    """A size of -1 is that of the operand."""
    first = len(size) - x.rank
    return b.expand_to(x, [x.shape[d - first] if n == -1 else n for d, n in enumerate(size)])


@rule("squeeze", "squeeze.dim", "squeeze.dims")
def squeeze(b: Any, x: Value, dim: Any = None) -> Value:
    """Without dimensions of size 1: of those named, or all."""
    along = list(range(x.rank)) if dim is None else dimensions_of(dim, x.rank) if dim != [] else []
    return b.reshape(x, [n for d, n in enumerate(x.shape) if n != 1 or d not in along])


@rule("unsqueeze")
def unsqueeze(b: Any, x: Value, dim: int) -> Value:
    position = dim % (x.rank + 1)
    return b.reshape(x, [*x.shape[:position], 1, *x.shape[position:]])


@rule("cat")
def cat(b: Any, tensors: Sequence[Value], dim: int = 0) -> Value:
    """Tensors of shape (0) count as nothing, whatever the others' rank."""
    common = result_type(*tensors)
    parts = [v for v in tensors if v.shape != (0,)] or list(tensors[:1])
    return b.concatenate(*(b.cast(v, common) for v in parts), dimension=dimension_of(dim, parts[0].rank))


@rule("split_with_sizes")
def split_with_sizes(b: Any, x: Value, split_sizes: Sequence[int], dim: int = 0) -> list[Value]:
    parts, start = [], 0
    for size in split_sizes:
        parts.append(b.slice_in_dim(x, start, start + size, 1, dimension_of(dim, x.rank)))
        start += size
    return parts


@rule("slice.Tensor")
def slice_(b: Any, x: Value, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> Value:
    along = dimension_of(dim, x.rank)
    first, last = _range(x.shape[along], start, end)
    return b.slice_in_dim(x, first, max(first, last), step, along)


def _range(size: Any, start: int | None, end: int | None) -> tuple[int, int]:
    first, last, _ = slice(start, end).indices(size)
    return first, last


@rule("slice_scatter")
def slice_scatter(
    b: Any, x: Value, source: Value, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Value:
    """x with a slice of it replaced: the padded source where it stands, x elsewhere."""
    along = dimension_of(dim, x.rank)
    first, last = _range(x.shape[along], start, end)
    return put_slice(b, x, source, along, range(first, max(first, last), step))


def put_slice(b: Any, x: Value, source: Value, along: int, indices: range) -> Value:
    """x with the elements at some indices of a dimension replaced."""
    if not indices:
        return x
    if indices.step == 1:
        starts = [indices.start if d == along else 0 for d in range(x.rank)]
        return b.dynamic_update_slice(x, b.cast(source, dtype_of(x)), [b.constant(n, "i32") for n in starts])
    size, step = x.shape[along], indices.step
    high = size - indices[-1] - 1  # type: ignore[operator]
    low, highs, inner = ([v if d == along else 0 for d in range(x.rank)] for v in (indices.start, high, step - 1))
    spread = b.pad(b.cast(source, dtype_of(x)), b.number(0, dtype_of(x)), low, highs, inner)
    position = b.positions(x.shape, along)
    inside = b.and_(b.ge(position, indices.start), b.le(position, indices[-1]))
    return b.select(b.and_(inside, b.eq(b.remainder(b.subtract(position, indices.start), step), 0)), spread, x)


@rule("diagonal_scatter")
def diagonal_scatter(b: Any, x: Value, source: Value, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Value:
    """x with a diagonal replaced; the source has it along its last dimension."""
    rows, columns = dimension_of(dim1, x.rank), dimension_of(dim2, x.rank)
    low, last = max(-offset, 0), source.rank - 1
    high: int = x.shape[rows] - low - source.shape[last]  # type: ignore[operator]
    edges = [[n if d == last else 0 for d in range(source.rank)] for n in (low, high)]
    by_row = b.pad(b.cast(source, dtype_of(x)), b.number(0, dtype_of(x)), *edges, [0] * source.rank)
    others = [d for d in range(x.rank) if d not in (rows, columns)]
    diagonal_number = b.subtract(b.positions(x.shape, columns), b.positions(x.shape, rows))
    return b.select(b.eq(diagonal_number, offset), b.over(by_row, x.shape, [*others, rows]), x)


@rule("select.int")
def select(b: Any, x: Value, dim: int, index: int) -> Value:
    along = dimension_of(dim, x.rank)
    start = index % x.shape[along]  # type: ignore[operator]
    part = b.slice_in_dim(x, start, start + 1, 1, along)
    return b.reshape(part, [n for d, n in enumerate(x.shape) if d != along])


@rule("select_scatter")
def select_scatter(b: Any, x: Value, source: Value, dim: int, index: int) -> Value:
    along = dimension_of(dim, x.rank)
    start = index % x.shape[along]  # type: ignore[operator]
    row = b.reshape(source, [1 if d == along else n for d, n in enumerate(x.shape)])
    return put_slice(b, x, row, along, range(start, start + 1))


@rule("repeat")
def repeat(b: Any, x: Value, repeats: Sequence[int]) -> Value:
    sizes = [1] * (len(repeats) - x.rank) + list(x.shape)
    spread = [n for pair in zip(repeats, sizes) for n in pair]
    dimensions = [2 * d + 1 for d in range(len(sizes))]
    return b.reshape(b.over(b.reshape(x, sizes), spread, dimensions), [n * m for n, m in zip(repeats, sizes)])  # type: ignore[operator]


@rule("flip")
def flip(b: Any, x: Value, dims: Sequence[int]) -> Value:
    return b.reverse(x, dimensions_of(list(dims), x.rank)) if dims and x.rank else x


@rule("diagonal")
def diagonal(b: Any, x: Value, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Value:
    """The diagonal of two dimensions, as the last one: read from the flattened matrices at a stride of columns + 1."""
    first, second = dimension_of(dim1, x.rank), dimension_of(dim2, x.rank)
    others = [d for d in range(x.rank) if d not in (first, second)]
    matrices = b.transpose(x, [*others, first, second])
    rows, columns = matrices.shape[-2:]
    start = offset if offset >= 0 else -offset * columns
    count = max(min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns), 0)
    outer = [x.shape[d] for d in others]
    if not count or 0 in outer:
        return b.full([*outer, count], 0, dtype_of(x))
    lines = b.reshape(matrices, [*outer, rows * columns])
    end = start + (count - 1) * (columns + 1) + 1
    return b.slice_in_dim(lines, start, end, columns + 1, len(outer))


def _as_strided_limit(x: Any, *_: Any) -> str | None:
    return None if dense_layout(x.shape, x.stride()) else "of a tensor with gaps or overlaps"


@rule("as_strided", limit=_as_strided_limit)
def as_strided(
    b: Any, x: Value, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None
) -> Value:
    """Elements of the memory by their distance; the memory is x in the order that PyTorch gives it in the graph."""
    return take(b, _memory(b, x), _strided_indices(b, size, stride, storage_offset), 0)


@rule("as_strided_scatter", limit=_as_strided_limit)
def as_strided_scatter(
    b: Any, x: Value, source: Value, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None
) -> Value:
    """x with the elements of `source` where as_strided reads them."""
    from hlo.torch.rules.scatter import put_at

    order = memory_order(b.node.args[0].meta["val"]).order
    indices = _strided_indices(b, size, stride, storage_offset)
    memory = put_at(b, _memory(b, x), b.reshape(indices, [*size, 1]), b.cast(source, dtype_of(x)), lambda old, new: new)
    ordered = b.reshape(memory, [x.shape[d] for d in order])
    return b.transpose(ordered, [order.index(d) for d in range(x.rank)])


def _memory(b: Any, x: Value) -> Value:
    """The elements of the node's first argument as they lie in memory."""
    return b.flat(b.transpose(x, list(memory_order(b.node.args[0].meta["val"]).order)))


def _strided_indices(b: Any, size: Sequence[int], stride: Sequence[int], storage_offset: int | None) -> Value:
    """Where the elements of a view with these strides lie in the memory of the node's first argument."""
    own = b.node.args[0].meta["val"].storage_offset()
    address = b.full(list(size), 0 if storage_offset is None else storage_offset - own, torch.int64)
    for d, step in enumerate(stride):
        address = b.add(address, b.multiply(b.positions(list(size), d), step))
    return address


@rule("constant_pad_nd")
def constant_pad(b: Any, x: Value, pad: Sequence[int], value: Any = 0) -> Value:
    """Pairs of amounts before and after, of the last dimension first; negative ones take away."""
    low, high = [0] * x.rank, [0] * x.rank
    for n in range(len(pad) // 2):
        low[x.rank - 1 - n], high[x.rank - 1 - n] = pad[2 * n], pad[2 * n + 1]
    return b.pad(x, b.number(value, dtype_of(x)), low, high, [0] * x.rank)


@rule("replication_pad1d_backward", "replication_pad2d_backward", "replication_pad3d_backward")
def replication_pad_backward(b: Any, gradient: Value, x: Value, padding: Sequence[int]) -> Value:
    """Each edge gets the sum of what repeated it, one dimension after another."""
    result = b.wide(gradient)
    for n in range(len(padding) // 2):
        d = x.rank - 1 - n
        result = _edges_summed(b, result, d, x.shape[d], padding[2 * n], padding[2 * n + 1])  # type: ignore[arg-type]
    return b.cast(result, dtype_of(x))


def _edges_summed(b: Any, gradient: Value, along: int, size: int, low: int, high: int) -> Value:
    """Along a dimension of `size` elements that was padded by `low` and `high` (negative: cut)."""
    zero = b.number(0, dtype_of(gradient))

    def moved(part: Value, before: int, after: int) -> Value:
        edges = [(before, after) if d == along else (0, 0) for d in range(part.rank)]
        return b.pad(part, zero, [e[0] for e in edges], [e[1] for e in edges], [0] * part.rank)

    result, padded = moved(gradient, -low, -high), size + low + high
    for start, end, edge in ((0, min(low, padded), 0), (max(size + low, 0), padded, size - 1)):
        if start < end:
            repeats = b.total(b.slice_in_dim(gradient, start, end, 1, along), [along], keep=True)
            result = b.add(result, moved(repeats, edge, size - 1 - edge))
    return result
