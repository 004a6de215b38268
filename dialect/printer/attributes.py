"""Builtin attributes that the IR holds to upstream's spelling, by what an op's class declares.

comparison_direction = "LT"                          #stablehlo<comparison_direction LT>
{lhs_contracting_dimensions = array<i64: 1>, ...}    #stablehlo.dot<lhs_contracting_dimensions = [1]>"""

from __future__ import annotations

import functools
import re
from dataclasses import fields

from hlo.dialect.assembly.attributes import DYNAMIC_BOUND, STRUCTURES
from hlo.dialect.assembly.values import integers, number
from hlo.dialect.attributes import (
    AttributeKind,
    ConvDimensionNumbers,
    DotAlgorithm,
    OutputOperandAlias,
    ResultAccuracy,
)
from hlo.dialect.cursor import split_list
from hlo.dialect.definition import OPS

_NAMES = {cls: name for name, cls in STRUCTURES.items()}
_COMPLETE = (DotAlgorithm, OutputOperandAlias, ResultAccuracy)
"""Structures whose empty fields upstream wants to see."""
_BOUNDS = re.compile(r", \{bounds = array<i64(?:: ([-\d, ]*))?>\}>")


@functools.cache
def _kinds(op: str) -> dict[str, AttributeKind]:
    """The attributes of an op that have a spelling of their own."""
    declared = OPS[op].ATTRIBUTES if op in OPS else []
    return {a.key: a.kind for a in declared if a.kind.enum_name or a.kind.structure or a.kind.has_mesh_axes}


def spell_all(op: str, attributes: dict[str, str]) -> dict[str, str]:
    """The attributes of one op, spelt upstream's way."""
    kinds = _kinds(op)
    if not kinds:
        return attributes
    namespace = "chlo" if op.startswith("chlo.") else "stablehlo"
    return {
        name: _spell(kinds[name], value, namespace) if name in kinds else value for name, value in attributes.items()
    }


def _spell(kind: AttributeKind, value: str, namespace: str) -> str:
    if value.startswith("["):
        return f"[{', '.join(_spell(kind, item, namespace) for item in split_list(value[1:-1]))}]"
    if kind.enum_name and value.startswith('"'):
        return f"#{namespace}<{kind.enum_name} {value[1:-1]}>"
    if kind.structure and value.startswith("{"):
        return _spell_structure(kind.structure, split_dictionary(value[1:-1]))
    if kind.has_mesh_axes and value.startswith("{"):
        return _spell_mesh_axes(split_dictionary(value[1:-1]))
    return value


def _spell_mesh_axes(groups: dict[str, str]) -> str:
    named = [split_dictionary(axis[1:-1]) for axis in split_list(groups["axes"][1:-1])]
    parts = [f", sub_axis_info = ({number(a['pre_size'])}){number(a['size'])}" if "size" in a else "" for a in named]
    axes = ", ".join(f"#stablehlo.axis_ref<name = {a['name']}{part}>" for a, part in zip(named, parts))
    return f"#stablehlo.replica_group_mesh_axes<mesh = {_spell_mesh(groups['mesh'])}, axes = [{axes}]>"


def _spell_mesh(mesh: str) -> str:
    if mesh.startswith("@"):
        return mesh
    fields = split_dictionary(mesh[1:-1])
    axes = [split_dictionary(axis[1:-1]) for axis in split_list(fields["axes"][1:-1])]
    listed = ", ".join(f"#stablehlo.mesh_axis<name = {a['name']}, size = {number(a['size'])}>" for a in axes)
    devices = f", device_ids = {fields['device_ids']}" if "device_ids" in fields else ""
    return f"#stablehlo.mesh<axes = [{listed}]{devices}>"


def split_dictionary(inside: str) -> dict[str, str]:
    """`a = 1 : i64, b` to names and values; a unit attribute has the value ""."""
    items = (item.partition(" = ") for item in split_list(inside))
    return {name.strip(): value.strip() for name, _, value in items}


def _spell_structure(cls: type, values: dict[str, str]) -> str:
    if cls is ConvDimensionNumbers:
        return f"#stablehlo.conv<{convolution_dimensions(values)}>"
    return f"#{_NAMES[cls]}<{', '.join(_written_fields(cls, values))}>"


def _written_fields(cls: type, values: dict[str, str]) -> list[str]:
    written = []
    for field in fields(cls):
        value = values.get(field.name)
        if value is None or (value == "array<i64>" and cls not in _COMPLETE):
            continue
        written.append(f"{field.name} = {_field(field.name, value)}")
    return written


def _field(name: str, value: str) -> str:
    if value.startswith("array<"):
        return integers(value)
    if name == "mode":
        return f"#stablehlo.result_accuracy_mode<{value[1:-1]}>"
    return number(value)


def convolution_dimensions(values: dict[str, str]) -> str:
    """The fields of a convolution's dimension numbers to `[b, 0, f]x[0, i, o]->[b, 0, f]`."""
    first = _dimension_list(values, "input", {"batch": "b", "feature": "f"})
    kernel = _dimension_list(values, "kernel", {"input_feature": "i", "output_feature": "o"})
    last = _dimension_list(values, "output", {"batch": "b", "feature": "f"})
    return f"{first}x{kernel}->{last}"


def _dimension_list(values: dict[str, str], group: str, letters: dict[str, str]) -> str:
    spatial = [s for s in integers(values[f"{group}_spatial_dimensions"])[1:-1].split(", ") if s]
    letter_of = {int(s): str(i) for i, s in enumerate(spatial)}
    letter_of |= {int(number(values[f"{group}_{key}_dimension"])): letter for key, letter in letters.items()}
    return f"[{', '.join(letter_of[i] for i in sorted(letter_of))}]"


def spell_bounds(text: str) -> str:
    """Bounds of dynamic dimensions in the types of a text."""
    if "{bounds = " not in text:
        return text
    return _BOUNDS.sub(lambda found: f", #stablehlo.bounds<{(found[1] or '').replace(DYNAMIC_BOUND, '?')}>>", text)
