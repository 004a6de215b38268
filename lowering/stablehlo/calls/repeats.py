"""Finds the repeated stretches of a block: the same ops over and over, each time with what the time before has made.

Ops are the same when name, attributes, result types and regions are. A stretch is fit to be a function when
- it has a matmul or a convolution (what is cheaper gains more in one kernel with its neighbours),
- each time reads its own values in the same way, and otherwise only what was there before the time before it, or arguments,
- what it makes is read by the next time only (of the last time: by anything).

It begins where the fewest bytes are alive, but not behind a matmul or a change of layout: those are computed together
with their readers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from typing import Any

from mlir import ir

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.finding import captured
from hlo.lowering.memory.storage import byte_size
from hlo.lowering.stablehlo.rewriting import is_pure, values_read
from hlo.lowering.stablehlo.simplify.eliminate_common_subexpressions import op_key

TIMES = 3
"""So often at least."""
FURTHER, DISTANCES, STARTS = 24, 8, 4
"""How many later matmuls each is compared with; how many of the most common distances between equal ones, and of the best
starts, are tried."""

OTHER = -1
"""The number of all kinds of ops that are not taken into a function."""

MATMULS = ("stablehlo.dot_general", "stablehlo.dot", "stablehlo.convolution")
REARRANGED = frozenset(
    f"stablehlo.{name}"
    for name in ("transpose", "reshape", "broadcast_in_dim", "slice", "convert", "constant", "concatenate", "iota")
)
IN_PLACE = frozenset(
    f"stablehlo.{name}" for name in ("while", "if", "case", "dynamic_update_slice", "scatter", "custom_call", "sort")
)
"""What may work in the memory of its operand, which the caller of a function keeps for itself; and what is no plain computation."""


@dataclass(frozen=True, order=True)
class Made:
    """A result of an op of the block, by the op's position."""

    op: int
    result: int


@dataclass(frozen=True)
class Repeat:
    """Ops `start` to `start + length` of the block, `count` times. `results`: what the next time or a later op reads, as
    positions in the first stretch."""

    start: int
    length: int
    count: int
    results: tuple[Made, ...]

    @property
    def end(self) -> int:
        return self.start + self.count * self.length

    def stretch(self, number: int) -> range:
        first = self.start + number * self.length
        return range(first, first + self.length)

    def number_of(self, made: Made) -> int | None:
        """The number of the stretch that makes a value."""
        number = (made.op - self.start) // self.length
        return number if 0 <= number < self.count else None


class Repeats:
    """The ops of a block, what they read and what they are."""

    def __init__(self, block: ir.Block):
        self.ops = list(block.operations)
        self._types: dict[ir.Type, bool] = {}

    def find(self) -> Iterator[Repeat]:
        """All that are found, in no order; they do not overlap."""
        matmuls = [n for n in range(len(self.ops)) if self._is_matmul(n)]
        if len(matmuls) < TIMES:
            return
        self._look()
        waiting = [(0, len(self.ops))]
        while waiting:
            first, end = waiting.pop()
            found = self._longest([n for n in matmuls if first <= n < end], first, end)
            if found is None:
                continue
            repeat = self._cut(*found)
            if repeat is not None:
                yield repeat
                found = (repeat.start, repeat.end, repeat.length)
            waiting += [(first, found[0]), (found[1], end)]

    def _look(self) -> None:
        """What every op reads and is."""
        made: dict[ir.Value, Made] = {}
        numbers: dict[Hashable, int] = {}
        self.operands: list[list[ir.Value]] = [values_read(op) for op in self.ops]
        for position, op in enumerate(self.ops):
            made.update((result, Made(position, number)) for number, result in enumerate(op.results))
        self.reads = [[made.get(v) for v in values] for values in self.operands]
        self.last_read = {m: position for position, read in enumerate(self.reads) for m in read if m is not None}
        self.kinds = [self._number(position, op, numbers) for position, op in enumerate(self.ops)]

    # What an op is

    def _is_matmul(self, position: int) -> bool:
        return self.ops[position].operation.name in MATMULS

    def _is_plain(self, op: Any) -> bool:
        is_plain = (
            op.operation.name not in IN_PLACE and is_pure(op) and all(self._is_plain_type(r.type) for r in op.results)
        )
        return is_plain and (not len(op.regions) or not _reads_from_outside(op))

    def _is_plain_type(self, t: ir.Type) -> bool:
        if t not in self._types:
            self._types[t] = _is_plain_type(t)
        return self._types[t]

    def _number(self, position: int, op: Any, numbers: dict[Hashable, int]) -> int:
        """Equal for ops that are the same; one's own for what is not taken into a function."""
        kind = op_key(op, {})
        if kind not in numbers:
            numbers[kind] = len(numbers) if self._is_plain(op) else OTHER
        return -1 - position if numbers[kind] == OTHER else numbers[kind]

    # Where it repeats

    def _longest(self, matmuls: Sequence[int], first: int, end: int) -> tuple[int, int, int] | None:
        """The longest range of ops that are the same as those `length` further on: its bounds and that length."""
        by_kind: dict[int, list[int]] = {}
        for n in matmuls:
            by_kind.setdefault(self.kinds[n], []).append(n)
        pairs = ((a, b) for same in by_kind.values() for n, a in enumerate(same) for b in same[n + 1 : n + 1 + FURTHER])
        distances = Counter(b - a for a, b in pairs)
        runs = [self._run(length, first, end) for length, _ in distances.most_common(DISTANCES)]
        fit = [run for run in runs if run[1] - run[0] >= TIMES * run[2]]
        return max(fit, key=lambda run: (run[1] - run[0], -run[2]), default=None)

    def _run(self, length: int, first: int, end: int) -> tuple[int, int, int]:
        best, start = (0, 0), first
        for position in range(first, end - length + 1):
            if position == end - length or self.kinds[position] != self.kinds[position + length]:
                if position - start > best[1] - best[0]:
                    best = (start, position)
                start = position + 1
        return best[0], best[1] + length, length

    # Where it is cut

    def _cut(self, first: int, end: int, length: int) -> Repeat | None:
        starts = range(first, min(first + 2 * length, end - TIMES * length + 1))  # the first one may read other types
        alive = self._alive(first, starts, length)
        ranked = sorted((s for s in starts if alive[s] is not None), key=lambda s: (alive[s], s))
        fits = (self._fit(start, length, (end - start) // length) for start in ranked[:STARTS])
        return next((repeat for repeat in fits if repeat is not None), None)

    def _alive(self, first: int, starts: range, length: int) -> dict[int, int | None]:
        """The bytes that go from one stretch to the next, by its start; None where no cut is to be."""
        found: dict[int, int | None] = {}
        coming = sorted((m for m in self.last_read if first <= m.op < starts[-1] + length), key=lambda m: -m.op)
        alive: list[Made] = []
        for start in starts:
            border = start + length
            while coming and coming[-1].op < border:
                alive.append(coming.pop())
            alive = [m for m in alive if self.last_read[m] >= border]
            found[start] = sum(map(self._bytes, alive)) if all(map(self._is_end, alive)) else None
        return found

    def _is_end(self, made: Made) -> bool:
        return self.ops[made.op].operation.name not in REARRANGED and not self._is_matmul(made.op)

    def _bytes(self, made: Made) -> int:
        return byte_size(self.ops[made.op].results[made.result].type)

    def _fit(self, start: int, length: int, count: int) -> Repeat | None:
        """The repeat with this start, if its stretches are one function."""
        whole = Repeat(start, length, count, ())
        model = whole.stretch(0)
        if not any(map(self._is_matmul, model)):
            return None
        if not all(self._same_reads(model, whole.stretch(number)) for number in range(count)):
            return None
        results = self._results(whole)
        return Repeat(start, length, count, tuple(sorted(results))) if results else None

    def _same_reads(self, model: range, other: range) -> bool:
        """Whether both read their own values in the same way, and values of the same types otherwise."""
        for a, b in zip(model, other):
            for m, n, v, w in zip(self.reads[a], self.reads[b], self.operands[a], self.operands[b], strict=True):
                own = _position_in(m, model)
                if own != _position_in(n, other):
                    return False
                if own is None and (v.type != w.type or not self._is_plain_type(v.type)):
                    return False
        return True

    def _results(self, repeat: Repeat) -> set[Made]:
        """What later stretches and ops read of a stretch; nothing if one reads another stretch than the one before it."""
        found: set[Made] = set()
        for position in range(repeat.start, len(self.ops)):
            here = min((position - repeat.start) // repeat.length, repeat.count)
            for made in self.reads[position]:
                source = here if made is None else repeat.number_of(made)
                if source not in (None, here, here - 1):
                    return set()
                if made is not None and source == here - 1:
                    found.add(Made(made.op - source * repeat.length, made.result))
        return found


def _position_in(made: Made | None, stretch: range) -> tuple[int, int] | None:
    return (made.op - stretch.start, made.result) if made is not None and made.op in stretch else None


def _reads_from_outside(op: Any) -> bool:
    """Whether regions read more than the op's operands."""
    return not set(op.operands).issuperset(captured([op]))


def _is_plain_type(t: ir.Type) -> bool:
    """No tuple, token or type of unknown size."""
    return isinstance(t, ir.RankedTensorType) and t.has_static_shape
