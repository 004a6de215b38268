"""The pass `expand-math`: math ops and remainders of f32 and f64, scalar or vector, become arithmetic (lowering/vector/math).

Before:  %1 = math.exp %0 : vector<16xf32>
After:   %1 = ... math.roundeven, math.fma, arith ...

Where ops of the same kind follow each other, several are expanded as one op on a vector of several registers: the back
end writes each of its instructions once for every register, so that the processor finds work while it waits for a
result.

What has no expansion (a row missing in EXPANSIONS) stays, for libm. Angles too large for the reduction are handed to
a routine by a branch that ordinary programs never take (lowering/llvm/math/large_angles.py)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import partial

from mlir import ir
from mlir.dialects import vector

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.balanced_tree import in_pairs
from hlo.lowering.finding import block_of, made_by, ops_named
from hlo.lowering.llvm.math import error_function, exponential, hyperbolic, logarithm, power, remainder, trigonometric
from hlo.lowering.llvm.math.exponents import ARITHMETIC, ExponentInstructions, Exponents, TableInstructions
from hlo.lowering.llvm.math.known_power import halves_of, known_pow
from hlo.lowering.llvm.math.large_angles import LargeAngles, bounded
from hlo.lowering.numbers import Number, constant, element_type
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.replacing import replace, rewrite
from hlo.lowering.target import Target, target

BOTH, SINGLE = (32, 64), (32,)

EXPANSIONS: dict[str, tuple[Callable[..., Number], tuple[int, ...]]] = {
    "math.exp": (exponential.exp, BOTH),
    "math.exp2": (exponential.exp2, BOTH),
    "math.expm1": (exponential.expm1, BOTH),
    "math.log": (logarithm.log, BOTH),
    "math.log1p": (logarithm.log1p, BOTH),
    "math.log2": (logarithm.log2, BOTH),
    "math.log10": (logarithm.log10, BOTH),
    "math.tanh": (hyperbolic.tanh, BOTH),
    "math.sin": (trigonometric.sin, BOTH),
    "math.cos": (trigonometric.cos, BOTH),
    "math.tan": (trigonometric.tan, BOTH),
    "math.atan": (trigonometric.atan, BOTH),
    "math.atan2": (trigonometric.atan2, BOTH),
    "math.erf": (error_function.erf, SINGLE),
    "math.powf": (power.pow, BOTH),
    "math.cbrt": (power.cbrt, BOTH),
    "math.rsqrt": (power.rsqrt, BOTH),
    "arith.remf": (remainder.remainder, BOTH),
}
"""The expansion of each op and the element widths it is for."""

NARROW: dict[str, Callable[..., Number]] = {
    "math.erf": error_function.narrow_erf,
    "math.log": partial(logarithm.log, near_one=logarithm.narrow_log_near_one),
    "math.log1p": logarithm.narrow_log1p,
    "math.log2": partial(logarithm.log2, near_one=logarithm.narrow_log_near_one),
    "math.log10": partial(logarithm.log10, near_one=logarithm.narrow_log_near_one),
    "math.powf": power.narrow_pow,
    "math.sin": partial(trigonometric.sin, reduced=trigonometric.of_narrow),
    "math.cos": partial(trigonometric.cos, reduced=trigonometric.of_narrow),
    "math.tan": trigonometric.narrow_tan,
}
"""Expansions whose results are only used rounded to bf16 or f16."""

FUSED: dict[str, tuple[Callable[..., Number], tuple[int, ...]]] = {
    "math.sin": (partial(trigonometric.sin, reduced=trigonometric.by_pairs), SINGLE),
    "math.cos": (partial(trigonometric.cos, reduced=trigonometric.by_pairs), SINGLE),
    "arith.remf": (partial(remainder.remainder, rest=remainder.fused_rest), BOTH),
}
"""Expansions that are for processors with fused multiplications, and the element widths they are for."""

SCALAR_ONLY = {
    f"math.{name}"
    for name in ("acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "cosh", "erf", "erfc", "sinh")
}
"""Ops that LLVM has no vector form for: without an expansion each lane is a call of libm."""

BY_EXPONENTS = {
    exponential.exp,
    exponential.exp2,
    logarithm.log,
    logarithm.log1p,
    logarithm.narrow_log1p,
    logarithm.log2,
    logarithm.log10,
    error_function.erf,
    power.pow,
    power.narrow_pow,
    power.cbrt,
}
"""Expansions that read or make exponents."""

BOUNDED = {"math.sin", "math.cos", "math.tan"}
"""Of angles. Their narrow expansions are for arguments that are numbers of 16 bits, too."""

TOGETHER, BOUNDED_TOGETHER = 4, 2
"""Vectors that are expanded as one, and those of angles, whose branches keep more values: with four, sines of f32 took
1.06 of the time that they take alone, with two 0.94. On an EPYC (Zen 3) four take, of the time of one after the other,
0.6 to 0.8 (f32) and 0.5 to 0.8 (f64), two 0.75 to 0.9, and eight as long as four."""

Run = list[ir.Operation]
"""Ops that follow each other without one needing the other."""


@register_pass
@dataclass(frozen=True)
class ExpandMath(Pass):
    """Replaces elementary functions by vector arithmetic, and instructions for exponents where a processor has them."""

    target: str = "baseline"

    def run(self, module: ir.Module) -> None:
        machine = target(self.target)
        exponents = _exponents(machine)
        ops = ops_named(module, {*EXPANSIONS, *SCALAR_ONLY})
        expanded = [op for op in ops if is_expanded(op)]
        others = [op for op in ops if not is_expanded(op) and op.name in SCALAR_ONLY]
        for run in _runs_together(expanded, machine):
            _expand(module, run, exponents, machine.fuses)
        for op in others:
            if isinstance(op.operands[0].type, ir.VectorType):
                rewrite(op, _unrolled)


def _exponents(machine: Target) -> Exponents:
    """The instructions that a processor has for exponents and for tables."""
    if machine.has_exponents:
        return ExponentInstructions()
    return TableInstructions() if machine.looks_up else ARITHMETIC


def is_expanded(op: ir.Operation) -> bool:
    """Whether there is an expansion for an op."""
    return _width(op.operands[0].type) in EXPANSIONS.get(op.name, (None, ()))[1]


def _width(type: ir.Type) -> int:
    """32 or 64 for f32, f64 and vectors of them; 0 for anything else."""
    return {ir.F32Type: 32, ir.F64Type: 64}.get(element_type(type).__class__, 0)


def _runs_together(ops: Sequence[ir.Operation], machine: Target) -> list[Run]:
    """The ops in runs, each of which is expanded as one."""
    kinds = {op: _kind(op, machine) for op in ops}
    alike = runs(ops, TOGETHER, kinds.__getitem__)
    return [part for run in alike for part in _in_parts(run, kinds[run[0]])]


def _kind(op: ir.Operation, machine: Target) -> Hashable:
    """What ops that are expanded as one have in common; None of an op that is expanded alone. Instructions for
    exponents take one register."""
    if not _fills_register(op.results[0].type, machine) or machine.has_exponents:
        return None
    if op.name == "math.powf" and halves_of(op.operands[1]) is not None:
        return None
    return op.name, op.results[0].type, is_narrow(op), _unextended(op.operands[0])


def _fills_register(type: ir.Type, machine: Target) -> bool:
    return isinstance(type, ir.VectorType) and ir.VectorType(type).shape == [machine.lanes(_width(type))]


def _in_parts(run: Run, kind: Hashable) -> list[Run]:
    """Runs whose lengths are powers of two."""
    most = 1 if kind is None else BOUNDED_TOGETHER if run[0].name in BOUNDED else TOGETHER
    parts: list[Run] = []
    while run:
        size = min(most, 1 << (len(run).bit_length() - 1))
        parts, run = [*parts, run[:size]], run[size:]
    return parts


def runs(
    ops: Sequence[ir.Operation], most: int, kind: Callable[[ir.Operation], Hashable] = lambda op: None
) -> list[Run]:
    """The ops, in the order of a walk, in runs of up to `most` of the same kind."""
    blocks = dict.fromkeys(block_of(op.results[0]) for op in ops)
    places = {op.operation: (n, place) for n, block in enumerate(blocks) for place, op in enumerate(block.operations)}
    found: list[Run] = []
    for op in ops:
        last = found[-1] if found else []
        number, place = places[op]
        is_next = bool(last) and places[last[-1]] == (number, place - 1) and kind(last[-1]) == kind(op)
        if is_next and len(last) < most and not any(v.owner in last for v in op.operands):
            last.append(op)
        else:
            found.append([op])
    return found


def _expand(module: ir.Module, run: Run, exponents: Exponents, fuses: bool) -> None:
    op = run[-1]
    first, *others = _expansions(op, fuses)
    if getattr(first, "func", first) in BY_EXPONENTS:
        first = partial(first, exponents=exponents)
    with op.location, ir.InsertionPoint(op):
        operands = [Number(_joined(values)) for values in zip(*(o.operands for o in run))]
        result = _known_power(op, operands[0]) if op.name == "math.powf" else None
        if result is None:
            largest = _largest(op, first) if op.name in BOUNDED else None
            result = (
                first(*operands) if largest is None else _bounded(module, op, operands[0], first, largest, len(others))
            )
        parts = _parts(result.value, len(run))
    for one, part in zip(run, parts, strict=True):
        replace(one, [part])


def _joined(values: Sequence[ir.Value]) -> ir.Value:
    """One vector of the lanes of all; their number is a power of two."""
    return in_pairs(values, lambda a, b: vector.shuffle(a, b, list(range(2 * ir.VectorType(a.type).shape[0]))))


def _parts(value: ir.Value, count: int) -> list[ir.Value]:
    """What was joined."""
    if count == 1:
        return [value]
    lanes = ir.VectorType(value.type).shape[0] // count
    return [vector.shuffle(value, value, list(range(n * lanes, (n + 1) * lanes))) for n in range(count)]


def _known_power(op: ir.Operation, x: Number) -> Number | None:
    """Where the exponent allows it, multiplications."""
    halves = halves_of(op.operands[1])
    return None if halves is None else known_pow(halves, x, is_narrow(op))


def _expansions(op: ir.Operation, fuses: bool) -> list[Callable[..., Number]]:
    """The expansion to take, and those for angles that it is not for."""
    if op.name in NARROW and is_narrow(op):
        return [NARROW[op.name]]
    tables = [FUSED, EXPANSIONS] if fuses else [EXPANSIONS]
    rows = [table[op.name] for table in tables if op.name in table]
    return [expansion for expansion, widths in rows if _width(op.operands[0].type) in widths]


def is_narrow(op: ir.Operation) -> bool:
    """Whether the result is only used rounded to 16 bits or fewer, and an angle has no more."""
    users = [use.owner for use in op.results[0].uses]
    is_rounded = all(u.name == "arith.truncf" and element_type(u.results[0].type).width <= 16 for u in users)
    return is_rounded and (op.name not in BOUNDED or _unextended(op.operands[0]).width <= 16)


def _unextended(value: ir.Value) -> ir.FloatType:
    """The type of the numbers that a value has, before they were extended."""
    op = made_by(value, "arith.extf")
    return element_type(value.type if op is None else op.operands[0].type)


def _largest(op: ir.Operation, expansion: Callable[..., Number]) -> float | None:
    """The largest angle that an expansion is for; None: any."""
    if expansion is NARROW[op.name]:
        return None if isinstance(_unextended(op.operands[0]), ir.F16Type) else trigonometric.LARGEST_NARROW
    if expansion is FUSED.get(op.name, (None,))[0]:
        return trigonometric.LARGEST_PAIR
    return trigonometric.LARGEST[_width(op.operands[0].type)]


def _bounded(
    module: ir.Module, op: ir.Operation, x: Number, expansion: Callable[..., Number], largest: float, others: int
) -> Number:
    """An expansion; where a lane is beyond its range a call of a routine with the others, or libm."""
    beyond = LargeAngles(op.name.removeprefix("math."), others, x.type)
    return bounded(x, expansion, largest, partial(beyond.call, module))


def _unrolled(op: ir.Operation) -> ir.Value:
    """One scalar op a lane."""
    kind = ir.VectorType(op.results[0].type)
    result = constant(kind, 0.0)
    for lane in range(kind.shape[0]):
        operands = [vector.extract(v, [], [lane]) for v in op.operands]
        one = ir.Operation.create(op.name, results=[kind.element_type], operands=operands).result
        result = vector.insert(one, result, [], [lane])
    return result
