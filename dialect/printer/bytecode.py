"""Modules as MLIR bytecode. StableHLO's own, and its portable artifacts, are written by jaxlib, whose dialects have the
attributes that upstream's readers expect; modules without our dialects are written by MLIR itself."""

from __future__ import annotations

import io
import re
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
        _upstream(module, ir, "--emit-bytecode").operation.write_bytecode(written)
    return written.getvalue()


def portable_artifact_of(module: mlir_ir.Module, version: str = "current") -> bytes:
    """The module as StableHLO's portable artifact, which every StableHLO from `version` on reads ("1.8.0"; "current"
    and "minimum": jaxlib's newest and oldest). Raises ParseError where jaxlib is missing, HloError for a version out of
    range and for a program that the version lacks."""
    with stablehlo_context("portable artifacts are written") as (ir, stablehlo):
        oldest, newest = stablehlo.get_minimum_version(), stablehlo.get_current_version()
        wanted = {"current": newest, "minimum": oldest}.get(version, version)
        if not re.fullmatch(r"\d{1,6}\.\d{1,6}\.\d{1,6}", wanted) or not _order(oldest) <= _order(wanted) <= _order(
            newest
        ):
            raise HloError(
                f"--serialize takes a version from {oldest} to {newest}, current or minimum, found {version!r}"
            )
        upstream = _upstream(module, ir, "--serialize")
        findings: list[str] = []

        def note(found: Any) -> bool:
            findings.append(f"{found.location}: {found.message}")
            return True

        ir.Context.current.attach_diagnostic_handler(note)
        try:
            return bytes(stablehlo.serialize_portable_artifact(upstream, wanted, True))
        except (ir.MLIRError, ValueError) as error:
            reason = " ".join("; ".join(findings or [str(error)]).split())
            raise HloError(f"--serialize={version}: the program cannot be said in this version: {reason}") from None


def _order(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _upstream(module: mlir_ir.Module, ir: Any, option: str) -> Any:
    """The same module in jaxlib's context."""
    try:
        return ir.Module.parse(print_module(module, debug_info=True))
    except ir.MLIRError as error:
        raise HloError(f"{option}: upstream's StableHLO refuses the program: {error}") from None


def _has_own_ops(module: mlir_ir.Module) -> bool:
    found = False

    def visit(op: Any) -> mlir_ir.WalkResult:
        nonlocal found
        found = op.operation.name.partition(".")[0] in NAMESPACES
        return mlir_ir.WalkResult.INTERRUPT if found else mlir_ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return found
