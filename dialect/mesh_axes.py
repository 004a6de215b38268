"""Process groups written as axes of a mesh: `replica_groups = #stablehlo.replica_group_mesh_axes<mesh = ..., axes = [...]>`.

The IR holds dictionaries:

    {mesh = {axes = [{name = "x", size = 2 : i64}, ...], device_ids = dense<...>}, axes = [{name = "x"}, ...]}

`device_ids` is optional (0, 1, 2, ... in row-major order of the axes), and so are `pre_size` and `size` of an axis that
is named: an axis of 8 is seen as `pre_size` x `size` x the rest, and the part in the middle is meant. A mesh that is a symbol
(`mesh = @mesh`) is defined by an op of Shardy; its groups are not known here."""

from __future__ import annotations

import itertools
import math

import numpy as np
from mlir import ir

from hlo.dialect.elements import read_elements
from hlo.lazy_dataclasses import dataclass

Groups = tuple[tuple[int, ...], ...]


def is_mesh_axes(attribute: ir.Attribute) -> bool:
    """Whether an attribute has the fields of this module's dictionaries, each of its type."""
    if not _has_fields(attribute, {"mesh": ir.Attribute, "axes": ir.ArrayAttr}):
        return False
    mesh = ir.DictAttr(attribute)["mesh"]
    if not isinstance(mesh, ir.FlatSymbolRefAttr) and not _is_mesh(mesh):
        return False
    return all(
        _has_fields(a, {"name": ir.StringAttr}, {"pre_size": ir.IntegerAttr, "size": ir.IntegerAttr})
        for a in ir.ArrayAttr(ir.DictAttr(attribute)["axes"])
    )


def _is_mesh(mesh: ir.Attribute) -> bool:
    if not _has_fields(mesh, {"axes": ir.ArrayAttr}, {"device_ids": ir.DenseElementsAttr}):
        return False
    axes = ir.ArrayAttr(ir.DictAttr(mesh)["axes"])
    return all(_has_fields(a, {"name": ir.StringAttr, "size": ir.IntegerAttr}) for a in axes)


Fields = dict[str, type[ir.Attribute]]


def _has_fields(attribute: ir.Attribute, required: Fields, optional: Fields | None = None) -> bool:
    """Whether a dictionary has the required fields, all or none of the optional ones, and no others."""
    if not isinstance(attribute, ir.DictAttr):
        return False
    found = {entry.name: entry.attr for entry in ir.DictAttr(attribute)}
    both = required | (optional or {})
    return found.keys() in (required.keys(), both.keys()) and all(isinstance(v, both[k]) for k, v in found.items())


def mesh_axes_error(attribute: ir.Attribute) -> str | None:
    """What is wrong with a mesh and the axes named in it."""
    written = ir.DictAttr(attribute)
    if isinstance(written["mesh"], ir.FlatSymbolRefAttr):
        return None
    sizes = _sizes(written["mesh"])
    if len(sizes) != len(ir.ArrayAttr(ir.DictAttr(written["mesh"])["axes"])):
        return "axes of the mesh must have different names"
    if min(sizes.values(), default=1) < 1:
        return f"axes of the mesh must have sizes of at least 1, found {sizes}"
    count = math.prod(sizes.values())
    if count > _MOST_DEVICES:
        return f"the mesh must have at most {_MOST_DEVICES} devices, found {count}"
    devices = _devices(written["mesh"])
    if sorted(devices) != [*range(count)]:
        return f"device_ids of the mesh must be the numbers from 0 to {count - 1}, found {devices}"
    references = _references(written["axes"], sizes)
    errors = (_reference_error(sizes, reference) for reference in references)
    return next((e for e in errors if e), None) or _overlap_error(references)


_MOST_DEVICES = 2**20


def _reference_error(sizes: dict[str, int], reference: Reference) -> str | None:
    if reference.axis not in sizes:
        return f"axes must be those of the mesh ({', '.join(sizes)}), found {reference.axis}"
    if reference.is_whole or (
        reference.start > 0 and reference.size > 1 and sizes[reference.axis] % reference.end == 0
    ):
        return None
    found = f"({reference.start}){reference.size}"
    return f"a part of axis {reference.axis} must divide its size {sizes[reference.axis]}, found {found}"


def _overlap_error(references: list[Reference]) -> str | None:
    for a, b in itertools.combinations(references, 2):
        if a.axis == b.axis and not (b.start % a.end == 0 or a.start % b.end == 0):
            return f"axes must be different, found {a.axis} twice"
    return None


def groups(attribute: ir.Attribute) -> Groups | None:
    """The device numbers of each group; None where the mesh is a symbol or something is wrong with it."""
    written = ir.DictAttr(attribute)
    if isinstance(written["mesh"], ir.FlatSymbolRefAttr) or mesh_axes_error(attribute):
        return None
    sizes = _sizes(written["mesh"])
    references = _references(written["axes"], sizes)
    parts = [part for axis, size in sizes.items() for part in _parts(axis, size, references)]
    named = [parts.index((reference.axis, reference.start)) for reference in references]
    ends = [*parts[1:], ("", 0)]
    lengths = [(end[1] if end[0] == axis else sizes[axis]) // start for (axis, start), end in zip(parts, ends)]
    devices = np.asarray(_devices(written["mesh"]), np.int64).reshape(lengths)
    others = [d for d in range(len(parts)) if d not in named]
    members = math.prod(lengths[d] for d in named)
    rows = devices.transpose([*others, *named]).reshape(-1, members)
    return tuple(tuple(row) for row in rows.tolist())


def _parts(axis: str, size: int, references: list[Reference]) -> list[tuple[str, int]]:
    """Where the parts of an axis start, in coordinates of the axis: cut at each end of a reference."""
    cuts = {1} | {cut for r in references if r.axis == axis for cut in (r.start, r.end)}
    return [(axis, cut) for cut in sorted(cuts) if cut < size or cut == 1]


@dataclass(frozen=True)
class Reference:
    """A named axis or a part of it: the part of `size` coordinates that lies behind the `start` outermost ones (1:
    none)."""

    axis: str
    start: int
    size: int
    is_whole: bool

    @property
    def end(self) -> int:
        return self.start * self.size


def _references(axes: ir.Attribute, sizes: dict[str, int]) -> list[Reference]:
    found = []
    for written in (ir.DictAttr(a) for a in ir.ArrayAttr(axes)):
        axis = ir.StringAttr(written["name"]).value
        if "size" in written:
            start, size = (ir.IntegerAttr(written[key]).value for key in ("pre_size", "size"))
            found.append(Reference(axis, start, size, False))
        else:
            found.append(Reference(axis, 1, sizes.get(axis, 1), True))
    return found


def _sizes(mesh: ir.Attribute) -> dict[str, int]:
    axes = [ir.DictAttr(a) for a in ir.ArrayAttr(ir.DictAttr(mesh)["axes"])]
    return {ir.StringAttr(a["name"]).value: ir.IntegerAttr(a["size"]).value for a in axes}


def _devices(mesh: ir.Attribute) -> list[int]:
    if "device_ids" not in ir.DictAttr(mesh):
        return [*range(math.prod(_sizes(mesh).values()))]
    listed = read_elements(ir.DictAttr(mesh)["device_ids"])
    return [] if listed is None else [int(device) for device in listed.reshape(-1)]
