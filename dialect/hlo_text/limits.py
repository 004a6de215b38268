"""What would make a program too large, or endless: computations that stand in line wherever they are named."""

from __future__ import annotations

import re
from typing import NoReturn

from hlo.dialect.hlo_text.syntax import Computation, HloModule, Instruction
from hlo.errors import ParseError

MAX_OPS = 1 << 20
"""Instructions after that: they could double with every level."""
MAX_DEPTH = 100
"""Computations within each other."""

_NAMING = (
    *("calls", "to_apply", "condition", "body", "select", "scatter", "called_computations"),
    *("true_computation", "false_computation", "branch_computations"),
)
"""Attributes that name computations."""
_NAME = re.compile(r"[\w.-]+")


def check_limits(module: HloModule) -> None:
    """Raises ParseError at an instruction that goes beyond them."""
    _Sizes(module).of(module.entry, 0)


class _Sizes:
    """How many instructions each computation is with those that it names; each is counted once."""

    def __init__(self, module: HloModule):
        self.module = module
        self.known: dict[str, int] = {}
        self.open: set[str] = set()

    def of(self, computation: Computation, depth: int) -> int:
        self.open.add(computation.name)
        total = 0
        for instruction in computation.instructions:
            total += 1 + sum(self._named(instruction, name, depth + 1) for name in named_computations(instruction))
            if total > MAX_OPS:
                self._fail(
                    f"more than {MAX_OPS} ops, with those of fused computations wherever they are named", instruction
                )
        self.open.remove(computation.name)
        self.known[computation.name] = total
        return total

    def _named(self, instruction: Instruction, name: str, depth: int) -> int:
        if name in self.known:
            return self.known[name] if instruction.opcode != "call" else 0
        computation = self.module.computations.get(name)
        if computation is None:
            return 0  # whoever reads the attribute says so
        if name in self.open:
            self._fail(f"computation {name} calls itself", instruction)
        if depth > MAX_DEPTH:
            self._fail(f"computations name each other more than {MAX_DEPTH} deep", instruction)
        size = self.of(computation, depth)
        return size if instruction.opcode != "call" else 0

    def _fail(self, message: str, instruction: Instruction) -> NoReturn:
        raise ParseError(self.module.source.diagnostic(message, instruction.position))


def named_computations(instruction: Instruction) -> list[str]:
    texts = (instruction.attributes[name].text for name in _NAMING if name in instruction.attributes)
    return [name for text in texts for name in _NAME.findall(text)]
