"""The op classes of the StableHLO dialect, a family a file."""

from hlo.dialect.stablehlo.asynchronous import *  # noqa: F403
from hlo.dialect.stablehlo.calls import *  # noqa: F403
from hlo.dialect.stablehlo.collectives import *  # noqa: F403
from hlo.dialect.stablehlo.constants import *  # noqa: F403
from hlo.dialect.stablehlo.contraction import *  # noqa: F403
from hlo.dialect.stablehlo.control_flow import *  # noqa: F403
from hlo.dialect.stablehlo.conversion import *  # noqa: F403
from hlo.dialect.stablehlo.convolution import *  # noqa: F403
from hlo.dialect.stablehlo.custom_calls import *  # noqa: F403
from hlo.dialect.stablehlo.data_movement import *  # noqa: F403
from hlo.dialect.stablehlo.dynamic import *  # noqa: F403
from hlo.dialect.stablehlo.elementwise import *  # noqa: F403
from hlo.dialect.stablehlo.gather import *  # noqa: F403
from hlo.dialect.stablehlo.linear_algebra import *  # noqa: F403
from hlo.dialect.stablehlo.normalization import *  # noqa: F403
from hlo.dialect.stablehlo.quantization import *  # noqa: F403
from hlo.dialect.stablehlo.random import *  # noqa: F403
from hlo.dialect.stablehlo.reduction import *  # noqa: F403
from hlo.dialect.stablehlo.scatter import *  # noqa: F403
from hlo.dialect.stablehlo.selection import *  # noqa: F403
from hlo.dialect.stablehlo.slicing import *  # noqa: F403
from hlo.dialect.stablehlo.sorting import *  # noqa: F403
from hlo.dialect.stablehlo.transfers import *  # noqa: F403
from hlo.dialect.stablehlo.tuples import *  # noqa: F403
