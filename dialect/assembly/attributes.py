"""Upstream's spelling of attributes to the builtin attributes that the IR holds.

#stablehlo<comparison_direction LT>                  "LT"
#stablehlo.dot<lhs_contracting_dimensions = [1]>     {lhs_contracting_dimensions = array<i64: 1>, ...}
#stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>      {input_batch_dimension = 0 : i64, ...}
tensor<?xf32, #stablehlo.bounds<8>>                  tensor<?xf32, {bounds = array<i64: 8>}>"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields
from typing import Any

from hlo.dialect.assembly import mesh_axes
from hlo.dialect.attributes import (
    ChannelHandle,
    ConvDimensionNumbers,
    DotAlgorithm,
    DotDimensionNumbers,
    GatherDimensionNumbers,
    OutputOperandAlias,
    RaggedDotDimensionNumbers,
    ResultAccuracy,
    ScatterDimensionNumbers,
)
from hlo.dialect.cursor import Cursor, Unexpected, i64_array, split_list

STRUCTURES: dict[str, type] = {
    "stablehlo.dot": DotDimensionNumbers,
    "stablehlo.gather": GatherDimensionNumbers,
    "stablehlo.scatter": ScatterDimensionNumbers,
    "stablehlo.channel_handle": ChannelHandle,
    "stablehlo.output_operand_alias": OutputOperandAlias,
    "stablehlo.dot_algorithm": DotAlgorithm,
    "stablehlo.result_accuracy": ResultAccuracy,
    "chlo.ragged_dot": RaggedDotDimensionNumbers,
}
DYNAMIC_BOUND = "-9223372036854775808"

_ATTRIBUTE = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|#(?:stablehlo|chlo)(?:<\s*(\w+)\s+(\w+)\s*>|\.(\w+)(?=\s*<))')


def has_own_spelling(text: str) -> bool:
    return "#stablehlo" in text or "#chlo" in text


def to_builtin(text: str, offset: int = 0) -> str:
    """All attributes of upstream's spelling in a piece of text replaced; `offset` is the piece's position in the file."""
    pieces, position = [], 0
    while found := _ATTRIBUTE.search(text, position):
        pieces.append(text[position : found.start()])
        token = found.group()
        if token[0] != "#":
            pieces.append(token)
            position = found.end()
            continue
        cursor = Cursor(text, found.end())
        pieces.append(f'"{found[2]}"' if found[2] else _convert(token[1:], cursor, offset))
        position = cursor.position
    pieces.append(text[position:])
    return "".join(pieces)


_SPELT = "#stablehlo.spelt<"


def as_spelt(written: str, offset: int) -> str:
    """An attribute of a module, a function or an argument, of whatever name: kept as it is spelt, inside of one of IRDL's,
    since nothing says what it would have to be printed as. Bounds of types are not such attributes, and unknown ones are for
    MLIR to refuse."""
    is_bounds = re.match(r"#stablehlo\s*\.\s*(bounds|type_extensions)\b", written)
    if is_bounds or to_builtin(written, offset).startswith("#"):
        return written
    escaped = written.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
    return f'{_SPELT}"{escaped}">'


_SPELT_TEXT = re.compile(r'#stablehlo\.spelt<"((?:[^"\\]|\\.)*)">')


def without_spelt(text: str) -> str:
    """Upstream's spelling again of what `as_spelt` kept."""
    return _SPELT_TEXT.sub(lambda found: _unescaped(found[1]), text) if _SPELT in text else text


def _unescaped(text: str) -> str:
    """MLIR writes other characters than letters as two hexadecimal digits."""
    return re.sub(r"\\([0-9A-F]{2}|.)", lambda found: chr(int(found[1], 16)) if len(found[1]) == 2 else found[1], text)


def _convert(name: str, cursor: Cursor, offset: int) -> str:
    start = cursor.position
    cursor.skip()
    inside = cursor.balanced()[1:-1]
    if name in STRUCTURES:
        return structure(STRUCTURES[name], inside, offset + start)
    mnemonic = name.partition(".")[2]
    if mnemonic in _SPECIAL:
        return _SPECIAL[mnemonic](inside, offset + start)
    if re.fullmatch(r"\s*[A-Z_]+\s*", inside):  # an enum spelt #stablehlo.result_accuracy_mode<DEFAULT>
        return f'"{inside.strip()}"'
    return f"#{name}<{inside}>"


def structure(cls: type, inside: str, position: int) -> str:
    """`name = value, ...` to a dictionary with every field of the dataclass."""
    defaults = {f.name: f.default for f in fields(cls)}
    values = {name: _default(value) for name, value in defaults.items() if value is not None}
    given = set()
    for item in split_list(inside):
        name, _, value = (part.strip() for part in item.partition("="))
        if name not in defaults:
            raise Unexpected(f"'{name}' is no field of {cls.__name__}; it has {', '.join(defaults)}", position)
        if name in given:
            raise Unexpected(f"'{name}' is given twice in {cls.__name__}", position)
        given.add(name)
        values[name] = _field(defaults[name], value)
    return "{" + ", ".join(f"{name} = {value}" for name, value in values.items()) + "}"


def _default(value: Any) -> str:
    if isinstance(value, tuple):
        return i64_array(str(list(value)))
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    return f"{value} : {'f64' if isinstance(value, float) else 'i64'}"


def _field(default: Any, value: str) -> str:
    if isinstance(default, tuple):
        return i64_array(value) if value.startswith("[") else value
    if isinstance(default, str):
        return to_builtin(value) if value.startswith("#") else f'"{value}"'
    if isinstance(default, bool) or default is None:
        return value
    return value if ":" in value else f"{value} : {'f64' if isinstance(default, float) else 'i64'}"


_GROUPS = (("input", "b", "f"), ("kernel", "o", "i"), ("output", "b", "f"))
_CONV_NAMES = {
    "input": ("batch", "feature"),
    "kernel": ("output_feature", "input_feature"),
    "output": ("batch", "feature"),
}


def convolution_dimensions(inside: str, position: int = 0) -> str:
    """`[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]` (or `raw name = value, ...`) to a dictionary."""
    if inside.strip().startswith("raw"):
        return structure(ConvDimensionNumbers, inside.strip()[3:], position)
    groups = re.fullmatch(r"\s*\[([^\]]*)\]\s*x\s*\[([^\]]*)\]\s*->\s*\[([^\]]*)\]\s*", inside)
    if not groups:
        raise Unexpected("expected convolution dimensions like [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]", position)
    parts = [_convolution_group(text, *group, position) for text, group in zip(groups.groups(), _GROUPS)]
    return structure(ConvDimensionNumbers, ", ".join(parts), position)


def _convolution_group(text: str, group: str, first: str, second: str, position: int) -> str:
    """One of the three lists to the fields that say where batch, feature and spatial dimensions stand."""
    letters = [t.strip() for t in text.split(",")]
    digits = sorted(int(t) for t in letters if t.isdigit())
    spatial = {int(t): n for n, t in enumerate(letters) if t.isdigit()}
    wrong = [t for t in letters if not (t.isdigit() or t in (first, second, "?"))]
    if wrong or letters.count(first) != 1 or letters.count(second) != 1 or digits != [*range(len(digits))]:
        raise Unexpected(
            f"expected '{first}', '{second}' and the spatial dimensions 0, 1, ... in [{text}], each once",
            position,
        )
    names = _CONV_NAMES[group]
    return (
        f"{group}_{names[0]}_dimension = {letters.index(first)}, {group}_{names[1]}_dimension = "
        f"{letters.index(second)}, {group}_spatial_dimensions = {[spatial[i] for i in range(len(spatial))]}"
    )


def _bounds(inside: str, position: int) -> str:
    sizes = ", ".join(DYNAMIC_BOUND if size == "?" else size for size in split_list(inside))
    return "{bounds = " + i64_array(f"[{sizes}]") + "}"


def _type_extensions(inside: str, position: int) -> str:
    return _bounds(inside.partition("=")[2].strip()[1:-1], position)


_SPECIAL: dict[str, Callable[[str, int], str]] = {
    "conv": convolution_dimensions,
    "bounds": _bounds,
    "type_extensions": _type_extensions,
    **mesh_axes.FORMS,
}
