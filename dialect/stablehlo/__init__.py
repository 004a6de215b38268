"""The op classes of the StableHLO dialect, a family a file."""

from hlo.dialect.stablehlo.calls import *  # noqa: F403
from hlo.dialect.stablehlo.collectives import *  # noqa: F403
from hlo.dialect.stablehlo.constants import *  # noqa: F403
from hlo.dialect.stablehlo.control_flow import *  # noqa: F403
from hlo.dialect.stablehlo.conversion import *  # noqa: F403
from hlo.dialect.stablehlo.elementwise import *  # noqa: F403
from hlo.dialect.stablehlo.random import *  # noqa: F403
from hlo.dialect.stablehlo.selection import *  # noqa: F403
from hlo.dialect.stablehlo.transfers import *  # noqa: F403
from hlo.dialect.stablehlo.tuples import *  # noqa: F403
