"""A worker process: `python -m hlo.tools.fuzz.worker STAGE SEED FIRST END` prints a line for what each mutant reaches.

A mutant that takes more than its share of processor time ends the process by SIGPROF, so that a busy machine finds no hangs;
memory is limited, so that a text that asks for all of it is seen."""

from __future__ import annotations

import os
import resource
import signal
import sys
import traceback
from functools import partial

SECONDS = 20
"""Processor time of one mutant."""
SECONDS_OF_LOOPS = 2
"""From where a program with a loop runs: a mutation may have made it endless, which is no fault of the compiler."""
MEMORY = 12 << 30
"""Bytes of address space."""


def main(stage: str, seed: str, first: str, end: str) -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a program prints must not mix with the answers

    def tell(number: int, what: str) -> None:
        answers.write(f"{number} {what}\n")
        answers.flush()
        if what == "loops":
            signal.setitimer(signal.ITIMER_PROF, SECONDS_OF_LOOPS)

    from hlo.tools.fuzz.stages import outcome

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    for number in range(int(first), int(end)):
        tell(number, "starts")
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        try:
            result = outcome(stage, int(seed), number, partial(tell, number))
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            result = f"BUG {type(error).__name__}: {str(error)[:200]!r} in {where.filename}:{where.lineno}"
        tell(number, result)
    signal.setitimer(signal.ITIMER_PROF, 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
