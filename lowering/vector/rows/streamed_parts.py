"""The region kernels of a streamed softmax (streamed.py), for one tile of rows and columns: what is done beside its two contractions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from mlir import ir
from mlir.dialects import arith, func, math, tensor

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.copying import cloned
from hlo.lowering.functions import set_type
from hlo.lowering.linalg.structured import elementwise, empty, fill, generic, loop_index, reduced
from hlo.lowering.vector.rows.binding import Binding, cut_types
from hlo.lowering.vector.rows.stages import Stage
from hlo.lowering.vector.rows.streamed import LEAST, PRODUCTS, Streamed, ops_of_scores


@dataclass(frozen=True)
class Part:
    """A stage beside the contractions."""

    streamed: Streamed
    name: str
    kind = "region"

    @contextmanager
    def block_kernel(self, whole: Any, name: str) -> Iterator[Any]:
        """The region kernel for one tile, in front of the `whole` kernel, while it is needed."""
        streamed = self.streamed
        with ir.InsertionPoint(whole), whole.operation.location:
            types = {"row": streamed.row_type, "weights": streamed.weight_type, "result": streamed.result_type}
            if self.name == "weights":
                kernel, given = _softmax_kernel(streamed, name)
            else:
                kernel = func.FuncOp(name, ([types[one] for one in INPUTS[self.name]], []), visibility="private")
                given = list(kernel.add_entry_block().arguments)
            with ir.InsertionPoint(kernel.entry_block):
                results = BODIES[self.name](streamed, *given)
                func.ReturnOp(results)
            inputs = [a.type for a in kernel.entry_block.arguments]
            set_type(kernel, inputs, [v.type for v in results])
            kernel.attributes["hlo.stage"] = ir.StringAttr.get("region")
        try:
            yield kernel
        finally:
            kernel.operation.erase()


def stages_by_name(streamed: Streamed) -> dict[str, Stage | Part]:
    """Both contractions, then what is done beside them."""
    return {**dict(zip(PRODUCTS, (streamed.scores, streamed.values))), **{n: Part(streamed, n) for n in streamed.parts}}


def _softmax_kernel(streamed: Streamed, name: str) -> tuple[Any, list[ir.Value]]:
    """A function without a terminator that computes the scores of a tile as the softmax sees them; these, and its last arguments: how many columns are
    skipped, if the columns are ragged, and the maxima so far."""
    stage = streamed.softmax
    kernel = func.FuncOp(name, (stage.kernel.type.inputs, []), visibility="private")
    values = dict(zip(stage.kernel.entry_block.arguments, kernel.add_entry_block().arguments))
    with ir.InsertionPoint(kernel.entry_block):
        for op in ops_of_scores(streamed.scored):
            cloned(op, values)
        end = func.ReturnOp([values[streamed.scored]])
    cut_types(kernel, {values[value]: one for value, one in stage.bindings.items()}, streamed.tile)
    end.operation.erase()
    scored, location = values[streamed.scored], kernel.operation.location
    if streamed.is_ragged:
        skipped = kernel.entry_block.add_argument(
            ir.RankedTensorType.get([], ir.IntegerType.get_signless(64)), location
        )
        with ir.InsertionPoint(kernel.entry_block):
            scored = _without(streamed, scored, skipped)
    return kernel, [scored, kernel.entry_block.add_argument(streamed.row_type, location)]


def _without(streamed: Streamed, scored: ir.Value, skipped: ir.Value) -> ir.Value:
    """Scores the first columns of which are -inf: they are those of another section."""
    first = arith.index_cast(ir.IndexType.get(), tensor.extract(skipped, []))

    def chosen(score: ir.Value) -> ir.Value:
        is_own = arith.cmpi(arith.CmpIPredicate.sge, loop_index(streamed.tile.axis), first)
        return arith.select(is_own, score, arith.constant(streamed.kind, float("-inf")))

    return elementwise([scored], streamed.tile_type(streamed.kind), chosen)


def _begin(streamed: Streamed) -> list[ir.Value]:
    lowest, zero = (arith.constant(streamed.kind, number) for number in (float("-inf"), 0.0))
    return [fill(lowest, streamed.row_type), fill(zero, streamed.row_type), fill(zero, streamed.result_type)]


def _weigh(streamed: Streamed, scored: ir.Value, maximum: ir.Value) -> list[ir.Value]:
    """The weights p and the maxima n."""
    lowest = arith.constant(streamed.kind, float("-inf"))
    largest = reduced(scored, fill(lowest, streamed.row_type), [streamed.tile.axis], arith.maximumf)
    following = elementwise([maximum, largest], streamed.row_type, arith.maximumf)
    kind = streamed.weight_type.element_type

    def weight(score: ir.Value, new: ir.Value) -> ir.Value:
        exponential = _exponential(score, new)
        return exponential if kind == streamed.kind else arith.truncf(kind, exponential)

    leading = streamed.rows.leading(streamed.tile.axis + 1)
    return [_by_rows(scored, following, streamed.weight_type, leading, weight), following]


def _exponential(score: ir.Value, maximum: ir.Value) -> ir.Value:
    lowest, zero = (arith.constant(score.type, number) for number in (float("-inf"), 0.0))
    is_lowest = arith.cmpf(arith.CmpFPredicate.OEQ, maximum, lowest)
    return math.exp(arith.subf(score, arith.select(is_lowest, zero, maximum)))


def _factor(streamed: Streamed, maximum: ir.Value, following: ir.Value) -> list[ir.Value]:
    """What sums so far are multiplied by, a: for several rows at once, which the code of the weights does not do."""
    return [elementwise([maximum, following], streamed.row_type, _exponential)]


def _sum(streamed: Streamed, weights: ir.Value, total: ir.Value, factor: ir.Value) -> list[ir.Value]:
    kind = streamed.kind
    if weights.type.element_type != kind:
        weights = elementwise([weights], streamed.tile_type(kind), lambda one: arith.extf(kind, one))
    start = elementwise([total, factor], streamed.row_type, arith.mulf)
    zero = fill(arith.constant(kind, 0.0), streamed.row_type)
    return [
        elementwise([start, reduced(weights, zero, [streamed.tile.axis], arith.addf)], streamed.row_type, arith.addf)
    ]


def _update(streamed: Streamed, *arguments: ir.Value) -> list[ir.Value]:
    result, products, factor, maximum, total = arguments
    scaled = _by_rows(result, factor, streamed.result_type, streamed.result_binding, arith.mulf)
    copies = [elementwise([one], streamed.row_type, lambda value: value) for one in (maximum, total)]
    return [elementwise([scaled, products], streamed.result_type, arith.addf), *copies]


def _finish(streamed: Streamed, result: ir.Value, total: ir.Value, maximum: ir.Value) -> list[ir.Value]:
    def divisor(sum_of_row: ir.Value, largest: ir.Value) -> ir.Value:
        lowest, one = (arith.constant(streamed.kind, number) for number in (float("-inf"), 1.0))
        return arith.select(arith.cmpf(arith.CmpFPredicate.OEQ, largest, lowest), one, sum_of_row)

    if streamed.empty_is_zero:
        total = elementwise([total, maximum], streamed.row_type, divisor)
    return [_by_rows(result, total, streamed.result_type, streamed.result_binding, arith.divf)]


def _least(streamed: Streamed, maximum: ir.Value) -> list[ir.Value]:
    kind = streamed.kind
    start = fill(arith.constant(kind, float("inf")), ir.RankedTensorType.get([], kind))
    return [reduced(maximum, start, range(maximum.type.rank), arith.minimumf)]


INPUTS: dict[str, list[str]] = {
    "begin": [],
    "factors": ["row", "row"],
    "sums": ["weights", "row", "row"],
    "update": ["result", "result", "row", "row", "row"],
    "finish": ["result", "row", "row"],
    LEAST: ["row"],
}
"""The types of a part's arguments; those of `weights` are the softmax's kernel's, and a row of maxima."""

BODIES: dict[str, Callable[..., list[ir.Value]]] = {
    "begin": _begin,
    "weights": _weigh,
    "factors": _factor,
    "sums": _sum,
    "update": _update,
    "finish": _finish,
    LEAST: _least,
}
"""The results of each part: m, l, o; p, n; a; l; o, m, l; the block of the result; a number."""


def _by_rows(
    value: ir.Value, row: ir.Value, kind: ir.Type, binding: Binding, body: Callable[..., ir.Value]
) -> ir.Value:
    """`body(element, the number of its row)` for each element of a value that has rows so."""
    rank = len(value.type.shape)
    places = [binding.index(number) for number in range(len(row.type.shape))]
    maps = [ir.AffineMap.get_identity(rank), ir.AffineMap.get(rank, 0, [ir.AffineDimExpr.get(d) for d in places])]
    parallel = ["parallel"] * rank
    return generic([value, row], maps, [empty(kind)], maps[:1], parallel, lambda a, b, _: [body(a, b)])[0]
