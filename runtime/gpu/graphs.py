"""Runs of a plan as graphs: what was queued once is recorded, and queued again as a whole. Where the host decides something in
between (loops, branches), the device does in the graph, if it can.

A graph holds the addresses that it was recorded with. Freed memory is mostly given out again at the same address, so that
a few graphs serve most calls."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from hlo.environment import GPU_CONDITIONS, GPU_GRAPHS
from hlo.errors import HloError
from hlo.runtime.gpu import plan as steps
from hlo.runtime.gpu.decide_on_device import decide_on_device
from hlo.runtime.gpu.driver import Driver
from hlo.runtime.gpu.plan import Plan

LIMIT = 8
"""Graphs of one executable; the one used longest ago goes."""

WITHOUT_HOST = (steps.Offset, steps.Launch, steps.Copy, steps.Compute)


def recorded_plan(plan: Plan, driver: Driver) -> Plan | None:
    """What a graph is recorded from: the plan itself where the host decides nothing while it runs and there is more than one
    thing to queue; with conditions on the device, where the driver knows those; None where there can be no graph.
    HLO_GPU_GRAPHS=0 turns graphs off, HLO_GPU_CONDITIONS=0 conditions on the device."""
    if not GPU_GRAPHS.value():
        return None
    if all(isinstance(s, WITHOUT_HOST) for s in plan.steps):
        queued = sum(isinstance(s, steps.Launch | steps.Copy) for s in plan.steps)
        return plan if queued > 1 else None
    decided = decide_on_device(plan) if GPU_CONDITIONS.value() else None
    return decided if decided is not None and driver.decides else None


class Graphs:
    """The graphs of one executable by the addresses that they use. Where the driver refuses to record, it is told in a warning,
    and all is done without graphs from then on."""

    def __init__(self, driver: Driver):
        self.driver = driver
        self.is_off = False
        self._graphs: OrderedDict[tuple[int, ...], Any] = OrderedDict()
        """None for addresses that were used once."""

    def run(self, addresses: tuple[int, ...], work: Callable[[], None], recorded: Callable[[], None]) -> None:
        """Does the work: at first as it is, from the second time on as a graph of what `recorded` queues."""
        if self.is_off or addresses not in self._graphs:
            work()
            self._keep(addresses, None)
            return
        if self._graphs[addresses] is None:
            try:
                self._keep(addresses, self.driver.capture(recorded))
            except HloError as error:
                self.is_off = True
                warnings.warn(
                    f"the driver makes no CUDA graph, launches are slower: {error}", RuntimeWarning, stacklevel=2
                )
                work()
                return
        self._graphs.move_to_end(addresses)
        self.driver.replay(self._graphs[addresses])

    @property
    def recorded(self) -> list[Any]:
        """The driver's graphs, the one used last at the end."""
        return [graph for graph in self._graphs.values() if graph is not None]

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
