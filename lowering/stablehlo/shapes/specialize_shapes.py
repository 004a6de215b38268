"""Dynamic shapes become static ones, as far as the types of the arguments tell."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from mlir import ir

from hlo.dialect.choices import SIZES
from hlo.dialect.definition import Op
from hlo.dialect.elements import read_elements
from hlo.dialect.locations import diagnostic
from hlo.dialect.stablehlo.custom_calls import SIZES_OF_RESULTS
from hlo.dialect.stablehlo.data_movement import ReshapeOp
from hlo.dialect.types import DYNAMIC, compatible, element_type, is_tensor, shape, tensor, with_element
from hlo.dialect.verifier import check, op_error
from hlo.errors import CompileError, VerifyError
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.finding import has_op
from hlo.lowering.functions import defined_functions, set_type
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.replacing import replace
from hlo.lowering.stablehlo.calls.inline_calls import InlineCalls, remove_unreferenced
from hlo.lowering.stablehlo.constants import constant_of, dtype_of
from hlo.lowering.stablehlo.rewriting import function_blocks, nested_blocks, nested_ops
from hlo.lowering.stablehlo.shapes.dynamic import specializes
from hlo.lowering.stablehlo.shapes.dynamic_calls import lower_sized_call, specializes_call
from hlo.lowering.stablehlo.shapes.known import DynamicOp, Rule
from hlo.lowering.stablehlo.simplify.eliminate_dead_code import EliminateDeadCode
from hlo.lowering.stablehlo.simplify.evaluation import EVALUATE
from hlo.lowering.stablehlo.upstream.legalize_upstream import LegalizeUpstream

LARGEST_SHAPE = 64
"""Constants with more elements are no shapes."""

BRANCHES = ("stablehlo.if", "stablehlo.case")


@register_pass
@dataclass(frozen=True)
class SpecializeShapes(Pass):
    """Folds what is computed with sizes, replaces dynamic ops by static ones, and infers the types of all other ops anew.
    Calls are inlined before.

    func.func @f(%x: tensor<4xf32>) -> tensor<?xf32> {        func.func @f(%x: tensor<4xf32>) -> tensor<4x1xf32> {
      %n = stablehlo.get_dimension_size %x, dim = 0 : ...
      %one = stablehlo.constant dense<1> : tensor<1xi32>
      %m = stablehlo.reshape %n : ...                    becomes
      %s = stablehlo.concatenate %m, %one, dim = 0 : ...
      %r = stablehlo.dynamic_reshape %x, %s : ...               %r = stablehlo.reshape %x : ...
      return %r                                                 return %r

    `complete`: what remains unknown and is used is refused."""

    complete: bool = False

    def run(self, module: ir.Module) -> None:
        if not _is_dynamic(module):
            return
        for block in function_blocks(module):
            _Specializer().block(block)
        if self.complete:
            EliminateDeadCode().run(module)
            _refuse_unknown(module)
        for function in defined_functions(module):
            block = function.regions[0].blocks[0]
            set_type(function, [a.type for a in block.arguments], [v.type for v in block.operations[-1].operands])
        remove_unreferenced(module)  # bodies of calls that are ops now
        check(module, in_dump=True)  # sizes that were not known before may break clauses


def _is_dynamic(module: ir.Module) -> bool:
    """Whether some op is about sizes, or some type not static."""
    return has_op(module.operation, _is_dynamic_op)


def _is_dynamic_op(op: ir.Operation) -> bool:
    if op.name in specializes or (op.name == "stablehlo.custom_call" and _is_dynamic_call(op)):
        return True
    types = [r.type for r in op.results]
    if op.name == "func.func":
        types = [*op.opview.type.inputs, *op.opview.type.results]
    return any(map(is_unknown, types))


def has_dynamic_arguments(function: Any) -> bool:
    return any(is_unknown(t) for t in function.type.inputs)


def resolve_shapes(module: ir.Module, always: bool = False) -> None:
    """Finds the types of what a program with static arguments computes, and verifies it once more."""
    functions = [op for op in module.body.operations if op.operation.name == "func.func"]
    if not always and not any(is_unknown(t) for f in functions for t in f.type.results):
        return
    with module.context:
        InlineCalls().run(module)
        LegalizeUpstream().run(module)
        SpecializeShapes().run(module)
    check(module, in_dump=True)


def _is_dynamic_call(op: Any) -> bool:
    return (
        ir.StringAttr(op.attributes["call_target_name"]).value in specializes_call or SIZES_OF_RESULTS in op.attributes
    )


def is_unknown(t: ir.Type) -> bool:
    """Whether a type has a size that is known at run time only."""
    if isinstance(t, ir.TupleType):
        return any(is_unknown(t.get_type(i)) for i in range(t.num_types))
    return is_tensor(t) and DYNAMIC in shape(t)


class _Specializer:
    """Goes through a function once, in order. `values` has the small integer constants met so far."""

    def __init__(self) -> None:
        self.values: dict[ir.Value, np.ndarray] = {}

    def block(self, block: ir.Block) -> None:
        for op in list(block.operations):
            self._op(op)

    def _op(self, op: Any) -> None:
        name = op.operation.name
        if name == "stablehlo.constant":
            self._remember(op)
        elif rule := _rule(op):
            self._rewrite(op, rule)
        elif not self._fold(op):
            self._retype(op)

    def _remember(self, op: Any) -> None:
        t = op.results[0].type
        if is_tensor(t) and isinstance(element_type(t), ir.IntegerType) and np.prod(shape(t)) <= LARGEST_SHAPE:
            array = read_elements(op.attributes["value"])
            if array is not None:
                self.values[op.results[0]] = array

    def _rewrite(self, op: Any, rule: Rule) -> None:
        with ir.InsertionPoint(op), op.location:
            self._name_constants(op)
            error = (
                None if rule is lower_sized_call else op_error(op)
            )  # an alias may join a size that is known now to ?
            if error:
                raise CompileError(diagnostic(op, f"'{op.operation.name}' op {error}"))
            values = rule(DynamicOp(op, self.values))
        if values is None:
            return
        for value, result in zip(values, op.results):
            made = value.owner
            if made.name == "stablehlo.constant":
                self._remember(made.opview)
            if not compatible(value.type, result.type):
                raise CompileError(
                    diagnostic(op, f"'{op.operation.name}' op has type {value.type}, expected {result.type}")
                )
        replace(op, values)

    def _name_constants(self, op: Any) -> None:
        """Integers that a loop does not change become constants before the op, so that its clauses see them."""
        for number, operand in enumerate(op.operands):
            if operand in self.values and isinstance(operand.owner, ir.Block):
                constant = constant_of(np.ascontiguousarray(self.values[operand]), operand.type)
                self._remember(constant.owner.opview)
                op.operation.operands[number] = constant

    def _fold(self, op: Any) -> bool:
        """Computes an op on known integers, if they are of whole bytes."""
        evaluate = EVALUATE.get(op.operation.name.removeprefix("stablehlo."))
        if evaluate is None or not op.operands or any(v not in self.values for v in op.operands):
            return False
        if any(dtype_of(element_type(v.type)) is None for v in [*op.operands, *op.results]):
            return False
        self._retype(op)
        t = op.results[0].type
        if not isinstance(element_type(t), ir.IntegerType):
            return False
        array = evaluate(op, *(self.values[v] for v in op.operands))
        if array is None or array.size > LARGEST_SHAPE:
            return False
        with ir.InsertionPoint(op), op.location:
            constant = constant_of(np.ascontiguousarray(array).reshape(shape(t)), t)
        replace(op, [constant])
        self._remember(constant.owner.opview)
        return True

    def _retype(self, op: Any) -> None:
        if op.operation.name == "stablehlo.while":
            self._enter_loop(op)
        for block in nested_blocks(op) if len(op.regions) else ():
            self.block(block)
        if any(is_unknown(r.type) for r in op.results):
            for result, t in zip(op.results, _types(op)):
                result.set_type(t)

    def _enter_loop(self, op: Any) -> None:
        """The blocks of a loop have the types that it is started with; what it never changes is known inside."""
        yielded = op.regions[1].blocks[0].operations[-1].operands
        kept = [v == a for v, a in zip(yielded, op.regions[1].blocks[0].arguments, strict=True)]
        for block in nested_blocks(op):
            for argument, operand, same in zip(block.arguments, op.operands, kept):
                argument.set_type(operand.type)
                if same and operand in self.values:
                    self.values[argument] = self.values[operand]


def _refuse_unknown(module: ir.Module) -> None:
    """The first op with a result of unknown size is where the size comes from."""
    for op in nested_ops(module.operation):
        if any(is_unknown(r.type) for r in op.results):
            name = op.operation.name
            raise CompileError(diagnostic(op, f"the sizes of the result of '{name}' depend on what its operands hold"))


def _rule(op: Any) -> Rule | None:
    name = op.operation.name
    if name == "stablehlo.custom_call":
        return specializes_call.get(op.call_target_name) or (
            lower_sized_call if SIZES_OF_RESULTS in op.attributes else None
        )
    return specializes.get(name)


def _types(op: Any) -> Sequence[ir.Type]:
    """The result types of an op, from its operands."""
    if op.operation.name in BRANCHES:
        return [v.type for v in op.regions[0].blocks[0].operations[-1].operands]
    if isinstance(op, Op) and (error := op_error(op)):
        raise VerifyError(diagnostic(op, f"'{op.operation.name}' op {error}"))
    inferred = op.infer() if isinstance(op, Op) and SIZES not in op.CHOICE else _types_of_reshape(op)
    if inferred is None:
        raise CompileError(diagnostic(op, f"the sizes of the result of '{op.operation.name}' are not known"))
    return [with_element(t, element_type(r.type)) if is_tensor(t) else t for t, r in zip(inferred, op.results)]


def _types_of_reshape(op: Any) -> Sequence[ir.Type] | None:
    """The type of a reshape's result with one unknown size, which the number of elements decides; None of other ops."""
    sizes = list(shape(op.results[0].type)) if isinstance(op, ReshapeOp) else []
    known, count = [s for s in sizes if s != DYNAMIC], prod(shape(op.operands[0].type))
    if len(known) != len(sizes) - 1 or not prod(known):
        return None
    if count % prod(known):
        found = f"{count} and {' x '.join('?' if s == DYNAMIC else str(s) for s in sizes)}"
        error = f"C2: operand and result must have the same number of elements, found {found}"
        raise VerifyError(diagnostic(op, f"'{op.operation.name}' op {error}"))
    sizes[sizes.index(DYNAMIC)] = count // prod(known)
    return [tensor(sizes, element_type(op.results[0].type))]
