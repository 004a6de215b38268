"""The pass `form-attention`: a softmax between two contractions, with both of them, is one kernel.

Before:  %d = linalg.generic {multiply-add} (%q, %k)   ... the softmax's ops ...   %r = linalg.generic {multiply-add} (%w, %v)
After:   %r = call @attention_0(%q, %k, %v)
         func.func private @attention_0(...) attributes {hlo.kernel = "attention"} { the same ops }

Its emitter keeps the scores in registers. What the kernel cannot do (attention/recognise.py says
why) stays as it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mlir import ir
from mlir.dialects import func

from hlo.lowering.gpu.attention.recognise import Attention, NotAttentionError, attention_of, inputs_of
from hlo.lowering.gpu.contraction.problem import problem_of
from hlo.lowering.gpu.element import remap
from hlo.lowering.gpu.recompute import recognise
from hlo.lowering.gpu.recompute.emit import LAST
from hlo.lowering.gpu.recompute.group import Group, group_of
from hlo.lowering.gpu.recompute.narrow import read_narrow
from hlo.lowering.gpu.recompute.recognise import Recomputed, recomputed_of
from hlo.lowering.gpu.recompute.row_sums import row_sum_of
from hlo.lowering.passes import Pass, register_pass


@register_pass
@dataclass(frozen=True)
class FormAttention(Pass):
    """Makes kernels of attention; equal ones are one function."""

    def run(self, module: ir.Module) -> None:
        with module.context:
            former = _Former(module)
            for function in list(module.body.operations):
                if isinstance(function, func.FuncOp) and not function.is_external and not _is_kernel(function):
                    former.form_all(_contractions(function))


def _attention(op: ir.Operation, is_alone: bool) -> Attention | None:
    """None for what the kernel does not do."""
    try:
        return attention_of(op, is_alone)
    except NotAttentionError:
        return None


def _is_kernel(function: Any) -> bool:
    return "hlo.kernel" in function.operation.attributes


def _contractions(function: Any) -> list[ir.Operation]:
    found: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name == "linalg.generic" and len(op.operands) == 3 and problem_of(op) is not None:
            found.append(op)
        return ir.WalkResult.ADVANCE

    function.operation.walk(visit)
    return found


class _Former:
    def __init__(self, module: ir.Module):
        self.module = module
        self.known: dict[str, str] = {}
        self.waiting: list[ir.Operation] = []

    def form_all(self, ops: list[ir.Operation]) -> None:
        """In the order of the program: what is erased for an attention comes before it, or is of its group."""
        self.waiting = ops
        while self.waiting:
            self.form(self.waiting.pop(0))

    def form(self, op: ir.Operation) -> None:
        found = _attention(op, is_alone=True)
        if found is not None:
            self._call(found, inputs_of(found), "attention")
            _erase_unused(found.root.owner.operation)
            return
        found = _attention(op, is_alone=False)
        group = group_of(op, found)
        if group is not None:
            self._form_group(group, found)

    def _form_group(self, group: Group, attention: Attention | None) -> None:
        """Scores that several ops read, which compute them again; one of them is perhaps the second contraction of attention."""
        gone = [*group.readers, *(v.owner.operation for v in group.products)]
        self.waiting = [one for one in self.waiting if one not in gone]
        short = [one for op in group.readers if attention and (one := row_sum_of(op, group, attention))]
        done = [attention.values.op, *(one.op for one in short)] if attention else []
        if attention:
            result = self._call(attention, inputs_of(attention), "attention")
            for one in short:
                one.op.results[0].replace_all_uses_with(one.emit(result))
        ends = [self._call_reader(one, group) for one in group.readers if one not in done]
        for end in [*([attention.root.owner.operation] if attention else []), *(one.op for one in short), *ends]:
            _erase_unused(end)

    def _call_reader(self, reader: ir.Operation, group: Group) -> ir.Operation:
        """Readers in front of this one are calls already, so that what they gave is read from memory. The op that nothing needs any
        more."""
        for number in (0, 1) if problem_of(reader) is not None else ():
            reader = read_narrow(reader, number)
        reader.attributes[LAST] = ir.UnitAttr.get()
        found = recomputed_of(reader, group.products, ())
        self._call(found, recognise.inputs_of(found), "recomputed")
        return found.root.owner.operation

    def _call(self, found: Attention | Recomputed, inputs: list[ir.Value], kind: str) -> ir.Value:
        """Calls a kernel, whose result takes the place of its root."""
        root = found.root
        with root.owner.location:
            name = self._kernel(found, inputs, kind)
            with ir.InsertionPoint(root.owner):
                call = func.CallOp([root.type], name, inputs)
        root.replace_all_uses_with(call.results[0])
        return call.results[0]

    def _kernel(self, found: Attention | Recomputed, inputs: list[ir.Value], kind: str) -> str:
        types = ir.FunctionType.get([v.type for v in inputs], [found.root.type])
        with ir.InsertionPoint(self.module.body):
            kernel = func.FuncOp(kind, types, visibility="private")
        kernel.attributes["hlo.kernel"] = ir.StringAttr.get(kind)
        entry = kernel.add_entry_block()
        values = dict(zip(inputs, entry.arguments))
        with ir.InsertionPoint(entry):
            _copy(found.root, found.inlined, values)
            func.ReturnOp([values[found.root]])
        text = kernel.operation.get_asm(assume_verified=True, use_local_scope=True)
        if text in self.known:
            kernel.operation.erase()
            return self.known[text]
        name = self.known[text] = f"{kind}_{len(self.known)}"
        kernel.attributes["sym_name"] = ir.StringAttr.get(name)
        return name


def _copy(root: ir.Value, inlined: dict[ir.Value, ir.Operation], values: dict[ir.Value, ir.Value]) -> None:
    """Clones what makes `root` out of what `values` has, at the insertion point."""
    waiting = [root]
    while waiting:
        value = waiting[-1]
        if value in values:
            waiting.pop()
            continue
        op = value.owner.operation
        missing = [v for v in (*op.operands, *_captured(op)) if v not in values]
        if missing:
            waiting += missing
            continue
        assert value in inlined or op.name in ("tensor.empty", "arith.constant"), op.name
        copy = op.clone()
        remap(copy, values)
        values[value] = copy.results[0]
        waiting.pop()


def _captured(op: ir.Operation) -> list[ir.Value]:
    """What the op's body uses from outside: constants."""
    inner = [one.operation for region in op.regions for block in region.blocks for one in block.operations]
    used = [v for one in inner for v in one.operands if not isinstance(v.owner, ir.Block)]
    return [v for v in used if v.owner.operation not in inner]


def _erase_unused(last: ir.Operation) -> None:
    """The op and what only it needs."""
    waiting = [last]
    while waiting:
        op = waiting.pop()
        if any(True for r in op.results for _ in r.uses):
            continue
        above = list(dict.fromkeys(v.owner for v in op.operands if not isinstance(v.owner, ir.Block)))
        op.erase()
        waiting += [one for one in above if one not in waiting]
