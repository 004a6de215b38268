"""Device code as data: what the model runs. Nothing of MLIR is needed to keep, load or run it (read_code.py makes it).

    {"functions": [{"name", "parameters", "types", "body"}], "tables": {name: elements}}         as JSON

Values are numbers; "types" has one for each, as [kind, shape, element]. A block is [arguments, ops], an op
[name, operands, results, attributes, blocks]; a region without
a block has an empty one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from hlo.dialect.numpy_types import DTYPES
from hlo.lazy_dataclasses import dataclass


@dataclass(frozen=True)
class Type:
    """`kind`: "scalar", "vector", "memref", or "other", whose `element` is the type's text."""

    kind: str
    shape: tuple[int, ...]
    element: str


@dataclass(frozen=True)
class Value:
    number: int
    type: Type


@dataclass(frozen=True)
class Op:
    """Attributes are numbers, strings, lists, or arrays."""

    name: str
    operands: Sequence[Value]
    results: Sequence[Value]
    attributes: dict[str, Any]
    regions: Sequence[Block]


@dataclass(frozen=True)
class Block:
    arguments: Sequence[Value]
    operations: Sequence[Op]


@dataclass(frozen=True)
class Function:
    """`parameters`: how many of the body's arguments the host passes; the others are memory shared by a block's threads."""

    name: str
    parameters: int
    body: Block


@dataclass(frozen=True)
class Code:
    """`tables`: constant memory that functions refer to by name."""

    functions: dict[str, Function]
    tables: dict[str, np.ndarray]


def read(text: str) -> Code:
    """The code in JSON text as read_code.py writes it."""
    found = json.loads(text)
    functions = {f["name"]: _function(f) for f in found["functions"]}
    return Code(functions, {name: array_of(table) for name, table in found["tables"].items()})


def _function(record: dict[str, Any]) -> Function:
    values = [Value(n, Type(kind, tuple(shape), element)) for n, (kind, shape, element) in enumerate(record["types"])]
    return Function(record["name"], record["parameters"], _block(record["body"], values))


def _block(record: Any, values: Sequence[Value]) -> Block:
    arguments, ops = record
    return Block([values[n] for n in arguments], [_op(op, values) for op in ops])


def _op(record: Any, values: Sequence[Value]) -> Op:
    name, operands, results, attributes, blocks = record
    return Op(
        name,
        [values[n] for n in operands],
        [values[n] for n in results],
        {key: array_of(a) if isinstance(a, dict) else a for key, a in attributes.items()},
        [_block(b, values) for b in blocks],
    )


def array_of(record: dict[str, Any]) -> np.ndarray:
    """Elements as JSON has them: their bytes in hexadecimal digits."""
    data = np.frombuffer(bytes.fromhex(record["bytes"]), np.uint8)
    return data.view(DTYPES[record["dtype"]]).reshape(record["shape"])
