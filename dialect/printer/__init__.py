"""Modules to text in upstream's spelling, which jaxlib and other StableHLO tools read back to an equal module."""

from __future__ import annotations

from typing import Any

from mlir import ir

from hlo.dialect.assembly.attributes import without_spelt
from hlo.dialect.futures import without_tuples
from hlo.dialect.printer.attributes import spell_bounds
from hlo.dialect.printer.writer import Writer
from hlo.errors import ArgumentError

__all__ = ["print_module", "print_operation"]


def print_module(module: ir.Module, **style: Any) -> str:
    """The module in upstream's short forms, ops of other dialects as MLIR prints them. `style`: as `print_operation` takes it."""
    if not isinstance(module, ir.Module):
        raise ArgumentError(f"print_module takes a module, found {type(module).__name__}")
    return print_operation(module.operation, **style)


def print_operation(
    operation: Any,
    *,
    generic: bool = False,
    debug_info: bool = False,
    local_scope: bool = False,
    most_elements: int | None = None,
    names_of_locations: bool = False,
    pretty_debug_info: bool = False,
) -> str:
    """One op with everything in it. `generic`: in MLIR's generic form. `debug_info`: with locations. `local_scope`:
    locations and attributes stand where they are used, not behind aliases. `most_elements`: constants with more are
    printed without their elements, which cannot be read again. `names_of_locations`: values are called as their
    locations are. `pretty_debug_info`: locations (of `debug_info`) in a form for people, which is not read again."""
    printed = operation.operation.get_asm(
        print_generic_op_form=generic,
        enable_debug_info=debug_info,
        use_local_scope=local_scope or pretty_debug_info,
        large_elements_limit=most_elements,
        use_name_loc_as_prefix=names_of_locations,
        pretty_debug_info=pretty_debug_info,
    )
    return without_spelt(without_tuples(spell_bounds(Writer(printed, generic).write())))
