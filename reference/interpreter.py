"""Walks a verified module: each op is a step, whose evaluator is found in the table.

In: a module and the name of a function. Out: its results for given values. A value is an array, a tuple of values or
TOKEN. All values of one function call are in one dictionary, under numbers given when the function is first met."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from mlir import ir

from hlo.dialect.locations import diagnostic
from hlo.dialect.types import DYNAMIC, element_type, is_quantized, is_tensor, shape
from hlo.errors import CompileError, Diagnostic, HloError
from hlo.lowering.stablehlo.shapes.dynamic import specializes
from hlo.reference.quantization import dequantize, quantize
from hlo.reference.table import ELEMENTWISE, Evaluator, evaluates
from hlo.reference.values import computed_dtype, stored_dtype
from hlo.runtime.calls.dynamic import fits
from hlo.runtime.calls.signature import ArrayType

Watch = Callable[["Step", Sequence[Any]], None]


@dataclass
class Body:
    """A function or region of one block: numbers of its arguments, steps, numbers of what it returns."""

    arguments: list[int] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    returned: list[int] = field(default_factory=list)
    vector: bool = True
    """All steps are elementwise: scalars may be arrays."""


@dataclass
class Step:
    op: Any
    evaluate: Evaluator
    operands: list[int]
    results: list[int]
    regions: list[Body]
    quantized: bool = False
    dynamic: bool = False
    """Types leave sizes open, which the verifier could not compare."""
    cache: dict[str, Any] = field(default_factory=dict)


class Call:
    """What an evaluator sees of the step it computes."""

    def __init__(self, step: Step, values: dict[int, Any], interpreter: Interpreter):
        self.step, self.values, self.interpreter = step, values, interpreter
        self.op = step.op

    def __getattr__(self, name: str) -> Any:
        """An attribute of the op by its declared name, read once."""
        cache = self.step.cache
        if name not in cache:
            cache[name] = getattr(self.op, name)
        return cache[name]

    def dtype(self, number: int = 0) -> np.dtype:
        """The numpy type of a result as the op makes it: stored integers where it moves what is quantized."""
        key = f"dtype {number}"
        if key not in self.step.cache:
            kind = computed_dtype if self.step.quantized else stored_dtype
            self.step.cache[key] = kind(self.op.operation.results[number].type)
        return self.step.cache[key]

    def shape(self, number: int = 0) -> tuple[int, ...]:
        return tuple(ir.RankedTensorType(self.op.operation.results[number].type).shape)

    def run(self, region: int, *arguments: Any) -> list[Any]:
        """The results of a region for some arguments."""
        return self.interpreter.run_body(self.step.regions[region], arguments, self.values)

    def apply(self, region: int, *arrays: np.ndarray) -> list[np.ndarray]:
        """A region on scalars, applied to each element of arrays of one shape."""
        body = self.step.regions[region]
        return self._apply(body, lambda: [v.type for v in self._terminator(region).operands], self.values, arrays)

    def apply_function(self, name: str, *arrays: np.ndarray) -> list[np.ndarray]:
        """A function of scalars, applied in the same way."""
        function = self.interpreter.functions[name]
        return self._apply(self.interpreter.body(name), lambda: function.type.results, {}, arrays)

    def _apply(
        self, body: Body, types: Callable[[], Sequence[ir.Type]], values: dict[int, Any], arrays: Sequence[Any]
    ) -> list[np.ndarray]:
        run = self.interpreter.run_body
        shape = np.broadcast_shapes(*(a.shape for a in arrays))
        arrays = tuple(np.broadcast_to(a, shape) for a in arrays)
        if body.vector:
            return [np.broadcast_to(r, shape) for r in run(body, arrays, values)]
        if not arrays[0].size:
            return [np.zeros(shape, stored_dtype(t)) for t in types()]
        rows = [run(body, tuple(a[i] for a in arrays), values) for i in np.ndindex(shape)]
        return [np.array(column, dtype=column[0].dtype).reshape(shape) for column in zip(*rows)]

    def _terminator(self, region: int) -> Any:
        operations = self.op.regions[region].blocks[0].operations
        return operations[len(operations) - 1].operation

    def function(self, name: str, arguments: Sequence[Any]) -> list[Any]:
        return self.interpreter.run(name, arguments)

    def unsupported(self, what: str) -> CompileError:
        return CompileError(diagnostic(self.op, f"{self.op.operation.name}: {what} is not supported by the reference"))


class Interpreter:
    def __init__(self, module: ir.Module, watch: Watch | None = None):
        self.module = module
        self.watch = watch
        self.functions = {f.name.value: f for f in module.body.operations if f.operation.name == "func.func"}
        self.bodies: dict[str, Body] = {}

    def run(self, name: str, arguments: Sequence[Any]) -> list[Any]:
        """The results of a function; threads may run functions at the same time."""
        with self.module.context:
            return self.run_body(self.body(name), arguments, {})

    def body(self, name: str) -> Body:
        """The steps of a function."""
        if name not in self.bodies:
            self.bodies[name] = _read_body(self.functions[name].regions[0], {})
        return self.bodies[name]

    def run_body(self, body: Body, arguments: Sequence[Any], values: dict[int, Any]) -> list[Any]:
        values.update(zip(body.arguments, arguments))
        for step in body.steps:
            results = self.run_step(step, values)
            values.update(zip(step.results, results))
            if self.watch:
                self.watch(step, results)
        return [values[n] for n in body.returned]

    def run_step(self, step: Step, values: dict[int, Any]) -> Sequence[Any]:
        """The results of one step for the values that it may see."""
        operands = [values[n] for n in step.operands]
        try:
            with np.errstate(all="ignore"):
                if step.quantized:
                    operands = [dequantize(v, o.type) for v, o in zip(operands, step.op.operation.operands)]
                results = step.evaluate(Call(step, values, self), *operands)
                if not isinstance(results, list):
                    results = [results]
                if step.quantized:
                    results = [quantize(v, r.type) for v, r in zip(results, step.op.operation.results)]
        except (IndexError, ValueError) as error:
            if not _has_unknown_sizes(step.op):
                raise  # a bug: the verifier has seen all sizes
            raise HloError(_misfit(step.op, operands, error)) from error
        if step.dynamic:
            _check_sizes(step.op, operands, results)
        return results


def _has_unknown_sizes(op: Any) -> bool:
    """Whether the verifier could not see all sizes of an op, so that its clauses may not hold at run time."""
    return op.operation.name in specializes or _is_dynamic(op)


def _is_dynamic(op: Any) -> bool:
    types = [v.type for v in (*op.operation.operands, *op.operation.results)]
    return any(is_tensor(t) and DYNAMIC in shape(t) for t in types)


def _check_sizes(op: Any, operands: Sequence[Any], results: Sequence[Any]) -> None:
    """Raises HloError for sizes that numpy takes and the types do not: it repeats dimensions of size 1."""
    shapes = {v.shape for v in operands if isinstance(v, np.ndarray) and v.ndim}
    if getattr(op, "ELEMENTWISE", False) and len(shapes) > 1:
        raise HloError(_misfit(op, operands, "operands must have one shape"))
    for number, (result, value) in enumerate(zip(results, op.operation.results)):
        if isinstance(result, np.ndarray) and is_tensor(value.type) and not fits(result.shape, value.type):
            raise HloError(_misfit(op, operands, f"result {number} would be {list(result.shape)} of {value.type}"))


def _misfit(op: Any, operands: Sequence[Any], error: Exception | str) -> Diagnostic:
    found = ", ".join(str(ArrayType(v.shape, v.dtype)) for v in operands if isinstance(v, np.ndarray | np.generic))
    return diagnostic(op, f"'{op.operation.name}' op does not fit the sizes of this run, operands {found}: {error}")


def _read_body(region: Any, numbers: dict[Any, int]) -> Body:
    block = region.blocks[0]
    body = Body([_number(a, numbers) for a in block.arguments])
    operations = list(block.operations)
    for op in operations[:-1]:
        step = _read_step(op, numbers)
        body.vector &= op.operation.name in ELEMENTWISE and not step.regions and _is_scalar(op)
        body.steps.append(step)
    body.vector &= all(is_tensor(a.type) and not ir.RankedTensorType(a.type).rank for a in block.arguments)
    body.returned = [_number(v, numbers) for v in operations[-1].operation.operands]
    return body


def _is_scalar(op: Any) -> bool:
    types = [v.type for v in (*op.operation.operands, *op.operation.results)]
    return all(is_tensor(t) and not ir.RankedTensorType(t).rank for t in types)


def _read_step(op: Any, numbers: dict[Any, int]) -> Step:
    name = op.operation.name
    if name not in evaluates:
        raise CompileError(diagnostic(op, f"{name} is not supported by the reference"))
    operands = [_number(v, numbers) for v in op.operation.operands]
    regions = [_read_body(r, numbers) for r in op.operation.regions if len(r.blocks)]
    results = [_number(v, numbers) for v in op.operation.results]
    types = [v.type for v in (*op.operation.operands, *op.operation.results)]
    quantized = any(is_tensor(t) and is_quantized(element_type(t)) for t in types) and not (regions or _moves(op))
    return Step(op, evaluates[name], operands, results, regions, quantized, _is_dynamic(op))


RAW = ("stablehlo.constant", "stablehlo.bitcast_convert", "func.call", "stablehlo.custom_call", "stablehlo.send",
       "stablehlo.recv", "stablehlo.outfeed", "stablehlo.infeed", "interpreter.run_parallel", "stablehlo.composite")  # fmt: skip
"""Ops that pass stored integers of quantized values on as they are; so do those that only move elements, and those with regions,
whose ops take them."""


def _moves(op: Any) -> bool:
    """A select moves what has the result's type, and quantizes other numbers again."""
    name = op.operation.name
    if name == "stablehlo.select":
        return element_type(op.on_true.type) == element_type(op.on_false.type) == element_type(op.result.type)
    return name in RAW or getattr(op, "MOVES", False)


def _number(value: Any, numbers: dict[Any, int]) -> int:
    return numbers.setdefault(value, len(numbers))
