"""Which ops of a block are computed together: every value is either kept in memory (a root of a kernel) or computed
again inside the kernels that read it.

Roots are what host code reads, reductions, contractions, insertions, and values that are too costly to compute more
than once. `plan_block` gives the kernels of one block, each with its roots and the ops between them and memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import prod
from typing import Any

from mlir import ir

from hlo.lowering.vector.region.accesses import op_cost
from hlo.lowering.vector.region.graph import iteration_shape

CHEAP = 4
"""Instructions an element up to which a value is computed again rather than stored and loaded."""
LARGEST = 160
"""Instructions an element in one kernel; beyond, intermediate values are stored."""

LONGEST_ROW, SHORT_ROW = 1 << 16, 1 << 12
"""Elements of a row up to which several reductions over it are one kernel; the second if there is only one row."""
MOST_ROOTS = 8

RESHAPES = ("tensor.expand_shape", "tensor.collapse_shape")
VIEWS = ("tensor.extract_slice", *RESHAPES)
CONSTANT_LIKE = ("linalg.fill", "tensor.empty", "tensor.splat", "tensor.from_elements")
SCALAR_DIALECTS = ("arith", "math", "complex", "index")


@dataclass(eq=False)
class Unit:
    """A kernel in the making: its roots in program order, and where it goes in the block. `results`: what others read.
    `parts`: the kernels it was joined from, for the case that they turn out not to fit."""

    roots: list[ir.Operation]
    position: int
    kind: str = "region"
    results: list[ir.Value] = field(default_factory=list)
    parts: list[Unit] = field(default_factory=list)
    domains: list[Domain | None] = field(default_factory=list)
    """Of each root."""


@dataclass(eq=False)
class BlockPlan:
    """`units` in program order; `inlined`: the first results of the ops that live only inside kernels (values, since
    an Operation's hash changes when its operands do)."""

    units: list[Unit] = field(default_factory=list)
    inlined: set[ir.Value] = field(default_factory=set)

    def inlines(self, op: ir.Operation) -> bool:
        return bool(len(op.results)) and op.results[0] in self.inlined


def is_scalar_op(op: ir.Operation) -> bool:
    """An op on scalars: arithmetic, or the read of one element."""
    if any(isinstance(r.type, ir.RankedTensorType) for r in op.results) or len(op.regions):
        return False
    return op.name.split(".")[0] in SCALAR_DIALECTS or op.name == "tensor.extract"


def is_splat_constant(op: ir.Operation) -> bool:
    """A scalar or a tensor of equal elements."""
    if op.name not in ("arith.constant", "complex.constant"):
        return False
    if not isinstance(op.results[0].type, ir.RankedTensorType):
        return True
    value = op.attributes["value"]
    return isinstance(value, ir.DenseElementsAttr) and value.is_splat


def is_fusable(op: ir.Operation) -> bool:
    """Whether an op can be part of a kernel."""
    name = op.name
    if name in ("linalg.generic", "tensor.insert_slice", *VIEWS, *CONSTANT_LIKE):
        return True
    return is_splat_constant(op) or is_scalar_op(op)


def is_simple_reshape(op: ir.Operation) -> bool:
    """Whether an element's index before the reshape is affine in the one after: dimensions are split by it, or only
    joined with dimensions of size 1."""
    if op.name == "tensor.expand_shape":
        return True
    shape = op.operands[0].type.shape
    groups = [[ir.IntegerAttr(d).value for d in group] for group in op.attributes["reassociation"]]
    return all(sum(shape[d] != 1 for d in group) <= 1 for group in groups)


def is_clonable(value: ir.Value) -> bool:
    """Whether a value can be made again anywhere: constants and what is filled with them."""
    op = value.owner
    if isinstance(op, ir.Block):
        return False
    if is_splat_constant(op) or op.name == "tensor.empty":
        return True
    return op.name in CONSTANT_LIKE and all(is_clonable(v) for v in op.operands)


def body_cost(op: ir.Operation) -> int:
    """Instructions an element."""
    if op.name != "linalg.generic":
        return 0
    names = [inner.operation.name for inner in op.regions[0].blocks[0].operations]
    return sum(op_cost(n) for n in names if n not in ("linalg.yield", "arith.constant"))


@dataclass(frozen=True)
class Domain:
    """The extents of a linalg.generic, and which of its dimensions it reduces."""

    shape: tuple[int, ...]
    reduced: tuple[bool, ...]

    @property
    def is_reduction(self) -> bool:
        return any(self.reduced)


class _Planner:
    """Goes through a block from its end: the users of an op are settled before the op. The block does not change
    meanwhile, so what was found out about an op stays true."""

    def __init__(self, block: ir.Block, is_contraction: Callable[[ir.Operation], bool]):
        self._contractions: dict[ir.Operation, bool] = {}
        self._is_contraction = is_contraction
        self.ops = [op.operation for op in block.operations]
        self.position = {op: n for n, op in enumerate(self.ops)}
        self.readers: dict[ir.Operation, set[ir.Operation]] = {}
        self.roots: set[ir.Operation] = set()
        self.inlined: set[ir.Operation] = set()
        self.cost: dict[ir.Operation, int] = {}
        self._domains: dict[ir.Operation, Domain | None] = {}
        self._inputs: dict[ir.Operation, set[ir.Value]] = {}

    def domain(self, op: ir.Operation) -> Domain | None:
        """None for ops other than linalg.generic."""
        if op.name != "linalg.generic":
            return None
        if op not in self._domains:
            self._domains[op] = _domain(op)
        return self._domains[op]

    def is_reduction(self, op: ir.Operation) -> bool:
        domain = self.domain(op)
        return domain is not None and domain.is_reduction

    def inputs(self, root: ir.Operation) -> set[ir.Value]:
        """The arrays that a root reads from memory; to be asked when all ops are settled."""
        if root not in self._inputs:
            self._inputs[root] = _inputs(root, self)
        return self._inputs[root]

    def is_contraction(self, op: ir.Operation) -> bool:
        if op not in self._contractions:
            self._contractions[op] = self._is_contraction(op)
        return self._contractions[op]

    def settle(self) -> None:
        for op in self.ops:
            self.cost[op] = body_cost(op) + sum(self._producer_cost(v) for v in op.operands)
        for op in reversed(self.ops):
            if is_fusable(op):
                self._settle(op)

    def _producer_cost(self, value: ir.Value) -> int:
        owner = value.owner
        if isinstance(owner, ir.Block) or owner not in self.cost or self.is_reduction(owner):
            return 0
        cost = self.cost[owner]
        stored = cost > LARGEST or (cost > CHEAP and len(list(value.uses)) > 1)
        return 0 if stored else cost

    def _settle(self, op: ir.Operation) -> None:
        uses = [use for result in op.results for use in result.uses]
        if not uses:
            self.inlined.add(op)
            return
        if op.name in RESHAPES and not is_simple_reshape(op):
            return
        on_host = any(self._on_host(op, use) for use in uses)
        if op.name in RESHAPES and not on_host:
            on_host = any(self.needs_memory(use) for use in uses)
        readers = {r for use in uses for r in self._readers_of(use.owner.operation)}
        if self._is_root(op, uses, on_host, readers):
            self.roots.add(op)
            self.readers[op] = {op}
        elif not on_host or is_scalar_op(op):
            self.inlined.add(op)
            self.readers.update({} if on_host else {op: readers})

    def ancestor(self, op: ir.Operation) -> ir.Operation | None:
        """The op of this block that holds `op`."""
        while op is not None and op not in self.position:
            op = op.parent.operation if op.parent is not None else None
        return op

    def _readers_of(self, user: ir.Operation) -> set[ir.Operation]:
        return self.readers.get(self.ancestor(user), set())

    def _on_host(self, op: ir.Operation, use: Any) -> bool:
        """Whether a use needs the value outside of kernels."""
        user = self.ancestor(use.owner.operation)
        if user in self.readers or self.is_dead(user):
            return False
        return not (use.owner.operation != user and is_clonable(op.results[0]))

    def is_dead(self, user: ir.Operation | None) -> bool:
        return user is not None and user in self.inlined and all(next(iter(r.uses), None) is None for r in user.results)

    def _is_root(self, op: ir.Operation, uses: list[Any], on_host: bool, readers: set[ir.Operation]) -> bool:
        name = op.name
        if not isinstance(op.results[0].type, ir.RankedTensorType) or name == "tensor.empty":
            return False
        if name == "tensor.insert_slice":
            return on_host or not self._continued(op, uses)
        if self.is_reduction(op):
            return True
        if name in RESHAPES:
            return False
        if is_splat_constant(op):
            return False
        return on_host or self._must_be_stored(op, uses, readers)

    def _continued(self, op: ir.Operation, uses: list[Any]) -> bool:
        """An insertion into which only one other insertion goes on."""
        if len(uses) != 1:
            return False
        user = uses[0].owner.operation
        return user.name == "tensor.insert_slice" and user in self.readers and uses[0].operand_number == 1

    def _must_be_stored(self, op: ir.Operation, uses: list[Any], readers: set[ir.Operation]) -> bool:
        if is_clonable(op.results[0]):
            return False
        if any(self.needs_memory(use) for use in uses):
            return True
        if op.name != "linalg.generic":
            return False
        cost = self.cost[op]
        if cost > LARGEST:
            return True
        if cost <= CHEAP:
            return False
        return len(readers) > 1 or any(self._repeats(op, use) for use in uses)

    def needs_memory(self, use: Any) -> bool:
        """Gathers, contractions and insertions read their operand (or destination) from memory."""
        user = use.owner.operation
        if user not in self.position:
            return True
        return self.is_contraction(user) or (user.name == "tensor.insert_slice" and use.operand_number == 1)

    def _repeats(self, op: ir.Operation, use: Any) -> bool:
        """Whether a user would compute each element more than once."""
        user = use.owner.operation
        domain = self.domain(user)
        if domain is None:
            return False
        return prod(domain.shape) > max(1, prod(op.results[0].type.shape))


def plan_block(block: ir.Block, is_contraction: Callable[[ir.Operation], bool]) -> BlockPlan:
    """The kernels of a block; `is_contraction` tells the ops that have a generator of their own."""
    planner = _Planner(block, is_contraction)
    planner.settle()
    _keep_host_reshapes(planner)
    units = [_unit(op, planner) for op in planner.ops if op in planner.roots]
    units = _chain_units(_merge_units(units, planner), planner)
    for unit in units:
        for one in (unit, *unit.parts):
            one.results = _results(one, planner)
    return BlockPlan(units, {op.results[0] for op in planner.inlined})


def _unit(op: ir.Operation, planner: _Planner) -> Unit:
    kind = "contraction" if planner.is_contraction(op) else "region"
    return Unit([op], planner.position[op], kind, domains=[planner.domain(op)])


def _keep_host_reshapes(planner: _Planner) -> None:
    """A reshape of something that no kernel of this block makes costs nothing on the host: it stays there."""
    for op in planner.ops:
        if op.name in RESHAPES and op in planner.inlined:
            source = op.operands[0]
            made_here = not isinstance(source.owner, ir.Block) and source.owner in planner.roots
            if not made_here and not _computed_inside(source, planner):
                planner.inlined.discard(op)


def _computed_inside(value: ir.Value, planner: _Planner) -> bool:
    return not isinstance(value.owner, ir.Block) and value.owner in planner.inlined


# ---- kernels with several results


def _merge_units(units: list[Unit], planner: _Planner) -> list[Unit]:
    """Joins units over the same dimensions that share data, as long as the order of the block allows it."""
    merged: list[Unit] = []
    for unit in units:
        partner = next((u for u in reversed(merged[-8:]) if _joinable(u, unit, planner)), None)
        if partner is not None:
            merged.remove(partner)
            unit.roots = partner.roots + unit.roots
            unit.domains = partner.domains + unit.domains
        merged.append(unit)
    return merged


def _joinable(a: Unit, b: Unit, planner: _Planner) -> bool:
    if a.kind != "region" or b.kind != "region" or len(a.roots) + len(b.roots) > 6:
        return False
    if a.domains[0] is None or a.domains[0] != b.domains[0]:
        return False
    if not _shares_data(a, b, planner):
        return False
    return all(_users_come_after(root, a, b, planner) for root in a.roots)


def _results(unit: Unit, planner: _Planner) -> list[ir.Value]:
    """What is read outside of the unit."""
    own = set(unit.roots)
    return [
        result
        for root in unit.roots
        for result in root.results
        if any(not _readers(use, planner) <= own for use in result.uses)
    ]


def _readers(use: Any, planner: _Planner) -> set[Any]:
    """The roots (or the host op) that a use is computed for."""
    user = planner.ancestor(use.owner.operation)
    return planner.readers.get(user, set() if planner.is_dead(user) else {user})


def _chain_units(units: list[Unit], planner: _Planner) -> list[Unit]:
    """Joins reductions over the same rows with what is computed from them row by row (softmax)."""
    chained: list[Unit] = []
    for unit in units:
        partner = next((u for u in reversed(chained[-8:]) if _chainable(u, unit, planner)), None)
        if partner is None:
            chained.append(unit)
            continue
        chained.remove(partner)
        parts = [*(partner.parts or [partner]), unit]
        domains = partner.domains + unit.domains
        chained.append(Unit(partner.roots + unit.roots, unit.position, "region", parts=parts, domains=domains))
    return chained


def _chainable(a: Unit, b: Unit, planner: _Planner) -> bool:
    if a.kind != "region" or b.kind != "region" or len(a.roots) + len(b.roots) > MOST_ROOTS:
        return False
    domains = {d for d in (*a.domains, *b.domains) if d is None or d.is_reduction}
    domain = domains.pop() if len(domains) == 1 else None
    if domain is None:
        return False
    roots = [*a.roots, *b.roots]
    if not _is_row_domain(domain) or not _shares_data(a, b, planner):
        return False
    shapes = _row_shapes(domain)
    if not all(planner.is_reduction(op) or tuple(op.results[0].type.shape) in shapes for op in roots):
        return False
    if sum(body_cost(op) for op in roots) > LARGEST:
        return False
    return all(_users_come_after(root, a, b, planner, rows=True) for root in a.roots)


def _domain(op: ir.Operation) -> Domain:
    kinds = str(op.attributes["iterator_types"]).split(",")  # one text: asking each element takes ten times as long
    shape = tuple(iteration_shape(op))
    return Domain(shape, tuple("reduction" in kind for kind in kinds[: len(shape)]))


def _is_row_domain(domain: Domain) -> bool:
    """Whether rows are contiguous, fit in cache and are not so short that lanes stay empty."""
    row = prod(n for n, r in zip(domain.shape, domain.reduced) if r)
    rows = prod(n for n, r in zip(domain.shape, domain.reduced) if not r)
    return domain.reduced[-1] and 8 <= row <= LONGEST_ROW and (rows > 1 or row <= SHORT_ROW)


def _row_shapes(domain: Domain) -> set[tuple[int, ...]]:
    return {domain.shape, tuple(n for n, r in zip(domain.shape, domain.reduced) if not r)}


def _users_come_after(root: ir.Operation, own: Unit, later: Unit, planner: _Planner, rows: bool = False) -> bool:
    """Whether everything that reads `root` from memory runs after `later`, or is part of it (elementwise only, unless
    the two are computed by `rows`; never as a gather, which reads any element)."""
    inside = {*own.roots, *later.roots}
    for result in root.results:
        for use in result.uses:
            if planner.needs_memory(use) and _readers(use, planner) & inside:
                return False
            for reader in _readers(use, planner):
                if reader in inside and not rows and (planner.is_reduction(reader) or planner.is_reduction(root)):
                    return False
                if reader is None or (planner.position.get(reader, -1) < later.position and reader not in inside):
                    return False
    return True


def _shares_data(a: Unit, b: Unit, planner: _Planner) -> bool:
    known = {v for root in a.roots for v in (*root.results, *planner.inputs(root))}
    return any(not known.isdisjoint(planner.inputs(root)) for root in b.roots)


def _inputs(root: ir.Operation, planner: _Planner) -> set[ir.Value]:
    found: set[ir.Value] = set()
    pending = list(root.operands)
    seen: set[ir.Value] = set()
    while pending:
        value = pending.pop()
        if value in seen or is_clonable(value):
            continue
        seen.add(value)
        if _computed_inside(value, planner):
            pending += list(value.owner.operands)
        else:
            found.add(value)
    return found
