"""Programs as MLIR bytecode. jaxlib reads what has StableHLO in it: portable artifacts (VHLO, what `jax.export` keeps)
and modules in bytecode; modules of upstream's other dialects, such as those that `hlo-opt --compile-to=linalg
--emit-bytecode` writes, are read by MLIR itself."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hlo.dialect.reader.exported import MAGIC
from hlo.dialect.reader.reading_process import READER
from hlo.dialect.restore_chlo import restore_chlo
from hlo.errors import ParseError

_PRODUCER = b"StableHLO_v"
_JAXLIBS = (b"stablehlo\0", b"vhlo\0", b"chlo\0", b"sdy\0")
"""The names of dialects as bytecode has them. Other dialects of upstream, jaxlib may not have."""


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
    """The program of bytecode, or of text in VHLO, in generic form, with its locations. Raises ParseError where jaxlib
    is missing or cannot read it.

    Damaged files end the reader, so it works in a process of its own."""
    if not _needs_jaxlib(data):
        return READER.request("bytecode", file_name, data).decode("utf-8", "replace")
    try:
        found = importlib.util.find_spec("jaxlib")
    except ValueError:
        found = None
    if found is None:
        raise ParseError(
            f"{file_name} is {_kind(data)}, which is read with jaxlib: pip install jaxlib, or use the program's text"
        )
    return READER.request("bytecode", file_name, data).decode("utf-8", "replace")


def generic_text(data: bytes, file_name: str) -> str:
    """The same, in this process."""
    if not _needs_jaxlib(data):
        return _upstream_text(data, file_name)
    with stablehlo_context(f"{file_name} is {_kind(data)}, which is read") as (ir, stablehlo):
        module = _module(data, file_name, ir, stablehlo)
        restore_chlo(module, ir)
        return str(module.operation.get_asm(print_generic_op_form=True, enable_debug_info=True))


def _needs_jaxlib(data: bytes) -> bool:
    """What is damaged so that it names no dialect is jaxlib's too."""
    return b"builtin\0" not in data or _PRODUCER in data[:64] or any(name in data for name in _JAXLIBS)


def _upstream_text(data: bytes, file_name: str) -> str:
    from mlir import ir

    with ir.Context() as context:
        context.allow_unregistered_dialects = True
        try:
            module = ir.Module.parse(data, context)
        except (ir.MLIRError, ValueError) as error:
            raise ParseError(f"{file_name} is MLIR bytecode that cannot be read: {_one_line(error)}") from None
        return str(module.operation.get_asm(print_generic_op_form=True, enable_debug_info=True))


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())


def _kind(data: bytes) -> str:
    return "MLIR bytecode" if data.startswith(MAGIC) else "VHLO text"


def _module(data: bytes, file_name: str, ir: Any, stablehlo: Any) -> Any:
    """A portable artifact says in its header who wrote it, but not where it is older than StableHLO 0.9, was written
    anew by MLIR's tools, or is text; it may be older than this jaxlib."""
    context = ir.Context.current
    portable = _PRODUCER in data[:64] or b"vhlo\0" in data or not data.startswith(MAGIC)
    try:
        if portable:
            return stablehlo.deserialize_portable_artifact(context, data)
        return ir.Module.parse(data, context)
    except (ir.MLIRError, ValueError) as error:
        raise ParseError(f"{file_name} is {_kind(data)} that jaxlib cannot read: {_one_line(error)}") from None
