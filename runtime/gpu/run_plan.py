"""Does what a launch plan says, on a driver."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hlo.environment import GPU_CHECK
from hlo.errors import HloError
from hlo.runtime.gpu import plan as steps
from hlo.runtime.gpu.driver import Driver
from hlo.runtime.gpu.plan import Body, Plan

HostCallback = Callable[[int, Sequence[int]], None]
"""What a HostCall does: the number of the custom call, and the addresses of its arrays in device memory."""


def run_plan(plan: Plan, driver: Driver, loaded: Any, addresses: Sequence[int], callback: HostCallback) -> None:
    """`addresses`: those of arguments, results and constants, 0 for the callback, the arena."""
    machine = _Machine(driver, loaded, [*addresses, *[0] * (plan.registers - len(addresses))], callback)
    machine.steps(plan.steps)


class _Machine:
    def __init__(self, driver: Driver, loaded: Any, registers: list[Any], callback: HostCallback):
        self.driver, self.loaded, self.registers, self.callback = driver, loaded, registers, callback
        self.is_checked = GPU_CHECK.value()

    def steps(self, program: Sequence[Any]) -> None:
        for step in program:
            RULES[type(step)](self, step)

    def all(self, numbers: Sequence[int]) -> list[Any]:
        return [self.registers[n] for n in numbers]

    def set(self, numbers: Sequence[int], values: Sequence[Any]) -> None:
        for number, value in zip(numbers, values, strict=True):
            self.registers[number] = value

    def body(self, body: Body, values: Sequence[Any] = ()) -> list[Any]:
        self.set(body.parameters, values)
        self.steps(body.steps)
        return self.all(body.results)


def _offset(machine: _Machine, step: steps.Offset) -> None:
    machine.registers[step.result] = machine.registers[step.base] + step.bytes


def _launch(machine: _Machine, step: steps.Launch) -> None:
    """HLO_GPU_CHECK=1 waits for every launch, so that an error names the kernel that caused it."""
    arguments = machine.all(step.arguments)
    try:
        machine.driver.launch(
            machine.loaded, step.kernel, step.blocks, step.threads, step.shared_bytes, arguments, step.maps
        )
        if machine.is_checked:
            machine.driver.synchronize()
    except HloError as error:
        where = f" from {step.location}" if step.location else ""
        raise HloError(f"kernel {step.kernel}{where} ({step.blocks} x {step.threads} threads): {error}") from error


def _copy(machine: _Machine, step: steps.Copy) -> None:
    target, source = machine.all((step.target, step.source))
    if target != source:
        machine.driver.copy(target, source, step.bytes)


def _read(machine: _Machine, step: steps.Read) -> None:
    scalar = np.empty((), step.dtype)
    machine.driver.download(scalar, machine.registers[step.address])
    machine.registers[step.result] = scalar.item()


WIDTHS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64}


def _signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> (width - 1) else value


def _of_signed(compare: Callable[[int, int], bool]) -> Callable[..., int]:
    return lambda width, a, b: compare(_signed(a, width), _signed(b, width))


_ORDER = {"lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge}

OPERATIONS: dict[str, Callable[..., int]] = {
    "addi": lambda width, a, b: a + b,
    "subi": lambda width, a, b: a - b,
    "muli": lambda width, a, b: a * b,
    "xori": lambda width, a, b: a ^ b,
    "andi": lambda width, a, b: a & b,
    "ori": lambda width, a, b: a | b,
    "select": lambda width, condition, a, b: a if condition else b,
    "trunci": lambda width, a: a,
    "extui": lambda width, a: a,
    "extsi": lambda width, a: _signed(a, width),
    "index_cast": lambda width, a: _signed(a, width),
    "cmpi_eq": lambda width, a, b: a == b,
    "cmpi_ne": lambda width, a, b: a != b,
    **{f"cmpi_s{name}": _of_signed(compare) for name, compare in _ORDER.items()},
    **{f"cmpi_u{name}": lambda width, a, b, compare=compare: compare(a, b) for name, compare in _ORDER.items()},
}
"""By name: of the width of the operands in bits, and the operands as unsigned numbers."""


def _compute(machine: _Machine, step: steps.Compute) -> None:
    """`operation`: name, type of the operands, type of the result; numbers are bits, whatever their sign."""
    if step.operation == "constant":
        machine.registers[step.result] = step.value
        return
    name, source, kind = step.operation.split(".")
    width = WIDTHS[source]
    operands = [value & ((1 << width) - 1) for value in machine.all(step.operands)]
    machine.registers[step.result] = OPERATIONS[name](width, *operands) & ((1 << WIDTHS[kind]) - 1)


def _host_call(machine: _Machine, step: steps.HostCall) -> None:
    machine.callback(step.number, machine.all(step.addresses))


def _while(machine: _Machine, step: steps.While) -> None:
    carried = machine.all(step.initial)
    while True:
        forwarded = machine.body(step.before, carried)
        if not machine.registers[step.condition]:
            break
        carried = machine.body(step.after, forwarded)
    machine.set(step.results, forwarded)


def _if(machine: _Machine, step: steps.If) -> None:
    chosen = step.then if machine.registers[step.condition] else step.otherwise
    machine.set(step.results, machine.body(chosen))


def _repeat(machine: _Machine, step: steps.Repeat) -> None:
    address = machine.registers[step.condition.address]
    machine.driver.repeat(step.condition, address, lambda: machine.steps(step.steps))


def _choose(machine: _Machine, step: steps.Choose) -> None:
    address = machine.registers[step.condition.address]
    branches = [(lambda own=own: machine.steps(own)) if _queues(own) else None for own in (step.then, step.otherwise)]
    machine.driver.choose(step.condition, address, *branches)


def _queues(program: Sequence[Any]) -> bool:
    return not all(isinstance(step, steps.Offset | steps.Compute) for step in program)


RULES: dict[type, Callable[[_Machine, Any], None]] = {
    steps.Offset: _offset,
    steps.Launch: _launch,
    steps.Copy: _copy,
    steps.Read: _read,
    steps.Compute: _compute,
    steps.HostCall: _host_call,
    steps.While: _while,
    steps.If: _if,
    steps.Repeat: _repeat,
    steps.Choose: _choose,
}
