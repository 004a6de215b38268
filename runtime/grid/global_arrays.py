"""Arrays of sharded programs: a global array to the parts of all processes, and back.

A partitioned program says of each argument and result what the whole array is (`hlo.global_type`) and how it is cut
(`hlo.sharding`). Parts that are not even are as large as the first one; what pads the last ones is never read."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from hlo.errors import ArgumentError
from hlo.lazy_dataclasses import dataclass

if TYPE_CHECKING:
    from mlir import ir

    from hlo.dialect.sharding.model import AxisRef, Mesh, Sharding


@dataclass(frozen=True)
class Layout:
    """How one array is cut. `counts`: the number of parts of each dimension. `parts`: for each process, which part of
    each dimension it has."""

    shape: tuple[int, ...]
    dtype: np.dtype
    counts: tuple[int, ...]
    parts: tuple[tuple[int, ...], ...]
    summands: tuple[int, ...] = ()
    """For each process, which summand of its part it has; () for arrays that are no sums."""

    @property
    def local_shape(self) -> tuple[int, ...]:
        return tuple(-(-n // count) for n, count in zip(self.shape, self.counts))

    def slices(self, process: int) -> tuple[slice, ...]:
        """Where a process's part lies in the padded array."""
        return tuple(slice(i * n, (i + 1) * n) for i, n in zip(self.parts[process], self.local_shape))


def cut(array: Any, layout: Layout, fill: Any = 0) -> list[np.ndarray]:
    """The part of each process. `fill` pads parts that are not even. Raises ArgumentError for another shape or type."""
    array = np.asarray(array)
    if array.shape != layout.shape or array.dtype != layout.dtype:
        raise ArgumentError(
            f"a global array of shape {layout.shape} and type {layout.dtype} expected, found {array.shape} {array.dtype}"
        )
    padded = [n * count for n, count in zip(layout.local_shape, layout.counts)]
    if tuple(padded) != array.shape:
        whole = np.full(padded, np.asarray(fill).astype(layout.dtype))
        whole[tuple(map(slice, array.shape))] = array
        array = whole
    parts = [np.array(array[layout.slices(p)], order="C") for p in range(len(layout.parts))]
    return [np.zeros_like(p) if n else p for p, n in zip(parts, layout.summands)] if layout.summands else parts


def join(parts: Sequence[Any], layout: Layout) -> np.ndarray:
    """The global array of all processes' parts; where several hold the same part, the first one's is taken."""
    if len(parts) != len(layout.parts):
        raise ArgumentError(f"the parts of {len(layout.parts)} processes expected, found {len(parts)}")
    if layout.summands:
        parts = _sums(parts, layout)
    whole = np.empty([n * count for n, count in zip(layout.local_shape, layout.counts)], layout.dtype)
    for process in reversed(range(len(parts))):
        part = np.asarray(parts[process])
        if part.shape != layout.local_shape:
            raise ArgumentError(
                f"a part of shape {layout.local_shape} expected of process {process}, found {part.shape}"
            )
        whole[layout.slices(process)] = part
    return np.array(whole[tuple(map(slice, layout.shape))], order="C")


def _sums(parts: Sequence[Any], layout: Layout) -> list[np.ndarray]:
    """For each process the sum of the summands of its part."""
    found: dict[tuple[int, ...], dict[int, np.ndarray]] = {}
    for index, number, part in zip(layout.parts, layout.summands, parts):
        found.setdefault(index, {}).setdefault(number, np.asarray(part))
    return [functools.reduce(np.add, found[index].values()).astype(layout.dtype) for index in layout.parts]


def cut_all(arrays: Sequence[Any], layouts: Sequence[Layout], fill: Any = 0) -> list[list[np.ndarray]]:
    """For each process its parts of all arrays: what `exe.run_grid` takes."""
    if len(arrays) != len(layouts):
        raise ArgumentError(f"{len(layouts)} global arrays expected, found {len(arrays)}")
    return [list(parts) for parts in zip(*(cut(a, layout, fill) for a, layout in zip(arrays, layouts)))]


def join_all(results: Sequence[Sequence[Any]], layouts: Sequence[Layout]) -> list[np.ndarray]:
    """The global results of what `exe.run_grid` gives: one list of parts for each process."""
    return [join(parts, layout) for parts, layout in zip(zip(*results), layouts)]


def layouts_of(module: ir.Module, entry: str = "main") -> tuple[list[Layout], list[Layout]]:
    """How the arguments and the results of a partitioned program are cut. Raises ArgumentError for any other program."""
    from mlir import ir

    from hlo.dialect.sharding.checks import meshes_of

    functions = (op for op in module.body.operations if op.operation.name == "func.func")
    function = next((f for f in functions if f.name.value == entry), None)
    if function is None:
        raise ArgumentError(f"the program has no function @{entry}")
    attributes = function.operation.attributes
    kind = ir.FunctionType(function.type)
    sides, meshes = [], meshes_of(module)
    for key, types in (("arg_attrs", kind.inputs), ("res_attrs", kind.results)):
        dictionaries = [ir.DictAttr(a) for a in ir.ArrayAttr(attributes[key])] if key in attributes else []
        if len(dictionaries) != len(types) or any("hlo.sharding" not in d for d in dictionaries):
            raise ArgumentError(f"@{entry} is not partitioned: its arguments and results do not say how they are cut")
        tensors = [(d, t) for d, t in zip(dictionaries, types) if isinstance(t, ir.RankedTensorType)]
        sides.append([_layout(d, t, meshes) for d, t in tensors])
    return sides[0], sides[1]


def _layout(dictionary: ir.DictAttr, local: ir.RankedTensorType, meshes: dict[str, Mesh]) -> Layout:
    from mlir import ir

    from hlo.dialect.cursor import Unexpected
    from hlo.dialect.sharding.checks import sharding_error
    from hlo.dialect.sharding.text import parse_sharding
    from hlo.reference.values import computed_dtype

    given = {n.name: n.attr for n in dictionary}.get("hlo.global_type")
    type = given.value if isinstance(given, ir.TypeAttr) else None
    if not isinstance(type, ir.RankedTensorType) or type.element_type != local.element_type:
        raise ArgumentError(f"hlo.global_type must be a tensor of {local.element_type}, found {given}")
    try:
        sharding = parse_sharding(str(dictionary["hlo.sharding"]))
    except Unexpected as error:
        raise ArgumentError(f"hlo.sharding: {error.message}") from None
    error_text = sharding_error(sharding, meshes, len(type.shape))
    if error_text:
        raise ArgumentError(f"hlo.sharding: {error_text}")
    mesh = meshes[sharding.mesh]
    counts, parts = parts_of(sharding, mesh)
    summands = _summands(sharding, mesh) if sharding.unreduced else ()
    layout = Layout(tuple(type.shape), np.dtype(computed_dtype(type)), counts, parts, summands)
    if layout.local_shape != tuple(local.shape):
        raise ArgumentError(f"a part of {type} in {sharding} has shape {layout.local_shape}, found {local}")
    return layout


def parts_of(sharding: Sharding, mesh: Mesh) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]:
    """The number of parts of each dimension, and which of them each process has."""
    sizes = dict(mesh.axes)
    counts = tuple(prod(ref.size or sizes[ref.name] for ref in d.axes) for d in sharding.dimensions)
    order = mesh.device_ids or range(mesh.size)
    found: dict[int, tuple[int, ...]] = {}
    for device, position in zip(order, product(*(range(n) for n in sizes.values()))):
        digits = dict(zip(sizes, position))
        found[device] = tuple(_part(d.axes, digits, sizes) for d in sharding.dimensions)
    return counts, tuple(found[device] for device in range(len(found)))


def _summands(sharding: Sharding, mesh: Mesh) -> tuple[int, ...]:
    """Which summand each process has."""
    from hlo.dialect.sharding.model import DimensionSharding, Sharding

    _, parts = parts_of(Sharding(sharding.mesh, (DimensionSharding(sharding.unreduced),)), mesh)
    return tuple(number for (number,) in parts)


def _part(axes: Sequence[AxisRef], digits: dict[str, int], sizes: dict[str, int]) -> int:
    number = 0
    for ref in axes:
        size = ref.size or sizes[ref.name]
        after = sizes[ref.name] // (ref.pre_size * size)
        number = number * size + digits[ref.name] // after % size
    return number
