"""Programs from Python, without a framework: `hlo.Builder`."""

from hlo.builder.builder import Builder
from hlo.builder.client import Client, ComputationBuilder
from hlo.builder.computations import Computation
from hlo.builder.core import Function
from hlo.builder.value import Value

__all__ = ["Builder", "Client", "Computation", "ComputationBuilder", "Function", "Value"]
