"""Ops that run beside others: started, then waited for."""

from __future__ import annotations

from hlo.dialect.definition import Op, Operand, Region, Result, constraint
from hlo.dialect.futures import future_of, future_types
from hlo.dialect.regions import compatible_lists, returned_types, signature_error, types_text
from hlo.dialect.types import AnyTensor, AnyValue, TypeSet

Future = TypeSet("future", lambda t: str(t).startswith("!stablehlo.future<"), "@stablehlo::@future")

ASYNCHRONOUS = tuple(
    f"stablehlo.{name}"
    for name in (
        *("all_gather", "all_reduce", "all_to_all", "collective_broadcast", "collective_permute", "reduce_scatter"),
        *("slice", "dynamic_slice", "dynamic_update_slice"),
    )
)
"""Ops that async_start may start."""


class AsyncStartOp(Op, mnemonic="async_start"):
    """Starts the one op of its body. https://openxla.org/stablehlo/spec#async_start"""

    IS_PURE = False
    inputs = Operand(AnyTensor, variadic=True)
    body = Region()
    result = Result(Future)

    @constraint()
    def body_takes_inputs(self):
        types = [v.type for v in self.inputs]
        return signature_error("body", self.body, types, returned_types(self.body))

    @constraint()
    def body_is_one_operation(self):
        operations = list(self.body.blocks[0].operations)
        names = [op.operation.name for op in operations[:-1]]
        if len(names) != 1 or names[0] not in ASYNCHRONOUS:
            allowed = ", ".join(name.partition(".")[2] for name in ASYNCHRONOUS)
            return f"body must be one operation ({allowed}) and a return, found {', '.join(names) or 'a return only'}"
        outside = next((v for v in operations[0].operands if v.owner != self.body.blocks[0]), None)
        return None if outside is None else f"body must use its own arguments only, found {outside.get_name()}"

    def infer(self):
        return [future_of(returned_types(self.body))]


class AsyncDoneOp(Op, mnemonic="async_done"):
    """Waits for what async_start began. https://openxla.org/stablehlo/spec#async_done"""

    IS_PURE = False
    operand = Operand(Future)
    outputs = Result(AnyValue, variadic=True)

    @constraint()
    def results_are_of_future(self):
        found, wanted = [v.type for v in self.outputs], future_types(self.operand.type)
        if not compatible_lists(found, wanted):
            return f"results must be those of the future, {types_text(wanted)}, found {types_text(found)}"
        return None

    def infer(self):
        return future_types(self.operand.type)
