"""Writes docs/ops.md from the op classes: of each op what it takes and gives, the call that builds it, and its text.

python -m hlo.tools.pages.op_pages          writes the page; --check says whether it is up to date"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import hlo
from hlo.builder.arguments import method_name
from hlo.dialect.assembly.shardy import FORMATS
from hlo.dialect.choices import ELEMENT, SIZES, TYPES
from hlo.dialect.definition import OPS, Op
from hlo.dialect.registration import make_context
from hlo.tools.pages.generated_page import write_or_check
from hlo.tools.run.check import parts_of

ROOT = Path(__file__).resolve().parents[2]
HEAD = """# All ops and attributes

Generated from the op classes by `python -m hlo.tools.pages.op_pages`; a test fails when it is stale. What each op has (verifier, reference, targets, tests):
[status of each op](status.md). The ops of Shardy's dialect, `sdy`, are read, printed and used, not built: [programs with shardings](sharding.md).

Of each op: operands, attributes, regions and results with their kinds (a `*` behind a name: any number of them); the call that [builds](builder.md) it, with operands,
regions (as Python functions) and attributes in this order, or by name; an example of its text, as `hlo-opt` prints it from a program of `test/e2e`.

"""
NAMESPACES = {"stablehlo": "b", "chlo": "b.chlo", "check": "b.check", "interpreter": "b.interpreter"}
"""The dialects in the order of the page, and the builder's object that has their methods."""

CHOSEN = {ELEMENT: "dtype", SIZES: "sizes", TYPES: "result_types"}
"""The builder's keyword for what of its result types an op leaves to the writer."""

NO_PROGRAM = {
    "stablehlo.compute_reshape_shape": '%1 = "stablehlo.compute_reshape_shape"(%0, %shape) : (index, tensor<2xi32>) -> tensor<2xi32>',
    "stablehlo.cstr_reshapable": '%1 = "stablehlo.cstr_reshapable"(%0, %shape) : (index, tensor<2xi32>) -> !shape.witness',
}
"""The text of ops that no self-checking program can have (test_registries.WITHOUT_E2E)."""


def page() -> str:
    """The text of the page."""
    make_context()
    sections = [_attributes()]
    for namespace in NAMESPACES:
        names = sorted(name for name in OPS if namespace == OPS[name].DIALECT)
        sections += [f"## {namespace}\n", *(_entry(OPS[name]) for name in names)]
    return HEAD + "\n".join([*sections, _of_shardy()])


def _of_shardy() -> str:
    """Shardy's ops have no classes: their forms, as they are printed."""
    text = hlo.print_module(hlo.parse((ROOT / "test" / "dialect" / "sharding.mlir").read_text()))
    names = sorted(FORMATS)
    found = {name: min(_statements(text, name), key=len, default="") for name in names}
    entries = [f"### {name}\n\n```text\n{found[name]}\n```\n" for name in names]
    return "\n".join(
        ["## sdy\n\nRead and printed; [programs with shardings](sharding.md) says what they do.\n", *entries]
    )


def _attributes() -> str:
    kinds = {a.kind.description: a.kind for op in OPS.values() for a in op.ATTRIBUTES}
    rows = [f"| {_cell(kind.description)} | {_values(kind)} | {_users(kind)} |" for _, kind in sorted(kinds.items())]
    return "\n".join(["## Kinds of attributes\n", "| kind | values | of |", "|---|---|---|", *rows, ""])


def _values(kind: Any) -> str:
    if kind.values:
        return ", ".join(f"`{value}`" for value in kind.values)
    return f"`hlo.dialect.structures.{kind.structure.__name__}`" if kind.structure else ""


def _users(kind: Any) -> str:
    users = sorted({f"`{name}`" for name, op in OPS.items() for a in op.ATTRIBUTES if a.kind is kind})
    return ", ".join(users) if len(users) <= 6 else f"{len(users)} ops"


def _entry(op: type[Op]) -> str:
    text, _, link = " ".join((op.__doc__ or "").split()).partition(" https://")
    more = f" [Specification](https://{link})" if link else ""
    parts = [
        f"### {op.OPERATION_NAME}",
        f"{text}{more}",
        _members(op),
        _shown_call(op),
        f"```text\n{_example(op)}\n```",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _members(op: type[Op]) -> str:
    rows = [
        *(("operand", _many(o), o.type.description) for o in op.OPERANDS),
        *(("region", _many(r), _region(r)) for r in op.REGIONS),
        *(
            ("attribute", f"`{a.key}`", a.kind.description + (", optional" if a.optional else ""))
            for a in op.ATTRIBUTES
        ),
        *(("result", _many(r), r.type.description) for r in op.RESULTS),
    ]
    lines = [f"| {what} | {name} | {_cell(kind)} |" for what, name, kind in rows]
    return (
        "\n".join(["| | name | kind |", "|---|---|---|", *lines])
        if rows
        else "It has no operands, attributes or results."
    )


def _many(member: Any) -> str:
    return f"`{member.name}`{'*' if member.variadic else ''}"


def _region(region: Any) -> str:
    return f"{region.arguments} arguments" if region.arguments is not None else "as many arguments as the op says"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _shown_call(op: type[Op]) -> str:
    return "The builder ends each region with what its function returns." if op.IS_TERMINATOR else f"`{_call(op)}`"


def _call(op: type[Op]) -> str:
    """The builder's method with all that it takes, what may be left out with `=None`."""
    operands = [
        f"*{o.name}" if o.variadic and len(op.OPERANDS) == 1 and not op.REGIONS else o.name for o in op.OPERANDS
    ]
    attributes = [f"{a.name}=None" if a.optional else a.name for a in sorted(op.ATTRIBUTES, key=lambda a: a.optional)]
    if any(o.startswith("*") for o in operands):
        attributes = [a if "=" in a else f"{a}=..." for a in attributes]
    chosen = [f"{CHOSEN[choice]}=..." for choice in op.CHOICE]
    arguments = ", ".join([*operands, *(r.name for r in op.REGIONS), *attributes, *chosen])
    return f"{NAMESPACES[op.DIALECT]}.{method_name(op.MNEMONIC)}({arguments})"


def _example(op: type[Op]) -> str:
    """The shortest statement of the op in its self-checking programs, as it is printed."""
    name = op.OPERATION_NAME
    if name in NO_PROGRAM:
        return NO_PROGRAM[name]
    file = ROOT / "test" / "e2e" / f"{name.removeprefix('stablehlo.')}.mlir"
    if not file.exists():
        file = ROOT / "test" / "e2e" / "reduce.mlir"  # regions end in stablehlo.return
    texts = [hlo.print_module(hlo.parse(part.text)) for part in parts_of(str(file), "cpu", {}, ())]
    found = [statement for text in texts for statement in _statements(text, name)]
    return min(found, key=lambda s: (len(s.splitlines()), len(s)))


def _statements(text: str, name: str) -> list[str]:
    lines = text.splitlines()
    starts = [i for i, line in enumerate(lines) if re.search(rf'(^|[\s(]|= )"?{re.escape(name)}"?[\s(<]', line)]
    return [_whole(lines, start) for start in starts]


def _whole(lines: list[str], start: int) -> str:
    """A statement to the end of its regions, without its indentation."""
    depth, taken = 0, []
    for line in lines[start:]:
        taken.append(line)
        depth += sum(line.count(c) for c in "({[") - sum(line.count(c) for c in ")}]")
        following = lines[start + len(taken)].lstrip() if start + len(taken) < len(lines) else ""
        if depth <= 0 and not following.startswith("reducer"):
            break
    indent = len(taken[0]) - len(taken[0].lstrip())
    return "\n".join(line[indent:] if not line[:indent].strip() else line.lstrip() for line in taken)


def main() -> int:
    return write_or_check("hlo.tools.pages.op_pages", ROOT / "docs" / "ops.md", page)


if __name__ == "__main__":
    sys.exit(main())
