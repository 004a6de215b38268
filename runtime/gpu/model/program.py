"""Decodes a gpu.func once into steps, which run on a machine. What each op does is in the *_ops files, by its name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from mlir import ir

from hlo.errors import HloError
from hlo.runtime.gpu.model.machine import Machine, Step
from hlo.runtime.gpu.model.types import byte_size, memref_at

Decode = Callable[["Program", ir.Operation], Step]

OPS: dict[str, Decode] = {}
"""How an op becomes a step, by its name."""


def decodes(*names: str) -> Callable[[Decode], Decode]:
    """Registers how ops of these names become steps."""

    def add(function: Decode) -> Decode:
        OPS.update(dict.fromkeys(names, function))
        return function

    return add


class Program:
    """A gpu.func, decoded once into a list of steps."""

    def __init__(self, function: ir.Operation):
        self._numbers: dict[ir.Value, int] = {}
        block = function.regions[0].blocks[0]
        self.name = ir.StringAttr(function.attributes["sym_name"]).value
        count = len(ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value).inputs)
        places = [(self.number(a), a.type) for a in block.arguments]
        self._parameters, self._shared = places[:count], places[count:]
        self._steps = self.block(block)

    def run(self, machine: Machine, addresses: Sequence[int]) -> None:
        for (number, kind), address in zip(self._parameters, addresses, strict=True):
            machine.values[number] = memref_at(address, kind)
        for number, kind in self._shared:
            machine.values[number] = memref_at(machine.shared(byte_size(kind)), kind)
        with np.errstate(all="ignore"):
            for step in self._steps:
                step(machine)

    # Decoding

    def number(self, value: ir.Value) -> int:
        return self._numbers.setdefault(value, len(self._numbers))

    def numbers(self, values: Any) -> list[int]:
        return [self.number(v) for v in values]

    def block(self, block: ir.Block) -> list[Step]:
        """The steps of all ops but the terminator."""
        return [self.step(op.operation) for op in list(block.operations)[:-1]]

    def step(self, op: ir.Operation) -> Step:
        if op.name not in OPS:
            raise HloError(f"the model of a GPU does not know '{op.name}' (kernel {self.name})")
        return OPS[op.name](self, op)
