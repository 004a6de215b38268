"""The op classes of the StableHLO dialect, a family a file."""

from hlo.dialect.stablehlo.elementwise import *  # noqa: F403
