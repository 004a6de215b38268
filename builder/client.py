"""The XLA document's client, in this process: `hlo.Client` and `hlo.ComputationBuilder`.

client = hlo.Client()
builder = hlo.ComputationBuilder(client, "axpy")
...
result = client.ExecuteAndTransfer(builder.Build(), [client.TransferToServer(x)])"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from mlir import ir

from hlo.builder.builder import Builder
from hlo.builder.computations import Computation
from hlo.builder.document import with_layout
from hlo.errors import ArgumentError


class GlobalData:
    """A literal that a client holds."""

    def __init__(self, literal: Any):
        self.literal = literal


class Client:
    """Compiles computations for a target, with options of `hlo.compile`, and runs them. Literals are arrays, or tuples of
    literals. A computation is compiled at its first execution."""

    def __init__(self, target: str = "cpu", **options: Any):
        self._options = {"target": target, **options}
        self._compiled: dict[int, tuple[Computation, Any]] = {}

    def TransferToServer(self, literal: Any) -> GlobalData:
        """A copy of the literal: what happens to the arrays later changes nothing."""
        return GlobalData(_copied(literal))

    TransferInProcess = TransferToServer

    def Transfer(self, data: GlobalData, output_layout: Sequence[int] | None = None) -> Any:
        """The literal; with a layout (minor_to_major), an array whose memory has it."""
        _check_data(data)
        found = _copied(data.literal)
        return found if output_layout is None else with_layout(found, output_layout)

    def Execute(self, computation: Computation, arguments: Sequence[GlobalData]) -> GlobalData:
        """The result of a computation on data that this client holds. Raises ArgumentError for other arguments."""
        if not isinstance(computation, Computation):
            raise ArgumentError(f"expected a computation that Build returned, found {computation!r}")
        for argument in arguments:
            _check_data(argument)
        _, run = self._compiled.setdefault(id(computation), (computation, None))
        if run is None:
            run = computation.compile(**self._options)
            self._compiled[id(computation)] = (computation, run)
        leaves = [leaf for argument in arguments for leaf in _leaves(argument.literal)]
        results = iter(run(*leaves))
        values = [_together(t, results) for t in computation.results]
        return GlobalData(values[0] if len(values) == 1 else tuple(values))

    def ExecuteAndTransfer(self, computation: Computation, arguments: Sequence[GlobalData] = ()) -> Any:
        return self.Transfer(self.Execute(computation, arguments))


def _check_data(data: Any) -> None:
    if not isinstance(data, GlobalData):
        raise ArgumentError(f"expected data that TransferToServer or Execute returned, found {data!r}")


def _copied(literal: Any) -> Any:
    if isinstance(literal, tuple):
        return tuple(map(_copied, literal))
    found = np.array(literal)
    if found.dtype.kind in "OSU":
        raise ArgumentError(f"a literal is an array of numbers or a tuple of literals, found {literal!r}")
    return found


def _leaves(literal: Any) -> list[np.ndarray]:
    return [leaf for part in literal for leaf in _leaves(part)] if isinstance(literal, tuple) else [literal]


def _together(wanted: ir.Type, arrays: Any) -> Any:
    """A literal of a type from arrays in its order."""
    if isinstance(wanted, ir.TupleType):
        return tuple(_together(wanted.get_type(i), arrays) for i in range(wanted.num_types))
    return next(arrays)


class ComputationBuilder(Builder):
    """A Builder with the document's constructor. Errors are kept for `Build`, until `set_die_immediately_on_error(True)`."""

    def __init__(self, client: Client | None, computation_name: str):
        super().__init__(computation_name, errors="deferred")
        self._client = client

    def client(self) -> Client | None:
        return self._client

    def set_die_immediately_on_error(self, enabled: bool) -> None:
        self._deferred = not enabled

    def CreateSubBuilder(self, computation_name: str) -> ComputationBuilder:
        made = ComputationBuilder(self._client, computation_name)
        made._parent, made._deferred = self, self._deferred
        return made
