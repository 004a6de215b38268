"""One batch, then (where something is wrong) its programs one by one, then one program against moved runs."""

from __future__ import annotations

import traceback
from collections.abc import Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
from mlir import ir

from hlo.errors import CompileError, HloError
from hlo.tools.differential.batch import Batch, Program, make_batch
from hlo.tools.differential.comparison import first_difference
from hlo.tools.differential.failure import FEW, MANY, Failure
from hlo.tools.differential.isolate import self_contained, without_unused
from hlo.tools.differential.moved import MovedReference

CPU: Mapping[str, Any] = {"target": "cpu"}


def check_numbers(
    seed: int,
    numbers: Sequence[int],
    ops: Sequence[str] = (),
    at_work: Path | None = None,
    how: Mapping[str, Any] = CPU,
) -> list[Failure]:
    """The failures among these programs. `at_work`: where a program is written before it runs on its own. `how`: the options
    of hlo.compile that say what for."""
    if how.get("target") == "sharded":
        from hlo.tools.differential.sharded import check_sharded

        return [f for n in numbers for f in check_sharded(seed, n, ops)]
    try:
        batch = make_batch(seed, numbers, ops)
    except Exception:
        if len(numbers) == 1:
            return [Failure(numbers[0], "generator", traceback.format_exc())]
        return [f for n in numbers for f in check_numbers(seed, [n], ops, at_work, how)]
    if len(numbers) == 1:
        return _alone(batch, batch.programs[0], at_work, how)
    return [f for p in _suspects(batch, how) for f in _alone(batch, p, at_work, how)]


def _suspects(batch: Batch, how: Mapping[str, Any]) -> list[Program]:
    """Programs with a result that is neither near the reference's nor where moved runs lie (those see only programs that
    are not near); all of them when the batch does not run."""
    import hlo

    try:
        module = batch.module(batch.programs)
        compiled = hlo.compile(module, cache=False, **how)(*batch.inputs)
        expected = hlo.compile(module, target="reference")(*batch.inputs)
    except Exception:
        return batch.programs
    ends = list(accumulate(len(p.results) for p in batch.programs))
    own = [(p, slice(end - len(p.results), end)) for p, end in zip(batch.programs, ends)]
    far = [(p, part) for p, part in own if first_difference(compiled[part], [expected[part]], p.unchecked)]
    return [p for p, part in far if not _explained(batch, p, compiled[part], expected[part])]


def _explained(batch: Batch, program: Program, compiled: Sequence[np.ndarray], expected: Sequence[np.ndarray]) -> bool:
    """Whether a few moved runs show that the results may be what they are."""
    module = batch.module([program])
    try:
        runs = _moved_runs(module, without_unused(module, batch.inputs), "main", [expected], FEW)
    except Exception:
        return False
    return first_difference(compiled, runs, program.unchecked) is None


def _moved_runs(module: ir.Module, inputs: Sequence[np.ndarray], entry: str, runs: list[Any], count: int) -> list[Any]:
    """The runs, and more of them until there are `count`."""
    return [*runs, *(MovedReference(module, entry, seed)(*inputs) for seed in range(len(runs), count))]


def _alone(batch: Batch, program: Program, at_work: Path | None, how: Mapping[str, Any]) -> list[Failure]:
    module = batch.module([program])
    inputs = without_unused(module, batch.inputs)
    text = self_contained(_copy(module), inputs, f"// Program {program.number}.")
    if at_work:
        at_work.write_text(text)
    found = disagreement(module, inputs, program.unchecked, how=how)
    return [Failure(program.number, *found, text)] if found else []


def _copy(module: ir.Module) -> ir.Module:
    with module.context, ir.Location.unknown():
        copy = ir.Module.create()
        for op in module.body.operations:
            op.operation.clone(ip=ir.InsertionPoint(copy.body))
        return copy


def disagreement(
    module: ir.Module,
    inputs: Sequence[np.ndarray],
    skipped: Sequence[int] = (),
    entry: str = "main",
    how: Mapping[str, Any] = CPU,
) -> tuple[str, str] | None:
    """How the compiled program and the reference disagree: kind and words; None when they agree."""
    import hlo

    try:
        expected = hlo.compile(module, target="reference", entry=entry)(*inputs)
    except Exception as error:
        return _raised("the reference", error)
    try:
        compiled = hlo.compile(module, entry=entry, **how)(*inputs)
    except Exception as error:
        return _raised("the compiler", error)
    runs = [expected]
    for count in (0, FEW, MANY):
        runs = _moved_runs(module, inputs, entry, runs, count)
        found = first_difference(compiled, runs, skipped)
        if not found:
            return None
    return "differs", str(found)


def _raised(who: str, error: Exception) -> tuple[str, str]:
    if isinstance(error, (CompileError, HloError)):
        return "error", f"{who}: {error}"
    where = "".join(traceback.format_exception(type(error), error, error.__traceback__)[-3:])
    return "bug", f"{who}: {where}"
