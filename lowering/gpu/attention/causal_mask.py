"""Steps that need not be taken, because a mask of positions hides all of their elements from all rows of a block.

    select(row >= key, score, far):  rows up to r see no key beyond r

Forward, the keys beyond have the score `far`, and the weight exp(far - maximum), which is 0 unless the row's maximum is near `far` (a
row that sees nothing, say): a block with such a row takes all steps. Where scores are computed again, what the program makes of hidden
ones must add nothing:

    select(row >= key, score, far)   ->  exp(far - max)   ->  0, if the row's maximum is well above far: `guards` are these
    select(row >= key, x, 0)         ->  0                    factors, to be looked at before steps are left out

Rows of the last op may be those of the mask (keys up to the row's index are seen) or its keys (rows from the key's index on)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from math import prod

from mlir import ir
from mlir.dialects import arith

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.expressions.masks import Mask, hiding_selects, masks_of
from hlo.lowering.expressions.nodes import CONVERSIONS, Constant, Node, Product, is_apply, reachable
from hlo.lowering.gpu.attention.recognise import Attention
from hlo.lowering.gpu.contraction.problem import Problem
from hlo.lowering.gpu.evaluate import Evaluator
from hlo.lowering.linalg.loops import add, index, mul, sub

ROUNDED = 0.99
"""Of `far`: it may be rounded to another type."""


def _steps_seen(mask: Mask, row: ir.Value, inner: int, keys: int, steps: int) -> ir.Value:
    """How many steps of `keys` elements, of `steps`, have keys that the mask shows rows up to this one; at least one. `inner`: elements of a key."""
    beyond = arith.maxsi(add(row, mask.offset + 1), index(1))
    last = add(mul(beyond, inner), keys - 1)
    return arith.minui(arith.divui(last, index(keys)), index(steps))


def _extremes(p: Problem, symbol: int, first: ir.Value, rows: int) -> tuple[ir.Value, ir.Value]:
    """The lowest and the highest index along a symbol of so many rows from the first on."""
    last = arith.minui(add(first, rows - 1), index(p.m - 1))
    number = p.rows.index(symbol)
    inner = index(prod(p.nest.sizes[d] for d in p.rows[number + 1 :]))
    low, high = arith.divui(first, inner), arith.divui(last, inner)
    if number == 0:
        return low, high
    size = index(p.nest.sizes[symbol])
    is_one_period = arith.cmpi(arith.CmpIPredicate.eq, arith.divui(low, size), arith.divui(high, size))
    lowest = arith.select(is_one_period, arith.remui(low, size), index(0))
    highest = arith.select(is_one_period, arith.remui(high, size), index(p.nest.sizes[symbol] - 1))
    return lowest, highest


# The steps of a block


@dataclass(frozen=True)
class Hidden:
    """`p`: the op, `keys`: elements of its k in a step. `far`: the most that a hidden score is. Where scores are computed again: `selects`:
    the nodes that are their third operand where the mask hides. `guards`: nodes all of which must be 0 there; `free`: the symbols that nodes
    depend on there."""

    mask: Mask
    p: Problem
    keys: int
    far: float = float("-inf")
    selects: tuple[Node, ...] = ()
    guards: tuple[Node, ...] = ()
    free: Mapping[Node, frozenset[int]] = field(default_factory=dict)

    @property
    def _k_symbol(self) -> int:
        return next(s for s in (self.mask.key, self.mask.row) if s in self.p.k_dims)

    @property
    def _inner(self) -> int:
        """Adjacent elements of k at one index of the mask's symbol."""
        return self.p.nest.extent(self.p.k_dims[self.p.k_dims.index(self._k_symbol) + 1 :])

    @property
    def _period(self) -> int:
        """Elements of k until the mask's symbol begins again."""
        return self.p.nest.sizes[self._k_symbol] * self._inner

    @property
    def _periods(self) -> int:
        return self.p.k // self._period

    def value(self, evaluator: Evaluator, node: Node, at: Mapping[int, ir.Value]) -> ir.Value:
        """A node where the mask hides."""
        inner, given = evaluator.inner(), dict[Node, ir.Value]()
        for one in self.selects:
            given[one] = inner.value(one.operands[2], at, given)
        return inner.value(node, at, given)

    @property
    def is_rest_perhaps_needed(self) -> bool:
        """Whether a row may need the hidden steps when the others are done."""
        return self.far != float("-inf")

    @property
    def hides_last(self) -> bool:
        """Whether the last rows see most keys."""
        return self.mask.key in self.p.k_dims

    @property
    def is_whole(self) -> bool:
        """Whether each step is of one period."""
        return self._periods == 1 or self._period % self.keys == 0

    @property
    def steps(self) -> int:
        """Of one period."""
        return -(-self._period // self.keys)

    def range(self, first: ir.Value, rows: int) -> tuple[ir.Value, ir.Value]:
        """The steps, of each period, that a block takes whose rows begin at `first`: from one to before the other; one at least."""
        symbol = next(s for s in (self.mask.row, self.mask.key) if s in self.p.rows)
        low, high = _extremes(self.p, symbol, first, rows)
        none, keys, inner = (index(n) for n in (0, self.keys, self._inner))
        if self.hides_last:
            return none, _steps_seen(self.mask, high, self._inner, self.keys, self.steps)
        begin = mul(arith.maxsi(sub(low, self.mask.offset), none), inner)
        return arith.minui(arith.divui(begin, keys), index(self.steps - 1)), index(self.steps)

    def count(self, begin: ir.Value, end: ir.Value) -> ir.Value:
        """Steps of all periods."""
        return mul(sub(end, begin), self._periods)

    def step(self, number: ir.Value, begin: ir.Value, end: ir.Value) -> ir.Value:
        """Of those taken the so many-th."""
        if self._periods == 1:
            return add(begin, number)
        size = sub(end, begin)
        period, inside = arith.divui(number, size), arith.remui(number, size)
        return add(mul(period, self.steps), add(begin, inside))


def hidden_steps(found: Attention, p: Problem, keys: int) -> Hidden | None:
    """What a mask hides from the rows of an op that takes `keys` elements of k in a step; None if all steps are needed. `p`: the last op,
    as the kernel sees its rows."""
    if p.k <= keys:
        return None
    return _hidden_scores(found.expression, p, keys) if found.softmax else _hidden_parts(found, p, keys)


def _hidden_scores(scores: Node, p: Problem, keys: int) -> Hidden | None:
    """Forward: read off the expression of a score."""
    long = [d for d in p.k_dims if p.nest.sizes[d] != 1]
    for select, far in hiding_selects(scores) if len(long) == 1 else ():
        mask = next((one for one in _masks(select, p) if one.key == long[0]), None)
        if mask is not None:
            return Hidden(mask, p, keys, far * ROUNDED)
    return None


def _hidden_parts(found: Attention, p: Problem, keys: int) -> Hidden | None:
    """Where scores are computed again."""
    nodes = reachable(found.expression)
    for mask in dict.fromkeys(mask for node in nodes for mask in _masks(node, p)):
        selects = tuple(node for node in nodes if mask in _masks(node, p))
        guards = _guards(found, selects)
        if guards is not None:
            free = _analysis(found.expression, selects)[1]
            hidden = Hidden(mask, p, keys, selects=selects, guards=guards, free=free)
            if hidden.is_whole:
                return hidden
    return None


def _masks(node: Node, p: Problem) -> list[Mask]:
    """Of a select that gives what is computed from scores."""
    return [mask for mask in masks_of(node, p.rows, p.k_dims) if node.operands[1].has_product]


def _guards(found: Attention, selects: tuple[Node, ...]) -> tuple[Node, ...] | None:
    """What must be 0 for hidden elements to add nothing; None if they always add something. A hidden maximum adds what it is."""
    known, free, factors = _analysis(found.expression, selects)
    if found.fold is not None and found.fold[0] == "arith.maximumf":
        return () if known[found.expression] and not free[found.expression] else None
    guards, p = factors[found.expression], found.last
    rows, keys = ({*p.batch, *p.rows}, {*p.batch, *p.k_dims})
    is_vector = guards is not None and all(free[g] <= rows or free[g] <= keys for g in guards)
    return guards if is_vector else None


Factors = dict[Node, tuple[Node, ...] | None]
"""By node, nodes all of which being 0 makes it 0; none for 0 itself, None if there are no such nodes."""


def _analysis(
    expression: Node, selects: tuple[Node, ...]
) -> tuple[dict[Node, bool], dict[Node, frozenset[int]], Factors]:
    """Where the mask hides: whether a node needs no contraction, the symbols it depends on, and what makes it 0."""
    known: dict[Node, bool] = {}
    free: dict[Node, frozenset[int]] = {}
    factors: Factors = {}
    for node in reachable(expression):
        seen = node.operands[2:] if node in selects else node.operands
        known[node] = not isinstance(node, Product) and all(known[o] for o in seen)
        free[node] = frozenset().union(*(free[o] for o in seen)) if seen else node.free
        factors[node] = factors[seen[0]] if node in selects else _factors(node, known, factors)
    return known, free, factors


def _factors(node: Node, known: dict[Node, bool], factors: Factors) -> tuple[Node, ...] | None:
    found = [factors[o] for o in node.operands]
    if isinstance(node, Constant):
        return () if not node.attribute.value else None
    if is_apply(node, "math.exp"):
        return (node,) if known[node] else None
    if is_apply(node, "arith.mulf"):
        return min((one for one in found if one is not None), key=len, default=None)
    if is_apply(node, "arith.divf") or any(is_apply(node, name) for name in (*CONVERSIONS, "arith.negf")):
        return found[0]
    if (is_apply(node, "arith.addf") or is_apply(node, "arith.subf")) and None not in found:
        return tuple(dict.fromkeys(g for one in found for g in one or ()))
    return None
