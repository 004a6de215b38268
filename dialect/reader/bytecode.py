"""Programs as MLIR bytecode, which jaxlib reads: StableHLO's portable artifacts (VHLO, what `jax.export` keeps) and modules in bytecode."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hlo.dialect.reader.reading_process import READER
from hlo.dialect.restore_chlo import restore_chlo
from hlo.errors import ParseError

_PRODUCER = b"StableHLO_v"


@contextmanager
def stablehlo_context(purpose: str) -> Iterator[tuple[Any, Any]]:
    """jaxlib's `ir` and `stablehlo` modules, inside a context with upstream's own dialects. Raises ParseError where jaxlib is missing."""
    try:
        from jaxlib.mlir import ir
        from jaxlib.mlir._mlir_libs import _jax_mlir_ext
        from jaxlib.mlir.dialects import chlo, sdy, stablehlo
    except ImportError:
        raise ParseError(f"{purpose} with jaxlib: pip install jaxlib, or use the program's text") from None
    with ir.Context() as context:
        registry = ir.DialectRegistry()
        _jax_mlir_ext.register_dialects(registry)
        context.append_dialect_registry(registry)
        for dialect in (chlo, sdy, stablehlo):
            dialect.register_dialect(context)
        yield ir, stablehlo


def text_of_bytecode(data: bytes, file_name: str) -> str:
    """The program in generic form, with its locations. Raises ParseError where jaxlib is missing or cannot read it.

    Damaged files end jaxlib's reader, so it works in a process of its own."""
    try:
        found = importlib.util.find_spec("jaxlib")
    except ValueError:
        found = None
    if found is None:
        raise ParseError(
            f"{file_name} is MLIR bytecode, which is read with jaxlib: pip install jaxlib, or use the program's text"
        )
    return READER.request("bytecode", file_name, data).decode("utf-8", "replace")


def generic_text(data: bytes, file_name: str) -> str:
    """The same, in this process."""
    with stablehlo_context(f"{file_name} is MLIR bytecode, which is read") as (ir, stablehlo):
        module = _module(data, file_name, ir, stablehlo)
        restore_chlo(module, ir)
        return str(module.operation.get_asm(print_generic_op_form=True, enable_debug_info=True))


def _module(data: bytes, file_name: str, ir: Any, stablehlo: Any) -> Any:
    """A portable artifact says in its header who wrote it; it may be older than this jaxlib."""
    context = ir.Context.current
    try:
        if _PRODUCER in data[:64]:
            return stablehlo.deserialize_portable_artifact(context, data)
        return ir.Module.parse(data, context)
    except (ir.MLIRError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise ParseError(f"{file_name} is MLIR bytecode that jaxlib cannot read: {reason}") from None
