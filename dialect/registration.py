"""Contexts in which StableHLO, CHLO, check and interpreter programs can be read."""

from __future__ import annotations

import functools
from typing import Any

from mlir import ir
from mlir.dialects import irdl

# Importing them registers their op classes.
import hlo.dialect.check
import hlo.dialect.chlo
import hlo.dialect.interpreter
import hlo.dialect.stablehlo  # noqa: F401
from hlo.dialect import irdl as definitions
from hlo.dialect.dense_elements import cast_dense_elements
from hlo.dialect.one_thread import use_one_thread
from hlo.dialect.unknown_ops import allow_unknown_ops

UPSTREAM = (
    *("func", "arith", "math", "complex", "linalg", "tensor", "scf", "cf", "memref", "vector", "index", "affine"),
    *("bufferization", "quant", "ub", "llvm", "gpu", "nvgpu", "nvvm", "irdl"),
)
"""What rewrites create, loaded at once: an op of a dialect that is not would be an unregistered one. What a program's text
or an upstream pass needs besides is loaded then; loading all that MLIR has takes longer than compiling a small program."""

NAMESPACES = ("stablehlo", "chlo", "check", "interpreter")


@functools.cache
def dialect_text(*, exact: bool = True) -> str:
    """The IRDL definitions of all dialects, as `hlo-opt --show-dialect` prints them; see irdl.definition_text for `exact`."""
    return "\n".join(definitions.definition_text(namespace, exact=exact) for namespace in NAMESPACES)


@functools.cache
def _types_text() -> str:
    """Definitions of the dialects and their types only."""
    return "\n".join(definitions.definition_text(namespace, operations=False) for namespace in NAMESPACES)


def has_exact_types(text: str | bytes) -> bool:
    """Whether, in a program, types that are equal are the same type: no sizes are unknown (`?`, in HLO text `<=3`), no elements
    quantized. Bytecode is not looked into."""
    return isinstance(text, str) and not any(unknown in text for unknown in ("?", "<=", "!quant"))


def make_context(*, native: bool = True, exact: bool = False) -> ir.Context:
    """A context with all dialects loaded; programs in generic form parse in it, their ops arriving as op classes.

    MLIR itself checks ops against their IRDL definitions as soon as they are parsed, and stops at the first that is
    wrong. With `native=False` it knows the types only: everything parses, and the verifier can report every mistake of
    a file. `exact`: see irdl.definition_text."""
    cast_dense_elements()
    context: Any = ir.Context(load_on_create_dialects=())  # type: ignore[call-arg]
    use_one_thread(context)
    for name in UPSTREAM:
        context.get_dialect_descriptor(
            name
        )  # loads it; `context.dialects` would import its Python ops too, 0.1 s of them never used
    context.allow_unregistered_dialects = True
    with context, ir.Location.unknown():
        irdl.load_dialects(ir.Module.parse(dialect_text(exact=exact) if native else _types_text()))
    for namespace in NAMESPACES:
        allow_unknown_ops(context, namespace)
    return context
