"""Modules to text in upstream's spelling, which jaxlib and other StableHLO tools read back to an equal module."""

from __future__ import annotations

from typing import Any

from mlir import ir

from hlo.dialect.futures import without_tuples
from hlo.dialect.printer.attributes import spell_bounds
from hlo.dialect.printer.writer import Writer

__all__ = ["print_module", "print_operation"]


def print_module(module: ir.Module, *, generic: bool = False, debug_info: bool = False) -> str:
    """The module in upstream's short forms (or, with `generic`, in generic form); ops of other dialects as MLIR prints
    them. `debug_info` adds locations."""
    return print_operation(module.operation, generic=generic, debug_info=debug_info)


def print_operation(operation: Any, *, generic: bool = False, debug_info: bool = False) -> str:
    """One op with everything in it."""
    printed = operation.operation.get_asm(print_generic_op_form=generic, enable_debug_info=debug_info)
    return without_tuples(spell_bounds(Writer(printed, generic).write()))
