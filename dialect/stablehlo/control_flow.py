"""Choice, loops, the terminator of regions, and the barrier."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from hlo.dialect.definition import Op, Operand, Region, Result, constraint
from hlo.dialect.regions import argument_types, compatible_lists, returned_types, signature_error, types_text
from hlo.dialect.types import (
    AnyTensor,
    AnyValue,
    Buffer,
    TensorOrToken,
    Token,
    is_bool,
    least_specific,
    scalar_of,
    tensor,
    tensor_of,
)

_Predicate = scalar_of(tensor_of("boolean", is_bool))
_Carried = TensorOrToken | Buffer
_Index = scalar_of(tensor_of("si32", lambda t: isinstance(t, ir.IntegerType) and t.width == 32 and not t.is_unsigned))


def _no_inputs_error(name: str, region: ir.Region) -> str | None:
    inputs = argument_types(region)
    return f"{name} must have no inputs, found {types_text(inputs)}" if inputs else None


def _outputs_error(name: str, region: ir.Region, result_types: list[ir.Type]) -> str | None:
    outputs = returned_types(region)
    if compatible_lists(outputs, result_types):
        return None
    return f"{name} must return the result types {types_text(result_types)}, found {types_text(outputs)}"


def _returned_by_all(branches: Sequence[ir.Region]) -> list[ir.Type]:
    """What any of the branches may return, as far as it is known."""
    return [least_specific(*types) for types in zip(*map(returned_types, branches))]


class IfOp(Op, mnemonic="if"):
    """One of two functions, by a predicate. https://openxla.org/stablehlo/spec#if"""

    IS_PURE = False
    pred = Operand(_Predicate)
    true_branch = Region()
    false_branch = Region()
    outputs = Result(TensorOrToken, variadic=True)

    @constraint("C1")
    def branches_have_no_inputs(self):
        return _no_inputs_error("true_branch", self.true_branch) or _no_inputs_error("false_branch", self.false_branch)

    @constraint("C2")
    def branches_return_one_type(self):
        true, false = returned_types(self.true_branch), returned_types(self.false_branch)
        if not compatible_lists(true, false):
            found = f"{types_text(true)} and {types_text(false)}"
            return f"true_branch and false_branch must return the same types, found {found}"
        return None

    @constraint("C3")
    def results_are_returned(self):
        return _outputs_error("true_branch", self.true_branch, [v.type for v in self.outputs])

    def infer(self):
        return _returned_by_all([self.true_branch, self.false_branch])


class CaseOp(Op, mnemonic="case"):
    """One of several functions, by an index; the last when it is out of range.
    https://openxla.org/stablehlo/spec#case"""

    IS_PURE = False
    index = Operand(_Index)
    branches = Region(variadic=True)
    outputs = Result(TensorOrToken, variadic=True)

    @constraint("C1")
    def has_branches(self):
        return None if self.branches else "must have at least one branch, found 0"

    @constraint("C2")
    def branches_have_no_inputs(self):
        errors = (_no_inputs_error(f"branch {i}", b) for i, b in enumerate(self.branches))
        return next((e for e in errors if e), None)

    @constraint("C3", "C4")
    def results_are_returned(self):
        results = [v.type for v in self.outputs]
        errors = (_outputs_error(f"branch {i}", b, results) for i, b in enumerate(self.branches))
        return next((e for e in errors if e), None)

    def infer(self):
        return _returned_by_all(self.branches)


class WhileOp(Op, mnemonic="while"):
    """Repetition of body as long as cond holds. https://openxla.org/stablehlo/spec#while"""

    ASSEMBLY = "custom<WhileOp>"
    IS_PURE = False
    inputs = Operand(_Carried, variadic=True)
    cond = Region()
    body = Region()
    outputs = Result(_Carried, variadic=True)

    @constraint("C1")
    def cond_is_a_predicate(self):
        boolean = tensor([], ir.IntegerType.get_signless(1))
        return signature_error("cond", self.cond, [v.type for v in self.inputs], [boolean])

    @constraint("C2")
    def body_keeps_types(self):
        types = [v.type for v in self.inputs]
        return signature_error("body", self.body, types, types)

    @constraint("C3")
    def infer(self):
        return [v.type for v in self.inputs]


class ReturnOp(Op, mnemonic="return"):
    """The end of a region: its outputs."""

    ASSEMBLY = "operands attr-dict (`:` type(operands)^)?"
    IS_PURE = False
    IS_TERMINATOR = True
    inputs = Operand(AnyValue, variadic=True)


class OptimizationBarrierOp(Op, mnemonic="optimization_barrier"):
    """Keeps what comes before from moving behind. https://openxla.org/stablehlo/spec#optimization_barrier"""

    ASSEMBLY = "attr-dict custom<BarrierOperands>"
    IS_PURE = False
    MOVES = True
    inputs = Operand(AnyTensor | Token, variadic=True)
    outputs = Result(AnyTensor | Token, variadic=True)

    @constraint("C1", "C2")
    def infer(self):
        return [v.type for v in self.inputs]
