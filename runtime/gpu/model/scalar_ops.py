"""Ops on scalars: arith, math, complex."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hlo.runtime.gpu.model.arithmetic import (
    BINARY,
    COMPARE_FLOATS,
    COMPARE_INTEGERS,
    CONVERSIONS,
    UNARY,
    convert,
    fused_multiply_add,
)
from hlo.runtime.gpu.model.code import Op
from hlo.runtime.gpu.model.machine import Machine, Step
from hlo.runtime.gpu.model.program import Program, decodes
from hlo.runtime.gpu.model.types import numpy_type


@decodes(*UNARY)
def _unary(program: Program, op: Op) -> Step:
    function, source, target = UNARY[op.name], program.number(op.operands[0]), program.number(op.results[0])
    dtype = numpy_type(op.results[0].type)

    def run(m: Machine) -> None:
        m.values[target] = np.asarray(function(m.values[source])).astype(dtype, copy=False)

    return run


@decodes(*BINARY)
def _binary(program: Program, op: Op) -> Step:
    function, (left, right), target = BINARY[op.name], program.numbers(op.operands), program.number(op.results[0])
    dtype = numpy_type(op.results[0].type)

    def run(m: Machine) -> None:
        m.values[target] = np.asarray(function(m.values[left], m.values[right])).astype(dtype, copy=False)

    return run


@decodes(*CONVERSIONS)
def _conversion(program: Program, op: Op) -> Step:
    name, source, target = op.name, program.number(op.operands[0]), program.number(op.results[0])
    dtype = numpy_type(op.results[0].type)

    def run(m: Machine) -> None:
        m.values[target] = convert(name, m.values[source], dtype)

    return run


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


@decodes("vector.broadcast")
def _broadcast(program: Program, op: Op) -> Step:
    source, target = program.number(op.operands[0]), program.number(op.results[0])
    (width,) = op.results[0].type.shape

    def run(m: Machine) -> None:
        m.values[target] = np.repeat(m.values[source][:, None], width, axis=1)

    return run


@decodes("arith.cmpi", "arith.cmpf")
def _compare(program: Program, op: Op) -> Step:
    table = COMPARE_INTEGERS if op.name == "arith.cmpi" else COMPARE_FLOATS
    function = table[op.attributes["predicate"]]
    (left, right), target = program.numbers(op.operands), program.number(op.results[0])

    def run(m: Machine) -> None:
        m.values[target] = function(m.values[left], m.values[right])

    return run


@decodes("arith.select")
def _select(program: Program, op: Op) -> Step:
    (condition, yes, no), target = program.numbers(op.operands), program.number(op.results[0])

    def run(m: Machine) -> None:
        m.values[target] = np.where(m.values[condition], m.values[yes], m.values[no])

    return run


@decodes("complex.create")
def _complex(program: Program, op: Op) -> Step:
    (real, imaginary), target = program.numbers(op.operands), program.number(op.results[0])
    dtype = numpy_type(op.results[0].type)

    def run(m: Machine) -> None:
        value = np.empty(m.size, dtype)
        value.real, value.imag = m.values[real], m.values[imaginary]
        m.values[target] = value

    return run


@decodes("math.fma")
def _fma(program: Program, op: Op) -> Step:
    (x, y, z), target = program.numbers(op.operands), program.number(op.results[0])

    def run(m: Machine) -> None:
        m.values[target] = fused_multiply_add(m.values[x], m.values[y], m.values[z])

    return run


def _low_first(high: np.ndarray, low: np.ndarray) -> np.ndarray:
    return np.stack([low, high], axis=-1)


INTRINSICS: dict[str, Callable[..., np.ndarray]] = {
    "llvm.nvvm.ex2.approx.ftz.f": UNARY["math.exp2"],
    "llvm.nvvm.rcp.approx.ftz.f": np.reciprocal,
    "llvm.nvvm.ff2bf16x2.rn": _low_first,  # PTX ISA, cvt: "the converted a is in the upper half of d"
    "llvm.nvvm.ff2f16x2.rn": _low_first,
}
"""LLVM's own functions, by name: without their errors of a unit or two."""


@decodes("llvm.call_intrinsic")
def _intrinsic(program: Program, op: Op) -> Step:
    function, sources = INTRINSICS[op.attributes["intrin"]], program.numbers(op.operands)
    target, dtype = program.number(op.results[0]), numpy_type(op.results[0].type)

    def run(m: Machine) -> None:
        m.values[target] = np.asarray(function(*(m.values[n] for n in sources))).astype(dtype, copy=False)

    return run
