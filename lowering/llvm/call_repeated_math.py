"""The pass `call-repeated-math`: a math op with a long expansion that a function repeats very often is computed by
functions, which are called: for two vectors where two ops follow each other, so that the processor has two chains of
instructions to go through.

Before:  %2 = math.powf %0, %y : vector<8xf64>     %3 = math.powf %1, %y : vector<8xf64>      (a dozen times)
After:   %2:2 = call @math.powf.0.2x8xf64(%0, %y, %1, %y)
         func.func private @math.powf.0.2x8xf64(%a, %b, %c, %d) { %0 = math.powf %a, %b ... %1 = math.powf %c, %d ... return %0, %1 }

expand-math writes each op out: the powers in zeta would be 10,000 instructions."""

from __future__ import annotations

from collections.abc import Iterator

from mlir import ir
from mlir.dialects import arith, func

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.finding import function_of, made_by, name_of, ops_named
from hlo.lowering.llvm.expand_math import Run, is_expanded, is_narrow, runs
from hlo.lowering.llvm.math.known_power import halves_of, is_known
from hlo.lowering.numbers import element_type
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.replacing import replace

LENGTHS: dict[str, tuple[int, int]] = {"math.powf": (94, 188), "math.cbrt": (69, 100)}
"""Ops of the expansions of f32 and of f64, about, beside which a call is small. Of sin and cos (90 and 64) it is not: 0.95 of the speed."""

MOST = 700
"""Ops that a function may have in expansions of one math op."""

TOGETHER = 2
"""Vectors of a call. One alone takes up to 1.1 of the time (f32), four no less than two."""


@dataclass(frozen=True)
class Computation:
    """What an op computes. Operands that are constants are a part of it, as attributes."""

    mnemonic: str
    type: ir.Type
    constants: tuple[ir.Attribute | None, ...]

    @classmethod
    def of(cls, op: ir.Operation) -> Computation:
        return cls(op.name, op.results[0].type, tuple(map(_constant, op.operands)))

    def is_too_long(self, count: int) -> bool:
        """Whether so many of it are more than is written out in a function."""
        return count * LENGTHS[self.mnemonic][element_type(self.type).width == 64] > MOST

    def write(self, module: ir.Module, number: int, count: int) -> func.FuncOp:
        """A function that computes `count` results."""
        lanes = ir.VectorType(self.type).shape if isinstance(self.type, ir.VectorType) else []
        sizes = "x".join(map(str, [count, *lanes, element_type(self.type)]))
        inputs = [self.type for given in self.constants if given is None] * count
        type = ir.FunctionType.get(inputs, [self.type] * count)
        with ir.InsertionPoint.at_block_begin(module.body):
            function = func.FuncOp(f"{self.mnemonic}.{number}.{sizes}", type, visibility="private")
        with ir.InsertionPoint(function.add_entry_block()):
            arguments = iter(function.arguments)
            func.ReturnOp([self._compute(arguments) for _ in range(count)])
        return function

    def _compute(self, arguments: Iterator[ir.Value]) -> ir.Value:
        operands = [next(arguments) if c is None else arith.constant(self.type, c) for c in self.constants]
        return ir.Operation.create(self.mnemonic, results=[self.type], operands=operands).result

    def call(self, function: func.FuncOp, run: Run) -> None:
        """Replaces ops that follow each other. A function for more of them computes the last one again."""
        taken = sum(given is None for given in self.constants)
        operands = [v for op in run for v, given in zip(op.operands, self.constants, strict=True) if given is None]
        operands += operands[-taken:] * (len(function.type.results) - len(run))
        with run[-1].location, ir.InsertionPoint(run[-1]):
            results = func.CallOp(function, operands).results
        for op, result in zip(run, results):
            replace(op, [result])


@register_pass
class CallRepeatedMath(Pass):
    """Replaces math ops with long expansions by calls, where a function has very many."""

    def run(self, module: ir.Module) -> None:
        functions: dict[tuple[Computation, int], func.FuncOp] = {}
        repeated = _repeated(module)
        together = {computation for computation, run in repeated if len(run) == TOGETHER}
        for computation, run in repeated:
            count = TOGETHER if computation in together and not _is_in_loop(run[0]) else len(run)
            kind = computation, count
            if kind not in functions:
                with run[0].location:
                    functions[kind] = computation.write(module, len(functions), count)
            computation.call(functions[kind], run)


def _repeated(module: ir.Module) -> list[tuple[Computation, Run]]:
    """The ops of a module that make too much code, in runs; with those of one function those of the kernel's other functions."""
    found: dict[tuple[ir.Operation, Computation], list[ir.Operation]] = {}
    for op in ops_named(module, LENGTHS):
        if is_expanded(op) and not is_narrow(op) and not _is_known_power(op):
            found.setdefault((function_of(op), Computation.of(op)), []).append(op)
    called = {
        (_kernel_of(f), computation) for (f, computation), ops in found.items() if computation.is_too_long(len(ops))
    }
    repeated = [(computation, ops) for (f, computation), ops in found.items() if (_kernel_of(f), computation) in called]
    return [(computation, run) for computation, ops in repeated for run in runs(ops, TOGETHER)]


def _is_in_loop(op: ir.Operation) -> bool:
    return op.parent.name != "func.func"


def _kernel_of(function: ir.Operation) -> str:
    """What the names of a kernel's functions begin with."""
    return name_of(function).partition(".")[0]


def _constant(value: ir.Value) -> ir.Attribute | None:
    op = made_by(value, "arith.constant", "vector.broadcast")
    if op is None or op.name == "arith.constant":
        return None if op is None else op.attributes["value"]
    scalar = _constant(op.operands[0])
    return scalar and ir.DenseElementsAttr.get_splat(value.type, scalar)


def _is_known_power(op: ir.Operation) -> bool:
    halves = halves_of(op.operands[1]) if op.name == "math.powf" else None
    return halves is not None and is_known(halves, element_type(op.results[0].type).width, is_narrow(op))
