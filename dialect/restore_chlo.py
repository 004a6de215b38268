"""CHLO ops in programs that older versions of jaxlib wrote as custom calls, because a portable artifact could not hold CHLO.

stablehlo.custom_call @mhlo.topk(%x) {mhlo.attributes = {k = 2 : i64}, mhlo.version = 1 : i64}    becomes
chlo.top_k %x {k = 2 : i64}"""

from __future__ import annotations

from typing import Any

PREFIX = "mhlo."
RENAMED = {"topk": "top_k"}
"""Names that differ from CHLO's."""


def restore_chlo(module: Any, ir: Any) -> None:
    """Changes a module of jaxlib's MLIR (`ir`), which knows the dialect CHLO."""
    found: list[Any] = []

    def note(op: Any) -> Any:
        if op.name == "stablehlo.custom_call" and _is_chlo(op):
            found.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(note)
    for op in found:
        _restore(op, ir)


def _is_chlo(op: Any) -> bool:
    return op.attributes["call_target_name"].value.startswith(PREFIX) and "mhlo.attributes" in op.attributes


def _restore(op: Any, ir: Any) -> None:
    name = op.attributes["call_target_name"].value.removeprefix(PREFIX)
    attributes = {named.name: named.attr for named in ir.DictAttr(op.attributes["mhlo.attributes"])}
    made = ir.Operation.create(
        f"chlo.{RENAMED.get(name, name)}",
        results=[result.type for result in op.results],
        operands=list(op.operands),
        attributes=attributes,
        loc=op.location,
        ip=ir.InsertionPoint(op),
    )
    for old, new in zip(op.results, made.results):
        old.replace_all_uses_with(new)
    op.erase()
