"""Ops on values of threads: arith, math, complex, vector."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hlo.runtime.gpu.model.arithmetic import COMPARE_FLOATS, COMPARE_INTEGERS, CONVERSIONS, FUNCTIONS, Function, convert
from hlo.runtime.gpu.model.code import Op
from hlo.runtime.gpu.model.machine import Machine, Step
from hlo.runtime.gpu.model.program import Program, computes, decodes
from hlo.runtime.gpu.model.types import numpy_type


def _as_result(function: Function, op: Op) -> Function:
    """With the result in its type."""
    dtype = numpy_type(op.results[0].type)
    return lambda *operands: np.asarray(function(*operands)).astype(dtype, copy=False)


@computes(*FUNCTIONS)
def _arithmetic(op: Op) -> Function:
    return _as_result(FUNCTIONS[op.name], op)


@computes(*CONVERSIONS)
def _conversion(op: Op) -> Function:
    dtype = numpy_type(op.results[0].type)
    return lambda x: convert(op.name, x, dtype)


@computes("arith.cmpi", "arith.cmpf")
def _compare(op: Op) -> Function:
    table = COMPARE_INTEGERS if op.name == "arith.cmpi" else COMPARE_FLOATS
    return table[op.attributes["predicate"]]


@computes("complex.create")
def _complex(op: Op) -> Function:
    dtype = numpy_type(op.results[0].type)

    def create(real: np.ndarray, imaginary: np.ndarray) -> np.ndarray:
        value = np.empty(real.shape, dtype)
        value.real, value.imag = real, imaginary
        return value

    return create


@decodes("arith.constant", "complex.constant")
def _constant(program: Program, op: Op) -> Step:
    target, kind, attribute = program.number(op.results[0]), op.results[0].type, op.attributes["value"]
    if kind.kind == "vector":

        def run_vector(m: Machine) -> None:
            m.values[target] = np.broadcast_to(attribute, (m.size, *kind.shape))

        return run_vector
    dtype = numpy_type(kind)
    value = complex(*attribute) if isinstance(attribute, list) else attribute

    def run(m: Machine) -> None:
        m.values[target] = m.broadcast(value, dtype)

    return run


def _low_first(high: np.ndarray, low: np.ndarray) -> np.ndarray:
    return np.stack([low, high], axis=-1)


INTRINSICS: dict[str, Callable[..., np.ndarray]] = {
    "llvm.nvvm.ex2.approx.ftz.f": FUNCTIONS["math.exp2"],
    "llvm.nvvm.rcp.approx.ftz.f": np.reciprocal,
    "llvm.nvvm.ff2bf16x2.rn": _low_first,  # PTX ISA, cvt: "the converted a is in the upper half of d"
    "llvm.nvvm.ff2f16x2.rn": _low_first,
}
"""LLVM's own functions, by name: without their errors of a unit or two."""


@computes("llvm.call_intrinsic")
def _intrinsic(op: Op) -> Function:
    return _as_result(INTRINSICS[op.attributes["intrin"]], op)


# Vectors: [thread, element]


@computes("vector.broadcast")
def _broadcast(op: Op) -> Function:
    (width,) = op.results[0].type.shape
    return lambda x: np.repeat(x[:, None], width, axis=1)


@computes("vector.extract")
def _extract(op: Op) -> Function:
    index = (slice(None), *op.attributes["static_position"])
    return lambda x: x[index]


@computes("vector.bitcast")
def _bitcast(op: Op) -> Function:
    dtype = numpy_type(op.results[0].type)
    return lambda x: np.ascontiguousarray(x).view(dtype)


@computes("vector.from_elements")
def _from_elements(op: Op) -> Function:
    return lambda *elements: np.stack(elements, axis=1)


@computes("builtin.unrealized_conversion_cast", "memref.cast", "memref.memory_space_cast")
def _same(op: Op) -> Callable[[Any], Any]:
    return lambda value: value
