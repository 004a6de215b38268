"""Long bodies of linalg.generics, those of lgamma and the like, as functions of the vectors of a step: equal ones are
written once and called.

Before:  ^bb0(%x: f32, %_: f32): a hundred ops        (in a kernel that computes lgamma of two arrays)
After:   func.func private @lgamma.code.body(%0: vector<8xf32>, ...) -> (vector<8xf32>, ...) { ... }
         %2:4 = call @lgamma.code.body(%a0, %a1, %a2, %a3)     %3:4 = call @lgamma.code.body(%b0, %b1, %b2, %b3)

One that is called once is put where it is called (inline-code)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mlir import ir
from mlir.dialects import func

from hlo.lowering.copying import attributes_of
from hlo.lowering.finding import block_of, function_of, is_used, made_by, name_of
from hlo.lowering.vector.region.code import Code
from hlo.lowering.vector.region.number import Number

Steps = list[Number]
Body = Callable[[Code, list[Steps]], list[Steps]]
LONG = 64
"""Ops of a body beyond which kernels may call a function for it."""


def is_long(op: ir.Operation) -> bool:
    """Whether the body of a linalg.generic is long, computes real numbers, and needs nothing but its inputs, all of them, and constants."""
    block = op.regions[0].blocks[0]
    if len(block.operations) <= LONG or any(is_used(a) for a in list(block.arguments)[-len(op.results) :]):
        return False
    inputs = list(block.arguments)[: -len(op.results)]
    numbers = [*inputs, *block.operations[len(block.operations) - 1].operands]
    if not all(isinstance(v.type, ir.FloatType) for v in numbers) or not all(map(is_used, inputs)):
        return False
    return all(_is_arithmetic(inner.operation, block) for inner in list(block.operations)[:-1])


def _is_arithmetic(op: ir.Operation, block: ir.Block) -> bool:
    """Whether an op of a body is on scalars of the body and constants."""
    is_known = all(made_by(v, "arith.constant") or block_of(v) == block for v in op.operands)
    return is_known and not len(op.regions) and op.name.split(".")[0] in ("arith", "math")


class LongBodies:
    """The functions of a kernel: by what they compute, and for how many lanes of how many steps."""

    def __init__(self) -> None:
        self._functions: dict[Any, Any] = {}
        self._keys: dict[ir.Operation, Any] = {}

    def call(self, code: Code, op: ir.Operation, inputs: Sequence[Steps], body: Body) -> list[Steps]:
        """The results of a linalg.generic with a long body. `body(code, inputs)`: writes it."""
        width, count = max(n.width for steps in inputs for n in steps), max(map(len, inputs))
        inputs = [[code.splat(n, width) for n in steps] for steps in inputs]
        operands = [n for steps in inputs for n in steps]
        key = (self._key(op), width, *map(len, inputs))
        if key not in self._functions:
            self._functions[key] = self._write(code, op, inputs, count, body)
        level = max(n.level for n in operands)
        with code.at(level), op.location:
            call = func.CallOp(self._functions[key], [n.value for n in operands])
        results = [Number(value, level, width) for value in call.results]
        return [results[n : n + count] for n in range(0, len(results), count)]

    def _write(self, code: Code, op: ir.Operation, inputs: Sequence[Steps], count: int, body: Body) -> Any:
        types = [n.value.type for steps in inputs for n in steps]
        width = inputs[0][0].width
        results = [code.vector_type(r.type.element_type, width) for r in op.results for _ in range(count)]
        kernel = function_of(op)
        name = f"{name_of(kernel)}.code.body.{len(self._functions)}"
        with op.location, ir.InsertionPoint(kernel):
            function = func.FuncOp(name, ir.FunctionType.get(types, results), visibility="private")
            arguments = iter(function.add_entry_block().arguments)
            given = [[Number(next(arguments), 0, width) for _ in steps] for steps in inputs]
            with ir.InsertionPoint(function.entry_block):
                written = body(Code(function.entry_block, code.has_range), given)
                func.ReturnOp([n.value for steps in written for n in (steps * count)[:count]])
        return function

    def _key(self, op: ir.Operation) -> Any:
        """Equal for equal bodies: their ops, with operands by number, constants by value."""
        if op not in self._keys:
            block = op.regions[0].blocks[0]
            known: dict[ir.Value, Any] = {value: n for n, value in enumerate(block.arguments)}
            self._keys[op] = tuple(_described(inner.operation, known) for inner in block.operations)
        return self._keys[op]


def _described(op: ir.Operation, known: dict[ir.Value, Any]) -> Any:
    """What an op of a body computes. `known`: values so far."""
    operands = tuple(known[v] if v in known else v.owner.attributes["value"] for v in op.operands)
    for result in op.results:
        known[result] = op.attributes["value"] if op.name == "arith.constant" else len(known)
    return op.name, operands, tuple(attributes_of(op).items()), tuple(r.type for r in op.results)
