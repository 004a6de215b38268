"""The IRDL definition of a dialect, generated from its op classes.

    irdl.operation @compare {
      %0 = irdl.base "!builtin.tensor"
      ...
      irdl.operands(lhs: %0, rhs: %0)

LLVM 22's IRDL knows counts, kinds of types and attributes, cases of enums, which values have one type, and the
arguments of regions. It cannot say: shapes and elements of tensors, attributes that may be left out, groups of values
of different types, two groups of any size, optional attributes, terminators, names with `-`. Ops that need those are
left out (`inexpressible` says why); they live in the dialect as unknown ops (see unknown_ops), and like all others they
are checked by the verifier."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Sequence

from hlo.dialect.attributes import AttributeKind, Bool
from hlo.dialect.definition import OPS, Attr, Op, Region
from hlo.dialect.types import TypeSet

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


def definition_text(namespace: str, *, operations: bool = True, exact: bool = True) -> str:
    """The definition of one dialect; it loads with irdl.load_dialects. `exact`: with types that must be equal, as they are
    in programs without unknown sizes and quantized elements; in others, a type may say more than another one."""
    classes = [c for c in OPS.values() if operations and namespace == c.DIALECT and not inexpressible(c)]
    members = [
        *TYPES.get(namespace, ()),
        *(operation_text(c, exact) for c in sorted(classes, key=lambda c: c.MNEMONIC)),
    ]
    body = "".join(f"  {m}\n" for m in members)
    return f"irdl.dialect @{namespace} {{\n{body}}}\n"


def operation_text(op_class: type[Op], exact: bool = True) -> str:
    lines = "".join(f"    {line}\n" for line in _Operation(exact).lines(op_class))
    return f"irdl.operation @{op_class.MNEMONIC} {{\n{lines}  }}"


class _Operation:
    """Numbers the constraint values of one operation: a value that is used twice means "the same type"."""

    def __init__(self, exact: bool) -> None:
        self._count = 0
        self._exact = exact

    def lines(self, op_class: type[Op]) -> Iterator[str]:
        one_type = op_class.ONE_TYPE if self._exact else ()
        first = {name: names[0] for names in one_type for name in names}
        known: dict[str, str] = {}
        for keyword, groups in (("operands", op_class.OPERANDS), ("results", op_class.RESULTS)):
            entries = []
            for group in groups:
                key = first.get(group.name, group.name)
                if key not in known:
                    known[key] = yield from self._type(group.type)
                entries.append(f"{group.name}: {'variadic ' if group.variadic else ''}{known[key]}")
            if entries:
                yield f"irdl.{keyword}({', '.join(entries)})"
        yield from self._attributes([a for a in op_class.ATTRIBUTES if not a.optional])
        yield from self._regions(op_class.REGIONS)

    def _type(self, types: TypeSet) -> Generator[str, None, str]:
        if types.only:
            return (yield from self._any_of(types.only))
        return (yield from self._value(_base(types.irdl)))

    def _any_of(self, cases: Sequence[str]) -> Generator[str, None, str]:
        values = []
        for case in cases:
            values.append((yield from self._value(f"irdl.is {case}")))
        return values[0] if len(values) == 1 else (yield from self._value(f"irdl.any_of({', '.join(values)})"))

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
        if kind is Bool:
            return (yield from self._any_of(("true", "false")))
        if not kind.values or kind.irdl:
            return (yield from self._value(_base(kind.irdl)))
        return (yield from self._any_of([f'"{case}"' for case in kind.values]))

    def _regions(self, regions: list[Region]) -> Iterator[str]:
        """A single region is followed by an empty one: ops of one region would count as symbol tables."""
        entries = []
        for region in regions:
            value = yield from self._region(region)
            entries.append(f"{region.name}: {value}")
        if len(regions) == 1:
            unused = yield from self._value("irdl.region")
            entries.append(f"unused: {unused}")
        if entries:
            yield f"irdl.regions({', '.join(entries)})"

    def _region(self, region: Region) -> Generator[str, None, str]:
        """One block, with as many arguments as the region is known to have."""
        if region.arguments is None:
            return (yield from self._value("irdl.region with size 1"))
        arguments = []
        for _ in range(region.arguments):
            arguments.append((yield from self._value("irdl.any")))
        return (yield from self._value(f"irdl.region({', '.join(arguments)}) with size 1"))


def _base(name: str) -> str:
    """The constraint for a base: `!builtin.tensor`, `@stablehlo::@token`, or anything."""
    if not name:
        return "irdl.any"
    return f"irdl.base {name}" if name.startswith("@") else f'irdl.base "{name}"'
