"""A program compiled for a GPU: numpy arrays in, numpy arrays out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hlo.errors import ArgumentError
from hlo.runtime.addresses import address_of
from hlo.runtime.custom_calls import CustomCall
from hlo.runtime.executable import _converted
from hlo.runtime.gpu.driver import Driver
from hlo.runtime.gpu.plan import Plan
from hlo.runtime.gpu.run_plan import run_plan
from hlo.runtime.signature import ArrayType, Signature


@dataclass(frozen=True)
class DeviceProgram:
    """What can be kept in a file: the plan, the code for the driver, the constants, the types."""

    plan: Plan
    code: str
    constants: tuple[np.ndarray, ...]
    signature: Signature


class GpuExecutable:
    """`exe(*arrays)` runs the program on the driver's device: arguments are copied there, results back.

    `signature`: types of arguments and results. `phases`: the IR text of each phase, when compiled with
    keep_phases=True."""

    def __init__(
        self,
        program: DeviceProgram,
        driver: Driver,
        *,
        custom_calls: Sequence[CustomCall] = (),
        phases: Mapping[str, str] | None = None,
    ):
        self.program, self.driver = program, driver
        self.signature = program.signature
        self.phases = dict(phases or {})
        self._calls = tuple(custom_calls)
        self._loaded = driver.load(program.code)
        self._constants = [self._uploaded(c) for c in program.constants]

    def __call__(self, *arrays: Any) -> list[np.ndarray]:
        """Runs the program. Raises ArgumentError for arrays that do not fit the signature."""
        expected = self.signature.arguments
        if len(arrays) != len(expected):
            raise ArgumentError(f"{len(expected)} arguments expected, found {len(arrays)}")
        inputs = [_converted(a, number, kind) for number, (a, kind) in enumerate(zip(arrays, expected))]
        places: list[int] = []
        try:
            return self._run(inputs, places)
        finally:
            for place in places:
                self.driver.free(place)

    def _run(self, inputs: Sequence[np.ndarray], places: list[int]) -> list[np.ndarray]:
        """Adds what it allocates to `places`."""
        for array in inputs:
            places.append(self._uploaded(array))
        for kind in self.signature.results:
            places.append(self.driver.allocate(kind.nbytes))
        arena = self.driver.allocate(self.program.plan.arena)
        addresses = [*places, *self._constants, 0, arena]
        places.append(arena)
        run_plan(self.program.plan, self.driver, self._loaded, addresses, self._host_call)
        results = [np.empty(kind.shape, kind.dtype) for kind in self.signature.results]
        for array, address in zip(results, places[len(inputs) :]):
            self.driver.download(array, address)
        return results

    def _uploaded(self, array: np.ndarray) -> int:
        address = self.driver.allocate(array.nbytes)
        self.driver.upload(address, array)
        return address

    def _host_call(self, number: int, addresses: Sequence[int]) -> None:
        """A custom call runs in Python on copies of its arrays."""
        call = self._calls[number]
        kinds: list[ArrayType] = [*call.operands, *call.results]
        arrays = [np.empty(kind.shape, kind.dtype) for kind in kinds]
        places = [*addresses[: len(call.operands)], *(addresses[n] for n in call.order)]
        for array, place in zip(arrays, places):
            self.driver.download(array, place)
        hosts = [0] * len(addresses)
        for position, array in zip((*range(len(call.operands)), *call.order), arrays):
            hosts[position] = address_of(array)
        call.run(hosts)
        for array, place in zip(arrays[len(call.operands) :], places[len(call.operands) :]):
            self.driver.upload(place, array)

    def __repr__(self) -> str:
        return f"<GpuExecutable {self.signature} on {self.driver.name}>"
