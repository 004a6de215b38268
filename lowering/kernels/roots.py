"""Which values of a block are kept in memory (roots of kernels), and which are computed again inside the kernels that
read them: `Roots`.

Roots are what host code reads, reductions, contractions, insertions, and values that are too costly to compute more
than once."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from mlir import ir

from hlo.lowering.finding import ancestor_in, is_unused
from hlo.lowering.kernels.fusable import (
    Domain,
    body_cost,
    domain_of,
    has_other_lanes,
    is_clonable,
    is_fusable,
    is_scalar_op,
    is_simple_reshape,
    is_splat_constant,
)
from hlo.lowering.kernels.places import Places
from hlo.lowering.memory.storage import byte_size
from hlo.lowering.target import Target
from hlo.lowering.vector.region.graph import RESHAPES, VIEWS
from hlo.lowering.vector.region.padding import is_dilated, is_padding
from hlo.lowering.vector.region.rolls import is_read_where_it_is, roll_of

CHEAP = 4
"""Instructions an element up to which a value is computed again rather than stored and loaded."""
LARGEST = 160
"""Instructions an element in one kernel; beyond, intermediate values are stored."""
LONGEST = 1000
"""Ops of one kernel that need each other's results; beyond, an intermediate value is stored. `LARGEST` does not bound them, since what is read
several times is not counted, and generators follow them by recursion."""
FEW_REPEATED = 4096
"""Instructions that are rather repeated, in insertions of several shapes, than given a kernel of their own."""
MOST_REPEATED, MOST_REPEATED_IF_LARGE, SMALL = 20, 24, 1 << 20
"""Instructions an element that are rather repeated at other places than its value stored, which all readers of a small one (bytes) find in the
second cache. AMD EPYC, Zen 5: two sweeps of a stencil of five places take 0.6 to 0.9 of the time when stored, with 24 to 28 instructions; sums of three
neighbours of rows 0.5 of the time in one kernel, with up to 24, where they are large."""
OFTEN = 64
"""Times that a reduction reads each element of a transposed array from which on the array is copied, so that vectors of it are loaded."""
LEAST_SAVED = 4
"""Times what is inserted, an array has, at least, that is rather not copied than what is inserted stored."""
MOST_ROLLS = 3
"""Rolls of rolls that are computed where they are read: at the end of a row of lanes, each computes twice what it rolls."""
MOST_INSERTIONS = 64
"""Of one kernel: bufferization's time grows with the cube of their number. The next kernel goes on in the same memory."""


class Roots:
    """Goes through a block from its end: the users of an op are settled before the op. The block does not change
    meanwhile, so what was found out about an op stays true."""

    def __init__(self, block: ir.Block, is_contraction: Callable[[ir.Operation], bool], target: Target):
        """As `plan_block` has them."""
        self.lanes_along_rows = target.masks or target.is_gpu
        """Whether short rows can be computed next to each other."""
        self._is_gpu = target.is_gpu
        """Memory is slow beside arithmetic, and kernels do not read padded arrays: they are copied."""
        self._contractions: dict[ir.Operation, bool] = {}
        self._is_contraction = is_contraction
        self.block, self.ops = block, [op.operation for op in block.operations]
        self.position = {op: n for n, op in enumerate(self.ops)}
        self._dilated = set() if self._is_gpu else self._of_dilated_arrays()
        self._rolls = set() if self._is_gpu else self._rolls_to_read()
        self._pieces = {one.operands[0].owner for op in self._rolls for one in (op, op.operands[1].owner)}
        self._rolled: set[ir.Operation] = set()
        """The insertions of rolls that are read as their sources."""
        self._moved: set[ir.Operation] = set()
        """What these, and what is computed for them, read."""
        self._places = Places()
        self.readers: dict[ir.Operation, set[ir.Operation]] = {}
        self.roots: set[ir.Operation] = set()
        self.inlined: set[ir.Operation] = set()
        self.cost: dict[ir.Operation, int] = {}
        self.length: dict[ir.Operation, int] = {}
        """Of the longest row of ops up to this one that need each other's results and none of which is stored for that."""
        self.depth: dict[ir.Operation, int] = {}
        """How many rolls of rolls it is computed from."""
        self.insertions: dict[ir.Operation, int] = {}
        """How many of a kernel there are from this one on."""
        self._inserted: dict[ir.Operation, set[tuple[int, ...]]] = {}
        """The shapes of what is inserted for which an op is computed: each is a loop nest of its own in the kernel, but equal ones may be one."""
        self._domains: dict[ir.Operation, Domain | None] = {}
        self._inputs: dict[ir.Operation, set[ir.Value]] = {}

    def domain(self, op: ir.Operation) -> Domain | None:
        """None for ops other than linalg.generic."""
        if op.name != "linalg.generic":
            return None
        if op not in self._domains:
            self._domains[op] = domain_of(op)
        return self._domains[op]

    def is_reduction(self, op: ir.Operation) -> bool:
        domain = self.domain(op)
        return domain is not None and domain.is_reduction

    def inputs(self, root: ir.Operation) -> set[ir.Value]:
        """The arrays that a root reads from memory; to be asked when all ops are settled."""
        if root not in self._inputs:
            self._inputs[root] = self._read_from_memory(root)
        return self._inputs[root]

    def is_contraction(self, op: ir.Operation) -> bool:
        if op not in self._contractions:
            self._contractions[op] = self._is_contraction(op)
        return self._contractions[op]

    def settle(self) -> None:
        for op in self.ops:
            self.depth[op] = (op in self._rolls) + max((self._producer_depth(v) for v in op.operands), default=0)
            operands = list(op.operands)[: 1 if op in self._rolls else None]  # its pieces cost what one of them does
            self.cost[op] = body_cost(op) + sum(self._producer_cost(v) for v in operands)
            self.length[op] = 1 + max((self._producer_length(v) for v in op.operands), default=0)
        for op in reversed(self.ops):
            if is_fusable(op):
                self._settle(op)
        self._keep_host_reshapes()

    def _producer_cost(self, value: ir.Value) -> int:
        owner = value.owner
        if isinstance(owner, ir.Block) or owner not in self.cost or self.is_reduction(owner):
            return 0
        cost = self.cost[owner]
        stored = cost > LARGEST or (cost > CHEAP and self._count_of_readers(value) > 1)
        return 0 if stored else cost

    def _count_of_readers(self, value: ir.Value) -> int:
        """A roll's two pieces are read by one."""
        pieces = sum(use.owner.operation in self._pieces for use in value.uses)
        return len(list(value.uses)) - pieces // 2

    def _producer_depth(self, value: ir.Value) -> int:
        owner = value.owner
        if isinstance(owner, ir.Block) or owner not in self.depth or self.is_reduction(owner):
            return 0
        return self.depth[owner] if self.depth[owner] <= MOST_ROLLS else 0

    def _producer_length(self, value: ir.Value) -> int:
        owner = value.owner
        if isinstance(owner, ir.Block) or owner not in self.length or self.is_reduction(owner):
            return 0
        if owner.name == "tensor.insert_slice" and owner not in self._rolls:  # MOST_INSERTIONS bounds them
            return 0
        return 0 if self._is_too_long(owner) else self.length[owner]

    def _is_too_long(self, op: ir.Operation) -> bool:
        return self.length[op] >= LONGEST and op.name == "linalg.generic"

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
        self._inserted[op] = {shape for use in uses for shape in self._shapes_inserted(use)}
        if any(self.is_moved(use) for use in uses):
            self._moved.add(op)
        if isinstance(op.results[0].type, ir.RankedTensorType):
            self._places.pass_on(op, uses)
        if self._is_root(op, uses, on_host, readers):
            self.roots.add(op)
            self.readers[op] = {op}
            self._places.start(op, self.domain(op))
        elif not on_host or is_scalar_op(op):
            self.inlined.add(op)
            self.readers.update({} if on_host else {op: readers})

    def _readers_of(self, user: ir.Operation) -> set[ir.Operation]:
        return self.readers.get(ancestor_in(user, self.block), set())

    def _on_host(self, op: ir.Operation, use: Any) -> bool:
        """Whether a use needs the value outside of kernels: those inside of loops and branches make it again if they can."""
        user = ancestor_in(use.owner.operation, self.block)
        if user in self.readers or self.is_dead(user):
            return False
        nested = use.owner.operation
        return nested == user or not is_fusable(nested) or not is_clonable(op.results[0])

    def is_dead(self, user: ir.Operation | None) -> bool:
        return user is not None and user in self.inlined and is_unused(user)

    def _is_root(self, op: ir.Operation, uses: list[Any], on_host: bool, readers: set[ir.Operation]) -> bool:
        name = op.name
        if not isinstance(op.results[0].type, ir.RankedTensorType) or name == "tensor.empty":
            return False
        if self._is_read_as_padding(op):
            return on_host or any(self.needs_memory(use) for use in uses)
        if op in self._rolls and not (on_host or any(self.needs_memory(use) for use in uses)):
            self._rolled |= {op, op.operands[1].owner} if self.depth[op] <= MOST_ROLLS else set()
        if op in self._rolled:
            return False
        if name == "tensor.insert_slice":
            return not self._goes_on(op, uses, on_host)
        if self.is_reduction(op):
            return True
        if name in RESHAPES:
            return False
        if is_splat_constant(op):
            return False
        return on_host or self._must_be_stored(op, uses, readers)

    def _is_read_in_place(self, op: ir.Operation) -> bool:
        """Whether kernels that read an insertion's result read what is inserted."""
        return op in self._rolled or self._is_read_as_padding(op)

    def _is_read_as_padding(self, op: ir.Operation) -> bool:
        if self._is_gpu or not is_padding(op):
            return False
        source = op.operands[0].owner
        return isinstance(source, ir.Block) or not is_dilated(op) or source not in self._dilated

    def _rolls_to_read(self) -> set[ir.Operation]:
        """Those that kernels may read as their sources."""
        found = ((op, roll_of(op)) for op in self.ops)
        return {op for op, roll in found if roll is not None and is_read_where_it_is(roll, self.lanes_along_rows)}

    def _of_dilated_arrays(self) -> set[ir.Operation]:
        """Ops that read dilated arrays for their results, if nothing is stored in between. A dilated array of these is stored: it would be read
        where a loop's number divides by both steps."""
        found: set[ir.Operation] = set()
        for op in self.ops:
            is_here = is_padding(op) and is_dilated(op)
            if is_here or (not self.is_contraction(op) and any(operand.owner in found for operand in op.operands)):
                found.add(op)
        return found

    def _goes_on(self, op: ir.Operation, uses: list[Any], on_host: bool) -> bool:
        """Whether it is one of a kernel's insertions, but not its last one: only another insertion goes on in its result."""
        user = uses[0].owner.operation
        is_read = on_host or len(uses) != 1 or user.name != "tensor.insert_slice" or user not in self.readers
        behind = 0 if is_read or uses[0].operand_number != 1 else self.insertions[user]
        self.insertions[op] = behind % MOST_INSERTIONS + 1
        return 0 < behind < MOST_INSERTIONS

    def _must_be_stored(self, op: ir.Operation, uses: list[Any], readers: set[ir.Operation]) -> bool:
        if is_clonable(op.results[0]):
            return False
        if any(self.needs_memory(use) or self._saves_copy(use) for use in uses):
            return True
        if op.name != "linalg.generic":
            return False
        cost = self.cost[op]
        if cost > LARGEST or self._is_too_long(op) or self.is_repeated(op):
            return True
        if self.lanes_along_rows and has_other_lanes(op) and any(self._reduces_often(op, use) for use in uses):
            return True
        if cost <= CHEAP:
            return False
        elements = prod(op.results[0].type.shape)
        is_repeated = len(self._inserted[op]) > 1 and cost * elements > FEW_REPEATED
        return is_repeated or len(readers) > 1 or any(self._repeats(op, use) for use in uses)

    def is_repeated(self, op: ir.Operation) -> bool:
        """Whether kernels that read a value at several places would compute it again too often."""
        limit = MOST_REPEATED if byte_size(op.results[0].type) <= SMALL else MOST_REPEATED_IF_LARGE
        return self.cost[op] * self._places.repeats(op) > (LARGEST if self._is_gpu else limit)

    def is_moved(self, use: Any) -> bool:
        """Whether a use is read by a roll, or makes what is."""
        user = use.owner.operation
        return user in self._rolled or (user in self._moved and user in self.inlined)

    def _saves_copy(self, use: Any) -> bool:
        """Whether a use inserts the value into an array that may be written in place if nothing else is read from it at that time, as a step of a loop makes a row from the one before it."""
        insertion = use.owner.operation
        if insertion in self.inlined and insertion.name in RESHAPES:
            return any(self._saves_copy(other) for other in insertion.results[0].uses)
        if insertion.name != "tensor.insert_slice" or insertion not in self.roots or use.operand_number != 0:
            return False
        source, base = insertion.operands[0], insertion.operands[1]
        is_small = LEAST_SAVED * prod(source.type.shape) <= prod(base.type.shape)
        return is_small and self._ends_at(base, insertion) and self._reads_elsewhere(source, insertion, set())

    def _ends_at(self, value: ir.Value, op: ir.Operation) -> bool:
        """Whether a loop carries a value, or this block makes it, and nothing reads it after an op."""
        is_carried = isinstance(value.owner, ir.Block) and getattr(value.owner.owner, "name", "") == "scf.while"
        if not is_carried and value.owner not in self.position:
            return False
        users = (ancestor_in(use.owner.operation, self.block) for use in value.uses)
        return all(self.position.get(user, len(self.ops)) <= self.position[op] for user in users)

    def _reads_elsewhere(self, value: ir.Value, insertion: ir.Operation, seen: set[ir.Value]) -> bool:
        """Whether a value is computed from elements of the array into which an insertion goes other than those that it replaces."""
        if value in seen:
            return False
        seen.add(value)
        base, owner = insertion.operands[1], value.owner
        if value == base:
            return True
        if owner not in self.position or self.is_reduction(owner) or self.is_contraction(owner):
            return False
        if owner.name == "tensor.extract_slice" and owner.operands[0] == base and _place(owner) == _place(insertion):
            return False
        return any(self._reads_elsewhere(v, insertion, seen) for v in owner.operands)

    def _shapes_inserted(self, use: Any) -> set[tuple[int, ...]]:
        user = use.owner.operation
        if user.name == "tensor.insert_slice" and not self._is_read_in_place(user):
            return {tuple(user.operands[0].type.shape)} if use.operand_number == 0 else set()
        return self._inserted.get(user, set()) if user in self.inlined else set()

    def needs_memory(self, use: Any) -> bool:
        """Gathers, contractions and insertions read their operand (or destination) from memory; what is around a padded array that is
        read as such is one scalar."""
        user = use.owner.operation
        if user not in self.position:
            return True
        if user.name == "tensor.insert_slice" and use.operand_number == 1:
            return not (user in self.inlined and self._is_read_in_place(user))
        return self.is_contraction(user)

    def _reduces_often(self, op: ir.Operation, use: Any) -> bool:
        """Whether a reduction, as of the windows of each feature by itself, reads each element so often that its lanes are worth a copy."""
        user = use.owner.operation
        if user in self.inlined and user.name in VIEWS:
            return any(self._reduces_often(op, other) for other in user.results[0].uses)
        domain = self.domain(user)
        elements = prod(op.results[0].type.shape)
        return domain is not None and domain.is_reduction and prod(domain.shape) > OFTEN * elements

    def _repeats(self, op: ir.Operation, use: Any) -> bool:
        """Whether a user would compute each element more than once."""
        user = use.owner.operation
        if user in self.inlined and (user.name in VIEWS or self._is_read_in_place(user)):
            return any(self._repeats(op, other) for other in user.results[0].uses)
        domain = self.domain(user)
        if domain is None:
            return False
        return prod(domain.shape) > max(1, prod(op.results[0].type.shape))

    def _keep_host_reshapes(self) -> None:
        """A reshape of something that no kernel of this block makes costs nothing on the host: it stays there."""
        for op in self.ops:
            if op.name in RESHAPES and op in self.inlined:
                source = op.operands[0]
                made_here = not isinstance(source.owner, ir.Block) and source.owner in self.roots
                if not made_here and not self.computed_inside(source):
                    self.inlined.discard(op)

    def computed_inside(self, value: ir.Value) -> bool:
        return not isinstance(value.owner, ir.Block) and value.owner in self.inlined

    def roots_of(self, use: Any) -> set[Any]:
        """The roots (or the host op) that a use is computed for."""
        user = ancestor_in(use.owner.operation, self.block)
        return self.readers.get(user, set() if self.is_dead(user) else {user})

    def _read_from_memory(self, root: ir.Operation) -> set[ir.Value]:
        found: set[ir.Value] = set()
        pending = list(root.operands)
        seen: set[ir.Value] = set()
        while pending:
            value = pending.pop()
            if value in seen or is_clonable(value):
                continue
            seen.add(value)
            if self.computed_inside(value):
                pending += list(value.owner.operands)
            else:
                found.add(value)
        return found


def _place(op: ir.Operation) -> tuple[Any, ...]:
    """Where a slice is, or what is inserted."""
    first = 1 if op.name == "tensor.extract_slice" else 2
    names = ("static_offsets", "static_sizes", "static_strides")
    return (*list(op.operands)[first:], *(str(op.attributes[name]) for name in names))
