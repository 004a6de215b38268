"""The rules of ops, by families; importing them fills the table in rule.py. Ops without a rule run on whole tensors."""

from hlo.lowering.stablehlo.sharding.rules import (  # noqa: F401
    indexing,
    movement,
    reduction,
)
