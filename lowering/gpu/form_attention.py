"""The pass `form-attention`: a softmax between two contractions, with both of them, is one kernel.

Before:  %d = linalg.generic {multiply-add} (%q, %k)   ... the softmax's ops ...   %r = linalg.generic {multiply-add} (%w, %v)
After:   %r = call @attention_0(%q, %k, %v)
         func.func private @attention_0(...) attributes {hlo.kernel = "attention"} { the same ops }

What reads the scores in gradients is a kernel each, which computes them again. Its emitter keeps the scores in registers. What the kernel
cannot do (attention/recognise.py says why) stays as it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir
from mlir.dialects import func

from hlo.lowering.finding import ops_within
from hlo.lowering.gpu.attention.attention import Attention, NotAttentionError
from hlo.lowering.gpu.attention.emit import READS_SCORES
from hlo.lowering.gpu.attention.group import Group, group_of, move_behind, users_before
from hlo.lowering.gpu.attention.recognise import attention_of, backward_of
from hlo.lowering.gpu.contraction.problem import problem_of
from hlo.lowering.gpu.contraction.read_narrow import narrow_source, with_sources
from hlo.lowering.kernel_calls import erase_with_makers, functions_of, hosts, kernel_of, name_once, ops_above
from hlo.lowering.passes import Pass, register_pass


@register_pass
class FormAttention(Pass):
    """Makes kernels of attention; equal ones are one function."""

    def run(self, module: ir.Module) -> None:
        former = _Former(module)
        for host in hosts(functions_of(module)):
            former.form_all(_contractions(host))


def _attention(op: ir.Operation, is_alone: bool) -> Attention | None:
    """None for what the kernel does not do."""
    try:
        return attention_of(op, is_alone)
    except NotAttentionError:
        return None


def _with_attention(group: Group) -> tuple[Group, Attention | None]:
    """The group as that of attention, if a reader is the second contraction of one."""
    for op in group.readers:
        found = _attention(op, is_alone=False)
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
        found = _attention(op, is_alone=True)
        if found is not None:
            erase_with_makers(self._call(found, "attention")[0])
            return
        found = _attention(op, is_alone=False)
        group = group_of(op, found)
        if group is not None and found is None:
            group, found = _with_attention(group)
        if group is not None:
            self._form_group(group, found)

    def _form_group(self, group: Group, attention: Attention | None) -> None:
        """Scores that several ops read, which compute them again; one of them is perhaps the second contraction of attention."""
        gone = [*group.readers, *(v.owner.operation for v in group.products)]
        self.waiting = [one for one in self.waiting if one not in gone]
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
