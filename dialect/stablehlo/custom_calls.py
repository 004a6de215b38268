"""custom_call: an operation that is implemented elsewhere, and what its attributes must say of its operands and results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir

from hlo.dialect.attributes import (
    I32,
    AnyAttribute,
    AttributeKind,
    Bool,
    OutputOperandAlias,
    String,
    Symbol,
    array_of,
    structure,
)
from hlo.dialect.choices import TYPES
from hlo.dialect.clauses import count_error, listed
from hlo.dialect.definition import Attr, Op, Operand, Result, constraint
from hlo.dialect.locations import diagnostic
from hlo.dialect.types import Buffer, CallValue, element_type, is_tensor, shape, tuple_types
from hlo.errors import CompileError

TYPED_FFI = 4
"""The api_version whose backend_config is a dictionary, and the last one."""


def _is_layout(a: ir.Attribute) -> bool:
    if not isinstance(a, ir.DenseElementsAttr):
        return False
    held = ir.ShapedType(a.type)
    return held.rank == 1 and isinstance(held.element_type, ir.IndexType)


Layout = AttributeKind(
    "layout (dense<[...]> : tensor<Nxindex>, dimensions from minor to major)",
    lambda a: a,
    lambda v: v,
    _is_layout,
)


class CustomCallOp(Op, mnemonic="custom_call"):
    """An implementation-defined operation. https://openxla.org/stablehlo/spec#custom_call"""

    ASSEMBLY = "custom<CustomCallTarget> `(` operands `)` attr-dict `:` functional-type(operands, results)"
    IS_PURE = False
    CHOICE = (TYPES,)
    OPEN_ATTRIBUTES = True
    inputs = Operand(CallValue, variadic=True)
    call_target_name = Attr(String)
    has_side_effect = Attr(Bool, optional=True, default=False)
    backend_config = Attr(AnyAttribute, optional=True)
    """A string, or a dictionary for api_version 4."""
    api_version = Attr(I32, optional=True, default=1)
    called_computations = Attr(array_of(Symbol), optional=True, default=())
    operand_layouts = Attr(array_of(Layout), optional=True)
    result_layouts = Attr(array_of(Layout), optional=True)
    output_operand_aliases = Attr(array_of(structure(OutputOperandAlias)), optional=True, default=())
    outputs = Result(CallValue, variadic=True)

    @constraint()
    def version_is_known(self):
        if 0 <= self.api_version <= TYPED_FFI:
            return None
        return f"api_version must be in [0, {TYPED_FFI}], found {self.api_version}"

    @constraint()
    def config_of_api_version(self):
        config = self.backend_config
        wanted = ir.DictAttr if self.api_version == TYPED_FFI else ir.StringAttr
        if config is None or isinstance(config, wanted):
            return None
        kind = "dictionary" if wanted is ir.DictAttr else "string"
        return f"backend_config of api_version {self.api_version} must be a {kind}, found {config}"

    @constraint()
    def layouts_come_together(self):
        if (self.operand_layouts is None) != (self.result_layouts is None):
            found = "operand_layouts" if self.result_layouts is None else "result_layouts"
            return f"operand_layouts and result_layouts must both be given or both not, found {found} only"
        return None

    @constraint()
    def layouts_fit_types(self):
        if self.operand_layouts is None:
            return None
        inputs, outputs = ([v.type for v in values] for values in (self.inputs, self.outputs))
        if len(outputs) == 1 and isinstance(outputs[0], ir.TupleType):
            outputs = tuple_types(outputs[0])
        return _layouts_error("operand", self.operand_layouts, inputs) or _layouts_error(
            "result", self.result_layouts, outputs
        )

    @constraint()
    def aliases_join_equal_types(self):
        inputs, outputs = ([v.type for v in values] for values in (self.inputs, self.outputs))
        errors = (_alias_error(alias, inputs, outputs) for alias in self.output_operand_aliases)
        return next((e for e in errors if e), None)

    @constraint()
    def buffers_are_created_or_aliased(self):
        """A buffer is memory that a program names: a call gives back one that it was given, but for the two calls that
        make one."""
        inputs, outputs = ([v.type for v in values] for values in (self.inputs, self.outputs))
        if self.call_target_name in _BUFFER_CALLS:
            return _buffer_call_error(self.call_target_name, inputs, outputs)
        aliased = {alias.output_tuple_indices for alias in self.output_operand_aliases}
        parts = [((i,) if len(outputs) > 1 else (), t) for i, t in enumerate(outputs)]
        unaliased = next((path for path, t in parts if Buffer.accepts(t) and path not in aliased), None)
        if unaliased is None:
            return None
        return f"a buffer result must be in output_operand_aliases, found none for output {listed(unaliased)}"


def _layouts_error(name: str, layouts: Sequence[ir.Attribute], types: Sequence[ir.Type]) -> str | None:
    error = count_error(f"{name}_layouts", layouts, len(types), f"one a {name}")
    if error:
        return error
    for position, (layout, t) in enumerate(zip(layouts, types)):
        if isinstance(t, ir.TupleType):
            return f"{name} {position} must not be a tuple where layouts are given, found {t}"
        dimensions = [*range(len(ir.ShapedType(t).shape))] if isinstance(t, ir.ShapedType) else []
        has_each = [*ir.ShapedType(layout.type).shape] == [len(dimensions)]  # first: a splat may say any number of them
        if not has_each or sorted(layout_dimensions(layout)) != dimensions:
            return f"layout of {name} {position} must be a permutation of {listed(dimensions)}, found {layout}"
    return None


SIZES_OF_RESULTS = "indices_of_shape_operands"
"""An attribute of JAX's: for each result of a call the number of the operand that has its sizes, which is none of the
function's own."""


def size_operands(op: Any) -> list[int]:
    """What that attribute says, nothing where it is not. Raises CompileError where it does not fit."""
    if SIZES_OF_RESULTS not in op.attributes:
        return []
    numbers = op.attributes[SIZES_OF_RESULTS]
    if not isinstance(numbers, ir.DenseIntElementsAttr):
        raise CompileError(diagnostic(op, f"{SIZES_OF_RESULTS} must be elements of integers, found {numbers}"))
    positions, aliased = [numbers[i] for i in range(len(numbers))], {a.operand_index for a in op.output_operand_aliases}
    if len(positions) != len(op.results):
        raise CompileError(diagnostic(op, f"{SIZES_OF_RESULTS} must be one a result, found {listed(positions)}"))
    for position, result in zip(positions, op.results):
        if not 0 <= position < len(op.operands) or position in aliased:
            raise CompileError(
                diagnostic(op, f"{SIZES_OF_RESULTS} must be of operands that hold sizes, found {position}")
            )
        t, made = op.operands[position].type, result.type
        fits = is_tensor(t) and is_tensor(made) and [*shape(t)] == [len(shape(made))]
        if not fits or not isinstance(element_type(t), ir.IntegerType):
            raise CompileError(diagnostic(op, f"operand {position} must have the sizes of a {made}, found {t}"))
    return positions


def layout_dimensions(layout: ir.Attribute) -> list[int]:
    elements = ir.DenseIntElementsAttr(layout)
    (count,) = ir.ShapedType(layout.type).shape
    return [elements[0]] * count if count and elements.is_splat else list(elements)


def _alias_error(alias: OutputOperandAlias, inputs: list[ir.Type], outputs: list[ir.Type]) -> str | None:
    if not 0 <= alias.operand_index < len(inputs):
        return f"operand_index of an alias must be in [0, {len(inputs)}), found {alias.operand_index}"
    output = outputs[0] if len(outputs) == 1 else ir.TupleType.get_tuple(outputs)
    parts = {
        "operand_tuple_indices": _part(inputs[alias.operand_index], alias.operand_tuple_indices),
        "output_tuple_indices": _part(output, alias.output_tuple_indices),
    }
    for name, part in parts.items():
        if part is None:
            return f"{name} of an alias must lead to a part of a tuple, found {listed(getattr(alias, name))}"
    if len({*parts.values()}) == 1:
        return None
    first, second = parts.values()
    return f"an alias must join an operand and an output of one type, found {first} and {second}"


def _part(t: ir.Type, indices: Sequence[int]) -> ir.Type | None:
    """The type that is reached by indices into tuples in tuples; None where there is none."""
    for index in indices:
        if not isinstance(t, ir.TupleType) or not 0 <= index < t.num_types:
            return None
        t = t.get_type(index)
    return t


_TensorType = ("a tensor", is_tensor)
_BufferType = ("a buffer (memref)", Buffer.accepts)
_BUFFER_CALLS = {
    "CreateBuffer": ((), (_BufferType,)),
    "Pin": ((_TensorType,), (_BufferType,)),
    "Unpin": ((_BufferType,), (_TensorType,)),
}
"""Calls that make buffers and take their contents: what they take and give."""


def _buffer_call_error(target: str, inputs: list[ir.Type], outputs: list[ir.Type]) -> str | None:
    for kind, wanted, found in zip(("operands", "results"), _BUFFER_CALLS[target], (inputs, outputs)):
        if len(found) != len(wanted) or not all(accepts(t) for (_, accepts), t in zip(wanted, found)):
            allowed = ", ".join(words for words, _ in wanted) or "none"
            return f"{kind} of @{target} must be {allowed}, found {', '.join(map(str, found)) or 'none'}"
    if not inputs or _contents(inputs[0]) == _contents(outputs[0]):
        return None
    return f"operand and result of @{target} must have one shape and element type, found {inputs[0]} and {outputs[0]}"


def _contents(t: ir.Type) -> tuple[list[int], ir.Type]:
    held = ir.ShapedType(t)
    return list(held.shape), held.element_type
