"""Collectives of one kind that do not wait for each other become one, with several operands: what a collective costs
besides its bytes is paid once.

How often does a chain of ops pass a collective of some kind before it reaches one? Those that are reached after equally
many do not depend on each other, so they are joined; ops that read the first of them move behind the last.

StableHLO's reduce_scatter has one operand, so what each process is to get of several stands side by side in a row of one
matrix, whose rows are scattered:

%0 = reduce_scatter %a, dim 0 : 6x4 -> 3x4            %1 = reshape %a : 6x4 -> 2x12
%1 = reduce_scatter %b, dim 0 : 2x5 -> 1x5            %2 = reshape %b : 2x5 -> 2x5
                                           becomes    %3 = concatenate %1, %2, dim 1 : 2x17
                                                      %4 = reduce_scatter %3, dim 0 : 2x17 -> 1x17
                                                      then a slice and a reshape for each result

An operand that is scattered along an inner dimension is transposed on the way. No byte more is sent."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from math import prod
from typing import Any

from mlir import ir

from hlo.dialect.types import bytes_of, element_type, is_per_axis, is_tensor, shape, tensor
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.copying import attributes_of
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.replacing import replace
from hlo.lowering.stablehlo.arithmetic import Tensor, joined, reshaped, sliced, transposed
from hlo.lowering.stablehlo.rewriting import function_blocks, is_pure, nested_blocks, values_read
from hlo.lowering.stablehlo.simplify.eliminate_common_subexpressions import block_key

REDUCE_SCATTER = "stablehlo.reduce_scatter"
KINDS = {"stablehlo.all_reduce": 256 << 20, "stablehlo.all_gather": 1 << 20, REDUCE_SCATTER: 256 << 20}
"""What is joined, and the most bytes of results of one. What is gathered is joined only while it is small: large weights are to be gathered
when they are needed, not all at once."""
OF_ONE = ("channel_handle", "hlo.purpose", "scatter_dimension")
"""Attributes that may differ between collectives that are joined."""


@register_pass
@dataclass(frozen=True)
class JoinCollectives(Pass):
    """Joins independent all_reduces, reduce_scatters or all_gathers over the same groups with the same reducer (dimension).

    %0 = all_reduce add %a                         %0:2 = all_reduce add %a, %b
    %1 = all_reduce add %b              becomes"""

    def run(self, module: ir.Module) -> None:
        for block in list(function_blocks(module)):
            _join_in(block)


def _join_in(block: ir.Block) -> None:
    for op in list(block.operations):
        if len(op.regions) and op.operation.name not in KINDS:
            for inner in nested_blocks(op):
                _join_in(inner)
    _Block(block).run()


class _Block:
    """The ops of a block by their numbers. Joined ops are one node, whose number is that of its last member."""

    def __init__(self, block: ir.Block):
        self.ops = list(block.operations)
        self.node = list(range(len(self.ops)))
        self.members = {n: [n] for n in self.node}

    def run(self) -> None:
        kinds: dict[Hashable, list[int]] = defaultdict(list)
        for n, op in enumerate(self.ops):
            key = _key(op)
            if key is not None:
                kinds[key].append(n)
        repeated = [set(numbers) for numbers in kinds.values() if len(numbers) > 1]
        if not repeated:
            return
        self.needs = self._needs()
        for numbers in repeated:
            self._join_kind(numbers)
        if any(len(m) > 1 for m in self.members.values()):
            self._rewrite()

    def _needs(self) -> list[set[int]]:
        """The ops of the block that each op reads, also in its regions; effects keep their order."""
        makes = {result: n for n, op in enumerate(self.ops) for result in op.results}
        found: list[set[int]] = []
        effect: int | None = None
        for n, op in enumerate(self.ops):
            needs = {makes[v] for v in values_read(op) if v in makes}
            if op.operation.name not in KINDS and not is_pure(op) and n + 1 < len(self.ops):
                if effect is not None:
                    needs.add(effect)
                effect = n
            found.append(needs)
        found[-1] |= set(range(len(self.ops) - 1))
        return found

    def _join_kind(self, numbers: set[int]) -> None:
        """Levels: how many nodes of this kind come before a node on the longest chain."""
        level: dict[int, int] = {}
        found: dict[int, list[int]] = defaultdict(list)
        for node, before in self._in_order():
            level[node] = max((level[b] + (b in numbers) for b in before), default=0)
            if node in numbers:
                found[level[node]].append(node)
        for nodes in found.values():
            for part in self._parts(sorted(nodes)):
                self._merge(part)

    def _parts(self, nodes: list[int]) -> Iterator[list[int]]:
        """The nodes in parts of at most as many bytes as one collective may have."""
        part: list[int] = []
        size, limit = 0, KINDS[self.ops[nodes[0]].operation.name]
        for node in nodes:
            own = sum(bytes_of(r.type) for r in self.ops[node].results)
            if part and size + own > limit:
                yield part
                part, size = [], 0
            part.append(node)
            size += own
        yield part

    def _merge(self, nodes: list[int]) -> None:
        last = nodes[-1]
        for node in nodes[:-1]:
            for n in self.members.pop(node):
                self.node[n] = last
                self.members[last].append(n)

    def _in_order(self) -> Iterator[tuple[int, set[int]]]:
        """Nodes with those they need, each after them; otherwise in the order of the program."""
        before: dict[int, set[int]] = {}
        readers: dict[int, list[int]] = defaultdict(list)
        for node, members in self.members.items():
            before[node] = {self.node[b] for n in members for b in self.needs[n]} - {node}
            for b in before[node]:
                readers[b].append(node)
        waiting = {node: len(b) for node, b in before.items()}
        ready = [node for node, count in waiting.items() if not count]
        heapq.heapify(ready)
        while ready:
            node = heapq.heappop(ready)
            yield node, before[node]
            for reader in readers[node]:
                waiting[reader] -= 1
                if not waiting[reader]:
                    heapq.heappush(ready, reader)

    def _rewrite(self) -> None:
        order = [node for node, _ in self._in_order()]
        terminator = self.ops[-1]
        for node in order:
            members = sorted(self.members[node])
            if len(members) > 1:
                _joined([self.ops[n] for n in members], terminator)
            elif node != len(self.ops) - 1:
                self.ops[node].operation.move_before(terminator.operation)


def _joined(ops: list[Any], terminator: Any) -> None:
    first = ops[0]
    attributes = attributes_of(first)
    words = dict.fromkeys(op.attributes["hlo.purpose"].value for op in ops if "hlo.purpose" in op.attributes)
    if words:
        attributes["hlo.purpose"] = ir.StringAttr.get(", ".join(words))
    if first.operation.name == REDUCE_SCATTER:
        join_reduce_scatters(ops, attributes, ir.InsertionPoint(terminator))
        return
    new = ir.Operation.create(
        first.operation.name,
        results=[r.type for op in ops for r in op.results],
        operands=[v for op in ops for v in op.operands],
        attributes=attributes,
        regions=len(first.regions),
        loc=ir.Location.fused([op.location for op in ops]),
        ip=ir.InsertionPoint(terminator),
    )
    if len(first.regions):
        first.regions[0].blocks[0].append_to(new.regions[0])
    results = iter(new.results)
    for op in ops:
        replace(op, [next(results) for _ in op.results])


def _key(op: Any) -> Hashable | None:
    """What collectives that may be joined have in common."""
    name = op.operation.name
    if name not in KINDS or not all(is_tensor(v.type) for v in op.operands):
        return None
    if name == REDUCE_SCATTER and (0 in shape(op.result.type) or is_per_axis(element_type(op.result.type))):
        return None
    attributes = op.attributes
    named = tuple((n, attributes[n]) for n in attributes if n not in OF_ONE)
    channel = op.channel_handle
    elements = element_type(op.operands[0].type), element_type(op.results[0].type)
    reducers = tuple(block_key(block, {}) for block in nested_blocks(op))
    return name, named, channel and (channel.handle > 0, channel.type), elements, reducers


def join_reduce_scatters(scatters: Sequence[Any], attributes: dict[str, ir.Attribute], ip: ir.InsertionPoint) -> None:
    """Replaces reduce_scatters over the same groups, with the same reducer and element types, by one at `ip`."""
    first = scatters[0]
    location = ir.Location.fused([op.location for op in scatters])
    with ip, location:
        matrix = joined([_rows(op) for op in scatters], 1)
        made = ir.Operation.create(
            first.operation.name,
            results=[tensor([1, matrix.shape[1]], matrix.element)],
            operands=[matrix.value],
            attributes={**attributes, "scatter_dimension": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), 0)},
            regions=len(first.regions),
        )
        first.regions[0].blocks[0].append_to(made.regions[0])
        start = 0
        for op in scatters:
            count = prod(shape(op.result.type))
            replace(op, [_result(op, Tensor(made.result), start)])
            start += count


def _rows(op: Any) -> Tensor:
    """The operand as a matrix: in row k what process k of a group is to get."""
    sizes, d = shape(op.operand.type), op.scatter_dimension
    own = shape(op.result.type)[d]
    parts, outer = sizes[d] // own, prod(sizes[:d])
    value = Tensor(op.operand)
    if outer > 1:
        value = transposed(reshaped(value, [outer, parts, own * prod(sizes[d + 1 :])]), [1, 0, 2])
    return reshaped(value, [parts, prod(sizes) // parts])


def _result(op: Any, row: Tensor, start: int) -> ir.Value:
    piece = sliced(row, [0, start], [1, start + prod(shape(op.result.type))])
    return reshaped(piece, shape(op.result.type)).value
