"""Contexts in which StableHLO, CHLO, check and interpreter programs can be read."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import irdl

import hlo.dialect.check
import hlo.dialect.chlo
import hlo.dialect.interpreter
import hlo.dialect.stablehlo  # noqa: F401
from hlo.dialect.unknown_ops import allow_unknown_ops

NAMESPACES = ("stablehlo", "chlo", "check", "interpreter")


def make_context() -> ir.Context:
    """A context with all dialects loaded; programs in generic form parse in it, their ops arriving as op classes."""
    context = ir.Context()
    context.allow_unregistered_dialects = True
    with context, ir.Location.unknown():
        text = "irdl.dialect @stablehlo { irdl.type @token }\n" + "\n".join(
            f"irdl.dialect @{n} {{}}" for n in NAMESPACES[1:]
        )
        irdl.load_dialects(ir.Module.parse(text))
        context.dialects["quant"]
    for namespace in NAMESPACES:
        allow_unknown_ops(context, namespace)
    return context
