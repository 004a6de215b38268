"""Which ops the self-checking programs of test/e2e run, on which element types. Read by tools/pages/status.py."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

from mlir import ir
from mlir.dialects import quant

import hlo

ORDER = ("i1", *(f"{u}i{n}" for u in ("", "u") for n in (2, 4, 8, 16, 32, 64)), "f8", "bf16", "f16", "f32", "f64",
         "c64", "c128", "quantized", "token", "tuple")  # fmt: skip
"""How the page names element types; f8 is any of the seven kinds."""

SHORT = {"complex<f32>": "c64", "complex<f64>": "c128", "!stablehlo.token": "token"}


def tested_types(folder: Path) -> dict[str, set[str]]:
    """By the op's name: the element types of its operands and results in any program."""
    found: dict[str, set[str]] = defaultdict(set)

    def visit(op: ir.Operation) -> ir.WalkResult:
        found[op.name] |= {name for v in (*op.operands, *op.results) for name in names(v.type)}
        return ir.WalkResult.ADVANCE

    for file in sorted(folder.glob("*.mlir")):
        hlo.parse(file.read_text(), file.name).operation.walk(visit)
    return found


def names(kind: Any) -> list[str]:
    if isinstance(kind, ir.TupleType):
        return ["tuple"]
    element = kind.element_type if isinstance(kind, ir.ShapedType) else kind
    if isinstance(element, quant.QuantizedType):
        return ["quantized"]
    text = SHORT.get(str(element), str(element))
    text = "f8" if text.startswith("f8") else text
    return [text] if text in ORDER else []


def listed(types: set[str]) -> str:
    """In the order of the page: `i8 i16 f32`."""
    return " ".join(sorted(types, key=ORDER.index))
