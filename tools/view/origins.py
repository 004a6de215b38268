"""Ops get numbers for locations, so that every later line, down to an instruction, tells which ops of the program it computes.

Before: a program whose ops have any locations, or none.   After: op 7 has the location `"op":7:0`, and `Origin` 7 is what it had."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from mlir import ir

from hlo.dialect.locations import file_location
from hlo.errors import Diagnostic, HloError
from hlo.lazy_dataclasses import dataclass

FILE = "op"
"""The file that numbered locations name."""


class Position(NamedTuple):
    """A line of a file; lines and columns count from 1."""

    file: str
    line: int
    column: int


@dataclass(frozen=True)
class Origin:
    """Where an op of the program comes from. `name`: its name stack ("jit(f)/layer_0/dot_general"), or "". `positions`: the line that made
    the op, then the lines that called that one's function."""

    name: str = ""
    positions: tuple[Position, ...] = ()


Ops = tuple[int, ...]
"""Numbers of ops, ascending."""

_NUMBER = re.compile(rf'"{FILE}":(\d+):')


class NumberedOps:
    """The ops of a module, whose locations become numbers from 1 (in the order of the text). `origins[n]` is where op n comes from;
    `origins[0]` stands for no op. What passes make of several ops has a number behind those, and `sets[number]` are the ops."""

    def __init__(self, module: ir.Module):
        self.origins = [Origin()]
        self._context = module.context
        module.operation.walk(self._number, ir.WalkOrder.PRE_ORDER)
        self.sets: list[Ops] = [(n,) if n else () for n in range(len(self.origins))]
        self._numbers = {ops: n for n, ops in enumerate(self.sets)}

    def ops_of(self, location: ir.Location) -> Ops:
        """The ops that a location names."""
        return self.ops_in(str(location))

    def ops_in(self, text: str) -> Ops:
        """The same for a location's text."""
        found = _NUMBER.findall(text)
        if len(found) == 1:
            return self.sets[int(found[0])]
        return tuple(sorted({op for number in found for op in self.sets[int(number)]}))

    def location_of(self, ops: Iterable[int]) -> ir.Location:
        """One that names these ops."""
        chosen = tuple(sorted(set(ops)))
        number = self._numbers.setdefault(chosen, len(self.sets))
        if number == len(self.sets):
            self.sets.append(chosen)
        return ir.Location.file(FILE, number, 0, context=self._context)

    def merge(self, kept: Any, dropped: Any) -> None:
        """Gives each op inside `kept` the ops of the same one inside `dropped`, too: `kept` stands for both from now on."""
        for op, same in zip(_all_ops(kept), _all_ops(dropped)):
            op.location = self.location_of(self.ops_of(op.location) + self.ops_of(same.location))

    def _number(self, op: ir.Operation) -> ir.WalkResult:
        number = len(self.origins)
        self.origins.append(origin_of(op.location))
        location = ir.Location.file(FILE, number, 0, context=self._context)
        op.location = location
        for region in op.regions:
            for block in region.blocks:
                for argument in block.arguments:
                    argument.set_location(location)
        return ir.WalkResult.ADVANCE

    def restored(self, error: HloError) -> HloError:
        """The error with the positions that the program's own locations have."""
        return type(error)(*map(self._restored, error.diagnostics))

    def _restored(self, found: Diagnostic) -> Diagnostic:
        if found.file != FILE:
            return found
        positions = self.origins[next(iter(self.sets[found.line]), 0)].positions
        return Diagnostic(found.message, *positions[0]) if positions else Diagnostic(found.message)


def origin_of(location: ir.Location) -> Origin:
    """The name and the positions of a location."""
    return Origin(_name(location), tuple(dict.fromkeys(_positions(location))))


def _name(location: ir.Location) -> str:
    """The first name that is not a function's in a call stack."""
    if location.is_a_name():
        return location.name_str
    if location.is_a_fused():
        return next(filter(None, map(_name, location.locations)), "")
    return ""


def _positions(location: ir.Location) -> Iterator[Position]:
    if location.is_a_name():
        yield from _positions(location.child_loc)
    elif location.is_a_callsite():
        yield from _positions(location.callee)
        yield from _positions(location.caller)
    elif location.is_a_fused():
        for one in location.locations:
            yield from _positions(one)
    elif (position := file_location(location)) is not None:
        yield Position(str(position.filename), position.start_line, position.start_col)


def _all_ops(op: Any) -> list[ir.Operation]:
    found: list[ir.Operation] = []

    def visit(inner: ir.Operation) -> ir.WalkResult:
        found.append(inner)
        return ir.WalkResult.ADVANCE

    op.operation.walk(visit)
    return found
