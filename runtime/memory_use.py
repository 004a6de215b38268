"""How much memory a compiled program needs."""

from __future__ import annotations

from dataclasses import dataclass


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
