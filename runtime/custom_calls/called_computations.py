"""The functions of a program that a custom call names (called_computations), as callables for the function of its target."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from hlo.lazy_dataclasses import dataclass


@dataclass(frozen=True)
class CalledComputation:
    """A function of a program: numpy arrays in, a list of numpy arrays out. It is compiled for the CPU when it is first
    called. `program`: the text of a module in which it is the public function `name`."""

    name: str
    program: str

    @property
    def __name__(self) -> str:
        return self.name

    @cached_property
    def _executable(self) -> Any:
        from hlo.api import compile  # here: most targets call nothing

        return compile(self.program, entry=self.name)

    def __call__(self, *arrays: Any) -> list[np.ndarray]:
        return self._executable(*arrays)
