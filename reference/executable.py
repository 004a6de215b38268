"""A program run by the reference, with the interface of a compiled one."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
from mlir import ir

from hlo.dialect.process_grid import Grid
from hlo.errors import HloError
from hlo.lowering.stablehlo.calls.inline_calls import InlineCalls, check_calls
from hlo.lowering.stablehlo.shapes.specialize_shapes import is_unknown
from hlo.lowering.stablehlo.upstream.legalize_upstream import LegalizeUpstream, has_upstream_ops
from hlo.reference.evaluators import load_all
from hlo.reference.interpreter import Interpreter, Watch
from hlo.reference.values import TOKEN
from hlo.runtime.calls.arguments import check_count, checked_out, converted, shapes_of
from hlo.runtime.calls.dynamic import check_shapes, seen
from hlo.runtime.calls.memory_use import Memory
from hlo.runtime.calls.signature import ArrayType, Signature
from hlo.runtime.compile.read_signature import signature_of
from hlo.runtime.custom_calls import standard_targets  # noqa: F401  (custom calls of the program need them)
from hlo.runtime.grid.processes import for_each_process, refuse_call, run_processes
from hlo.runtime.grid.rendezvous import seconds_to_wait
from hlo.runtime.profile.refusal import NotProfiled, NotSaved


class ReferenceExecutable(NotProfiled, NotSaved):
    """`exe(*arrays)` interprets the program. `watch` is called with each step and its results. `grid`: its processes;
    `exe.run_grid(arguments)` runs all of them."""

    NOT_PROFILED = NOT_SAVED = "interpreted (target 'reference')"

    def __init__(self, module: ir.Module, entry: str, watch: Watch | None = None, grid: Grid | None = None):
        load_all()
        check_calls(module)
        self.grid = grid or Grid()
        self.interpreter = Interpreter(_in_stablehlo(module), watch)
        self._entry = entry
        self.function = self.interpreter.functions[entry]
        self.signature = _signature(self.function)
        self.memory = Memory(0, 0, 0, 0, 0)
        self.phases: dict[str, str] = {}

    def __call__(self, *arrays: Any, out: Sequence[np.ndarray] | None = None) -> list[np.ndarray]:
        refuse_call(self.grid)
        results = self._run(self.values(*arrays))
        return results if out is None else _write(out, results)

    def run_grid(self, arguments: Sequence[Sequence[Any]], timeout: float | None = None) -> list[list[np.ndarray]]:
        """The results of each process for one list of arguments each, process (r, p) at r * num_partitions + p. `timeout`: seconds
        for which a process waits for others that still run."""
        seconds = seconds_to_wait(timeout)
        values = for_each_process(self.grid, lambda one: self.values(*one), arguments)
        return run_processes(self.grid, [functools.partial(self._run, one) for one in values], timeout=seconds)

    def _run(self, values: Sequence[Any]) -> list[np.ndarray]:
        try:
            results = [r for value in self.interpreter.run(self._entry, values) for r in _flat(value)]
        except MemoryError as error:
            raise HloError(f"not enough memory: {error}") from None
        except RecursionError:
            raise HloError("calls and regions are nested too deep for the reference") from None
        return [np.array(r, dtype=t.dtype, order="C") for r, t in zip(results, self.signature.results)]

    def values(self, *arrays: Any) -> list[Any]:
        """The arguments of the function: arrays, tuples of them, tokens. Raises ArgumentError for arrays that do not
        fit."""
        kinds = self.signature.arguments
        check_count(kinds, len(arrays))
        shapes = shapes_of(arrays)
        if any(None in kind.shape for kind in kinds):
            check_shapes(self.function.type.inputs, tuple(shapes))
        fitting = [_of_shape(shape, kind) for shape, kind in zip(shapes, kinds)]
        given = iter([converted(a, number, kind) for number, (a, kind) in enumerate(zip(arrays, fitting))])
        return [_value(kind, given) for kind in self.function.type.inputs]


def _in_stablehlo(module: ir.Module) -> ir.Module:
    """The program, or where it has ops of arith, tensor or shape, a copy of StableHLO ops alone."""
    if not has_upstream_ops(module):
        return module
    with module.context:
        copy: Any = module.operation.clone().opview
        InlineCalls().run(copy)
        LegalizeUpstream().run(copy)
    return copy


def _signature(function: Any) -> Signature:
    """With None for sizes that calls choose."""
    if not any(is_unknown(t) for t in (*function.type.inputs, *function.type.results)):
        return signature_of(function)
    sides = (("argument", function.type.inputs), ("result", function.type.results))
    return Signature(*(tuple(seen(what, number, t) for number, t in enumerate(types)) for what, types in sides))


def _of_shape(shape: tuple[int, ...], kind: ArrayType) -> ArrayType:
    """The type with the sizes of this call; as it is where they do not fit."""
    fits = len(shape) == len(kind.shape) and all(k in (None, n) for n, k in zip(shape, kind.shape))
    return ArrayType(shape, kind.dtype) if fits else kind


def _write(out: Sequence[np.ndarray], results: Sequence[np.ndarray]) -> list[np.ndarray]:
    types = [ArrayType(r.shape, r.dtype) for r in results]
    for array, result in zip(checked_out(out, types), results):
        array[...] = result
    return list(out)


def _value(kind: ir.Type, given: Any) -> Any:
    if isinstance(kind, ir.TupleType):
        return tuple(_value(kind.get_type(i), given) for i in range(kind.num_types))
    return TOKEN if str(kind) == "!stablehlo.token" else next(given)


def _flat(value: Any) -> list[Any]:
    if isinstance(value, tuple):
        return [v for part in value for v in _flat(part)]
    return [] if value is TOKEN else [value]
