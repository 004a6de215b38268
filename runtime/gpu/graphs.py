"""Runs of a plan as graphs: what was queued once is recorded, and queued again as a whole.

A graph holds the addresses that it was recorded with. Freed memory is mostly given out again at the same place, so that
a few graphs serve most calls."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from hlo.runtime.gpu import plan as steps
from hlo.runtime.gpu.driver import Driver
from hlo.runtime.gpu.plan import Plan

LIMIT = 8
"""Graphs of one executable; the one used longest ago goes."""

WITHOUT_HOST = (steps.Offset, steps.Launch, steps.Copy, steps.Compute)


def can_be_graph(plan: Plan) -> bool:
    """Whether the host decides nothing while the plan runs, and there is more than one thing to queue.
    HLO_GPU_GRAPHS=0 turns graphs off."""
    queued = sum(isinstance(s, steps.Launch | steps.Copy) for s in plan.steps)
    is_fixed = all(isinstance(s, WITHOUT_HOST) for s in plan.steps)
    return is_fixed and queued > 1 and os.environ.get("HLO_GPU_GRAPHS") != "0"


class Graphs:
    """The graphs of one executable by the addresses that they use."""

    def __init__(self, driver: Driver):
        self.driver = driver
        self._graphs: OrderedDict[tuple[int, ...], Any] = OrderedDict()
        """None for addresses that were used once."""

    def run(self, addresses: tuple[int, ...], work: Callable[[], None]) -> None:
        """Does the work: at first as it is, from the second time on as a graph."""
        if addresses not in self._graphs:
            work()
            self._keep(addresses, None)
            return
        if self._graphs[addresses] is None:
            self._keep(addresses, self.driver.capture(work))
        self._graphs.move_to_end(addresses)
        self.driver.replay(self._graphs[addresses])

    def _keep(self, addresses: tuple[int, ...], graph: Any) -> None:
        self._graphs[addresses] = graph
        while len(self._graphs) > LIMIT:
            _, oldest = self._graphs.popitem(last=False)
            self._drop(oldest)

    def _drop(self, graph: Any) -> None:
        if graph is not None:
            self.driver.drop(graph)

    def close(self) -> None:
        while self._graphs:
            self._drop(self._graphs.popitem()[1])
