"""What an executable needs of a device. Addresses, streams and sizes (bytes) are integers; 0 is no address."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

import numpy as np

from hlo.runtime.gpu.plan import Condition, TensorMap

LEGACY_STREAM, THREAD_STREAM = 1, 2
"""Of CUDA: what is queued without naming a stream."""


class Driver(Protocol):
    """Work is queued on a stream and done in order; `synchronize` and `download` wait for it. Errors are HloError.

    `dlpack_device`: device type and number as DLPack has them. `stream`: where this thread's work is queued."""

    name: str
    dlpack_device: tuple[int, int]

    @property
    def stream(self) -> int: ...

    def using(self, stream: int | None) -> AbstractContextManager[None]:
        """Queues this thread's work on another stream (None: as before; 0: CUDA's default stream)."""
        ...

    def load(self, code: str) -> Any:
        """Code of a program (PTX for a card, data for the model) made ready; its functions are found by name."""
        ...

    def unload(self, loaded: Any) -> None: ...

    def available(self) -> int:
        """Bytes that can be allocated."""
        ...

    def allocate(self, size: int) -> int: ...

    def free(self, address: int) -> None:
        """When what was queued before is done."""
        ...

    def upload(self, address: int, array: np.ndarray) -> None:
        """The array may change after that."""
        ...

    def download(self, array: np.ndarray, address: int) -> None: ...
    def copy(self, target: int, source: int, size: int) -> None: ...
    def launch(
        self,
        loaded: Any,
        kernel: str,
        blocks: int,
        threads: int,
        shared_bytes: int,
        arguments: Sequence[int],
        maps: Sequence[TensorMap] = (),
    ) -> None:
        """`maps`: how the last of the arguments are passed, which are arrays that the kernel copies boxes of."""
        ...

    def capture(self, work: Callable[[], None]) -> Any:
        """What `work` queues (launches and copies), recorded and not done."""
        ...

    @property
    def decides(self) -> bool:
        """Whether `repeat` and `choose` work here."""
        ...

    def repeat(self, condition: Condition, address: int, body: Callable[[], None]) -> None:
        """While recording: what `body` queues is done as long as the condition holds of what is at the address."""
        ...

    def choose(
        self, condition: Condition, address: int, then: Callable[[], None] | None, otherwise: Callable[[], None] | None
    ) -> None:
        """While recording: what one of two queues is done; None queues nothing."""
        ...

    def replay(self, graph: Any) -> None: ...
    def drop(self, graph: Any) -> None: ...

    def record(self) -> Any:
        """An event: done when all that was queued before is."""
        ...

    def is_done(self, event: Any) -> bool: ...
    def wait_for(self, event: Any) -> None:
        """What is queued from now on waits for an event of another stream."""
        ...

    def milliseconds(self, start: Any, end: Any) -> float:
        """Between two events; waits for the second."""
        ...

    def facts(self) -> dict[str, Any]:
        """ "card" and "driver" in words, "cache": bytes of the L2 cache."""
        ...

    def synchronize(self) -> None: ...

    def synchronize_all(self) -> None:
        """Waits for all streams, other libraries' too."""
        ...


def in_order(driver: Driver, before: int, after: int) -> None:
    """What is queued on the stream `after` from now on waits for what is on `before`."""
    if before == after:
        return
    with driver.using(before):
        event = driver.record()
    with driver.using(after):
        driver.wait_for(event)
