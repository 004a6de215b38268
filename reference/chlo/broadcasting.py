"""chlo ops with broadcasting."""

from __future__ import annotations

from typing import Any

import numpy as np

from hlo.dialect.chlo import broadcasting
from hlo.reference import conversion, selection  # noqa: F401  (their ops are looked up here)
from hlo.reference.chlo import functions  # noqa: F401
from hlo.reference.table import evaluates


def _register_broadcasts() -> None:
    for op in vars(broadcasting).values():
        name = getattr(op, "MNEMONIC", "")
        if name.startswith("broadcast_"):
            inner = name.removeprefix("broadcast_")
            dialect = "stablehlo" if f"stablehlo.{inner}" in evaluates else "chlo"
            evaluates(op)(_broadcasting(evaluates[f"{dialect}.{inner}"]))


def _broadcasting(inner: Any) -> Any:
    """The op without broadcasting on operands of one shape; numpy aligns the last dimensions, as chlo does."""

    def evaluate(call: Any, *operands: np.ndarray) -> np.ndarray:
        dims = getattr(call.op, "broadcast_dimensions", None)
        rank = max(x.ndim for x in operands)
        if dims is not None:
            operands = tuple(_placed(x, dims, rank) for x in operands)
        return inner(call, *np.broadcast_arrays(*operands))

    return evaluate


def _placed(x: np.ndarray, dims: Any, rank: int) -> np.ndarray:
    if x.ndim == rank:
        return x
    shape = [1] * rank
    for source, target in enumerate(dims):
        shape[target] = x.shape[source]
    return x.reshape(shape)


_register_broadcasts()
