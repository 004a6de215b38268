"""Decides where every tensor value of a host function lives, before any code is written.

Walks the function in program order, grouping values (groups.py); records the copies that are needed. Kernels write in the buffer of an argument that dies there (hlo.tied, hlo.may_alias); a carried value of a loop has one buffer, which its initial
and its next value are made in if they can be, or two that change roles each step; both branches of an if write one buffer; a returned value is made in the
result's memory."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import field
from typing import Any, TypeVar

from mlir import ir

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.finding import block_of, callee_of, ops_within
from hlo.lowering.memory.borrowing import BORROW, BORROWED, exchange_of
from hlo.lowering.memory.groups import ALIASES, Group, Groups, Liveness
from hlo.lowering.memory.scratch import scratch_bytes
from hlo.lowering.memory.storage import byte_size

P = TypeVar("P")

LEAST_SWAPPED = 4096
"""Bytes from which a carried value alternates between two buffers instead of being copied each step."""
MOST_ON_STACK = 64
"""Bytes of a buffer that LLVM may make registers of."""
MOST_BUFFERS = 256
"""Buffers on the stack of a function, which may be that of a thread with little of it."""
TOUCHING = frozenset(
    {"scf.while", "scf.if", "scf.condition", "scf.yield", "func.return", "tensor.extract", "tensor.empty", *ALIASES}
)
"""Ops of host code, in addition to calls, on values that may be on the stack."""


@dataclass(frozen=True)
class Copy:
    """The contents of a value go to a buffer (named by a value of its type) before an op."""

    source: ir.Value
    target: ir.Value
    group: Group


@dataclass(frozen=True)
class Swap:
    """A carried value and its next value: a step leaves the next one in `next`, then the buffers change their roles."""

    current: Group
    next: Group


@dataclass
class Placement:
    """What the decisions are: groups of values, copies by the op they come before, results to copy at the end."""

    groups: Groups
    copies: dict[ir.Operation, list[Copy]] = field(default_factory=dict)
    constants: list[ir.Operation] = field(default_factory=list)
    scratch: dict[ir.Value, Group] = field(default_factory=dict)
    """The workspace that a call passes to its kernel, by the call's first result."""

    swaps: dict[ir.Operation, list[Swap]] = field(default_factory=dict)
    """By the loop: carried values that alternate between two buffers."""

    in_donated: dict[int, int] = field(default_factory=dict)
    """By the result: the donated argument whose memory it is left in."""

    def in_arena(self) -> list[Group]:
        return [g for g in self.groups if g.external is None and not g.on_stack] + list(self.scratch.values())


def assign_buffers(
    function: Any,
    kernels: dict[str, Any],
    steps: Collection[str] | None,
    donated: Collection[int],
    least_swapped: int,
) -> Placement:
    """Assigns all buffers of a function; `kernels` are the functions it calls, by name, `steps` the names of those whose code
    will be put into loops (None: no value may be on the stack), `donated` the numbers of arguments that may be overwritten,
    `least_swapped` bytes from which a carried value alternates between two buffers."""
    planner = _Planner(function, kernels, least_swapped)
    entry = function.regions[0].blocks[0]
    for number, argument in enumerate(entry.arguments):
        group = planner.groups.create(argument, byte_size(argument.type), ("argument", number))
        group.donated = number in donated
    planner.block(entry)
    if steps is not None:
        planner.put_on_stack(function, steps)
    planner.results(entry.operations[-1], entry.arguments)
    return planner.placement


def is_tensor(value: ir.Value) -> bool:
    return isinstance(value.type, ir.RankedTensorType)


class _Planner:
    def __init__(self, function: Any, kernels: dict[str, Any], least_swapped: int):
        self.kernels, self.least_swapped = kernels, least_swapped
        self.liveness = Liveness(function)
        self.groups = Groups(self.liveness)
        self.placement = Placement(self.groups)

    def block(self, block: ir.Block) -> None:
        for op in block.operations:
            rules = {
                "func.call": self.call,
                "scf.while": self.loop,
                "scf.if": self.choice,
                "arith.constant": self.constant,
            }
            if op.operation.name in ALIASES:
                self.groups.alias(op.results[0], op.operands[0])
            else:
                rules.get(op.operation.name, self.other)(op)

    def other(self, op: Any) -> None:
        for result in filter(is_tensor, op.results):
            self.groups.create(result, byte_size(result.type))

    def constant(self, op: Any) -> None:
        if is_tensor(op.results[0]):
            number = len(self.placement.constants)
            self.groups.create(op.results[0], byte_size(op.results[0].type), ("constant", number))
            self.placement.constants.append(op.operation)

    def call(self, op: Any) -> None:
        kernel = self.kernels[callee_of(op)]
        if exchange_of(kernel) == BORROW:
            self.borrow(op)
            return
        tied, may_alias = tied_arguments(kernel), aliasable_arguments(kernel)
        self._allocate_workspace(op, scratch_bytes(kernel))
        taken: set[Group] = set()
        wanted = {result: self._carried_in(result) for result in op.results}
        for number, result in enumerate(op.results):
            if number in tied:
                self._update(op, op.operands[tied[number]], result)
                continue
            candidates = [op.operands[n] for n in may_alias.get(number, ())]
            reusable = self._reusable(op, result, self._preferred(result, candidates, wanted), taken)
            if reusable is None:
                self.groups.create(result, byte_size(result.type))
            else:
                taken.add(reusable)
                self.groups.join(result, reusable)

    def borrow(self, op: Any) -> None:
        """The results are where other processes say."""
        for result in op.results:
            self.groups.create(result, byte_size(result.type), (BORROWED, 0))

    def _allocate_workspace(self, op: Any, size: int) -> None:
        if size:
            position = self.liveness.positions[op.operation]
            self.placement.scratch[op.results[0]] = Group(size, ranges=[(position, position)])

    def _update(self, op: Any, operand: ir.Value, result: ir.Value) -> None:
        """A tied result: in the operand's buffer if that may be overwritten, otherwise in a copy."""
        if self._may_overwrite(op, operand):
            self.groups.alias(result, operand)
        else:
            group = self.groups.create(result, byte_size(result.type))
            self._copy(op, operand, result, group)

    def _reusable(self, op: Any, result: ir.Value, candidates: Sequence[ir.Value], taken: set[Group]) -> Group | None:
        """The buffer of the first operand among `candidates` that a result may be in."""
        for operand in candidates:
            same = _element(operand) == _element(result) and byte_size(operand.type) == byte_size(result.type)
            if same and self.groups[operand] not in taken and self._may_overwrite(op, operand):
                return self.groups[operand]
        return None

    def _preferred(
        self, result: ir.Value, operands: Sequence[ir.Value], wanted: dict[ir.Value, Group | None]
    ) -> list[ir.Value]:
        """The operands whose buffers a result may be in: first the one that the loop's next step reads it from, last those
        that other results are wanted in. `wanted`: these buffers, by result."""
        own, others = wanted[result], {group for other, group in wanted.items() if other != result}
        rank = lambda group: 0 if group is own else 1 + (group in others)
        return sorted(operands, key=lambda operand: rank(self.groups[operand]))

    def _carried_in(self, value: ir.Value) -> Group | None:
        """Where the next step of a loop reads a value that its body makes and yields."""
        for use in value.uses:
            user = use.owner.operation
            if user.name == "scf.yield" and user.block == block_of(value) and user.parent.operation.name == "scf.while":
                return self.groups[user.parent.regions[0].blocks[0].arguments[use.operand_number]]
        return None

    def _may_overwrite(self, op: Any, operand: ir.Value) -> bool:
        group = self.groups[operand]
        if not group.writable or not group.dead_at(self.liveness.positions[op.operation]):
            return False
        return sum(is_tensor(v) and self.groups[v] is group for v in op.operands) == 1

    def _copy(self, before: Any, source: ir.Value, target: ir.Value, group: Group) -> None:
        position = self.liveness.positions[before.operation]
        self.groups[source].touches.append(position)
        self.groups.find(group).touches.append(position)
        self.placement.copies.setdefault(before.operation, []).append(Copy(source, target, group))

    def loop(self, op: Any) -> None:
        before, after = (op.regions[i].blocks[0] for i in (0, 1))
        start, end = self.liveness.positions[op.operation], self.liveness.ends[op.operation]
        for argument in filter(is_tensor, before.arguments):
            group = self.groups.create(argument, byte_size(argument.type))
            group.touches += [start, end]
        self.block(before)
        forwarded = list(before.operations[-1].operands)[1:]
        for value, argument, result in zip(forwarded, after.arguments, op.results, strict=True):
            if is_tensor(value):
                self.groups.alias(argument, value)
                self.groups.alias(result, value)
        self.block(after)
        self._carry(op, list(op.operands), list(before.arguments))
        self._carry_back(op, after, dict(zip(forwarded, op.results, strict=True)))

    def _carry_back(self, loop: Any, after: ir.Block, results: dict[ir.Value, ir.Value]) -> None:
        """The next values of carried ones: made in place, or in a second buffer that changes roles with the first, or
        (small ones, values passed on) copied. `results`: the loop's result for each value that its condition forwards;
        these may be fewer, more, or in another order than the carried ones."""
        yielded = after.operations[-1]
        values, targets = list(yielded.operands), list(loop.regions[0].blocks[0].arguments)
        for value, target in self._apart(values, targets):
            if target in results and self._may_alternate(value, target, after, values):
                self._alternate(loop, value, target, results[target])
            else:
                self._copy(yielded, value, target, self.groups[target])

    def _may_alternate(self, value: ir.Value, target: ir.Value, body: ir.Block, values: list[ir.Value]) -> bool:
        """Whether the next value has a buffer of its own that nothing outside the loop's body uses."""
        current, made = self.groups[target], self.groups[value]
        shared = sum(is_tensor(v) and self.groups[v] is made for v in values)
        return (
            current.size >= self.least_swapped
            and current.external is None
            and made.external is None
            and not current.alternates
            and not made.alternates
            and made.size == current.size
            and shared == 1
            and made.start > self.liveness.block_start(body)
        )

    def _alternate(self, loop: Any, value: ir.Value, target: ir.Value, result: ir.Value) -> None:
        current, made = self.groups[target], self.groups[value]
        current.alternates = made.alternates = True
        made.touches += [self.liveness.positions[loop.operation], self.liveness.ends[loop.operation]]
        made.ranges.append(self.liveness.range(result))
        self.placement.swaps.setdefault(loop.operation, []).append(Swap(current, made))

    def _carry(self, op: Any, values: list[ir.Value], targets: list[ir.Value]) -> None:
        """Every value must be in the buffer of its target when `op` is reached."""
        for value, target in self._apart(values, targets):
            self._copy(op, value, target, self.groups[target])

    def _apart(self, values: list[ir.Value], targets: list[ir.Value]) -> Iterator[tuple[ir.Value, ir.Value]]:
        """Arrays that are not in the buffers of their targets, where that can be."""
        pairs = [(value, target) for value, target in zip(values, targets, strict=True) if is_tensor(value)]
        for value, target in pairs:
            self.groups.try_merge(self.groups[value], self.groups[target])
        for value, target in pairs:
            if self.groups[value] is not self.groups[target]:
                yield value, target

    def choice(self, op: Any) -> None:
        for result in filter(is_tensor, op.results):
            self.groups.create(result, byte_size(result.type))
        for region in op.regions:
            for block in region.blocks:
                self.block(block)
                yielded = block.operations[-1]
                self._carry(yielded, list(yielded.operands), list(op.results))

    def put_on_stack(self, function: Any, steps: Collection[str]) -> None:
        """In a function with loops: small buffers that only its own ops and such kernels touch whose code is put into it."""
        ops = list(ops_within(function.operation))
        if all(op.name != "scf.while" for op in ops):
            return
        small = {g for g in self.groups if g.external is None and not g.alternates and 0 < g.size <= MOST_ON_STACK}
        for op in ops:
            if op.name not in TOUCHING and not (op.name == "func.call" and callee_of(op) in steps):
                small -= {self.groups[v] for v in [*op.operands, *op.results] if is_tensor(v)}
        for group in [group for group in self.groups if group in small][:MOST_BUFFERS]:
            group.on_stack = True

    def results(self, op: Any, arguments: Any) -> None:
        """Returned values: the first value of a group is made in the result's memory (that of a donated argument, if one
        is free), others are copied there."""
        returned = {self.groups[value] for value in op.operands}
        free = [a for a in arguments if self.groups[a].donated and self.groups[a] not in returned]
        for number, value in enumerate(op.operands):
            self._use_donated(value, free)
            group = self.groups[value]
            if group.donated and self._leave(number, value, arguments):
                continue
            if group.external is None and not group.alternates and not group.on_stack:
                group.external = ("result", number)
            else:
                target = Group(group.size, ("result", number), touches=[self.liveness.positions[op.operation]])
                self._copy(op, value, value, target)

    def _use_donated(self, value: ir.Value, free: list[ir.Value]) -> None:
        """Makes a returned value in a donated argument that is not used any more when its buffer is first written. `free`:
        the arguments that no returned value is in yet."""
        if self.groups[value].external is not None or self.groups[value].on_stack:
            return
        for argument in free:
            group = self.groups[argument]
            if _element(argument) == _element(value) and self._is_free(group, value):
                if self.groups.try_merge(group, self.groups[value]):
                    free.remove(argument)
                return

    def _is_free(self, group: Group, value: ir.Value) -> bool:
        wanted = self.groups[value]
        return group.size == wanted.size and not wanted.alternates and group.end < wanted.start

    def _leave(self, number: int, value: ir.Value, arguments: Any) -> bool:
        """Leaves a result in the donated argument that it is in, unless another result is there."""
        external = self.groups[value].external
        assert external is not None
        argument = external[1]
        if argument in self.placement.in_donated.values() or _element(value) != _element(arguments[argument]):
            return False
        self.placement.in_donated[number] = argument
        return True


def _element(value: ir.Value) -> ir.Type:
    return ir.RankedTensorType(value.type).element_type


def tied_arguments(kernel: Any) -> dict[int, int]:
    """The argument that is the storage of a result (hlo.tied), by result."""
    return {ir.IntegerAttr(attributes["hlo.tied"]).value: number for number, attributes in _marked(kernel, "hlo.tied")}


def donated_arguments(module: ir.Module) -> list[int]:
    """The arguments of the program that may be overwritten."""
    attributes = module.operation.attributes
    return list(ir.DenseI64ArrayAttr(attributes["hlo.donated"])) if "hlo.donated" in attributes else []


def code_types(kernel: Any, memory: Callable[[ir.Type], ir.Type]) -> list[ir.Type]:
    """Types of the parameters that a kernel's code has: its arguments, then its results that are not tied. `memory`: the type of a tensor's."""
    tied = tied_arguments(kernel)
    free = [t for number, t in enumerate(kernel.type.results) if number not in tied]
    return [memory(t) for t in (*kernel.type.inputs, *free)]


def result_parameters(kernel: Any, parameters: Sequence[P]) -> list[P]:
    """Where the code puts each result: of its parameters, which may be more than `code_types` has."""
    tied, free = tied_arguments(kernel), iter(parameters[len(kernel.type.inputs) :])
    return [parameters[tied[n]] if n in tied else next(free) for n in range(len(kernel.type.results))]


def aliasable_arguments(kernel: Any) -> dict[int, list[int]]:
    """The arguments whose storage a result may be given (hlo.may_alias), by result."""
    found: dict[int, list[int]] = {}
    for number, attributes in _marked(kernel, "hlo.may_alias"):
        for result in ir.DenseI64ArrayAttr(attributes["hlo.may_alias"]):
            found.setdefault(result, []).append(number)
    return found


def works_in_place(kernel: Any) -> bool:
    """Whether a result may be where an operand is: its elements must be computed once."""
    return bool("hlo.stage" in kernel.attributes or tied_arguments(kernel) or aliasable_arguments(kernel))


def forbid_aliases(kernel: Any) -> None:
    """Results get storage of their own (tied ones stay)."""
    if "arg_attrs" in kernel.attributes:
        kept = [
            ir.DictAttr.get({a.name: a.attr for a in ir.DictAttr(one) if a.name != "hlo.may_alias"})
            for one in kernel.attributes["arg_attrs"]
        ]
        kernel.attributes["arg_attrs"] = ir.ArrayAttr.get(kept)


def _marked(kernel: Any, name: str) -> list[tuple[int, Any]]:
    if "arg_attrs" not in kernel.attributes:
        return []
    every = enumerate(ir.DictAttr(a) for a in ir.ArrayAttr(kernel.attributes["arg_attrs"]))
    return [(number, attributes) for number, attributes in every if name in attributes]
