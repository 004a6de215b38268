"""Custom calls that stand for ops with shapes as operands, as `jax.export` prints them. Used by specialize-shapes."""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir.dialects import func

from hlo.dialect.stablehlo import ReduceWindowOp, ReturnOp
from hlo.errors import CompileError
from hlo.lowering.linalg.rules import located
from hlo.lowering.stablehlo.rewriting import move_body
from hlo.lowering.stablehlo.shapes.known import DynamicOp, Rule


def lower_assertion(dynamic: DynamicOp) -> list[ir.Value] | None:
    """A condition on shapes: nothing if it holds."""
    holds, *values = (dynamic.integers(v) for v in dynamic.op.operands)
    if holds is None:
        return None
    if not holds[0]:
        raise CompileError(located(dynamic.op, _message(dynamic.op, [v[0] if v else "?" for v in values])))
    return []


def _message(op: Any, values: list[Any]) -> str:
    if "error_message" not in op.attributes:
        return "shape assertion failed"
    text = ir.StringAttr(op.attributes["error_message"]).value
    for number, value in enumerate(values):
        text = text.replace(f"{{{number}}}", str(value))
    return text


def lower_reduce_window(dynamic: DynamicOp) -> list[ir.Value] | None:
    """Operands: inputs, initial values, window sizes, strides, base dilations, window dilations, paddings."""
    op = dynamic.op
    *arrays, sizes, strides, base, window, padding = op.operands
    known = dynamic.all_integers(sizes, strides, base, window, padding)
    if known is None:
        return None
    pairs = [known[4][i : i + 2] for i in range(0, len(known[4]), 2)]
    made = ReduceWindowOp.create(
        *arrays,
        results=[v.type for v in arrays[: len(op.results)]],
        window_dimensions=known[0],
        window_strides=known[1],
        base_dilations=known[2],
        window_dilations=known[3],
        padding=ir.Attribute.parse(f"dense<{pairs}> : tensor<{len(pairs)}x2xi64>"),
    )
    _copy_body(_callee(op), made)
    for result, t in zip(made.results, made.infer() or [], strict=True):
        result.set_type(t)
    return list(made.results)


def _callee(op: Any) -> Any:
    """The function that the call names."""
    (symbol,) = ir.ArrayAttr(op.attributes["called_computations"])
    name, parent = ir.FlatSymbolRefAttr(symbol).value, op.operation.parent
    while parent.parent is not None:
        parent = parent.parent
    for function in parent.regions[0].blocks[0].operations:
        if isinstance(function, func.FuncOp) and function.name.value == name:
            return function
    raise CompileError(located(op, f"no function @{name}"))


def _copy_body(function: Any, op: Any) -> None:
    """The function's body as the region of an op."""
    copy = function.operation.clone()
    source = copy.regions[0].blocks[0]
    types = [a.type for a in source.arguments]
    block = op.regions[0].blocks.append(*types, arg_locs=[op.location] * len(types))
    with ir.InsertionPoint(block):
        ReturnOp.create(*move_body(source, list(block.arguments)), results=[])
    copy.erase()


DYNAMIC_CALLS: dict[str, Rule] = {
    "shape_assertion": lower_assertion,
    "stablehlo.dynamic_reduce_window": lower_reduce_window,
}
"""By call_target_name."""
