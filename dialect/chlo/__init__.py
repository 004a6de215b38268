"""The op classes of CHLO: ops near to what front ends write, decomposed into StableHLO before anything else.

There is no specification; operands, attributes and types are those of upstream's ChloOps.td
(https://github.com/openxla/stablehlo/blob/main/stablehlo/dialect/ChloOps.td)."""

from hlo.dialect.chlo.broadcasting import *  # noqa: F403
from hlo.dialect.chlo.functions import *  # noqa: F403
from hlo.dialect.chlo.structured import *  # noqa: F403
