"""The signature of a program, read from its entry function before it is lowered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir

from hlo.dialect.locations import diagnostic
from hlo.errors import CompileError
from hlo.runtime.calls.dtypes import element_dtype
from hlo.runtime.calls.signature import ArrayType, Signature


def signature_of(function: Any) -> Signature:
    """The signature of a func.func on tensors. Raises CompileError for what no array can be."""
    kind = function.type
    return Signature(_types(function, "argument", kind.inputs), _types(function, "result", kind.results))


def _types(function: Any, what: str, types: Sequence[ir.Type]) -> tuple[ArrayType, ...]:
    flat = [t for kind in types for t in flat_types(kind)]
    return tuple(_array_type(function, f"{what} {number}", t) for number, t in enumerate(flat))


def flat_types(kind: ir.Type) -> list[ir.Type]:
    """Tuples opened; tokens, which are nothing at run time, left out."""
    if isinstance(kind, ir.TupleType):
        return [t for i in range(kind.num_types) for t in flat_types(kind.get_type(i))]
    return [] if str(kind) == "!stablehlo.token" else [kind]


def _array_type(function: Any, what: str, kind: ir.Type) -> ArrayType:
    if not isinstance(kind, ir.RankedTensorType):
        raise CompileError(diagnostic(function, f"{what} of @{function.name.value} must be a tensor, found {kind}"))
    if not kind.has_static_shape:
        text = f"{what} of @{function.name.value} has the dynamic shape {kind}; only static shapes can be compiled"
        raise CompileError(diagnostic(function, text))
    try:
        return ArrayType(tuple(kind.shape), element_dtype(kind.element_type, what))
    except CompileError as error:
        raise CompileError(diagnostic(function, error.diagnostics[0].message)) from None
