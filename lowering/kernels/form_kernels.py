"""The pass `form-kernels`: groups the linalg and tensor ops of host functions into kernel functions.

Before:  %0 = linalg.generic {add} ins(%a, %b)    %1 = linalg.generic {exp} ins(%0)    return %1
After:   %1 = call @add_exp_0(%a, %b)             return %1
         func.func private @add_exp_0(...) attributes {hlo.kernel = "region"} { both linalg.generics }

Equal kernels become one function. An argument whose storage a result takes has `hlo.tied`; one whose storage a result
may take has `hlo.may_alias` (each element is read before the result's same element is written, and never after)."""

from __future__ import annotations

import re
from itertools import count
from typing import Any

from mlir import ir
from mlir.dialects import func

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.finding import is_unused, name_of, text_of
from hlo.lowering.kernel_calls import functions_by_name, hosts, kept_once, kernel_of, ops_above
from hlo.lowering.kernels.fusable import domain_of, is_clonable, is_fusable, is_scalar_op
from hlo.lowering.kernels.fusion import BlockPlan, Unit, plan_block
from hlo.lowering.linalg.structured import reduces
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.target import Target, target
from hlo.lowering.vector.aliasing import argument_attributes, may_alias
from hlo.lowering.vector.contraction.choice import computes_what_is_read_once, is_contraction
from hlo.lowering.vector.region.chain import is_sound_chain
from hlo.lowering.vector.region.graph import RESHAPES
from hlo.lowering.vector.region.plan import is_short
from hlo.lowering.vector.region.rolls import separate_pieces

TILED = "hlo.contraction"
"""Of an op that the target's own generator takes as a contraction."""


@register_pass
@dataclass(frozen=True)
class FormKernels(Pass):
    """Groups linalg and tensor ops into kernel functions."""

    target: str = "host"

    def run(self, module: ir.Module) -> None:
        names = {name_of(op) for op in module.body.operations}
        library = _Library(module, names, target(self.target))
        for function in hosts(functions_by_name(module)):
            _form_region(function.regions[0], library)


def _form_region(region: ir.Region, library: _Library) -> None:
    for block in region.blocks:
        _form_block(block, library)


def _form_block(block: ir.Block, library: _Library) -> None:
    """Outlines the kernels of a block, then goes into what is left: while and if."""
    if not library.target.is_gpu:
        separate_pieces(block)
    plan = plan_block(block, library.is_contraction, library.target)
    for unit in plan.units:
        _outline(unit, plan, library)
    _erase_unused(block, plan)
    for op in list(block.operations):
        if op.operation.name.startswith("scf."):
            for region in op.operation.regions:
                _form_region(region, library)
    _erase_unused(block, plan)


def _erase_unused(block: ir.Block, plan: BlockPlan) -> None:
    """Erases what lives only in kernels now."""
    for op in reversed([op.operation for op in block.operations]):
        if is_unused(op) and (plan.inlines(op) or (len(op.results) and _is_free(op.results[0]))):
            plan.inlined.discard(op.results[0])
            op.erase()


class _Library:
    """The kernel functions of a module; equal ones are kept once."""

    def __init__(self, module: ir.Module, names: set[str], target: Target):
        self.module = module
        self.target = target
        self.names = names
        self.kernels: dict[tuple[str, str], Any] = {}
        self.sound: dict[str, bool] = {}
        self.aliases: dict[str, dict[int, list[int]]] = {}

    def is_contraction(self, op: ir.Operation) -> bool:
        """Whether the contraction generator takes an op: both operands are in memory (a constant of one value is not)."""
        if not reduces(op) or any(is_clonable(v) for v in op.operands[:2]) or _is_short(op):
            return False
        if not self.target.is_gpu and computes_what_is_read_once(op):
            return False
        return TILED in op.attributes or is_contraction(op, self.target)

    def is_sound_chain(self, kernel: Any, text: str) -> bool:
        """Checked once for equal kernels; `text` is the kernel's."""
        if text not in self.sound:
            self.sound[text] = is_sound_chain(kernel)
        return self.sound[text]

    def may_alias(self, kernel: Any, text: str) -> dict[int, list[int]]:
        """Found once for equal kernels."""
        if text not in self.aliases:
            self.aliases[text] = may_alias(kernel)
        return self.aliases[text]

    def add(self, kernel: Any, text: str, inside: list[ir.Operation]) -> str:
        """The name of an equal kernel, which replaces this one, or a new name for it. `text`: the kernel's before it was
        given argument attributes; `inside`: the ops that it was made from."""
        key = (text, str(kernel.attributes["arg_attrs"]) if "arg_attrs" in kernel.attributes else "")
        return name_of(kept_once(kernel, self.kernels, lambda: self._new_name(_name(inside)), key))

    def _new_name(self, name: str) -> str:
        symbol = next(one for n in count() if (one := f"{name}_{n}") not in self.names)
        self.names.add(symbol)
        return symbol


def _is_short(op: ir.Operation) -> bool:
    """Whether code without loops is better than a tiled product. Small floats are summed as f32 there, so they stay."""
    elements = [ir.ShapedType(v.type).element_type for v in op.operands if isinstance(v.type, ir.RankedTensorType)]
    if any(isinstance(e, ir.FloatType) and e.width < 32 for e in elements):
        return False
    domain = domain_of(op)
    return is_short(domain.shape, [n for n, reduced in zip(domain.shape, domain.reduced) if reduced])


def _outline(unit: Unit, plan: BlockPlan, library: _Library) -> None:
    """Replaces the roots of a unit by a call of a kernel function."""
    last = unit.roots[-1]
    inside, outside = _slice(unit, plan)
    with last.location:
        kernel = kernel_of(library.module, "kernel", unit.kind, inside, outside, unit.results)
        text = text_of(kernel)
        if unit.parts and not library.is_sound_chain(kernel, text):
            kernel.operation.erase()
            for part in unit.parts:
                _outline(part, plan, library)
            return
        attributes = argument_attributes(kernel, unit, outside, lambda: library.may_alias(kernel, text))
        if attributes is not None:
            kernel.arg_attrs = attributes
        symbol = library.add(kernel, text, inside)
        with ir.InsertionPoint(last):
            call = func.CallOp([r.type for r in unit.results], symbol, outside)
    for old, new in zip(unit.results, call.results):
        _replace(old, new)
    plan.inlined.update(root.results[0] for root in unit.roots)


def _replace(old: ir.Value, new: ir.Value) -> None:
    """Gives the readers of `old` the result of the call. What can be rematerialised anywhere stays as it is for kernels."""
    if not is_clonable(old):
        old.replace_all_uses_with(new)
        return
    for use in list(old.uses):
        user = use.owner.operation
        if user.name in RESHAPES or not is_fusable(user):
            user.operands[use.operand_number] = new


def _slice(unit: Unit, plan: BlockPlan) -> tuple[list[ir.Operation], list[ir.Value]]:
    """The ops of a kernel, and the values it takes from outside."""
    return ops_above(
        [root.results[0] for root in unit.roots],
        lambda value, _: plan.inlines(value.owner) or value.owner in unit.roots or _is_free(value),
    )


def _is_free(value: ir.Value) -> bool:
    """Whether a value is rematerialised in every kernel that uses it."""
    return is_clonable(value) or is_scalar_op(value.owner)


# ---- names


SUFFIX = re.compile(r"(imum|num|s|u)?(f|i|si|ui)$")
SILENT = {"linalg.yield", "arith.constant", "linalg.index", "arith.index_cast"}
BY_OP = {"tensor.insert_slice": "insert", "tensor.extract_slice": "slice", "linalg.fill": "fill"}


def _name(inside: list[ir.Operation]) -> str:
    """A name that tells what a kernel computes: its first and last different operations."""
    words: dict[str, None] = {}
    for op in inside:
        words.update((w, None) for w in _words(op))
    chosen = list(words) or ["fill" if any(op.name == "linalg.fill" for op in inside) else "copy"]
    if len(chosen) > 5:
        chosen = [*chosen[:2], *chosen[-3:]]
    return "_".join(chosen)


def _words(op: ir.Operation) -> list[str]:
    if op.name == "linalg.generic":
        kinds = [str(t) for t in op.attributes["iterator_types"]]
        names = [o.operation.name for o in op.regions[0].blocks[0].operations]
        words = [_word(n) for n in names if n not in SILENT]
        return [*words, *(["reduce"] if any("reduction" in k for k in kinds) else [])]
    return [BY_OP[op.name]] if op.name in BY_OP and op.name != "linalg.fill" else []


def _word(op_name: str) -> str:
    word = op_name.split(".")[-1]
    return {"extract": "gather"}.get(word) or SUFFIX.sub("", word) or word
