"""Decodes a function once into steps, which run on a machine. What each op does is in the *_ops files, by its name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from hlo.errors import HloError
from hlo.runtime.gpu.model.code import Block, Function, Op, Value
from hlo.runtime.gpu.model.limits import check_map
from hlo.runtime.gpu.model.machine import Machine, Step
from hlo.runtime.gpu.model.types import byte_size, element_of, memref_at
from hlo.runtime.gpu.plan import TensorMap

Decode = Callable[["Program", Op], Step]
Make = Callable[[Op], Callable[..., Any]]

OPS: dict[str, Decode] = {}
"""How an op becomes a step, by its name."""


def decodes(*names: str) -> Callable[[Decode], Decode]:
    """Registers how ops of these names become steps."""

    def add(function: Decode) -> Decode:
        OPS.update(dict.fromkeys(names, function))
        return function

    return add


def computes(*names: str) -> Callable[[Make], Make]:
    """Registers how ops of these names compute their result from operands alone: what is decorated gives the function of an op."""

    def add(make: Make) -> Make:
        def decode(program: Program, op: Op) -> Step:
            function, sources, target = make(op), program.numbers(op.operands), program.number(op.results[0])

            def run(m: Machine) -> None:
                m.values[target] = function(*[m.values[n] for n in sources])

            return run

        decodes(*names)(decode)
        return make

    return add


class Program:
    """A function, decoded once into a list of steps."""

    def __init__(self, function: Function):
        self.name = function.name
        ops = list(_all(function.body))
        registers = [(self.number(a), a.type) for a in function.body.arguments]
        self._parameters, self._shared = registers[: function.parameters], registers[function.parameters :]
        self.static_bytes = sum(_rounded(byte_size(kind)) for _, kind in self._shared) + sum(map(_barriers, ops))
        """Of shared memory, for each block."""
        self._steps = self.block(function.body)

    def run(self, machine: Machine, addresses: Sequence[int], maps: Sequence[TensorMap] = ()) -> None:
        plain = len(addresses) - len(maps)
        for (number, kind), address in zip(self._parameters[:plain], addresses[:plain], strict=True):
            machine.values[number] = memref_at(address, kind)
        for (number, _), address, one in zip(self._parameters[plain:], addresses[plain:], maps, strict=True):
            check_map(one, address, element_of(one).itemsize)
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


def _all(block: Block) -> Iterator[Op]:
    """Its ops, and those inside of them."""
    for op in block.operations:
        yield op
        for one in op.regions:
            yield from _all(one)


def _rounded(size: int) -> int:
    return -(-size // 16) * 16


def _barriers(op: Op) -> int:
    """Bytes of the mbarriers that an op makes."""
    return _rounded(8 * barriers_of(op)) if op.name == "nvgpu.mbarrier.create" else 0


def barriers_of(op: Op) -> int:
    """How many mbarriers a group has that an op makes."""
    return int(op.results[0].type.element.partition("num_barriers = ")[2].rstrip(">"))
