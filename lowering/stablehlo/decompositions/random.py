"""Random bits and numbers. rng_bit_generator is Threefry and Philox, the counter-based generators of Salmon et al.,
"Parallel random numbers: as easy as 1, 2, 3" (SC 2011), in StableHLO integer arithmetic, with the words and states that
XLA gives. Used by decompose.

The state is [key, counter] or, for Philox, also [key, low half of counter, high half]; with two elements Philox takes
the key as the high half too. Block i of a result is made of
counter + i; 64-bit results take two words each, low word first; the new state is past the last block used. Philox fills
a result in row-major order. Threefry makes 64-bit results so, and smaller ones along one dimension (see
`_split_dimension`), the two words of a block next to each other.

rng is implementation-defined. Here it has no state: its Philox key is made of the op's position in the program, so that
two ops of one program differ, and each run, and each iteration of a loop, gives the same numbers."""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence

from mlir import ir

from hlo.dialect.locations import diagnostic
from hlo.dialect.stablehlo import RngBitGeneratorOp, RngOp
from hlo.dialect.stablehlo.random import state_size_error
from hlo.dialect.types import bit_width, element_type, is_bool, is_float, shape, tensor, with_element
from hlo.errors import CompileError
from hlo.lowering.stablehlo.arithmetic import (
    Tensor,
    bitcast,
    broadcast,
    build,
    constant,
    convert,
    cos,
    iota,
    joined,
    leading,
    log,
    reshaped,
    select,
    sliced,
    sqrt,
)
from hlo.lowering.stablehlo.decompositions.table import decomposes

_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
_THREEFRY_PARITY = 0x1BD11BDA
_PHILOX_FACTORS = (0xD2511F53, 0xCD9E8D57)
_PHILOX_KEY_STEPS = (0x9E3779B9, 0xBB67AE85)


@decomposes(RngBitGeneratorOp)
def lower_rng_bit_generator(op: RngBitGeneratorOp) -> list[ir.Value]:
    """The new state and the bits. DEFAULT is Philox, as on XLA's CPU. Raises CompileError for a state that Philox has not."""
    result_type = op.output.type
    algorithm = "PHILOX" if op.rng_algorithm == "DEFAULT" else op.rng_algorithm
    if error := state_size_error(algorithm, shape(op.initial_state.type)[0]):
        raise CompileError(diagnostic(op, error))
    if 0 in shape(result_type):
        return [op.initial_state, constant(result_type, 0).value]
    state = [_element(op.initial_state, i) for i in range(shape(op.initial_state.type)[0])]
    wide = bit_width(element_type(result_type)) == 64
    if algorithm == "THREE_FRY":
        blocks, words = _wide_threefry(state, result_type) if wide else _narrow_threefry(state, result_type)
    else:
        blocks = -(-math.prod(shape(result_type)) * (2 if wide else 1) // 4)
        words = _in_order(_philox_blocks(state, blocks), result_type)
    return [_advance(state, blocks), _of_type(words, result_type)]


def _wide_threefry(state: Sequence[Tensor], result_type: ir.Type) -> tuple[int, Tensor]:
    """A block an element. The number of blocks and the bits."""
    blocks = math.prod(shape(result_type))
    return blocks, _in_order(_threefry_blocks(state, blocks), result_type)


def _narrow_threefry(state: Sequence[Tensor], result_type: ir.Type) -> tuple[int, Tensor]:
    """A block for every two elements along the split dimension."""
    sizes = shape(result_type) or [1]
    split = _split_dimension(sizes)
    halves = [-(-n // 2) if d == split else n for d, n in enumerate(sizes)]
    blocks = math.prod(halves)
    columns = [reshaped(w, [*halves[: split + 1], 1, *halves[split + 1 :]]) for w in _threefry_blocks(state, blocks)]
    doubled = [2 * n if d == split else n for d, n in enumerate(halves)]
    return blocks, leading(reshaped(joined(columns, split + 1), doubled), sizes)


def _split_dimension(sizes: Sequence[int]) -> int:
    """The first of even size, or else the largest."""
    return next((d for d, n in enumerate(sizes) if n % 2 == 0), list(sizes).index(max(sizes)))


def _threefry_blocks(state: Sequence[Tensor], blocks: int) -> list[Tensor]:
    key = [_repeat(word, blocks) for word in _halves(state[0])]
    low, high = _halves(_repeat(state[1], blocks) + _count(blocks))
    return threefry_2x32(key, [low, high])


def threefry_2x32(key: Sequence[Tensor], counter: Sequence[Tensor]) -> list[Tensor]:
    """20 rounds; the key is added again after every four."""
    keys = [key[0], key[1], key[0] ^ key[1] ^ _THREEFRY_PARITY]
    x, y = counter[0] + keys[0], counter[1] + keys[1]
    for group in range(5):
        for rotation in _ROTATIONS[group % 2]:
            x = x + y
            y = x ^ ((y << rotation) | (y >> (32 - rotation)))
        x = x + keys[(group + 1) % 3]
        y = y + keys[(group + 2) % 3] + (group + 1)
    return [x, y]


def _philox_blocks(state: Sequence[Tensor], blocks: int) -> list[Tensor]:
    start = _repeat(state[1], blocks)
    low = start + _count(blocks)
    high = _repeat(state[2] if len(state) == 3 else state[0], blocks)
    high = high + select(low < start, constant(low.type, 1), constant(low.type, 0))
    key = [_repeat(word, blocks) for word in _halves(state[0])]
    return philox_4x32(key, [*_halves(low), *_halves(high)])


def philox_4x32(key: Sequence[Tensor], counter: Sequence[Tensor]) -> list[Tensor]:
    """10 rounds."""
    a, b, c, d = counter
    k0, k1 = key
    for _ in range(10):
        low0, high0 = _halves(_wide(a) * _PHILOX_FACTORS[0])
        low1, high1 = _halves(_wide(c) * _PHILOX_FACTORS[1])
        a, b, c, d = high1 ^ b ^ k0, low1, high0 ^ d ^ k1, low0
        k0, k1 = k0 + _PHILOX_KEY_STEPS[0], k1 + _PHILOX_KEY_STEPS[1]
    return [a, b, c, d]


def _advance(state: Sequence[Tensor], blocks: int) -> ir.Value:
    low = state[1] + blocks
    parts = [state[0], low]
    if len(state) == 3:
        parts.append(state[2] + select(low < state[1], constant(low.type, 1), constant(low.type, 0)))
    return joined(parts, 0).value


def _in_order(words: Sequence[Tensor], result_type: ir.Type) -> Tensor:
    """The words of all blocks one after the other, joined to 64 bits where the result needs them, in its shape."""
    if bit_width(element_type(result_type)) == 64:
        pairs = zip(words[::2], words[1::2], strict=True)
        words = [_wide(low) | (_wide(high) << 32) for low, high in pairs]
    flat = leading(_interleave(words), [math.prod(shape(result_type))])
    return reshaped(flat, shape(result_type))


def _of_type(words: Tensor, result_type: ir.Type) -> ir.Value:
    """Cut to the width of the result's elements."""
    element = element_type(result_type)
    unsigned = convert(words, ir.IntegerType.get_unsigned(bit_width(element)))
    bits = bitcast(unsigned, element) if element != unsigned.element else unsigned
    return reshaped(bits, shape(result_type)).value


def _interleave(words: Sequence[Tensor]) -> Tensor:
    blocks = words[0].shape[0]
    return reshaped(joined([reshaped(w, [blocks, 1]) for w in words], 1), [blocks * len(words)])


def _element(vector: ir.Value, position: int) -> Tensor:
    return convert(sliced(Tensor(vector), [position], [position + 1]), ir.IntegerType.get_unsigned(64))


def _repeat(x: Tensor, count: int) -> Tensor:
    return broadcast(x, [count], [0])


def _count(blocks: int) -> Tensor:
    return iota(tensor([blocks], ir.IntegerType.get_unsigned(64)), 0)


def _halves(x: Tensor) -> tuple[Tensor, Tensor]:
    """The low and the high word of ui64."""
    word = ir.IntegerType.get_unsigned(32)
    return convert(x, word), convert(x >> 32, word)


def _wide(x: Tensor) -> Tensor:
    return convert(x, ir.IntegerType.get_unsigned(64))


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
