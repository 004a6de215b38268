"""Custom calls of functions whose results have sizes that operands hold, as jax.export prints them. Used by specialize-shapes."""

from __future__ import annotations

from dataclasses import replace

from mlir import ir

from hlo.dialect.stablehlo import CustomCallOp
from hlo.dialect.stablehlo.custom_calls import SIZES_OF_RESULTS, size_operands
from hlo.dialect.types import element_type, tensor
from hlo.dialect.verifier import op_error
from hlo.errors import CompileError
from hlo.lowering.linalg.rules import located
from hlo.lowering.stablehlo.shapes.known import DynamicOp, attributes_of


def lower_sized_call(dynamic: DynamicOp) -> list[ir.Value] | None:
    """The function itself is not given the sizes: they go, and what is said of operands by their numbers is renumbered.

    %r = stablehlo.custom_call @f(%x, %sizes) {indices_of_shape_operands = dense<1> : tensor<1xi64>}
    becomes %r = stablehlo.custom_call @f(%x), its type that of the sizes."""
    op = dynamic.op
    places = size_operands(op)
    known = dynamic.all_integers(*(op.operands[i] for i in places))
    if known is None:
        return None
    if any(n < 0 for sizes in known for n in sizes):
        raise CompileError(located(op, f"sizes of results must not be negative, found {known}"))
    left = [i for i in range(len(op.operands)) if i not in places]
    attributes = attributes_of(op, SIZES_OF_RESULTS, "output_operand_aliases")
    if "operand_layouts" in attributes:
        layouts = ir.ArrayAttr(attributes["operand_layouts"])
        attributes["operand_layouts"] = ir.ArrayAttr.get([layouts[i] for i in left])
    aliases = [replace(a, operand_index=left.index(a.operand_index)) for a in op.output_operand_aliases]
    made = CustomCallOp.create(
        *(op.operands[i] for i in left),
        results=[tensor(sizes, element_type(r.type)) for sizes, r in zip(known, op.results, strict=True)],
        call_target_name=op.call_target_name,
        output_operand_aliases=aliases or None,
    )
    for name, value in attributes.items():
        made.attributes[name] = value
    if error := op_error(made):
        raise CompileError(located(op, f"'{op.operation.name}' op {error}"))
    return list(made.results)
