"""Chains of kernel calls that can go through the cache together, block by block."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from mlir import ir

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.finding import ancestor_in, callee_of, name_of
from hlo.lowering.memory.storage import byte_size, element_bytes
from hlo.lowering.target import Target, single
from hlo.lowering.vector.contraction.emit import contraction_op
from hlo.lowering.vector.contraction.function_text import byte_size as element_size
from hlo.lowering.vector.contraction.problem import Problem, ceildiv, count
from hlo.lowering.vector.rows.binding import NotByRowsError, Rows
from hlo.lowering.vector.rows.stages import Stage, block_product, read_stage
from hlo.lowering.vector.rows.streamed import Streamed, read_streamed

LEAST_ROWS = 32
"""Rows of a block's product, so that packing and streaming the other operand is profitable."""
LONGEST = 6
SOFTMAX = 3
"""Calls of a softmax between two contractions."""
MOST_COLUMNS, LEAST_COLUMNS, LANES = 256, 160, 32
"""Columns of a section, and what they are multiples of."""
MOST_SEEN = 0.85
"""What part of all sections a mask shows at most for it to be profitable to go through the others one by one: each takes its sums along."""
MOST_ROWS = 128
"""Rows of a block that goes through sections."""
SHALLOW, SHALLOW_BLOCK = 32, 8
"""Contracted elements up to which a product takes about as long as its result's way to the last cache and back; its blocks take at most one part in
so many of the second cache, most of it being read again while they pass."""

MEMORY = 8
"""How many times as long as the last cache memory takes."""


@dataclass(frozen=True)
class Chain:
    """Calls in order, each reading the result of one before, and how their rows are cut; `streamed`: how the columns of a softmax are, too."""

    calls: list[ir.Operation]
    rows: Rows
    streamed: Streamed | None = None


class Kernels:
    """The kernel functions of a module by name."""

    def __init__(self, body: ir.Block):
        self._functions = {
            name_of(op): op for op in body.operations if op.operation.name == "func.func" and not op.is_external
        }
        self._kinds: dict[str, str] = {}

    def called(self, call: ir.Operation) -> Any:
        return self._functions.get(callee_of(call))

    def kind(self, op: ir.Operation) -> str:
        """The kind of kernel that an op calls, "" for anything else and kernels that update an argument."""
        if op.name != "func.call" or len(op.results) != 1:
            return ""
        callee = callee_of(op)
        if callee not in self._kinds:
            self._kinds[callee] = _kind(self._functions.get(callee))
        return self._kinds[callee]


def _kind(function: Any) -> str:
    if function is None or ("arg_attrs" in function.attributes and "hlo.tied" in str(function.attributes["arg_attrs"])):
        return ""
    for name in ("hlo.kernel", "hlo.stage"):
        if name in function.attributes:
            return ir.StringAttr(function.attributes[name]).value
    return ""


def stages_of(calls: Sequence[ir.Operation], kernels: Kernels, rows: Rows) -> list[Stage]:
    """Raises NotByRowsError when some call does not go by rows."""
    made: list[ir.Value] = []
    stages = []
    for call in calls:
        blocks = frozenset(n for n, v in enumerate(call.operands) if v in made)
        stages.append(read_stage(kernels.called(call), kernels.kind(call), rows, blocks))
        made.append(call.results[0])
    return stages


def in_place(call: ir.Operation, stage: Stage, results: Sequence[ir.Value]) -> ir.Value | None:
    """The operand whose block the result of a call may take: made in the chain, and read by nothing else."""
    function = stage.kernel
    if stage.kind != "region" or "arg_attrs" not in function.attributes:
        return None
    for n, (value, attributes) in enumerate(zip(call.operands, ir.ArrayAttr(function.attributes["arg_attrs"]))):
        free = n in stage.blocks and value not in results and len(list(value.uses)) == 1
        if free and "hlo.may_alias" in ir.DictAttr(attributes):
            return value
    return None


def find_chain(
    first: ir.Operation, position: dict[ir.Operation, int], kernels: Kernels, target: Target
) -> Chain | None:
    """The longest chain from a contraction on; None when none is profitable. `position`: of the ops of its block."""
    if kernels.kind(first) != "contraction":
        return None
    shape = first.results[0].type.shape
    feasible = [Rows(tuple(shape[: axis + 1]), 1) for axis in range(len(shape) - 1)]
    calls, found = [first], None
    while feasible and len(calls) < LONGEST:
        following = _following(calls, position, kernels)
        if following is None:
            break
        calls = [*calls, following]
        if _fits(calls, kernels, target):
            continue  # before what takes time: most programs have no arrays that large
        feasible = [rows for rows in feasible if goes_by(calls, kernels, rows)]
        chosen = _cut(calls, feasible, kernels, target)
        streamed = _streamed(calls, kernels, target, is_feasible=chosen is not None)
        found = streamed or (Chain(calls, chosen) if chosen is not None else found)
        if streamed is not None:
            break
    return found


def _streamed(calls: list[ir.Operation], kernels: Kernels, target: Target, is_feasible: bool) -> Chain | None:
    """A softmax between two contractions in sections of its columns, if a mask hides enough of them, or too few whole rows would be in the cache
    (it is not `is_feasible`)."""
    if len(calls) != SOFTMAX or any(user not in calls for call in calls[:-1] for user in _users(call)):
        return None
    shape = calls[1].results[0].type.shape
    size = element_bytes(calls[1].results[0].type.element_type)
    if shape[-1] < 2 * MOST_COLUMNS:
        return None
    even = [n for n in range(MOST_COLUMNS, LEAST_COLUMNS - 1, -LANES) if shape[-1] % n == 0]
    section = even[0] if even else MOST_COLUMNS
    fitting = min(target.l2 // 4 // (section * size), MOST_ROWS, shape[-2], prod(shape[:-1]) // target.threads)
    if fitting < LEAST_ROWS:
        return None
    rows = Rows(tuple(shape[:-1]), _even(shape[-2], fitting))
    try:
        streamed = read_streamed(calls, kernels, rows, section)
        for stage in (streamed.scores, streamed.values):
            p = block_product(stage, single(target)).plan.problem
            if p.swapped or count(p.m) < LEAST_ROWS:
                return None
    except NotByRowsError:
        return None
    if is_feasible and (streamed.hidden is None or _seen(streamed) > MOST_SEEN):
        return None
    return Chain(calls, rows, streamed)


def _seen(streamed: Streamed) -> float:
    """What part of the sections of all blocks a mask shows."""
    assert streamed.hidden is not None
    counts = streamed.hidden.counts(streamed.tile)
    return sum(counts) / len(counts) / ceildiv(streamed.tile.extents[-1], streamed.tile.section)


def _users(call: ir.Operation) -> list[ir.Operation]:
    return [use.owner.operation for use in call.results[0].uses]


def _following(calls: Sequence[ir.Operation], position: dict, kernels: Kernels) -> ir.Operation | None:
    """The first call that reads the last result, if nothing else needs a result of the chain before it."""
    users = [ancestor_in(use.owner.operation, calls[0].block) for use in calls[-1].results[0].uses]
    if not users or any(user is None for user in users):
        return None
    following = min(users, key=lambda op: position[op])
    if kernels.kind(following) not in ("region", "contraction"):
        return None
    for call in calls:
        for use in call.results[0].uses:
            user = ancestor_in(use.owner.operation, calls[0].block)
            if user is None or (user not in calls and position[user] < position[following]):
                return None
    return following


def goes_by(calls: Sequence[ir.Operation], kernels: Kernels, rows: Rows) -> bool:
    """Whether every call goes along these rows."""
    try:
        stages_of(calls, kernels, rows)
    except NotByRowsError:
        return False
    return True


def _products(calls: Sequence[ir.Operation], kernels: Kernels) -> int:
    return sum(kernels.kind(call) == "contraction" for call in calls)


def _depth(call: ir.Operation, kernels: Kernels) -> int:
    """The contracted elements of a product."""
    _, problem = contraction_op(kernels.called(call))
    return count(problem.k)


def _is_shallow(calls: Sequence[ir.Operation], kernels: Kernels) -> bool:
    """Whether the one product of a chain takes little time compared with what is done to its result."""
    return _products(calls, kernels) == 1 and _depth(calls[0], kernels) <= SHALLOW


def _fits(calls: Sequence[ir.Operation], kernels: Kernels, target: Target) -> bool:
    """Whether nothing is gained by a chain: what fits in the caches is read again from there at little cost (of the last
    one a quarter; the second one when a second product reads all of it again, or the first one takes less time than its result's way there and back)."""
    limit = target.l2 if _products(calls, kernels) > 1 or _is_shallow(calls, kernels) else target.l3 // 4
    return max(byte_size(call.results[0].type) for call in calls) <= limit


def _cut(calls: Sequence[ir.Operation], feasible: Sequence[Rows], kernels: Kernels, target: Target) -> Rows | None:
    """The coarsest cut whose blocks fit in the second cache (with other operands, if that leaves rows enough) and give every
    thread work."""
    products = _products(calls, kernels)
    budget = target.l2 if products == 1 else target.l2 // 2
    for rows in feasible:
        sizes = [byte_size(call.results[0].type) // prod(rows.extents) for call in calls]
        extent = rows.extents[-1]
        row = max(sum(sizes[1:] if products == 1 else sizes), 1)
        fitting = min(max(budget // row, min(target.l2 // row, LEAST_ROWS)), extent)
        if _is_shallow(calls, kernels):
            fitting = max(min(fitting, target.l2 // SHALLOW_BLOCK // max(sizes)), min(fitting, LEAST_ROWS))
        total = prod(rows.extents[:-1]) * extent
        fitting = min(fitting, total // target.threads)
        if fitting < 1:
            continue
        cut = Rows(rows.extents, _even(extent, fitting))
        if _is_profitable(calls, kernels, cut, target):
            return cut
    return None


def _even(extent: int, most: int) -> int:
    """A divisor of the extent near `most`, else `most`."""
    divisors = [n for n in range(max(most // 2, 1), most + 1) if extent % n == 0]
    return divisors[-1] if divisors else most


def _is_profitable(calls: Sequence[ir.Operation], kernels: Kernels, rows: Rows, target: Target) -> bool:
    """Whether every product of a block has rows enough, and what all blocks read again takes less time than what a block keeps in the cache."""
    read_again = 0
    try:
        for stage in stages_of(calls, kernels, rows):
            if stage.kind == "contraction":
                p = block_product(stage, single(target)).plan.problem
                if p.swapped or count(p.m) < LEAST_ROWS:
                    return False
                read_again += _read_again(p, rows, target)
    except NotByRowsError:
        return False
    return read_again <= sum(_kept(byte_size(call.results[0].type), target) for call in calls[:-1])


def _read_again(p: Problem, rows: Rows, target: Target) -> int:
    """The bytes of a product's other operand that blocks read from beyond the second cache, but for the first of them: one that
    fits there stays."""
    size = count(p.batch) * count(p.k) * count(p.n) * element_size(p.b_type)
    blocks = prod(rows.extents[:-1]) * ceildiv(rows.extents[-1], rows.size)
    return size * (blocks - 1) if size > target.l2 else 0


def _kept(size: int, target: Target) -> int:
    """The bytes that are not written and read again, as bytes of the last cache: those of larger arrays come from memory."""
    return 2 * size * (MEMORY if size > target.l3 // 4 else 1)
