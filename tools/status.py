"""Writes docs/status.md from the registries: what is there for each op.

python -m hlo.tools.status          writes the page; --check says whether it is up to date"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hlo.dialect.definition import OPS
from hlo.dialect.registration import make_context
from hlo.lowering.linalg import load_rules
from hlo.lowering.linalg.rules import RULES
from hlo.lowering.stablehlo.chlo_broadcasting import BROADCASTS
from hlo.lowering.stablehlo.chlo_structured import STRUCTURED
from hlo.lowering.stablehlo.decompose import DECOMPOSITIONS
from hlo.lowering.stablehlo.legalize_chlo import FUNCTIONS
from hlo.lowering.stablehlo.shapes.dynamic_ops import DYNAMIC_OPS
from hlo.reference.evaluators import load_all
from hlo.reference.table import EVALUATORS

ROOT = Path(__file__).resolve().parent.parent
HEAD = """# Status of each op

Generated from the registries by `python -m hlo.tools.status`; a test fails when it is stale.

- constraints: clauses of the specification that the verifier names (*infer*: checked by inferring the result types)
- CPU: a rule of the lowering to linalg, or ops that it is decomposed into before; - : neither table has it
- tests: files of its name under `test/dialect` and `test/e2e`

| op | constraints | inferred | reference | CPU | tests |
|---|---|---|---|---|---|
"""

DECOMPOSED = (DECOMPOSITIONS, STRUCTURED, FUNCTIONS, BROADCASTS, DYNAMIC_OPS)


def page() -> str:
    """The text of the page."""
    make_context()
    load_rules()
    load_all()
    return HEAD + "".join(f"| {' | '.join(_row(name, OPS[name]))} |\n" for name in sorted(OPS))


def _row(name: str, op: Any) -> tuple[str, ...]:
    labels = sorted({c.label for c in op.CONSTRAINTS if c.label}, key=_by_number)
    labels += [f"{op.INFER_LABEL} (infer)"] if op.INFER_LABEL else []
    inferred = "yes" if "infer" in {n for base in op.__mro__[:-3] for n in vars(base) if base.__name__ != "Op"} else "-"
    return name, ", ".join(labels) or "-", inferred, "yes" if name in EVALUATORS else "-", _cpu(name), _tests(op)


def _by_number(label: str) -> tuple[int, str]:
    digits = "".join(c for c in label.split(",")[0] if c.isdigit())
    return int(digits or 0), label


def _cpu(name: str) -> str:
    mnemonic = name.split(".", 1)[1]
    if name in RULES:
        return "rule"
    keys = {name, mnemonic} if name.startswith("chlo.") else {name}
    known = any(keys & table.keys() for table in DECOMPOSED)
    return "decomposed" if known else "-"


def _tests(op: Any) -> str:
    places = [f"{folder}/{op.MNEMONIC}.mlir" for folder in ("dialect", "e2e")]
    return ", ".join(p.split("/")[0] for p in places if (ROOT / "test" / p).exists()) or "-"


def main() -> int:
    path, text = ROOT / "docs" / "status.md", page()
    if "--check" in sys.argv:
        return int(path.read_text() != text)
    path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
