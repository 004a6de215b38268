"""The interpreter dialect: looks at values while a program runs.

Operands and attributes are those of upstream's InterpreterOps.td
(https://github.com/openxla/stablehlo/blob/main/stablehlo/reference/InterpreterOps.td)."""

from __future__ import annotations

from hlo.dialect.attributes import String, Symbol, array_of
from hlo.dialect.definition import Attr, Op, Operand, Result
from hlo.dialect.stablehlo.calls import find_function
from hlo.dialect.types import AnyTensor, TensorOrToken


class _Identity(Op):
    DIALECT = "interpreter"
    IS_PURE = False
    operand = Operand(AnyTensor)
    result = Result(AnyTensor)

    def infer(self):
        return [self.operand.type]


class PrintOp(_Identity, mnemonic="print"):
    """Prints a value."""


class ProbeOp(_Identity, mnemonic="probe"):
    """Saves a value under a name."""

    probe_id = Attr(String)


class RunParallelOp(Op, mnemonic="run_parallel"):
    """Runs a grid (replicas by partitions) of functions at the same time; inputs and results are those of all
    functions in a row."""

    DIALECT = "interpreter"
    IS_PURE = False
    inputs = Operand(TensorOrToken, variadic=True)
    infeed = Attr(array_of(Symbol), optional=True)
    programs = Attr(array_of(array_of(Symbol)))
    outputs = Result(TensorOrToken, variadic=True)

    def infer(self):
        functions = [find_function(self, name) for row in self.programs for name in row]
        return [t for f in functions for t in f.type.results] if all(functions) else None
