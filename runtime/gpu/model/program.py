"""Decodes a function once into steps, which run on a machine. What each op does is in the *_ops files, by its name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hlo.errors import HloError
from hlo.runtime.gpu.model.code import Block, Function, Op, Value
from hlo.runtime.gpu.model.machine import Machine, Step
from hlo.runtime.gpu.model.types import byte_size, memref_at
from hlo.runtime.gpu.plan import TensorMap

Decode = Callable[["Program", Op], Step]

OPS: dict[str, Decode] = {}
"""How an op becomes a step, by its name."""


def decodes(*names: str) -> Callable[[Decode], Decode]:
    """Registers how ops of these names become steps."""

    def add(function: Decode) -> Decode:
        OPS.update(dict.fromkeys(names, function))
        return function

    return add


class Program:
    """A function, decoded once into a list of steps."""

    def __init__(self, function: Function):
        self.name, self.cluster = function.name, function.cluster
        self._has_stores = _has_op(function.body, "nvgpu.tma.async.store")
        places = [(self.number(a), a.type) for a in function.body.arguments]
        self._parameters, self._shared = places[: function.parameters], places[function.parameters :]
        self._steps = self.block(function.body)

    def run(self, machine: Machine, addresses: Sequence[int], maps: Sequence[TensorMap] = ()) -> None:
        machine.has_stores = self._has_stores
        plain = len(addresses) - len(maps)
        for (number, kind), address in zip(self._parameters[:plain], addresses[:plain], strict=True):
            machine.values[number] = memref_at(address, kind)
        for (number, _), address, one in zip(self._parameters[plain:], addresses[plain:], maps, strict=True):
            machine.values[number] = (address, one)
        for number, kind in self._shared:
            machine.values[number] = memref_at(machine.shared(byte_size(kind)), kind)
        with np.errstate(all="ignore"):
            for step in self._steps:
                step(machine)
        machine.check_end()

    # Decoding

    def number(self, value: Value) -> int:
        return value.number

    def numbers(self, values: Any) -> list[int]:
        return [self.number(v) for v in values]

    def block(self, block: Block) -> list[Step]:
        """The steps of all ops but the terminator."""
        return [self.step(op) for op in block.operations[:-1]]

    def step(self, op: Op) -> Step:
        if op.name not in OPS:
            raise HloError(f"the model of a GPU does not know '{op.name}' (kernel {self.name})")
        return OPS[op.name](self, op)


def _has_op(block: Block, name: str) -> bool:
    return any(op.name == name or any(_has_op(one, name) for one in op.regions) for op in block.operations)
