"""Errors on their way to JAX, which raises them as jax.errors.JaxRuntimeError with the code's name before the message."""

from __future__ import annotations

import ctypes
from typing import Any

from hlo.errors import ArgumentError, CompileError, HloError, ParseError, VerifyError
from hlo.jax.code.header import INTERNAL, INVALID_ARGUMENT, RESOURCE_EXHAUSTED, UNIMPLEMENTED
from hlo.jax.code.process_memory import WORD
from hlo.jax.code.record_words import COUNT
from hlo.jax.objects.records import record, template

CODES: tuple[tuple[type[BaseException], int], ...] = (
    (CompileError, UNIMPLEMENTED),
    (NotImplementedError, UNIMPLEMENTED),
    (ParseError, INVALID_ARGUMENT),
    (VerifyError, INVALID_ARGUMENT),
    (ArgumentError, INVALID_ARGUMENT),
    (ValueError, INVALID_ARGUMENT),
    (MemoryError, RESOURCE_EXHAUSTED),
)
"""Codes of exceptions; INTERNAL for others."""


def error_record(error: BaseException) -> int:
    """The handle of an error, which JAX destroys."""
    code = next((code for kind, code in CODES if isinstance(error, kind)), INTERNAL)
    return _record(code, _message(error))


def permanent_error(message: str) -> int:
    """The handle of an error that JAX may get, and destroy, as often as it happens."""
    handle = _record(INTERNAL, message)
    WORD[(handle >> 3) + COUNT] = 1 << 60
    return handle


def _record(code: int, message: str) -> int:
    text = message.encode()
    buffer: Any = ctypes.create_string_buffer(text, len(text) + 1)
    return record(buffer, template(code, ctypes.addressof(buffer), len(text)))


def _message(error: BaseException) -> str:
    """hlo's messages speak for themselves, as do those that this package raises for users; others need their kind."""
    if isinstance(error, (HloError, ValueError, NotImplementedError)) and str(error):
        return str(error)
    return f"{type(error).__name__}: {error}"
