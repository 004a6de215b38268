"""Result types of ops that leave them to the writer, where operands and attributes (and an element type) suggest one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mlir import ir

from hlo.dialect.regions import returned_types
from hlo.dialect.stablehlo.contraction import einsum_terms
from hlo.dialect.types import bit_width, element_type, shape, tensor


def _dot(op: Any, element: ir.Type) -> list[ir.Type]:
    return [tensor([*shape(op.lhs.type)[:-1], *shape(op.rhs.type)[1:]], element)]


def _einsum(op: Any, operands: Sequence[ir.Value], element: ir.Type) -> list[ir.Type] | None:
    parsed = einsum_terms(op.einsum_config)
    if parsed is None:
        return None
    sizes: dict[str, int] = {}
    for term, operand in zip(parsed[0], operands):
        sizes.update(zip(term, shape(operand.type)))
    return [tensor([sizes[letter] for letter in parsed[1]], element)]


def _bitcast(op: Any, element: ir.Type) -> list[ir.Type]:
    """Equal widths keep the shape; wider elements take the last dimension up, narrower ones add one."""
    sizes, old, new = list(shape(op.operand.type)), bit_width(element_type(op.operand.type)), bit_width(element)
    if new > old:
        return [tensor(sizes[:-1], element)]
    return [tensor(sizes if new == old else [*sizes, old // new], element)]


def _same_shape(op: Any, element: ir.Type) -> list[ir.Type]:
    return [tensor(shape(op.operand.type), element)]


def _scan(op: Any, element: ir.Type) -> list[ir.Type]:
    """Outputs are slices of the body's first results, put together along the dimension."""
    size = shape(op.inputs[0].type)[op.dimension] if op.inputs else op.scan_dim_size
    returned = returned_types(op.regions[0])
    slices = returned[: len(returned) - len(op.inits)]
    d = op.dimension
    outputs = [tensor([*shape(t)[:d], size, *shape(t)[d:]], element_type(t)) for t in slices]
    return [*outputs, *(v.type for v in op.inits)]


def _ragged_dot(op: Any, element: ir.Type) -> list[ir.Type] | None:
    """With the ragged dimension among those that lhs keeps, the result is that of a product with one group."""
    d, lhs, rhs = op.ragged_dot_dimension_numbers, shape(op.lhs.type), shape(op.rhs.type)
    gone = (*d.lhs_batching_dimensions, *d.lhs_contracting_dimensions)
    if len(d.lhs_ragged_dimensions) != 1 or d.lhs_ragged_dimensions[0] in d.lhs_batching_dimensions:
        return None
    groups = list(shape(op.group_sizes.type)) if d.lhs_ragged_dimensions[0] in gone else []
    batch = [lhs[i] for i in d.lhs_batching_dimensions]
    left = [n for i, n in enumerate(lhs) if i not in gone]
    dropped = (*d.rhs_batching_dimensions, *d.rhs_contracting_dimensions, *d.rhs_group_dimensions)
    return [tensor([*groups, *batch, *left, *(n for i, n in enumerate(rhs) if i not in dropped)], element)]


def _future(op: Any, element: ir.Type) -> list[ir.Type]:
    inner = ", ".join(map(str, returned_types(op.regions[0])))
    return [ir.Type.parse(f"!stablehlo.future<{inner}>")]


def _of_future(op: Any, element: ir.Type) -> list[ir.Type]:
    inner = str(op.operand.type).removeprefix("!stablehlo.future<")[:-1]
    results = ir.TupleType(ir.Type.parse(f"tuple<{inner}>"))
    return [results.get_type(i) for i in range(results.num_types)]


def _returned(op: Any, element: ir.Type) -> list[ir.Type]:
    return returned_types(op.regions[0])


RULES: dict[str, Callable[[Any, Any], list[ir.Type] | None]] = {
    "stablehlo.dot": _dot,
    "stablehlo.dot_general": lambda op, element: [tensor(op.result_sizes(), element)],
    "stablehlo.convolution": lambda op, element: [tensor(op.result_sizes(), element)],
    "stablehlo.einsum": lambda op, element: _einsum(op, [op.lhs, op.rhs], element),
    "stablehlo.unary_einsum": lambda op, element: _einsum(op, [op.operand], element),
    "stablehlo.convert": _same_shape,
    "stablehlo.uniform_quantize": _same_shape,
    "stablehlo.bitcast_convert": _bitcast,
    "stablehlo.if": _returned,
    "stablehlo.case": _returned,
    "stablehlo.async_start": _future,
    "stablehlo.async_done": _of_future,
    "chlo.scan": _scan,
    "chlo.ragged_dot": _ragged_dot,
}
NEEDS_DTYPE = {"stablehlo.convert", "stablehlo.bitcast_convert", "stablehlo.uniform_quantize"}
