"""Modules as MLIR bytecode. StableHLO's own is written by jaxlib, whose dialects have the attributes that upstream's readers expect; modules
without our dialects are written by MLIR itself."""

from __future__ import annotations

import io
from typing import Any

from mlir import ir as mlir_ir

from hlo.dialect.printer import print_module
from hlo.dialect.reader.bytecode import stablehlo_context
from hlo.dialect.registration import NAMESPACES
from hlo.errors import HloError


def bytecode_of(module: mlir_ir.Module) -> bytes:
    """The module with its locations. Raises ParseError where jaxlib is missing, HloError where upstream refuses the program."""
    written = io.BytesIO()
    if not _has_own_ops(module):
        module.operation.write_bytecode(written)
        return written.getvalue()
    with stablehlo_context("StableHLO's bytecode is written") as (ir, _):
        try:
            upstream = ir.Module.parse(print_module(module, debug_info=True))
        except ir.MLIRError as error:
            raise HloError(f"--emit-bytecode: upstream's StableHLO refuses the program: {error}") from None
        upstream.operation.write_bytecode(written)
    return written.getvalue()


def _has_own_ops(module: mlir_ir.Module) -> bool:
    found = False

    def visit(op: Any) -> mlir_ir.WalkResult:
        nonlocal found
        found = op.operation.name.partition(".")[0] in NAMESPACES
        return mlir_ir.WalkResult.INTERRUPT if found else mlir_ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return found
