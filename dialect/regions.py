"""Functions given to an op as regions: their types, and how they are compared with what the op wants."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from hlo.dialect.types import compatible


def argument_types(region: ir.Region) -> list[ir.Type]:
    return [argument.type for argument in region.blocks[0].arguments]


def returned_types(region: ir.Region) -> list[ir.Type]:
    """The types of the terminator's operands: the function's outputs."""
    operations = region.blocks[0].operations
    return [value.type for value in operations[len(operations) - 1].operands]


def types_text(types: Sequence[ir.Type]) -> str:
    return f"({', '.join(map(str, types))})"


def compatible_lists(found: Sequence[ir.Type], wanted: Sequence[ir.Type]) -> bool:
    return len(found) == len(wanted) and all(map(compatible, found, wanted))


def signature_error(name: str, region: ir.Region, inputs: Sequence[ir.Type], outputs: Sequence[ir.Type]) -> str | None:
    """What is wrong with the type of the function `name`, if anything."""
    found = argument_types(region), returned_types(region)
    if compatible_lists(found[0], inputs) and compatible_lists(found[1], outputs):
        return None
    wanted = f"{types_text(inputs)} -> {types_text(outputs)}"
    return f"{name} must have type {wanted}, found {types_text(found[0])} -> {types_text(found[1])}"
