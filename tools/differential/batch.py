"""Many programs as one module: compiling one large function is faster than many small ones.

Program number n of a seed is the same in every batch: programs have no values in common."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from mlir import ir

from hlo.builder import Builder
from hlo.builder.value import Value
from hlo.lazy_dataclasses import dataclass
from hlo.tools.differential.draft import Draft
from hlo.tools.differential.families import load_all
from hlo.tools.differential.source import Seeded, Source
from hlo.tools.differential.table import GENERATORS, WEIGHTS

OPS_A_PROGRAM = {1: 20, 2: 20, 3: 20, 4: 15, 5: 10, 6: 8, 8: 5, 12: 2}


@dataclass
class Program:
    """Values of one program in its builder, and those of them whose numbers the specification leaves open."""

    number: int
    results: list[Value]
    unchecked: list[int]


@dataclass
class Batch:
    builder: Builder
    programs: list[Program]
    inputs: list[np.ndarray]

    def module(self, programs: Sequence[Program]) -> ir.Module:
        return self.builder.build([v for p in programs for v in p.results])


def make_batch(seed: int, numbers: Sequence[int], ops: Sequence[str] = ()) -> Batch:
    """Programs with these numbers; `ops`: made of these ops only."""
    builder = Builder()
    inputs: list[np.ndarray] = []
    return Batch(builder, [generate(Seeded(f"{seed}:{n}"), builder, inputs, n, ops) for n in numbers], inputs)


def generate(
    source: Source, builder: Builder, inputs: list[np.ndarray], number: int, ops: Sequence[str] = ()
) -> Program:
    """One program, built into the main function of a builder. Its results: values that nothing uses, and some others."""
    load_all()
    draft = Draft(source, builder, inputs)
    weights = {name: WEIGHTS[name] for name in ops or GENERATORS}
    made: list[Value] = []
    for _ in range(source.weighted(OPS_A_PROGRAM)):
        name = source.weighted(weights)
        there = len(draft.values)
        draft.keep(GENERATORS[name](draft, name))
        made += [v for v in draft.values[there:] if not isinstance(v.ir.owner, ir.Block)]
        draft.values = [v for v in draft.values if v not in draft.unchecked]
    made = list(dict.fromkeys(made))
    results = [v for v in made if not list(v.ir.uses) or v in draft.unchecked or source.chance(25)]
    return Program(number, results, [i for i, v in enumerate(results) if v in draft.unchecked])
