"""The interpreter dialect: looks at values while a program runs.

Operands and attributes are those of upstream's InterpreterOps.td
(https://github.com/openxla/stablehlo/blob/main/stablehlo/reference/InterpreterOps.td)."""

from __future__ import annotations

from typing import Any

from hlo.dialect.attributes import String, Symbol, array_of
from hlo.dialect.definition import Attr, Op, Operand, Result, constraint
from hlo.dialect.regions import compatible_lists, types_text
from hlo.dialect.stablehlo.calls import find_function
from hlo.dialect.types import AnyTensor, TensorOrToken, is_tensor


class _Identity(Op):
    ONE_TYPE = (("operand", "result"),)
    DIALECT = "interpreter"
    IS_PURE = False
    operand = Operand(AnyTensor)
    result = Result(AnyTensor)

    def infer(self):
        return [self.operand.type]


class PrintOp(_Identity, mnemonic="print"):
    """Prints a value."""

    ASSEMBLY = "operands attr-dict `:` custom<SameOperandsAndResultType>"


class ProbeOp(_Identity, mnemonic="probe"):
    """Saves a value under a name."""

    ASSEMBLY = "operands `,` `probe_id` `=` $probe_id attr-dict `:` custom<SameOperandsAndResultType>"
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

    @constraint()
    def programs_form_a_grid(self):
        sizes = sorted({len(row) for row in self.programs})
        if len(sizes) != 1 or sizes[0] == 0:
            return f"programs must have a row a replica, each with a function a partition, found {_rows(self.programs)}"
        return None

    @constraint()
    def functions_exist(self):
        names = [*(name for row in self.programs for name in row), *(self.infeed or ())]
        unknown = next((name for name in names if find_function(self, name) is None), None)
        return None if unknown is None else f"names @{unknown}, which is no function of the program"

    @constraint()
    def infeeds_take_nothing(self):
        takes = next((n for n in self.infeed or () if _function(self, n).type.inputs), None)
        return None if takes is None else f"functions of infeed must have no arguments, found @{takes}"

    @constraint()
    def inputs_are_those_of_the_programs(self):
        functions = [_function(self, name) for row in self.programs for name in row]
        wanted = [t for f in functions for t in f.type.inputs]
        found = [v.type for v in self.inputs]
        if compatible_lists(found, wanted):
            return None
        return f"inputs must be those of all programs, {types_text(wanted)}, found {types_text(found)}"

    @constraint()
    def infeed_gives_tensors(self):
        if self.infeed is not None and not self.infeed:
            return "infeed must name at least one function, found []"
        for name in self.infeed or ():
            results = list(_function(self, name).type.results)
            if len(results) != 1 or not is_tensor(results[0]):
                return f"infeed function @{name} must return one tensor, found {types_text(results)}"
        return None

    def infer(self):
        names = [name for row in self.programs for name in row]
        known = [f for f in (find_function(self, name) for name in names) if f is not None]
        return [t for f in known for t in f.type.results] if len(known) == len(names) else None


def _function(op: RunParallelOp, name: str) -> Any:
    """A function that is there: functions_exist is checked first."""
    found = find_function(op, name)
    assert found is not None, name
    return found


def _rows(programs: tuple[tuple[str, ...], ...]) -> str:
    return ", ".join(f"[{', '.join(f'@{name}' for name in row)}]" for row in programs) or "none"
