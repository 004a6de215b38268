"""The IRDL definition of a dialect, generated from its op classes.

    irdl.operation @compare {
      %0 = irdl.base "!builtin.tensor"
      ...
      irdl.operands(lhs: %0, rhs: %1)

LLVM 22's IRDL knows counts, kinds of types and attributes, and cases of enums. It cannot say: groups of values of
different types, two groups of any size, optional attributes, terminators, names with `-`. Ops that need those are left
out (`inexpressible` says why); they live in the dialect as unknown ops (see unknown_ops), and like all others they are
checked by the verifier."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator

from hlo.dialect.attributes import AttributeKind
from hlo.dialect.definition import OPS, Attr, Op, Region

TYPES = {
    "stablehlo": (
        "irdl.type @token",
        "irdl.type @future {\n    %0 = irdl.any\n    irdl.parameters(value: %0)\n  }",
        'irdl.attribute @spelt {\n    %0 = irdl.base "#builtin.string"\n    irdl.parameters(text: %0)\n  }',
    )
}
"""Types and attributes of a dialect. A future of several values, or of none, has a tuple of them (see futures); `spelt` holds
an attribute of upstream's spelling that is no op's of ours (see reader.attributes)."""


def inexpressible(op_class: type[Op]) -> str:
    """Why IRDL cannot define an op; "" when it can."""
    groups = (*op_class.OPERANDS, *op_class.RESULTS)
    if re.fullmatch(r"[a-z][a-z0-9_]*", op_class.MNEMONIC) is None:
        return "its name"
    if op_class.IS_TERMINATOR:
        return "a terminator"
    if any(g.variadic and not g.one_type for g in groups):
        return "a group of values of different types"
    if max(sum(g.variadic for g in op_class.OPERANDS), sum(g.variadic for g in op_class.RESULTS)) > 1:
        return "two groups of any size"
    return "any number of regions" if any(r.variadic for r in op_class.REGIONS) else ""


def definition_text(namespace: str, *, operations: bool = True) -> str:
    """The definition of one dialect; it loads with irdl.load_dialects."""
    classes = [c for c in OPS.values() if operations and namespace == c.DIALECT and not inexpressible(c)]
    members = [*TYPES.get(namespace, ()), *map(operation_text, sorted(classes, key=lambda c: c.MNEMONIC))]
    body = "".join(f"  {m}\n" for m in members)
    return f"irdl.dialect @{namespace} {{\n{body}}}\n"


def operation_text(op_class: type[Op]) -> str:
    lines = "".join(f"    {line}\n" for line in _Operation().lines(op_class))
    return f"irdl.operation @{op_class.MNEMONIC} {{\n{lines}  }}"


class _Operation:
    """Numbers the constraint values of one operation: a value that is used twice would mean "the same type"."""

    def __init__(self) -> None:
        self._count = 0

    def lines(self, op_class: type[Op]) -> Iterator[str]:
        for keyword, groups in (("operands", op_class.OPERANDS), ("results", op_class.RESULTS)):
            entries = []
            for group in groups:
                value = yield from self._value(_base(group.type.irdl))
                entries.append(f"{group.name}: {'variadic ' if group.variadic else ''}{value}")
            if entries:
                yield f"irdl.{keyword}({', '.join(entries)})"
        yield from self._attributes([a for a in op_class.ATTRIBUTES if not a.optional])
        yield from self._regions(op_class.REGIONS)

    def _value(self, constraint: str) -> Generator[str, None, str]:
        name = f"%{self._count}"
        self._count += 1
        yield f"{name} = {constraint}"
        return name

    def _attributes(self, required: list[Attr]) -> Iterator[str]:
        entries = []
        for attribute in required:
            value = yield from self._attribute(attribute.kind)
            entries.append(f'"{attribute.key}" = {value}')
        if entries:
            yield f"irdl.attributes {{{', '.join(entries)}}}"

    def _attribute(self, kind: AttributeKind) -> Generator[str, None, str]:
        if not kind.values or kind.irdl:
            return (yield from self._value(_base(kind.irdl)))
        cases = []
        for case in kind.values:
            cases.append((yield from self._value(f'irdl.is "{case}"')))
        return (yield from self._value(f"irdl.any_of({', '.join(cases)})"))

    def _regions(self, regions: list[Region]) -> Iterator[str]:
        """A single region is followed by an empty one: ops of one region would count as symbol tables."""
        names = [r.name for r in regions] + (["unused"] if len(regions) == 1 else [])
        entries = []
        for name in names:
            value = yield from self._value("irdl.region")
            entries.append(f"{name}: {value}")
        if entries:
            yield f"irdl.regions({', '.join(entries)})"


def _base(name: str) -> str:
    """The constraint for a base: `!builtin.tensor`, `@stablehlo::@token`, or anything."""
    if not name:
        return "irdl.any"
    return f"irdl.base {name}" if name.startswith("@") else f'irdl.base "{name}"'
