"""A softmax between two contractions, section by section of its columns: a block of rows needs as much of the cache however many columns there
are, and sections of which a mask hides everything are left out.

    begin:             m = -inf,   l = 0,   o = 0
    for each section:  s = scores of the section    n = max(m, maxima of s)    p = exp(s - n)    a = exp(m - n)
                       o = o a + p V                l = l a + sums of p        m = n
    at the end:        o / l

(M. Milakov, N. Gimelshein: Online normalizer calculation for softmax, 2018; T. Dao et al.: FlashAttention, 2022.) Where n is -inf, 0 is
subtracted instead: a row that sees nothing has the sum 0, and its result is NaN, as the program's is."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from mlir import ir

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.kernel_calls import ops_above
from hlo.lowering.linalg.structured import maps_of
from hlo.lowering.vector.contraction.emit import contraction_op
from hlo.lowering.vector.region.graph import returned_values
from hlo.lowering.vector.rows.binding import (
    Binding,
    Bindings,
    NotByRowsError,
    Rows,
    Sections,
    bind,
    is_contiguous,
    loops_of,
    rows_with_positions,
)
from hlo.lowering.vector.rows.stages import Stage, read_stage

if TYPE_CHECKING:
    from hlo.lowering.expressions.reader import Reader
    from hlo.lowering.expressions.softmax import Softmax
    from hlo.lowering.vector.rows.hidden import Hidden

PRODUCTS = ("scores", "values")
PARTS = ("begin", "weights", "factors", "sums", "update", "finish")
"""What is done beside both contractions (streamed_parts.py)."""
FLOATS = (ir.F32Type, ir.F64Type, ir.BF16Type, ir.F16Type)
"""Types of a factor of which it can be said whether it has numbers alone."""
LEAST = "least"
"""The smallest maximum of a block's rows: where it is near what hidden scores are, they have weights."""


@dataclass(frozen=True)
class Streamed:
    """`tile`: how rows and columns are cut. `scores`, `softmax`, `values`: the stages for a tile. `scored`: the value of the softmax's kernel that its
    maximum and its exponentials are of. `positions`: the row dimensions (the last one is that of the columns) along which it asks for positions. `empty_is_zero`:
    rows that see nothing have the result 0, not NaN."""

    tile: Sections
    scores: Stage
    softmax: Stage
    values: Stage
    scored: ir.Value
    hidden: Hidden | None
    empty_is_zero: bool

    @property
    def rows(self) -> Rows:
        return Rows(self.tile.extents[:-1], self.tile.size)

    @property
    def parts(self) -> tuple[str, ...]:
        """What is done beside the products."""
        return (*PARTS, LEAST) if self.hidden is not None and self.hidden.is_rest_perhaps_needed else PARTS

    @property
    def positions(self) -> list[int]:
        return rows_with_positions(self.softmax.kernel, self.softmax.bindings)

    @property
    def is_ragged(self) -> bool:
        """Whether the last section begins earlier, since columns are left over: it has columns of the one before, which are skipped."""
        return self.tile.extents[-1] % self.tile.section != 0

    @property
    def kind(self) -> ir.Type:
        """The type of scores, maxima and sums."""
        return self.scored.type.element_type

    def tile_type(self, kind: ir.Type) -> ir.RankedTensorType:
        return ir.RankedTensorType.get(self.tile.sizes, kind)

    @property
    def row_type(self) -> ir.RankedTensorType:
        """Of a number for each row."""
        return ir.RankedTensorType.get(self.rows.sizes, self.kind)

    @property
    def result_type(self) -> ir.RankedTensorType:
        (result,) = returned_values(self.values.kernel)
        shape = self.rows.block_shape(result.type.shape, self.result_binding)
        return ir.RankedTensorType.get(shape, result.type.element_type)

    @property
    def result_binding(self) -> Binding:
        (result,) = returned_values(self.values.kernel)
        return self.values.bindings[result]

    @property
    def weight_type(self) -> ir.RankedTensorType:
        (result,) = returned_values(self.softmax.kernel)
        return self.tile_type(result.type.element_type)


def read_streamed(calls: Sequence[ir.Operation], kernels: Any, rows: Rows, section: int) -> Streamed:
    """How three calls go by blocks of rows and sections of columns. Raises NotByRowsError where they do not."""
    from hlo.lowering.vector.rows.hidden import hidden_columns

    if [kernels.kind(call) for call in calls] != ["contraction", "region", "contraction"]:
        raise NotByRowsError("no softmax between two contractions")
    scores, softmax, values = (kernels.called(call) for call in calls)
    shape = calls[1].results[0].type.shape
    if (
        rows.axis != len(shape) - 2
        or tuple(shape[:-1]) != rows.extents
        or list(shape) != calls[0].results[0].type.shape
    ):
        raise NotByRowsError("a softmax of other rows")
    tile = Sections((*rows.extents, shape[-1]), rows.size, section)
    read, weights = (list(later.operands).index(one.results[0]) for one, later in pairwise(calls))
    if (
        list(calls[1].operands).count(calls[0].results[0]) != 1
        or list(calls[2].operands).count(calls[1].results[0]) != 1
    ):
        raise NotByRowsError("scores that are read twice")
    found, reader = _softmax(softmax, shape)
    scored = _tensor_of(found, reader, len(shape))
    _check_types(found, calls[2])
    hidden = hidden_columns(found.scores, len(shape) - 2, len(shape) - 1)
    return Streamed(
        tile,
        read_stage(scores, "contraction", tile, frozenset()),
        _softmax_stage(softmax, read, scored, tile),
        _values_stage(values, weights, tile),
        scored,
        hidden,
        found.empty_is_zero,
    )


def _softmax(kernel: Any, shape: Sequence[int]) -> tuple[Softmax, Reader]:
    from hlo.lowering.expressions.reader import Reader  # few programs have a softmax between contractions
    from hlo.lowering.expressions.softmax import softmax_of

    columns = len(shape) - 1
    reader = Reader(dict(enumerate(shape)), [columns], in_kernel=True)
    (result,) = returned_values(kernel)
    found = softmax_of(reader.node(result, tuple(range(len(shape)))), may_be_empty=True)
    if found is None:
        raise NotByRowsError("no softmax of rows")
    return found, reader


def _tensor_of(softmax: Softmax, reader: Reader, rank: int) -> ir.Value:
    for value, coordinates in reader.tensors_of(softmax.scores):
        plain = tuple(None if size == 1 else d for d, size in enumerate(value.type.shape))
        if len(value.type.shape) == rank and coordinates == plain and value.type.shape[-1] != 1:
            return value
    raise NotByRowsError("scores that are no tensor")


def _check_types(softmax: Softmax, last: ir.Operation) -> None:
    """That scores, sums and results have one type, in which nothing is rounded more than it is in the program."""
    kinds = {softmax.scores.kind, softmax.total.kind, softmax.maximum.kind, last.results[0].type.element_type}
    if len(kinds) != 1 or not isinstance(softmax.scores.kind, (ir.F32Type, ir.F64Type)):
        raise NotByRowsError("a softmax that is rounded")
    if any(not isinstance(v.type.element_type, FLOATS) for v in last.operands):
        raise NotByRowsError("factors of another type")


def _softmax_stage(kernel: Any, read: int, scored: ir.Value, tile: Sections) -> Stage:
    """The part of the softmax's kernel that computes what the maximum is of."""
    seeds = {kernel.entry_block.arguments[read]: tile.leading(tile.axis + 1), scored: tile.leading(tile.axis + 1)}
    found = bind(kernel, seeds, ops_of_scores(scored))
    for argument in kernel.entry_block.arguments:
        is_block = argument == kernel.entry_block.arguments[read]
        if argument in found and not is_block and not is_contiguous(argument.type.shape, found[argument], tile):
            raise NotByRowsError("a tile of an argument that is not one piece")
    return Stage(kernel, "region", tile, found, frozenset([read]))


def ops_of_scores(scored: ir.Value) -> list[ir.Operation]:
    """The ops of the softmax's kernel that compute the scores as it sees them."""
    ops, _ = ops_above([scored], lambda value, _: True)
    return ops


def _values_stage(kernel: Any, weights: int, tile: Sections) -> Stage:
    """The second contraction, which goes along the columns."""
    (result,) = returned_values(kernel)
    argument = kernel.entry_block.arguments[weights]
    found: Bindings = {argument: tile.leading(tile.axis + 1)}
    stage = Stage(kernel, "contraction", tile, found, frozenset([weights]))
    op, _ = contraction_op(kernel)
    loops = loops_of(op, found)
    binding = tuple(loops[e.position] if isinstance(e, ir.AffineDimExpr) else None for e in maps_of(op)[2].results)
    if sorted(row for row in binding if row is not None) != list(range(tile.axis)):
        raise NotByRowsError("the result's rows are elsewhere")
    found |= {result: binding, op.operands[2]: binding}
    return stage
