"""What becomes of one mutant: parsed, compiled, run next to guard pages; verified here and by upstream."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

from hlo.errors import HloError
from hlo.tools.fuzz import files, hlo_texts, instances, runnable, texts, upstream

STAGES = ("parse", "hlo", "bytecode", "compile", "run", "verify")
LARGEST = 1 << 26
"""Bytes of arguments, results and temporaries of a program that is run."""
MOST_PROCESSES = 16
"""Of a grid that is run."""
WAIT = 5.0
"""Seconds for which a process of a grid waits for others."""
SIZES = (0, 1, 2, 3, 5)
"""Of dynamic dimensions."""


def make(stage: str, seed: int, number: int) -> str | bytes:
    """The mutant that a stage takes."""
    if stage == "bytecode":
        return files.mutant(seed, number)
    if stage == "verify":
        return instances.mutant(seed, number)
    if stage == "hlo":
        return hlo_texts.mutant(seed, number)
    return texts.mutant(seed, number) if stage == "parse" else runnable.mutant(seed, number)


def outcome(stage: str, seed: int, number: int, reached: Callable[[str], None] = lambda _: None) -> str:
    """How far mutant `number` came ("parsed", "compiled", "ran") or the name of its HloError. Any other exception leaves as it
    is: a bug. `reached` is told what is tried next."""
    import hlo

    program = make(stage, seed, number)
    if stage == "verify":
        return _verified_twice(program, reached)
    try:
        module = hlo.parse(program, "mutant.mlir")
        if stage in ("parse", "hlo", "bytecode"):
            return "parsed"
        tell = lambda state: reached("loops" if state == "runs" and "while" in str(program) else state)
        return _compile_and_run(module, stage, random.Random(f"{seed}:{number}:run"), tell)
    except HloError as error:
        if not str(error).strip():
            raise AssertionError("an error without words") from error
        return type(error).__name__


def _verified_twice(program: str | bytes, reached: Callable[[str], None]) -> str:
    import hlo

    ours = None
    try:
        hlo.parse(program, "mutant.mlir")
    except HloError as error:
        ours = str(error)
    reached("asks upstream")
    return upstream.verdict(ours, upstream.refusal(str(program)))


def _compile_and_run(module: Any, stage: str, choose: random.Random, reached: Callable[[str], None]) -> str:
    import hlo
    from hlo.runtime.calls.dynamic import DynamicExecutable

    entries = [f.name.value for f in module.body.operations if f.operation.name == "func.func"]
    if not entries:
        return "parsed"
    reached("compiles")
    executable = hlo.compile(module, entry=choose.choice(entries))
    if isinstance(executable, DynamicExecutable):
        arguments = executable.signature.arguments
        executable = executable.specialize(*(_sizes(t.shape, choose) for t in arguments))
    if stage == "compile":
        return "compiled"
    return _run(executable, choose, reached)


def _sizes(shape: Any, choose: random.Random) -> tuple[int, ...]:
    return tuple(choose.choice(SIZES) if size is None else size for size in shape)


def _run(executable: Any, choose: random.Random, reached: Callable[[str], None]) -> str:
    from hlo.tools.fuzz.guarded_memory import check

    memory = executable.memory
    size = memory.arguments + memory.results + memory.temporaries
    if size * executable.grid.size > LARGEST or executable.grid.size > MOST_PROCESSES:
        return "compiled"
    generator = np.random.default_rng(choose.randrange(1 << 32))
    arrays = [_array(t, generator) for t in executable.signature.arguments]
    reached("runs")
    if executable.grid.size > 1:
        _check_grid(executable, arrays)
    else:
        check(executable, arrays)
    return "ran"


def _check_grid(executable: Any, arrays: list[np.ndarray]) -> None:
    """Processes of a grid take their memory themselves: no pages guard it, but two runs must agree. Raises
    AssertionError where they do not."""
    from hlo.runtime.grid.sharded import ShardedExecutable

    if isinstance(executable, ShardedExecutable):
        parts, process = executable.cut(arrays), executable.process
    else:
        parts, process = [arrays] * executable.grid.size, executable
    first, second = (process.run_grid(parts, timeout=WAIT) for _ in range(2))
    for one, other in zip(first, second, strict=True):
        assert all(a.tobytes() == b.tobytes() for a, b in zip(one, other, strict=True)), "two runs of a grid differ"


def _array(wanted: Any, generator: np.random.Generator) -> np.ndarray:
    """Small and large numbers of both signs: as indices, some are far outside."""
    numbers = generator.integers(-9, 10, wanted.shape)
    far = generator.integers(-(1 << 40), 1 << 40, wanted.shape)
    with np.errstate(all="ignore"):
        return np.where(generator.random(wanted.shape) < 0.1, far, numbers).astype(wanted.dtype)
