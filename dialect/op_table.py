"""Tables of functions by op. Whatever a function of an op is for, it is registered in one way:

decomposes: OpTable[Rule] = OpTable("decomposition")

@decomposes(DotOp)
def lower_dot(op: DotOp) -> list[ir.Value]: ...

decomposes["stablehlo.dot"](op)"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])
G = TypeVar("G", bound=Callable[..., Any])


class OpTable(dict[str, F]):
    """Functions by the full names of ops. `what`: what a function is, for the error about an op that is given two."""

    def __init__(self, what: str) -> None:
        super().__init__()
        self.what = what

    def __call__(self, *ops: Any) -> Callable[[G], G]:
        """Registers a function for op classes, or for other ops (and callees) by name."""

        def register(function: Any) -> Any:
            for name in map(name_of, ops):
                if name in self:
                    raise ValueError(f"{name} has a {self.what} already")
                self[name] = function
            return function

        return register


class OpLists(dict[str, tuple[F, ...]]):
    """Several functions for each op, in the order in which they are registered."""

    def __call__(self, *ops: Any) -> Callable[[G], G]:
        def register(function: Any) -> Any:
            for name in map(name_of, ops):
                self[name] = (*self.get(name, ()), function)
            return function

        return register


def name_of(op: Any) -> str:
    return op if isinstance(op, str) else op.OPERATION_NAME
