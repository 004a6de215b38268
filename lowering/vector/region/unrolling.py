"""How many vectors a step of a nest takes: independent ones, whose instructions run while those of others wait for their operands."""

from __future__ import annotations

from math import prod

from mlir import ir

from hlo.lowering.linalg.iteration import Dim
from hlo.lowering.memory.storage import element_bytes
from hlo.lowering.target import Target
from hlo.lowering.vector.region.accesses import Accesses
from hlo.lowering.vector.region.graph import Stage

UNROLL, MOST_UNROLL = 4, 8
"""Vectors a step, and those where arithmetic takes the time."""
MOST_UNROLLED = 16
"""Vectors a step that any schedule may have."""
UNROLLED_COST = 64
"""The body cost (in instructions) beyond which nests of little work take one vector a step: their code takes longer to
compile than it saves."""
FEW_INSTRUCTIONS = 8
"""The body cost up to which sums of columns wait for memory."""
REGISTERS_OF_VECTOR, REGISTERS_OF_DOUBLES = 2, 4
"""Registers that the values of a vector take while elementary functions are evaluated, and those of a vector of f64,
whose polynomials are longer."""
FEW_REGISTERS = 16
"""Registers with which half as many vectors of complex numbers, whose parts take one each, are as fast or faster: 0.83 to 1.04 of the time of
nine functions, two readings each beside other work, but for one of two of a division of f64 (1.11) and of tanh of f32 (1.34); AMD EPYC, Zen 3."""
BYTES_AN_INSTRUCTION = 5
"""What caches read and write in the time of a vector instruction: where a vector takes more, memory is what takes the
time, and more vectors a step are slower (0.92 to 0.96 of the speed of 4)."""
MANY_STEPS = 8
"""Steps of a row from which what they leave is little, and the last one may begin earlier."""
LEAST_WORK, MUCH_WORK = 1 << 18, 1 << 24
"""Instructions, in elements, from which long bodies are unrolled, and from which bodies are unrolled `MOST_UNROLL`
times: twice the compile time is then that of a few hundred calls."""


def vectors_a_step(stage: Stage, accesses: Accesses, width: int, target: Target) -> int:
    """Of `width` lanes."""
    work = accesses.cost * prod(d.size for d in stage.dims)
    if accesses.cost > UNROLLED_COST and work < LEAST_WORK:
        return 1
    moved = width * sum(element_bytes(access.element) for access in accesses.accesses)
    if moved > BYTES_AN_INSTRUCTION * accesses.cost:
        return UNROLL
    has_parts = any(isinstance(element, ir.ComplexType) for element in accesses.elements)
    registers = 2 if has_parts and target.registers <= FEW_REGISTERS else 1
    if work < MUCH_WORK or accesses.branches:
        return UNROLL // registers
    has_doubles = any(isinstance(element, ir.F64Type) for element in accesses.elements)
    of_function = REGISTERS_OF_DOUBLES if has_doubles else REGISTERS_OF_VECTOR
    return max(UNROLL, min(MOST_UNROLL, target.registers // of_function)) // registers


def even_steps(steps: int, size: int, width: int, cost: float, may_repeat: bool) -> int:
    """About as many vectors a step, so that steps leave none of a short row: these would be code of their own, on
    targets without masks one vector a step. `cost`: of the body; `may_repeat`: the last step may begin earlier, and the
    last vector need not be full. Fewer a step are slower (1.05 to 1.2 of the time of long bodies) unless two steps make
    the row, more of a long body take longer to compile."""
    vectors = -(-size // width)
    fewest = 1 if size % width == 0 else 2
    if vectors >= MANY_STEPS * steps or (size % width and not may_repeat):
        return steps
    is_short = cost <= FEW_INSTRUCTIONS
    least = -(-3 * steps // 4) if is_short and vectors < 2 * steps else steps
    most = min(MOST_UNROLLED, (6 if is_short else 5) * steps // 4)
    even = [n for n in range(least, most + 1) if vectors % n == 0 and vectors // n >= fewest]
    return min(even, key=lambda n: abs(n - steps), default=steps)


def columns_a_step(lanes: Dim, width: int, states: int, stage: Stage, accesses: Accesses, target: Target) -> int:
    """Vectors of columns that one walk along the reduced dimension sums up: what comes from memory is read in long pieces of
    rows, as far as sums stay in half of the registers and every thread has columns."""
    size = prod(d.size for d in stage.dims) * max((element_bytes(a.element) for a in accesses.accesses), default=0)
    if accesses.cost > FEW_INSTRUCTIONS or size <= target.l2:
        return 1
    steps = target.registers // (2 * max(states, 1))
    vectors = lanes.size // width
    if prod(d.size for d in stage.parallel if d is not lanes) < target.threads:
        steps = min(steps, vectors // target.threads)
    return steps if target.masks or (steps and vectors % steps == 0) else 1
