"""Where the parts of arrays lie: meshes of devices and shardings of tensors, as Shardy and as older programs write them."""

from hlo.dialect.sharding.model import AxisRef, DimensionSharding, Mesh, Sharding
from hlo.dialect.sharding.text import parse_axes, parse_mesh, parse_sharding, parse_shardings

__all__ = [
    "AxisRef",
    "DimensionSharding",
    "Mesh",
    "Sharding",
    "parse_axes",
    "parse_mesh",
    "parse_sharding",
    "parse_shardings",
]
