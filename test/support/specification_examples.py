"""The examples of the specification's ops: statements, the values of their operands and what their results are to be, all read
from the document's text."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hlo.dialect.elements import DTYPES

Process = tuple[int, int]
EVERY: Process = (-1, -1)
"""In place of a process: a value that all of them have."""


@dataclass
class Example:
    op: str
    statement: str
    operands: list[str]
    results: list[str]
    operand_types: list[str]
    result_types: list[str]
    inputs: dict[tuple[str, Process], Any]
    expected: dict[tuple[str, Process], Any] = field(default_factory=dict)
    replicas: int = 1

    @property
    def types(self) -> dict[str, str]:
        """Of the operands, and of the values from outside that the regions use."""
        found = dict(zip(self.operands, self.operand_types))
        for operands, types in _SIGNATURE.findall(self.statement):
            pairs = zip(re.findall(r"%\w+", operands), split_types(types))
            found.update({name: t for name, t in pairs if name not in found and any(name == n for n, _ in self.inputs)})
        return found


_SIGNATURE = re.compile(r'"stablehlo\.\w+"\(([^()]*)\)\s*:\s*\(([^()]*)\)')
_OPS = re.compile(r"^### (\w+)\n(.*?)(?=^###? )", re.MULTILINE | re.DOTALL)
_BLOCK = re.compile(r"```mlir\n(.*?)```", re.DOTALL)
_VALUE = re.compile(r"%\s*(\w+)(?:@\((\d+), (\d+)\))?\s*[:=]\s*(.*)")
_HEAD = re.compile(r'((?:%\w+,?\s*)*)=\s*"stablehlo\.(\w+)"\(([^()]*)\)', re.DOTALL)


def examples(text: str, corrections: dict[str, tuple[str, str, str]]) -> list[Example]:
    """All of the section Ops. `corrections`: for an op what is replaced in its examples, by what, and why."""
    found = []
    for op, section in _OPS.findall(text[text.index("\n## Ops") : text.index("\n## Execution")] + "\n## "):
        if "#### Examples" in section:
            for block in _BLOCK.findall(section[section.index("#### Examples") :]):
                wrong, right, _ = corrections.get(op, ("", "", ""))
                assert wrong in block, f"the correction of {op} is not needed any more"
                found += _in_block(op, block.replace(wrong, right) if wrong else block)
    return found


def _in_block(op: str, block: str) -> list[Example]:
    """The statements of a block, each with the comments around it."""
    found: list[Example] = []
    inputs: dict[tuple[str, Process], Any] = {}
    replicas = 1
    for kind, text in _items(block):
        if kind == "statement":
            found.append(_example(op, text, inputs, replicas))
            inputs = {}
        elif kind == "replicas":
            replicas = int(text)
        else:
            name, process, value = _named_value(text)
            is_result = bool(found) and name in found[-1].results
            (found[-1].expected if is_result else inputs)[name, process] = value
    return found


def _items(block: str) -> list[tuple[str, str]]:
    """("statement" or "value" or "replicas", text), in order; other comments are left out."""
    items: list[tuple[str, str]] = []
    is_open = False
    for line in block.splitlines():
        comment = line.strip().startswith("//")
        content = line.strip().lstrip("/").partition("//")[0].strip() if comment else line
        if is_open:
            items[-1] = (items[-1][0], f"{items[-1][1]}\n{line if items[-1][0] == 'statement' else content}")
        elif comment and content.startswith("num_replicas:"):
            items.append(("replicas", content.partition(":")[2]))
        elif comment and _VALUE.match(content):
            items.append(("value", content))
        elif not comment and line.strip():
            items.append(("statement", line))
        else:
            continue
        is_open = _is_open(*items[-1])
    return items


def _is_open(kind: str, text: str) -> bool:
    """Whether an item goes on in the next line."""
    plain = re.sub(r"//[^\n]*|->", "", text)
    depth = sum(plain.count(c) for c in "([{<") - sum(plain.count(c) for c in ")]}>")
    return depth > 0 or (kind == "statement" and not re.search(r"->[^)]*[)>]+\s*$", text))


def _example(op: str, statement: str, inputs: dict[tuple[str, Process], Any], replicas: int) -> Example:
    head = _HEAD.match(statement)
    assert head, statement
    results, _, operands = (head[1], head[2], head[3])
    before, _, after = statement[_last_signature(statement) :].partition("->")
    types = [split_types(part.strip().lstrip(":").strip()) for part in (before, after)]
    names = (re.findall(r"%\w+", operands), re.findall(r"%\w+", results))
    return Example(op, statement, names[0], names[1], types[0], types[1], inputs, replicas=replicas)


def _last_signature(statement: str) -> int:
    """Where the signature of the whole statement begins: the last colon outside of brackets."""
    depth = 0
    last = 0
    for found in re.finditer(r"//[^\n]*|->|[()\[\]{}<>]|:", statement):
        token = found.group()
        depth += {"(": 1, "[": 1, "{": 1, "<": 1, ")": -1, "]": -1, "}": -1, ">": -1}.get(token, 0)
        if token == ":" and depth == 0:
            last = found.start()
    return last


def split_types(text: str) -> list[str]:
    """`(A, B)` or `A, B` as a list."""
    text = " ".join(text.split())
    text = text[1:-1] if text.startswith("(") else text
    types, depth = [""], 0
    for character in text:
        depth += {"<": 1, ">": -1}.get(character, 0)
        if character == "," and depth == 0:
            types.append("")
        else:
            types[-1] += character
    return [t.strip() for t in types if t.strip()]


# Values


def _named_value(text: str) -> tuple[str, Process, Any]:
    name, replica, partition, first = _VALUE.match(text.partition("\n")[0]).groups()  # type: ignore[union-attr]
    rest = text.partition("\n")[2]
    process = EVERY if replica is None else (int(replica), int(partition))
    return f"%{name}", process, read_value(f"{first}\n{rest}")


_TOKENS = re.compile(r"[\[\](),]|[^\[\](),\s]+")


def read_value(text: str) -> Any:
    """Lists, tuples and numbers as the document writes them."""
    tokens = _TOKENS.findall(text)
    value, rest = _read(tokens)
    assert not rest, f"{rest} after the value in {text}"
    return value


def _read(tokens: list[str]) -> tuple[Any, list[str]]:
    first, rest = tokens[0], tokens[1:]
    if first not in "[(":
        return _number(first), rest
    close, items = {"[": "]", "(": ")"}[first], []
    while rest[0] != close:
        item, rest = _read(rest)
        items.append(item)
        rest = rest[1:] if rest[0] == "," else rest
    return (items if first == "[" else tuple(items)), rest[1:]


def _number(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    if text.startswith("0x"):
        return np.array(int(text, 16), np.uint32).view(np.float32)[()]
    return int(text) if re.fullmatch(r"-?\d+", text) else float(text)


_TENSOR = re.compile(r"tensor<((?:\d+x)*)([^>]*(?:<\w+>)?)>")


def array(value: Any, type: str) -> np.ndarray:
    """A value of a tensor type."""
    sizes, element = _TENSOR.fullmatch(type).groups()  # type: ignore[union-attr]
    shape, dtype = tuple(int(n) for n in sizes.split("x") if n), DTYPES[element]
    if dtype.kind == "c":
        numbers = np.array(_flat(value), np.float64).reshape(-1, 2)
        return (numbers[:, 0] + 1j * numbers[:, 1]).astype(dtype).reshape(shape)
    found = np.array(value, np.uint64 if element == "ui64" else None).astype(dtype)
    assert found.shape == shape, f"{value} is no {type}"
    return found


def _flat(value: Any) -> list[Any]:
    return [leaf for part in value for leaf in _flat(part)] if isinstance(value, (list, tuple)) else [value]


def arrays(value: Any, type: str) -> list[np.ndarray]:
    """The arrays of a value of a tensor or tuple type."""
    if not type.startswith("tuple<"):
        return [array(value, type)]
    return [leaf for part, t in zip(value, split_types(type[6:-1])) for leaf in arrays(part, t)]
