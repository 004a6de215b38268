"""Dense attributes of every element type can be read from Python.

The wheel's own cast of dense attributes raises TypeError for complex elements (and aborts the process where no
exception may pass, as in `NamedAttribute.attr`). This one gives the general `DenseElementsAttr` for them. To be dropped
with a wheel that knows complex elements."""

from __future__ import annotations

import functools

from mlir import ir


@functools.cache
def cast_dense_elements() -> None:
    """Replaces the cast, once a process."""
    with ir.Context(load_on_create_dialects=()):  # type: ignore[call-arg]
        typeid = ir.Attribute.parse("dense<0> : tensor<1xi32>").typeid
    ir.register_type_caster(typeid, replace=True)(_cast)


def _cast(attribute: ir.Attribute) -> ir.Attribute:
    element = ir.ShapedType(attribute.type).element_type
    if isinstance(element, ir.FloatType):
        return ir.DenseFPElementsAttr(attribute)
    if isinstance(element, (ir.IntegerType, ir.IndexType)):
        return ir.DenseIntElementsAttr(attribute)
    return ir.DenseElementsAttr(attribute)
