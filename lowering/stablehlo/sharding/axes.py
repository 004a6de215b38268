"""The axes that propagation and partitioning count with: parts of the meshes' axes that no sharding cuts further.

A process's position in a mesh is a number of several digits, one for each axis. Where a program cuts axes into parts
(`"x":(1)2`), or has several meshes for the same processes, all cuts together make smaller digits; what is left is cut
into prime sizes. So a sharding is lists of whole axes, and nothing that comes later has to cut one."""

from __future__ import annotations

import functools
from collections.abc import Collection, Sequence
from dataclasses import field
from itertools import pairwise, product
from math import prod
from typing import Any

from mlir import ir

from hlo.dialect.locations import diagnostic
from hlo.dialect.process_grid import MOST_PROCESSES
from hlo.dialect.sharding.checks import Checker, read_shardings
from hlo.dialect.sharding.model import AxisRef, DimensionSharding, Mesh, Sharding
from hlo.dialect.types import element_type, shape, tensor
from hlo.errors import CompileError, Diagnostic
from hlo.lazy_dataclasses import dataclass

Axes = tuple[str, ...]
"""Axes that cut one dimension, major to minor."""
Spec = tuple[Axes, ...]
"""The axes of each dimension of a tensor."""


@dataclass(frozen=True)
class Wish:
    """What an annotation asks for, in the axes counted with."""

    spec: Spec
    is_open: tuple[bool, ...]
    priority: tuple[int, ...]
    replicated: frozenset[str] = frozenset()
    unreduced: frozenset[str] = frozenset()
    """Axes along which the processes' arrays are to be summed."""


@dataclass(eq=False)
class AxisTable:
    """`sizes`: all axes, major to minor. `devices`: the process at each position of the mesh. `parts`: for each mesh
    and axis of it, the axes here that it is made of. `mesh`: the name of the mesh that shardings are written with.
    `lone`: the device of each mesh that is one. `orders`: the devices of meshes that have them in another order. Inside
    of a program such a mesh is one in the common order: only arguments and results are where it says."""

    sizes: dict[str, int] = field(default_factory=dict)
    devices: tuple[int, ...] = (0,)
    parts: dict[str, dict[str, Axes]] = field(default_factory=dict)
    mesh: str = "mesh"
    main: Mesh = field(default_factory=Mesh)
    lone: dict[str, int] = field(default_factory=dict)
    orders: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.plans: dict[Any, Any] = {}
        """Plans of resharding, by shape and shardings (resharding.py)."""
        self.size = functools.lru_cache(None)(self._size)
        self.index = functools.lru_cache(None)(self._index)
        self.groups = functools.lru_cache(None)(self._groups)
        self.sharding_text = functools.lru_cache(None)(self._sharding_text)

    @property
    def count(self) -> int:
        """How many processes there are."""
        return len(self.devices)

    def _size(self, axes: Axes) -> int:
        """Into how many parts axes cut a dimension."""
        return prod(self.sizes[a] for a in axes)

    @functools.cached_property
    def coordinates(self) -> list[dict[str, int]]:
        """The digits of each process."""
        positions = product(*(range(n) for n in self.sizes.values()))
        found = {device: dict(zip(self.sizes, position)) for device, position in zip(self.devices, positions)}
        return [found[device] for device in range(len(found))]

    def _index(self, axes: Axes) -> tuple[int, ...]:
        """Which part of a dimension on these axes each process has."""
        return tuple(sum(c[a] * self.size(axes[k + 1 :]) for k, a in enumerate(axes)) for c in self.coordinates)

    def _groups(self, axes: Axes) -> tuple[tuple[int, ...], ...]:
        """Processes that differ along these axes only, in the order of their parts."""
        groups: dict[tuple[int, ...], list[tuple[int, int]]] = {}
        others = [a for a in self.sizes if a not in axes]
        for process, (digits, part) in enumerate(zip(self.coordinates, self.index(axes))):
            groups.setdefault(tuple(digits[a] for a in others), []).append((part, process))
        return tuple(tuple(process for _, process in sorted(group)) for group in groups.values())

    def local_shape(self, sizes: Sequence[int], spec: Spec) -> tuple[int, ...]:
        """The shape of one process's part: parts that are not even are as large as the first one."""
        return tuple(-(-n // self.size(axes)) for n, axes in zip(sizes, spec))

    def local_type(self, t: ir.Type, spec: Spec) -> ir.Type:
        return tensor(self.local_shape(shape(t), spec), element_type(t)) if any(spec) else t

    def wish(self, sharding: Sharding) -> Wish:
        dimensions = sharding.dimensions
        return Wish(
            tuple(tuple(a for ref in d.axes for a in self._axes(sharding.mesh, ref)) for d in dimensions),
            tuple(d.is_open for d in dimensions),
            tuple(d.priority for d in dimensions),
            frozenset(a for ref in sharding.replicated for a in self._axes(sharding.mesh, ref)),
            frozenset(a for ref in sharding.unreduced for a in self._axes(sharding.mesh, ref)),
        )

    def _axes(self, mesh: str, ref: AxisRef) -> Axes:
        parts = self.parts[mesh][ref.name]
        if not ref.size:
            return parts
        found, done = [], 1
        for part in parts:
            if ref.pre_size <= done < ref.pre_size * ref.size:
                found.append(part)
            done *= self.sizes[part]
        return tuple(found)

    def sharding(self, spec: Spec, unreduced: Collection[str] = ()) -> Sharding:
        """A closed sharding in terms of the main mesh."""
        dimensions = tuple(DimensionSharding(self._refs(axes)) for axes in spec)
        return Sharding(self.mesh, dimensions, unreduced=self._refs(self.in_order(unreduced)))

    def are_whole(self, axes: Axes) -> bool:
        """Whether they make up whole axes of the main mesh."""
        return not any(ref.size for ref in self._refs(axes))

    def in_order(self, axes: Collection[str]) -> Axes:
        """A set of axes, major to minor."""
        return tuple(a for a in self.sizes if a in axes)

    def _sharding_text(self, spec: Spec, unreduced: frozenset[str] = frozenset()) -> str:
        return str(self.sharding(spec, unreduced))

    def _refs(self, axes: Axes) -> tuple[AxisRef, ...]:
        """Neighbouring parts of one axis are written as one."""
        refs: list[tuple[str, int, int]] = []
        for a in axes:
            name, before = self._home[a]
            if refs and refs[-1][0] == name and refs[-1][1] * refs[-1][2] == before:
                refs[-1] = (name, refs[-1][1], refs[-1][2] * self.sizes[a])
            else:
                refs.append((name, before, self.sizes[a]))
        whole = dict(self.main.axes)
        return tuple(AxisRef(n) if size == whole[n] else AxisRef(n, before, size) for n, before, size in refs)

    @functools.cached_property
    def _home(self) -> dict[str, tuple[str, int]]:
        """The axis of the main mesh that a part belongs to, and the product of the parts before it."""
        found = {}
        for name, parts in self.parts[self.mesh].items():
            done = 1
            for part in parts:
                found[part] = name, done
                done *= self.sizes[part]
        return found


def read_axes(module: ir.Module) -> AxisTable:
    """The axes of a module. Raises CompileError for shardings that are wrong, or that cannot be combined."""
    read = read_shardings(module)
    if read.findings:
        raise CompileError(*read.findings)
    meshes = read.meshes
    several = {name: m for name, m in meshes.items() if m.size > 1}
    if not several:
        return AxisTable(parts={name: {a: () for a, _ in m.axes} for name, m in meshes.items()})
    main = next(iter(several))
    for name, mesh in several.items():
        if mesh.size > MOST_PROCESSES:
            message = f"programs are partitioned for meshes of at most {MOST_PROCESSES} devices, found {mesh.size}"
            raise CompileError(_at_mesh(module, name, message))
    devices = {name: m.device_ids or tuple(range(m.size)) for name, m in several.items()}
    table = _table(module, read, main, devices[main])
    table.orders = {name: order for name, order in devices.items() if order != devices[main]}
    return table


def _at_mesh(module: ir.Module, name: str, message: str) -> Diagnostic:
    ops = (op for op in module.body.operations if op.operation.name == "sdy.mesh")
    return diagnostic(next(op for op in ops if op.attributes["sym_name"].value == name), message)


def _table(module: ir.Module, read: Checker, main: str, devices: tuple[int, ...]) -> AxisTable:
    meshes, strides = read.meshes, _cuts(read)
    if (bad := bad_cut(strides)) is not None:
        wanted = f"the axes of all meshes and their parts must cut the {len(devices)} devices in one way"
        found = f"found strides {bad[0]} and {bad[1]}, neither of which is a multiple of the other"
        raise CompileError(_at_mesh(module, main, f"{wanted}, {found}"))
    digits_of_axes: list[tuple[int, int]] = []
    for size, stride in digits(strides):
        done = size
        for p in _primes(size):
            done //= p
            digits_of_axes.append((p, stride * done))
    names = _names(digits_of_axes, meshes[main])
    parts = {name: {a: _inside(names, *span) for a, span in _spans(mesh).items()} for name, mesh in meshes.items()}
    lone = {name: mesh.device_ids[0] for name, mesh in meshes.items() if not mesh.axes and mesh.device_ids}
    for name, device in lone.items():
        if device >= len(devices):
            raise CompileError(_at_mesh(module, name, f"there are {len(devices)} devices, found the number {device}"))
    return AxisTable({n: size for n, (size, _) in zip(names, digits_of_axes)}, devices, parts, main, meshes[main], lone)


def bad_cut(strides: Sequence[int]) -> tuple[int, int] | None:
    """The first two of strides, from the largest, of which one is no multiple of the other."""
    return next(((larger, smaller) for larger, smaller in pairwise(strides) if larger % smaller), None)


def digits(strides: Sequence[int]) -> list[tuple[int, int]]:
    """The sizes and strides of the digits of a number that is cut at some strides, from the largest."""
    return [(larger // smaller, smaller) for larger, smaller in pairwise(strides)]


def _spans(mesh: Mesh) -> dict[str, tuple[int, int]]:
    """For each axis the strides of its neighbours in a process's position: that of the axis before it, and its own."""
    found, stride = {}, 1
    for name, size in reversed(mesh.axes):
        found[name] = stride * size, stride
        stride *= size
    return found


def _cuts(read: Checker) -> list[int]:
    """The strides at which some sharding cuts the positions, from the largest."""
    spans = {name: _spans(mesh) for name, mesh in read.meshes.items()}
    cuts = {stride for mesh in spans.values() for span in mesh.values() for stride in span}
    for sharding in read.shardings:
        for ref in sharding.refs:
            if ref.size:
                whole = spans[sharding.mesh][ref.name][0] // ref.pre_size
                cuts |= {whole, whole // ref.size}
    return sorted(cuts, reverse=True)


def _primes(n: int) -> list[int]:
    p = next((p for p in range(2, n + 1) if n % p == 0), 0)
    return [p, *_primes(n // p)] if p else []


def _names(digits_of_axes: list[tuple[int, int]], main: Mesh) -> dict[str, tuple[int, int]]:
    """Each digit under the name that the main mesh gives it: `x`, or `x:(2)2` for a part."""
    found = {}
    for size, stride in digits_of_axes:
        name, (before, own) = next((n, s) for n, s in _spans(main).items() if s[1] <= stride and stride * size <= s[0])
        whole = before == stride * size and own == stride
        found[name if whole else f"{name}:({before // (stride * size)}){size}"] = size, stride
    return found


def _inside(names: dict[str, tuple[int, int]], before: int, own: int) -> Axes:
    return tuple(n for n, (size, stride) in names.items() if own <= stride and stride * size <= before)
