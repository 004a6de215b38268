"""stablehlo.rng: numbers of a distribution from Philox bits. Used by decompose.

The generator is implementation-defined. Here it has no state: its key is made of the op's position in the program, so that
two ops of one program differ, and each run, and each iteration of a loop, gives the same numbers."""

from __future__ import annotations

import math
import zlib

from mlir import ir

from hlo.dialect.stablehlo import RngBitGeneratorOp, RngOp
from hlo.dialect.types import bit_width, element_type, is_bool, is_float, shape, tensor, with_element
from hlo.lowering.stablehlo.arithmetic import (
    Tensor,
    bitcast,
    broadcast,
    build,
    constant,
    convert,
    cos,
    joined,
    log,
    sqrt,
)
from hlo.lowering.stablehlo.decompositions.random_bits import lower_rng_bit_generator
from hlo.lowering.stablehlo.decompositions.table import decomposes


@decomposes(RngOp)
def lower_rng(op: RngOp) -> list[ir.Value]:
    result_type = op.result.type
    element = element_type(result_type)
    low, high = (_spread(v, result_type) for v in (op.a, op.b))
    if not is_float(element):
        return [_uniform_integers(op, low, high).value]
    wide = element if bit_width(element) >= 32 else ir.F32Type.get()
    low, high = convert(low, wide), convert(high, wide)
    if op.rng_distribution == "NORMAL":
        return [convert(low + high * _standard_normal(op, low.type), element).value]
    return [convert(low + (high - low) * _unit(op, low.type, 0), element).value]


def _uniform_integers(op: RngOp, low: Tensor, high: Tensor) -> Tensor:
    """Of [low, high), by the remainder of 64 random bits."""
    if is_bool(low.element):
        return convert(_bits(op, low.type, 32, 0) & 1, low.element)
    wide = ir.IntegerType.get_unsigned(64)
    signed = ir.IntegerType.get_signless(64)
    start, end = (convert(convert(x, signed), wide) for x in (low, high))
    offset = build("remainder", _bits(op, low.type, 64, 0), end - start)
    return convert(start + offset, low.element)


def _standard_normal(op: RngOp, t: ir.Type) -> Tensor:
    """Box and Muller's transform of two uniform numbers, the first of (0, 1]."""
    radius = sqrt(log(1.0 - _unit(op, t, 0)) * -2.0)
    return radius * cos(_unit(op, t, 1) * (2.0 * math.pi))


def _unit(op: RngOp, t: ir.Type, stream: int) -> Tensor:
    """Of [0, 1): a random mantissa below the exponent of 1.0, less 1."""
    element = element_type(t)
    width, mantissa, one = (64, 52, 0x3FF << 52) if bit_width(element) == 64 else (32, 23, 0x7F << 23)
    bits = (_bits(op, t, width, stream) >> (width - mantissa)) | one
    return bitcast(bits, element) - 1.0


def _bits(op: RngOp, t: ir.Type, width: int, stream: int) -> Tensor:
    wide = ir.IntegerType.get_unsigned(64)
    state = joined([constant(tensor([1], wide), word) for word in (_key(op), stream << 48)], 0).value
    bits_type = with_element(t, ir.IntegerType.get_unsigned(width))
    generator = RngBitGeneratorOp.create(state, results=[state.type, bits_type], rng_algorithm="PHILOX")
    result = lower_rng_bit_generator(generator)[1]
    generator.operation.erase()
    return Tensor(result)


def _key(op: RngOp) -> int:
    """A number of the op's position: how many rng ops come before it in its block, and its location."""
    position = 0
    for other in op.operation.block.operations:
        if other == op:
            break
        position += other.operation.name == RngOp.OPERATION_NAME
    return (zlib.crc32(str(op.location).encode()) << 32) | position


def _spread(scalar: ir.Value, t: ir.Type) -> Tensor:
    return broadcast(Tensor(scalar), shape(t)) if shape(t) else Tensor(scalar)
