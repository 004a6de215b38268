"""The pass `form-attention`: a softmax between two contractions, with both of them, is one kernel.

Before:  %d = linalg.generic {multiply-add} (%q, %k)   ... the softmax's ops ...   %r = linalg.generic {multiply-add} (%w, %v)
After:   %r = call @attention_0(%q, %k, %v)
         func.func private @attention_0(...) attributes {hlo.kernel = "attention"} { the same ops }

What reads the scores in gradients is a kernel each, which computes them again. Its emitter keeps the scores in registers. What the kernel
cannot do (attention/recognise.py says why) stays as it is."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import prod
from typing import Any

from mlir import ir
from mlir.dialects import func

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.finding import ancestor_in, made_by, ops_within
from hlo.lowering.gpu.attention.emit import READS_SCORES
from hlo.lowering.gpu.attention.recognise import (
    WIDEST,
    Attention,
    NotAttentionError,
    attention_of,
    backward_of,
    contractions_above,
)
from hlo.lowering.gpu.contraction.prepare_products import narrow_source, with_sources
from hlo.lowering.gpu.contraction.problem import problem_of
from hlo.lowering.kernel_calls import erase_with_makers, functions_by_name, hosts, kernel_of, name_once, ops_above
from hlo.lowering.linalg.structured import is_elementwise
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.vector.region.graph import RESHAPES

MOST = 300
"""Ops of a group."""


@dataclass(frozen=True)
class Group:
    """`products`: results of the contractions that are computed again. `large`: they, and all that is computed from them element by
    element. `readers`: ops that make something smaller of it, in the order of the program."""

    products: tuple[ir.Value, ...]
    large: frozenset[ir.Value]
    readers: tuple[ir.Operation, ...]

    @property
    def given(self) -> list[ir.Value]:
        """What is in memory."""
        return [reader.results[0] for reader in self.readers]

    def is_only(self, attention: Attention) -> bool:
        """Whether nothing but attention reads what depends on the scores."""
        inside, root = attention.inlined, attention.end.root
        users = [use.owner.operation for v in (*self.large, *self.given) if v != root for use in v.uses]
        return all(len(op.results) and all(r in inside for r in op.results) for op in users)


def group_of(op: ir.Operation, attention: Attention | None) -> Group | None:
    """The group of the scores that a contraction reads. `attention`: what it is the second contraction of. None if something of
    the group must be in memory, or if it has no softmax."""
    scores = (
        [attention.dot.op.results[0]]
        if attention
        else [one for v in list(op.operands)[:2] for one in contractions_above(v, op) if _is_shallow(one)]
    )
    for one in scores:
        try:
            return _checked(_collected(one), attention)
        except NotAttentionError:
            continue
    return None


def _checked(group: Group, attention: Attention | None) -> Group:
    """That nothing as large as the scores is read."""
    if not any(_is_maximum(op) for op in group.readers):
        raise NotAttentionError("no softmax")
    if attention and group.large & set(attention.inputs):
        raise NotAttentionError("attention that reads what is as large as its scores")
    if attention and group.is_only(attention):
        return group
    for op in group.readers:
        is_end = attention is not None and op == attention.last.op
        if not is_end and group.large & set(backward_of(op, group.products, group.given).inputs):
            raise NotAttentionError("a reader of what would be in memory")
    return group


def _is_maximum(op: ir.Operation) -> bool:
    return any(one.operation.name == "arith.maximumf" for one in op.regions[0].blocks[0].operations)


def _collected(scores: ir.Value) -> Group:
    size = prod(scores.type.shape)
    products: dict[ir.Value, None] = {scores: None}
    large: dict[ir.Value, None] = {}
    readers: dict[ir.Operation, None] = {}
    waiting = [scores]
    while waiting:
        value = waiting.pop()
        if value in large:
            continue
        large[value] = None
        if len(large) > MOST:
            raise NotAttentionError(f"more than {MOST} ops on scores")
        for use in value.uses:
            op = use.owner.operation
            if op.block != scores.owner.operation.block:
                raise NotAttentionError(f"scores that {op.name} reads elsewhere")
            if op.name not in RESHAPES and not is_elementwise(op):
                _check_reader(op)
                readers[op] = None
                continue
            waiting.append(op.results[0])
            others = [one for v in op.operands for one in contractions_above(v, op) if prod(one.type.shape) == size]
            new = [one for one in others if one not in products and _is_shallow(one)]
            products.update(dict.fromkeys(new))
            waiting += new
    return Group(tuple(products), frozenset(large), _in_order(list(readers)))


def _check_reader(op: ir.Operation) -> None:
    if op.name != "linalg.generic" or len(op.results) != 1:
        raise NotAttentionError(f"scores that {op.name} reads")


def _is_shallow(value: ir.Value) -> bool:
    """Few products for each element: less work than to read it."""
    op = made_by(value)
    problem = problem_of(op) if op is not None else None
    return problem is not None and problem.k <= WIDEST


def _in_order(ops: Sequence[ir.Operation]) -> tuple[ir.Operation, ...]:
    wanted = set(ops)
    return tuple(op.operation for op in ops[0].block.operations if op.operation in wanted) if ops else ()


# Ops that have to come behind another one, that some values are to come from


PURE = ("linalg.", "tensor.", "arith.", "math.", "affine.")


def users_before(
    values: Sequence[ir.Value], readers: Sequence[ir.Operation], stop: ir.Operation, gone: Collection[ir.Value]
) -> list[ir.Operation] | None:
    """Those of some readers that are in front of `stop`, and ops there that need them or the values, in their order; None if one
    of them may have effects. `gone`: values that are not to be computed."""
    found = {op: None for op in readers if op.is_before_in_block(stop)}
    waiting = [*values, *(op.results[0] for op in found)]
    while waiting:
        for use in waiting.pop().uses:
            op = ancestor_in(use.owner.operation, stop.block)
            if op in found or any(r in gone for r in op.results) or not op.is_before_in_block(stop):
                continue
            if not op.name.startswith(PURE):
                return None
            found[op] = None
            waiting += op.results
    return [op.operation for op in stop.block.operations if op.operation in found]


def move_behind(ops: Sequence[ir.Operation], last: ir.Operation) -> None:
    """In their order."""
    for op in ops:
        op.move_after(last)
        last = op


@register_pass
class FormAttention(Pass):
    """Makes kernels of attention; equal ones are one function."""

    def run(self, module: ir.Module) -> None:
        former = _Former(module)
        for host in hosts(functions_by_name(module)):
            former.form_all(_contractions(host))


def _attention(op: ir.Operation) -> Attention | None:
    """None for what the kernel does not do."""
    try:
        return attention_of(op)
    except NotAttentionError:
        return None


def _with_attention(group: Group) -> tuple[Group, Attention | None]:
    """The group as that of attention, if a reader is the second contraction of one."""
    for op in group.readers:
        found = _attention(op)
        larger = group_of(op, found) if found else None
        if larger is not None:
            return larger, found
    return group, None


def _narrowed(op: ir.Operation) -> ir.Operation:
    """A contraction with the narrow sources of its inputs instead of these: f32 that is made of bf16 is read as bf16."""
    sources = [narrow_source(v) for v in list(op.operands)[:2]] if problem_of(op) is not None else []
    return with_sources(op, sources) if any(sources) else op


def _contractions(function: Any) -> list[ir.Operation]:
    return ops_within(
        function, lambda op: op.name == "linalg.generic" and len(op.operands) == 3 and problem_of(op) is not None
    )


class _Former:
    def __init__(self, module: ir.Module):
        self.module = module
        self.known: dict[str, Any] = {}
        self.waiting: list[ir.Operation] = []

    def form_all(self, ops: list[ir.Operation]) -> None:
        """In the order of the program: what is erased for an attention comes before it, or is of its group."""
        self.waiting = ops
        while self.waiting:
            self.form(self.waiting.pop(0))

    def form(self, op: ir.Operation) -> None:
        found = _attention(op)
        group = group_of(op, found)
        if group is not None and found is None:
            group, found = _with_attention(group)
        if group is not None:
            self._form_group(group, found)

    def _form_group(self, group: Group, attention: Attention | None) -> None:
        """What reads scores that are nowhere in memory: attention alone, or several ops, which compute them again; one of them is perhaps
        the second contraction of attention."""
        gone = [*group.readers, *(v.owner.operation for v in group.products)]
        self.waiting = [one for one in self.waiting if one not in gone]
        if attention is not None and group.is_only(attention):
            ends = self._call(attention, "attention")[:1]
        else:
            ends = self._call_attention(attention, group) if attention else []
            done = [*ends, *([attention.last.op] if attention else [])]
            ends += [end for op in group.readers if op not in done for end in self._call_reader(op, group)]
        for end in ends:
            erase_with_makers(end)

    def _call_attention(self, attention: Attention, group: Group) -> list[ir.Operation]:
        """Its kernel gives the rows' maxima and sums too. The ops that nothing needs any more."""
        last = attention.end.root.owner.operation
        statistics = [one.value for one in attention.statistics if one.value in group.given]
        readers = [one for one in group.readers if one.results[0] not in statistics and one != attention.last.op]
        late = users_before(statistics, readers, last, group.large)
        if late is None:
            statistics = []
        else:
            move_behind(late, last)
        return self._call(attention, "attention", statistics)

    def _call_reader(self, reader: ir.Operation, group: Group) -> list[ir.Operation]:
        """Readers in front of this one are calls already, so that what they gave is read from memory. The ops that nothing needs any
        more."""
        return self._call(backward_of(_narrowed(reader), group.products, ()), "recomputed")

    def _call(self, found: Attention, name: str, others: Sequence[ir.Value] = ()) -> list[ir.Operation]:
        """Calls a kernel, where its root is, which gives the root and the others. The ops that nothing needs any more."""
        root, inputs = found.end.root, found.inputs
        found.last.op.attributes[READS_SCORES] = ir.StringAttr.get("softmax" if found.softmax else "elements")
        old = [root, *others]
        with root.owner.location:
            kernel = self._kernel(found, old, name)
            with ir.InsertionPoint(root.owner):
                new = func.CallOp([v.type for v in old], kernel, inputs).results
        for one, other in zip(old, new):
            one.replace_all_uses_with(other)
        return [one.owner.operation for one in old]

    def _kernel(self, found: Attention, results: Sequence[ir.Value], name: str) -> str:
        inputs = found.inputs
        ops, _ = ops_above(results, lambda value, _: value not in inputs)
        for op in ops:
            assert op.results[0] in found.inlined or op.name in ("tensor.empty", "arith.constant"), op.name
        return name_once(kernel_of(self.module, name, "attention", ops, inputs, results), self.known, name)
