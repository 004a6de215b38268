"""Writes docs/status.md from the registries and the test files: what is there for each op.

python -m hlo.tools.pages.status          writes the page; --check says whether it is up to date"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from hlo.dialect.assembly import assembly_format
from hlo.dialect.choices import TYPES
from hlo.dialect.definition import OPS, Op
from hlo.dialect.irdl import inexpressible
from hlo.dialect.registration import make_context
from hlo.lowering.linalg import load_rules
from hlo.lowering.linalg.rules import lowers
from hlo.lowering.stablehlo.calls.inline_calls import CALLEE
from hlo.lowering.stablehlo.chlo.legalize_chlo import legalizes
from hlo.lowering.stablehlo.decompositions.decompose import decomposes
from hlo.lowering.stablehlo.shapes.dynamic import specializes
from hlo.lowering.stablehlo.storage.rules import legalizes_elements
from hlo.reference.evaluators import load_all
from hlo.reference.table import evaluates
from hlo.tools.pages.generated_page import write_or_check
from hlo.tools.pages.tested_types import listed, tested_types

ROOT = Path(__file__).resolve().parents[2]
HEAD = """# Status of each op

Generated from the registries and the test files by `python -m hlo.tools.pages.status`; a test fails when it is stale. A note stands for what is not
there, with the reason below.

- form: *short*: the op has an assembly format (`ASSEMBLY` of its class), from which reader and printer follow; *generic*: it has its generic form only,
  which every op has, and which is printed where the short one cannot say all
- IRDL: what the definition (`hlo-opt --show-dialect`), and with it MLIR itself, checks: numbers and kinds of values always, and which of them have one
  type (of programs without unknown sizes and quantized elements), attributes that must be there with their kinds or cases, regions; *no*: what LLVM 22's
  IRDL cannot define the op for; all of it is checked in Python as well
- verified: clauses of the specification that the verifier names (*infer*: checked by inferring the result types); *types*: the kinds of operands,
  attributes, regions and results, which are checked for every op; +: further clauses, of ops that the specification does not have or does not number
- inferred: *yes*: result types follow from operands, attributes and regions; *but element type*, *but sizes*: all but this follows, the specification
  leaves it to the writer (the builder's `dtype=`, `sizes=`); *given*: the types themselves are the writer's choice; *none*: there are no results
- defined, reference: the file of the op's class in `dialect/`, of its meaning in `reference/`
- CPU: *rule*: of the lowering to linalg; *decomposed*: into other ops before; *inlined*: replaced by the function that it names or holds; with the file in
  `lowering/`
- GPU (run on the numpy model of a card): *threads*: one thread per element, or better ([how](gpu.md)); *loops*: one thread for each independent iteration of a
  loop (a row that is sorted, a matrix that is factored), one thread where there is one; *host*: copied to the host for a Python function or a queue;
  *decomposed*, *inlined*: as for the CPU
- element types: those on which the op is run and checked, on the CPU and by the reference, in `test/e2e`
- tests: files with accepted and rejected uses (`test/dialect`), self-checking programs (`test/e2e`)

| op | defined | form | IRDL | verified | inferred | reference | CPU | GPU | element types | tests |
|---|---|---|---|---|---|---|---|---|---|---|
"""

NOTES = {
    "known outside": "what a host, a device or a target gives is known to it alone; its types are arguments of the builder's call",
    "return": "ends regions: whoever runs the region takes its operands",
    "index": "takes a builtin index, which ops of shape, tensor and arith give: becomes arithmetic on sizes with them, on every target (test/python/dialect/test_upstream_ops.py)",
    "complex": "the remainder of complex numbers, which the specification leaves open, is refused",
    "alone": "between the processes of a grid by the reference and on the CPU; a GPU is one process, and refuses groups of several by name",
    "one program": "any grid by the reference and on the CPU; a GPU runs grids of one program and refuses larger ones by name",
}
"""Why a cell is empty, or what its op does not do."""

EMPTY = {
    ("stablehlo.return", column): "return" for column in ("reference", "CPU", "GPU")
} | {
    (f"stablehlo.{op}", column): "index"
    for op in ("compute_reshape_shape", "cstr_reshapable")
    for column in ("reference", "CPU", "GPU", "element types", "tests")
}  # fmt: skip
"""Cells that may be empty, by op and column."""

REMARKS = {
    "stablehlo.remainder": "complex",
    "interpreter.run_parallel": "one program",
    **{
        f"stablehlo.{op}": "alone"
        for op in ("all_gather", "all_reduce", "all_to_all", "collective_broadcast", "collective_permute", "collective_reduce",
                   "cross-replica-sum", "reduce_scatter")
    },
}  # fmt: skip
"""Notes of ops."""


def page() -> str:
    """The text of the page."""
    make_context()
    load_rules()
    load_all()
    rows = "".join(f"| {' | '.join(row(name))} |\n" for name in sorted(OPS))
    return HEAD + rows + "\n" + "".join(f"{i}. {text}\n" for i, text in enumerate(NOTES.values(), 1))


def row(name: str) -> list[str]:
    """The cells of an op. Raises KeyError for an empty one without a reason."""
    op = OPS[name]
    cells = [column(name, op) or _note(EMPTY[name, title]) for title, column in COLUMNS.items()]
    return [f"{name} {_note(REMARKS[name])}" if name in REMARKS else name, *cells]


def _note(key: str) -> str:
    return f"({list(NOTES).index(key) + 1})"


def _form(name: str, op: Any) -> str:
    return "short" if assembly_format(name) else "generic"


def _native(name: str, op: Any) -> str:
    reason = inexpressible(op)
    if reason:
        return f"no: {reason}"
    same = [" = ".join(names) for names in op.ONE_TYPE]
    required = ["attributes"] if any(not a.optional for a in op.ATTRIBUTES) else []
    return ", ".join(["values", *same, *required, *(["regions"] if op.REGIONS else [])])


def _verified(name: str, op: Any) -> str:
    labels = sorted({c.label for c in op.CONSTRAINTS if c.label}, key=_by_number)
    labels += [f"{op.INFER_LABEL} (infer)"] if op.INFER_LABEL else []
    more = ["+"] if any(not c.label for c in op.CONSTRAINTS) else []
    return ", ".join([*labels, *more]) if labels else " ".join(["types", *more])


def _by_number(label: str) -> tuple[int, str]:
    digits = "".join(c for c in label.split(",")[0] if c.isdigit())
    return int(digits or 0), label


def _inferred(name: str, op: Any) -> str:
    if not op.RESULTS:
        return "none"
    if TYPES in op.CHOICE:
        return f"given {_note('known outside')}"
    if op.infer is Op.infer:
        return ""
    return f"but {', '.join(op.CHOICE)}" if op.CHOICE else "yes"


def _file(defined: Any) -> str:
    """The file of a class, a function or an object, below its top-level folder."""
    return "/".join(defined.__module__.split(".")[2:])


def _defined(name: str, op: Any) -> str:
    return _file(op)


def _reference(name: str, op: Any) -> str:
    return _file(evaluates[name]) if name in evaluates else ""


def _cpu(name: str, op: Any) -> str:
    if name in lowers:
        return f"rule {_file(lowers[name])}"
    if name in INLINED:
        return "inlined"
    files = [_file(table[name]) for table in DECOMPOSED if name in table]
    return f"decomposed {files[0]}" if files else ""


INLINED = {*CALLEE, "interpreter.run_parallel", "stablehlo.async_start", "stablehlo.async_done"}


def _gpu(name: str, op: Any) -> str:
    """Kernels are the CPU's: what they are on a GPU is told by the family of the op's rule."""
    how = _cpu(name, op).partition(" ")[0]
    families = lowers[name].__module__.split(".")[3:] if how == "rule" else []
    return next((ON_GPU[family] for family in families if family in ON_GPU), "threads") if families else how


ON_GPU = {
    **dict.fromkeys(("sorting", "scatter", "select_and_scatter", "fft", "linear_algebra"), "loops"),
    **dict.fromkeys(("custom_calls", "transfers"), "host"),
}
"""By the folder or file in lowering/linalg of an op's rule."""

DECOMPOSED = (decomposes, legalizes_elements, legalizes, specializes)


def _element_types(name: str, op: Any) -> str:
    return listed(_tested().get(name, set())) or ("none" if name in _tested() else "")


@cache
def _tested() -> dict[str, set[str]]:
    return tested_types(ROOT / "test" / "e2e")


def _tests(name: str, op: Any) -> str:
    own = ROOT / "test" / "e2e" / f"{name.removeprefix('stablehlo.')}.mlir"
    shown = [f"e2e/{own.stem}"] if own.exists() else []
    return ", ".join([*(f"dialect/{stem}" for stem, text in _dialect_files() if f"{name}" in text), *shown])


@cache
def _dialect_files() -> list[tuple[str, frozenset[str]]]:
    """The names of the ops that each file shows."""
    folder = ROOT / "test" / "dialect"
    words = str.maketrans(dict.fromkeys('"(){}<>,:%', " "))
    return [(f.stem, frozenset(f.read_text().translate(words).split())) for f in sorted(folder.glob("*.mlir"))
            if f.stem not in ("show_dialect", "print_forms")]  # fmt: skip


COLUMNS: dict[str, Callable[[str, Any], str]] = {
    "defined": _defined,
    "form": _form,
    "IRDL": _native,
    "verified": _verified,
    "inferred": _inferred,
    "reference": _reference,
    "CPU": _cpu,
    "GPU": _gpu,
    "element types": _element_types,
    "tests": _tests,
}
"""By title: the cell of an op, "" when there is nothing to say."""


def main() -> int:
    return write_or_check("hlo.tools.pages.status", ROOT / "docs" / "status.md", page)


if __name__ == "__main__":
    sys.exit(main())
