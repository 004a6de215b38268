"""What `compiled.cost_analysis()` tells: operations, transcendental functions and bytes of one call, under XLA's names.

They are counted when JAX first asks, on the program as its kernels are, which is made once more for it: the counting is
that of profiles."""

from __future__ import annotations

import hlo
from hlo import pipelines
from hlo.jax.programs.program import Program, translated
from hlo.pipelines.phase import Phase

COUNTED_BEFORE = "emit-kernels"
"""The pass in front of which each kernel is there, on tensors."""


def cost_of(program: Program) -> dict[str, float]:
    """Of a program for several devices the bytes of its arguments and results alone, of one process."""
    memory = program.executable.memory
    if program.executable.grid.size > 1:
        return {"bytes accessed": float(memory.arguments + memory.results)}
    from hlo.lowering.memory.kernel_work import program_work

    module = hlo.parse(translated(program.artifact, is_alone=True)[0])
    pipelines.run(module, _phases())
    operations, transcendentals, read, written = program_work(module, "main").counts
    return {
        "flops": float(operations),
        "transcendentals": float(transcendentals),
        "bytes accessed": float(read + written),
    }


def _phases() -> list[Phase]:
    """The CPU target's, as far as kernels are on tensors."""
    phases = pipelines.cpu()
    *before, last = phases[: 1 + next(n for n, phase in enumerate(phases) if _position(phase) is not None)]
    return [*before, Phase(last.name, last.passes[: _position(last)])]


def _position(phase: Phase) -> int | None:
    """Where the pass is among those of a phase."""
    names = (str(item).partition("{")[0] for item in phase.passes)
    return next((n for n, name in enumerate(names) if name == COUNTED_BEFORE), None)
