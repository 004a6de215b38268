"""How much memory a compiled program needs."""

from __future__ import annotations

from hlo.lazy_dataclasses import dataclass
from hlo.runtime.saved.program import Program


@dataclass(frozen=True)
class Memory:
    """What a program needs, in bytes."""

    arguments: int
    results: int
    temporaries: int
    constants: int
    code: int
    donated: int = 0
    """Of the results: those that are left in donated arguments."""

    @property
    def peak(self) -> int:
        """All that is there while the program runs."""
        return self.arguments + self.results - self.donated + self.temporaries + self.constants + self.code


def memory_of(program: Program, code: int) -> Memory:
    """Of a program with so many bytes of code."""
    arguments, results = program.signature
    return Memory(
        sum(t.nbytes for t in arguments),
        sum(t.nbytes for t in results),
        program.arena,
        sum(c.nbytes for c in program.constants),
        code,
        sum(results[result].nbytes for _, result in program.donation.results),
    )
