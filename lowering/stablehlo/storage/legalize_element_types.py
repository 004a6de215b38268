"""Element types that no processor computes with become others: small floats, small integers, quantized elements."""

from __future__ import annotations

from typing import Any

from mlir import ir

from hlo.dialect.elements import make_elements, read_elements
from hlo.dialect.locations import diagnostic
from hlo.dialect.types import element_type, is_tensor, with_element
from hlo.errors import CompileError
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.copying import remade
from hlo.lowering.finding import ops_within
from hlo.lowering.functions import set_type
from hlo.lowering.linalg.control_flow import leaf_types
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.replacing import rewrite
from hlo.lowering.stablehlo.arithmetic import Tensor, create
from hlo.lowering.stablehlo.chlo.broadcasting import BROADCASTS, lower_broadcast
from hlo.lowering.stablehlo.rewriting import nested_blocks
from hlo.lowering.stablehlo.storage.kind import Storage
from hlo.lowering.stablehlo.storage.quantized import quantized
from hlo.lowering.stablehlo.storage.rules import BOUNDARY, MOVEMENT, legalizes_elements
from hlo.lowering.stablehlo.storage.small_floats import small_float
from hlo.lowering.stablehlo.storage.small_integers import small_integer

OPERAND_TYPES, RESULT_TYPES = "hlo.operand_types", "hlo.result_types"
"""Attributes of ops whose values the host sees: the types before the pass."""

REFUSED = ("chlo.next_after", "chlo.broadcast_next_after", "chlo.constant_like")
"""Ops whose result in a wider type says nothing about the narrow one."""

CONSTANTS = ("stablehlo.constant", "chlo.constant")

MATRIX_FLOATS = ("f8E4M3FN", "f8E5M2")
"""Small floats that matrix instructions multiply."""


@register_pass
@dataclass(frozen=True)
class LegalizeElementTypes(Pass):
    """Keeps elements of f8, f6, f4, i4, i2 and quantized types in bytes (or their storage), and computes f8 in f32, i4 in
    i8, quantized elements in the type that they express.

    %0 = stablehlo.add %x, %y : tensor<4xi4>    becomes    %1 = stablehlo.add %x, %y : tensor<4xi8>
                                                           %2 = stablehlo.shift_left %1, %four
                                                           %0 = stablehlo.shift_right_arithmetic %2, %four

    `products`: what f8 is multiplied as in a dot_general: "f32", or "f8" for targets that have such instructions."""

    products: str = "f32"

    def run(self, module: ir.Module) -> None:
        rewriter = _Rewriter(self.products == "f8")
        if not rewriter.is_needed(module):
            return
        _expand_broadcasts(module)
        for function in module.body.operations:
            if function.operation.name == "func.func":
                rewriter.function(function)


def _expand_broadcasts(module: ir.Module) -> None:
    """chlo.broadcast_* as broadcasts and the plain op, where a rule is for the plain op."""

    def has_rule(op: ir.Operation) -> bool:
        return BROADCASTS.get(op.name) in legalizes_elements

    for op in ops_within(module, has_rule):
        rewrite(op.opview, lower_broadcast)


class _Rewriter:
    """`kept` has the storage of every value that is not plain any more. `keeps_f8`: the inputs of a dot_general stay f8."""

    def __init__(self, keeps_f8: bool) -> None:
        self.keeps_f8 = keeps_f8
        self.kept: dict[ir.Value, Storage] = {}
        self._storages: dict[ir.Type, Storage | None] = {}

    def is_needed(self, module: ir.Module) -> bool:
        """Whether some result of an op or argument of a function is not plain."""
        kinds = {r.type for op in ops_within(module, lambda op: len(op.results) > 0) for r in op.results}
        for function in module.body.operations:
            if function.operation.name == "func.func":
                kinds.update(function.type.inputs)
        return any(self._container(t) != t for t in kinds)

    def function(self, function: Any) -> None:
        kind = function.type
        inputs, results = [self._container(t) for t in kind.inputs], [self._container(t) for t in kind.results]
        for block in nested_blocks(function):
            self._block(block)
            with ir.InsertionPoint.at_block_begin(block), function.location:
                for argument in block.arguments:
                    self._enter(argument)
        set_type(function, inputs, results)

    def _block(self, block: ir.Block) -> None:
        for argument in block.arguments:
            self._keep(argument)
        for op in list(block.operations):
            self._op(op)

    def _op(self, op: Any) -> None:
        for block in nested_blocks(op) if len(op.regions) else ():
            self._block(block)
        name = op.operation.name
        values = [*op.operands, *op.results]
        if all(v not in self.kept and self._container(v.type) == v.type for v in values):
            return
        with ir.InsertionPoint(op), op.location:
            if name in BOUNDARY or name.split(".")[0] in BOUNDARY:
                self._cross(op)
            elif name in CONSTANTS:
                self._constant(op)
            elif len(op.regions) or (name in MOVEMENT and not self._quantizes(op)):
                for result in op.results:
                    self._keep(result)
            else:
                self._replace(op, self._by_rule(op) if name in legalizes_elements else self._compute(op))

    def _quantizes(self, op: Any) -> bool:
        """Whether an op that moves quantized elements computes, too: a select between several scales or zero points, and a
        collective_permute of one process to which nobody sends, which is zero."""
        name = op.operation.name
        if name not in ("stablehlo.select", "stablehlo.collective_permute"):
            return False
        if not quantized(element_type(op.results[0].type)):
            return False
        if name == "stablehlo.collective_permute":
            return not op.source_target_pairs
        kinds = [*(self.kept.get(v) for v in op.operands), self._storage(op.results[0].type)]
        return len({k.element for k in kinds if k}) > 1

    def _by_rule(self, op: Any) -> list[Tensor]:
        kinds = [self.kept.get(v) for v in op.operands]
        operands = [Tensor(v) for v in op.operands]
        return [legalizes_elements[op.operation.name](op, operands, kinds, self._storage(op.results[0].type))]

    def _compute(self, op: Any) -> list[Tensor]:
        """Loads, the same op on what is computed with, stores."""
        if op.operation.name in REFUSED:
            element = element_type(op.results[0].type)
            raise CompileError(diagnostic(op, f"'{op.operation.name}' of {element} is not supported"))
        load = _seen_as_element if self.keeps_f8 and self._multiplies_f8(op) else _loaded
        operands = [load(self.kept[v], v) if v in self.kept else v for v in op.operands]
        kinds = [self._storage(r.type) for r in op.results]
        types = [with_element(r.type, k.computed) if k else r.type for r, k in zip(op.results, kinds)]
        new = remade(op, operands, types)
        return [k.store(Tensor(r)) if k else Tensor(r) for r, k in zip(new.results, kinds)]

    def _multiplies_f8(self, op: Any) -> bool:
        if op.operation.name != "stablehlo.dot_general" or element_type(op.results[0].type) == ir.F64Type.get():
            return False
        return all(v in self.kept and str(self.kept[v].element) in MATRIX_FLOATS for v in op.operands)

    def _replace(self, op: Any, results: list[Tensor]) -> None:
        for old, new in zip(op.results, results, strict=True):
            kind = self._storage(old.type)
            if kind:
                self.kept[new.value] = kind
            elif new.value in self.kept:  # a container seen as a plain value: one value cannot be both
                new = Tensor(create("convert", [new.type], [new]).results[0])
            old.replace_all_uses_with(new.value)
        op.operation.erase()

    def _constant(self, op: Any) -> None:
        result = op.results[0]
        kind = self._storage(result.type)
        assert kind is not None, "a plain constant is left alone"
        array = read_elements(op.attributes["value"])
        if array is None:
            raise CompileError(diagnostic(op, f"constants of {element_type(result.type)} are not supported"))
        self._keep(result)
        op.attributes["value"] = make_elements(kind.constant(array), result.type)

    def _cross(self, op: Any) -> None:
        """The host sees its own bytes; the op keeps the types that it sees them as."""
        if not op.operation.name.startswith("func."):
            for key, values in ((OPERAND_TYPES, op.operands), (RESULT_TYPES, op.results)):
                types = leaf_types(self._seen(v) for v in values)
                op.attributes[key] = ir.ArrayAttr.get([ir.TypeAttr.get(t) for t in types])
        for number, operand in enumerate(op.operands):
            if operand in self.kept:
                op.operands[number] = self.kept[operand].leave(Tensor(operand)).value
        with ir.InsertionPoint.after(op):
            for result in op.results:
                self._keep(result)
                self._enter(result)

    def _enter(self, value: ir.Value) -> None:
        """What the host has written, in containers, instead of a value."""
        if value not in self.kept:
            return
        uses = [(use.owner, use.operand_number) for use in value.uses]
        entered = self.kept[value].enter(Tensor(value)).value
        if entered != value:
            self.kept[entered] = self.kept[value]
            for owner, number in uses:
                owner.operands[number] = entered

    def _keep(self, value: ir.Value) -> None:
        old = value.type
        kind = self._storage(old)
        if kind:
            self.kept[value] = kind
        new = self._container(old)
        if new != old:
            value.set_type(new)

    def _seen(self, value: ir.Value) -> ir.Type:
        """The type that a value had."""
        kind = self.kept.get(value)
        return with_element(value.type, kind.element) if kind else value.type

    def _storage(self, t: ir.Type) -> Storage | None:
        if t not in self._storages:
            self._storages[t] = _storage_of(element_type(t)) if is_tensor(t) else None
        return self._storages[t]

    def _container(self, t: ir.Type) -> ir.Type:
        if isinstance(t, ir.TupleType):
            return ir.TupleType.get_tuple([self._container(t.get_type(i)) for i in range(t.num_types)])
        kind = self._storage(t)
        return with_element(t, kind.container) if kind else t


def _loaded(kind: Storage, value: ir.Value) -> ir.Value:
    return kind.load(Tensor(value)).value


def _seen_as_element(kind: Storage, value: ir.Value) -> ir.Value:
    """Bytes as elements of the small type itself."""
    return create("bitcast_convert", [with_element(value.type, kind.element)], [Tensor(value)]).results[0]


def _storage_of(element: ir.Type) -> Storage | None:
    return small_float(element) or small_integer(element) or quantized(element)
