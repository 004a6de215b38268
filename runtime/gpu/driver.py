"""What an executable needs of a device. Addresses are integers; 0 is no address."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np


class Driver(Protocol):
    """Work is queued in order; `synchronize` and `download` wait for what was queued. Errors are HloError."""

    name: str

    def load(self, code: Any) -> Any:
        """Code of a program (PTX for a card, IR for the model) made ready; its functions are found by name."""
        ...

    def allocate(self, size: int) -> int: ...
    def free(self, address: int) -> None: ...
    def upload(self, address: int, array: np.ndarray) -> None: ...
    def download(self, array: np.ndarray, address: int) -> None: ...
    def copy(self, target: int, source: int, size: int) -> None: ...
    def launch(
        self, loaded: Any, kernel: str, blocks: int, threads: int, shared_bytes: int, arguments: Sequence[int]
    ) -> None: ...
    def synchronize(self) -> None: ...
