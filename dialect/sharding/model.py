"""The data model of shardings. `str()` of each class is upstream's spelling, which `text.py` reads back.

mesh        <["x"=2, "y"=4], device_ids=[...]>      a grid of devices with named axes
sharding    <@mesh, [{"x"}, {"y":(1)2, ?}p1], replicated={"y":(2)2}>
            for each dimension the axes that cut it, major to minor; `?`: propagation may add axes; p1: its priority"""

from __future__ import annotations

from math import prod

from hlo.lazy_dataclasses import dataclass


@dataclass(frozen=True)
class AxisRef:
    """An axis of a mesh, or the part of it of `size` devices with `pre_size` parts before it (size 0: the whole axis)."""

    name: str
    pre_size: int = 1
    size: int = 0

    def __str__(self) -> str:
        return f'"{self.name}":({self.pre_size}){self.size}' if self.size else f'"{self.name}"'


@dataclass(frozen=True)
class Mesh:
    """Devices in a grid. `axes`: names and sizes, major to minor. `device_ids`: the device at each position of the grid, in
    row-major order; () stands for 0, 1, 2, ... A mesh without axes is one device: the one named, or every device."""

    axes: tuple[tuple[str, int], ...] = ()
    device_ids: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        return prod(size for _, size in self.axes)

    def __str__(self) -> str:
        axes = ", ".join(f'"{name}"={size}' for name, size in self.axes)
        ids = f", device_ids=[{', '.join(map(str, self.device_ids))}]" if self.device_ids else ""
        return f"<[{axes}]{ids}>"


@dataclass(frozen=True)
class DimensionSharding:
    axes: tuple[AxisRef, ...] = ()
    is_open: bool = False
    priority: int = 0

    def __str__(self) -> str:
        items = [*map(str, self.axes), *(["?"] if self.is_open else [])]
        return "{" + ", ".join(items) + "}" + (f"p{self.priority}" if self.priority else "")


@dataclass(frozen=True)
class Sharding:
    """How one tensor is cut. `mesh`: the name of a mesh of the module. `replicated`: axes that must not cut it.
    `unreduced`: axes along which the tensor is a sum that has not been taken yet."""

    mesh: str
    dimensions: tuple[DimensionSharding, ...] = ()
    replicated: tuple[AxisRef, ...] = ()
    unreduced: tuple[AxisRef, ...] = ()

    @property
    def refs(self) -> tuple[AxisRef, ...]:
        """Every axis that it names."""
        return (*(a for d in self.dimensions for a in d.axes), *self.replicated, *self.unreduced)

    def __str__(self) -> str:
        text = f"<@{self.mesh}, [{', '.join(map(str, self.dimensions))}]"
        for name in ("replicated", "unreduced"):
            if axes := getattr(self, name):
                text += f", {name}={{{', '.join(map(str, axes))}}}"
        return text + ">"
