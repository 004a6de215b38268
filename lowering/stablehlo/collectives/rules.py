"""What each collective computes of the arrays that its process borrows from others (lower_collectives.py).

Reductions go through the processes in the order of the group, whatever the timing. Large arrays are reduced in parts: each
process reduces one of them, then all borrow the reduced parts."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Any

from mlir import ir

from hlo.dialect import stablehlo as ops
from hlo.dialect.locations import diagnostic, location_text
from hlo.dialect.op_table import OpTable
from hlo.dialect.types import bytes_of, element_type, is_narrow_float, is_quantized, shape, tensor, with_element
from hlo.errors import CompileError
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.stablehlo.arithmetic import (
    Tensor,
    constant,
    convert,
    joined,
    minimum,
    part_along,
    reshaped,
    scalar_at,
    select,
)
from hlo.lowering.stablehlo.rewriting import defining
from hlo.lowering.stablehlo.storage.widen_accumulators import accumulator, retype

FIRST, PER_MEETING = 6, 4
"""Words of a process before those of its meetings, and of each meeting: position, size, ... (runtime/grid/process_words.py)."""

LEAST_DIVIDED = 16384
"""Elements from which the processes divide the reduction of an all_reduce: below, reducing everything costs less than meeting again."""

LEAST_DIVIDING = 3
"""Processes from which they divide it: of two, each moves 3 arrays when it reduces everything, and 3.5 when it borrows the other's half."""


Exposed = tuple[int, int, int]
"""What processes read of an array that its owner exposes, in bytes: it has so many rows of so many bytes, of which the
process in position k reads those from k times a part on (of the last ones, the last part); a part as large as a row:
everything. No rows: they read nothing, but the one in position k puts such a part of the row into the arrays of all."""


@dataclass(frozen=True)
class Meeting:
    """A collective as its process sees it. `words`: those of the process, `number`: which collective; for each process
    `sizes`: how many meet, and `sources`: whom it borrows from; `exposed`: for each of its borrows, in their order, what is read."""

    words: Tensor
    number: int
    sizes: tuple[int, ...]
    sources: tuple[tuple[int, ...], ...]
    exposed: list[Exposed] = field(default_factory=list)

    @property
    def count(self) -> int:
        """How many arrays a process borrows."""
        return len(self.sources[0])

    @property
    def has_outsiders(self) -> bool:
        """Whether somebody gets nothing."""
        return any(row[0] < 0 for row in self.sources)

    @property
    def is_uniform(self) -> bool:
        """Whether all groups are of the same size."""
        return len(set(self.sizes)) == 1

    def position(self) -> Tensor:
        """The process's position in its group; -1 for one that gets nothing."""
        return scalar_at(self.words, FIRST + PER_MEETING * self.number)

    def size(self) -> Tensor:
        """The number of processes in its group."""
        return scalar_at(self.words, FIRST + PER_MEETING * self.number + 1)

    def borrow(self, value: Tensor, *kept: Tensor, exposed: Exposed | None = None) -> list[Tensor]:
        """The arrays of the processes that this one borrows from, when all have come; `kept` must stay until then. `exposed`: what
        processes read of them, everything if nothing is said: the rest of an array of another machine is not there."""
        size = bytes_of(value.type)
        self.exposed.append(exposed or (1, size, size))
        types = [value.type] * self.count
        return self._call("hlo.borrow", [self.words, value, *kept], types, step=len(self.exposed) - 1)

    def release(self, made: Tensor, exposed: Tensor) -> Tensor:
        """`made` in the same buffer, when nobody reads what was exposed any more."""
        return self._call("hlo.release", [made, self.words, exposed], [made.type])[0]

    def spread(self, part: Tensor, count: int, *kept: Tensor) -> Tensor:
        """An array of `count` elements of which each process in the group has made a part, all of the same size: that
        in position k those from k times this on (the last ones: the last ones). `kept` must stay until all have come.
        Nobody reads what was borrowed before any more."""
        made = tensor([count], part.element)
        total, size = bytes_of(made), bytes_of(part.type)
        self.exposed.append((0, total, size))
        more = {"step": len(self.exposed) - 1, "part": size, "total": total}
        return self._call("hlo.spread", [self.words, part, *kept], [made], **more)[0]

    def _call(self, target: str, operands: Sequence[Tensor], types: Sequence[ir.Type], **more: int) -> list[Tensor]:
        i64 = ir.IntegerType.get_signless(64)
        config = {name: ir.IntegerAttr.get(i64, value) for name, value in {"meeting": self.number, **more}.items()}
        call = ops.CustomCallOp.create(
            *(x.value for x in operands),
            results=types,
            call_target_name=target,
            has_side_effect=True,
            api_version=4,
            **{"mhlo.backend_config": ir.DictAttr.get(config)},
        )
        return list(map(Tensor, call.results))


Rule = Callable[[Any, Meeting], list[Tensor]]

exchanges: OpTable[Rule] = OpTable("rule on a grid")
"""`@exchanges(AllGatherOp)`"""


def process_id(words: Tensor, number: int, kind: ir.Type) -> ir.Value:
    """replica_id (0) or partition_id (1)."""
    return convert(scalar_at(words, number), element_type(kind)).value


def lower_collective(op: Any, meeting: Meeting) -> list[ir.Value]:
    """The results of the op; arrays without elements need nobody."""
    rule = exchanges.get(op.operation.name)
    if rule is None:
        raise CompileError(diagnostic(op, f"'{op.operation.name}' is not supported on a grid by this target"))
    if len(op.operands) and all(0 in shape(r.type) for r in op.results):
        return [_zeros(r.type).value for r in op.results]
    return [x.value for x in rule(op, meeting)]


def _zeros(kind: ir.Type) -> Tensor:
    element = element_type(kind)
    if not is_quantized(element):
        return constant(kind, 0)
    zero = constant(with_element(kind, element.expressed_type), 0).value
    return Tensor(ops.UniformQuantizeOp.create(zero, results=[kind]).result)


def _or_zeros(meeting: Meeting, value: Tensor) -> Tensor:
    """The value, but zeros in processes that get nothing."""
    if not meeting.has_outsiders:
        return value
    return select(meeting.position() >= 0, value, _zeros(value.type))


def _part(value: Tensor, dimension: int, number: Tensor, count: int) -> Tensor:
    """One of `count` parts of equal size along a dimension; the number is known at run time."""
    size = value.shape[dimension] // count
    return part_along(value, dimension, number * size, size)


def _exposed_parts(value: Tensor, dimension: int, count: int) -> Exposed:
    """Each process reads one of `count` parts along a dimension."""
    rows = math.prod(value.shape[:dimension])
    row = bytes_of(value.type) // max(rows, 1)
    return rows, row, row // count


@exchanges(ops.AllGatherOp)
def _all_gather(op: Any, meeting: Meeting) -> list[Tensor]:
    made = []
    for value, result in zip(map(Tensor, op.inputs), op.outputs):
        is_flat = math.prod(value.shape[: op.all_gather_dim]) == 1 and not is_quantized(value.element)
        if is_flat and meeting.is_uniform:
            made.append(_gathered_in_rows(value, meeting, result.type))
            continue
        gathered = joined(meeting.borrow(value), op.all_gather_dim)
        made.append(meeting.release(gathered, value))
    return made


def _gathered_in_rows(value: Tensor, meeting: Meeting, result: ir.Type) -> Tensor:
    """One array after the other."""
    count = math.prod(value.shape)
    return reshaped(meeting.spread(reshaped(value, [count]), count * meeting.count), shape(result))


@exchanges(ops.AllToAllOp)
def _all_to_all(op: Any, meeting: Meeting) -> list[Tensor]:
    made, position = [], meeting.position()
    for value in map(Tensor, op.inputs):
        exposed = _exposed_parts(value, op.split_dimension, op.split_count)
        parts = [_part(x, op.split_dimension, position, op.split_count) for x in meeting.borrow(value, exposed=exposed)]
        made.append(meeting.release(joined(parts, op.concat_dimension), value))
    return made


@exchanges(ops.CollectivePermuteOp)
def _permute(op: Any, meeting: Meeting) -> list[Tensor]:
    (value,) = map(Tensor, op.operands)
    (borrowed,) = meeting.borrow(value)
    return [meeting.release(_or_zeros(meeting, borrowed), value)]


@exchanges(ops.CollectiveBroadcastOp)
def _broadcast(op: Any, meeting: Meeting) -> list[Tensor]:
    """From the group's first process, or from those whose positions the last operand holds."""
    made = []
    check_roots(op, meeting.position(), meeting.size())
    for number, value in enumerate(map(Tensor, op.values)):
        borrowed = meeting.borrow(value)
        root = _dynamic_root(borrowed, Tensor(op.operands[-1]), number) if op.has_dynamic_root else borrowed[0]
        made.append(meeting.release(_or_zeros(meeting, root), value))
    return made


def check_roots(op: Any, position: Tensor, size: Tensor) -> None:
    """Before the op a call that fails when a root is none of the group's positions (runtime/grid/collective_checks.py)."""
    if not op.has_dynamic_root:
        return
    config = {"op": ir.StringAttr.get(op.operation.name), "location": ir.StringAttr.get(location_text(op))}
    ops.CustomCallOp.create(
        op.operands[-1],
        position.value,
        size.value,
        results=[],
        call_target_name="hlo.check_roots",
        has_side_effect=True,
        api_version=4,
        **{"mhlo.backend_config": ir.DictAttr.get(config)},
    )


def _dynamic_root(borrowed: Sequence[Tensor], roots: Tensor, number: int) -> Tensor:
    root, found = scalar_at(roots, number), borrowed[0]
    for position, value in enumerate(borrowed[1:], 1):
        found = select(root.equals(position), value, found)
    return found


@exchanges(ops.AllReduceOp, ops.CrossReplicaSumOp)
def _all_reduce(op: Any, meeting: Meeting) -> list[Tensor]:
    return [_reduced_everywhere(op, meeting, Tensor(v), r.type) for v, r in zip(op.operands, op.results)]


@exchanges(ops.CollectiveReduceOp)
def _collective_reduce(op: Any, meeting: Meeting) -> list[Tensor]:
    """The group's first process, or the one whose position the last operand holds, gets the reduction, all others zeros."""
    made, position = [], meeting.position()
    check_roots(op, position, meeting.size())
    for number, (value, result) in enumerate(zip(op.values, op.results)):
        reduced = _reduced_everywhere(op, meeting, Tensor(value), result.type)
        root = convert(scalar_at(Tensor(op.operands[-1]), number), position.element) if op.has_dynamic_root else 0
        mine = select(position.equals(root), reduced, _zeros(reduced.type))
        made.append(_or_zeros(meeting, mine))  # a process without a group has position -1, which a root may be
    return made


@exchanges(ops.ReduceScatterOp)
def _reduce_scatter(op: Any, meeting: Meeting) -> list[Tensor]:
    """What is a concatenation along another dimension is not made: each process exposes the pieces."""
    position, element = meeting.position(), element_type(op.result.type)
    made, whole = [], defining(op.operand, "concatenate")
    pieces = [op.operand] if whole is None or whole.dimension == op.scatter_dimension else list(whole.inputs)
    for piece in map(Tensor, pieces):
        borrowed = meeting.borrow(piece, exposed=_exposed_parts(piece, op.scatter_dimension, meeting.count))
        parts = [_part(x, op.scatter_dimension, position, meeting.count) for x in borrowed]
        made.append(meeting.release(_chain(op, meeting, parts, element), piece))
    return [made[0] if len(made) == 1 else joined(made, whole.dimension)]


def _reduced_everywhere(op: Any, meeting: Meeting, value: Tensor, result: ir.Type) -> Tensor:
    count = math.prod(value.shape)
    if count < LEAST_DIVIDED or not meeting.is_uniform or meeting.count < LEAST_DIVIDING:
        return meeting.release(_chain(op, meeting, meeting.borrow(value), element_type(result)), value)
    return _reduced_in_parts(op, meeting, value, result)


def _reduced_in_parts(op: Any, meeting: Meeting, value: Tensor, result: ir.Type) -> Tensor:
    """Process k reduces elements k * part to (k + 1) * part; the last parts begin where that many elements are left."""
    count = math.prod(value.shape)
    flat = reshaped(value, [count])
    part = -(-count // meeting.count)
    start = minimum(meeting.position() * part, count - part)
    size = bytes_of(flat.type)
    borrowed = meeting.borrow(flat, exposed=(1, size, size // count * part))
    parts = [part_along(x, 0, start, part) for x in borrowed]
    reduced = _chain(op, meeting, parts, element_type(result))
    return reshaped(meeting.spread(reduced, count, flat), shape(result))


def _chain(op: Any, meeting: Meeting, values: Sequence[Tensor], element: ir.Type) -> Tensor:
    """The values combined from the first to the last, small floats in f32; those beyond a smaller group's size are left out."""
    carried = _carried(op, element)
    wide = [convert(x, carried) for x in values]
    size = None if meeting.is_uniform else meeting.size()
    total = wide[0]
    for position, value in enumerate(wide[1:], 1):
        combined = _combined(op, total, value)
        if size is not None:
            combined = select(size > position, combined, total)
        total = combined
    return convert(total, element)


def _carried(op: Any, element: ir.Type) -> ir.Type:
    """The type that partial results have."""
    if isinstance(op, ops.CrossReplicaSumOp):
        return ir.F32Type.get() if is_narrow_float(element) else element
    return accumulator(op.computation.blocks[0], element)


def _combined(op: Any, lhs: Tensor, rhs: Tensor) -> Tensor:
    """The op's computation on each pair of elements."""
    if isinstance(op, ops.CrossReplicaSumOp):
        return lhs + rhs
    made = ops.MapOp.create(lhs.value, rhs.value, results=[lhs.type], dimensions=list(range(len(lhs.shape))))
    if lhs.element != element_type(op.computation.blocks[0].arguments[0].type):
        retype(op.computation.blocks[0], made.regions[0])
    else:
        copy = op.operation.clone()
        copy.regions[0].blocks[0].append_to(made.regions[0])
        copy.erase()
    return Tensor(made.result)
