"""Spellings of older files: lists as `dense<[0, 1]> : tensor<2xi64>` where `array<i64: 0, 1>` is meant today."""

from __future__ import annotations

import functools
import re

from hlo.dialect.attributes import MOST_LISTED, BoolArray, I64Array
from hlo.dialect.definition import OPS

_DENSE = re.compile(r'(?<![\w"$.])(\w+)\s*=\s*dense<\s*(\[[^\]]*\]|[\w-]*)\s*>\s*:\s*tensor<(\d+)xs?(i64|i1)>')

_NUMBER = re.compile(r"(?<![\w-])-?\d+")
BOOLEANS = {"0": "false", "1": "true", "-1": "true"}
"""Numbers that MLIR takes for elements of a tensor of booleans."""


@functools.cache
def _arrays(op: str) -> frozenset[str]:
    """The attributes of an op that are lists of integers or booleans."""
    return frozenset(a.key for a in OPS[op].ATTRIBUTES if a.kind in (I64Array, BoolArray)) if op in OPS else frozenset()


def modernize(op: str, attributes: str) -> str:
    """The inside of an op's dictionary with old lists in today's spelling."""
    if "dense<" not in attributes or not _arrays(op):
        return attributes
    return _DENSE.sub(lambda found: _array(found, _arrays(op)), attributes)


def _array(found: re.Match[str], names: frozenset[str]) -> str:
    name, values, count, type = found.groups()
    is_splat = not values.startswith("[")
    if name not in names or (is_splat and (len(count) > 9 or int(count) > MOST_LISTED)):
        return found.group()
    if is_splat:
        values = f"[{', '.join([values] * int(count if values else 0))}]"
    inside = values[1:-1].strip()
    if type == "i1":
        inside = _NUMBER.sub(lambda number: BOOLEANS.get(number[0], number[0]), inside)
    return f"{name} = array<{type}: {inside}>" if inside else f"{name} = array<{type}>"
