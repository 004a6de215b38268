"""JAX programs as HLO text, as JAX makes it and as XLA's compiler leaves it: the results are those of their StableHLO.

A normal run takes a few programs and every 101st row of the grid of primitives."""

import importlib

import jax
import pytest
import test_jax_programs
import test_lax_grid
from hlo_texts import compared
from jax_programs import AREAS
from sampling import ALL

PROGRAMS = [
    *((p.__name__, p) for p in test_jax_programs.PROGRAMS),
    *(
        (f"{area}-{row[0]}", lambda row=row: row[1:3])
        for area in AREAS
        for row in importlib.import_module(f"jax_programs.{area}").PROGRAMS
    ),
]
FEW = {"gru_scan", "switch_and_cond", "gather_scatter", "windows"}

UNREAD = {
    (name, "optimised"): "custom call target 'TopK' is not registered"
    for name in ("sorting", "sorting-top_k", "transforms-top_k", "transforms-partition")
} | {("shapes-empty", "optimised"): "bitcast: expected arrays whose layouts are orders of dimensions"}
"""What does not run, and the words of the error: custom calls of XLA's own, and a bitcast of tiled layouts."""


def check(name, function, arguments):
    for kind, wrong in compared(function, arguments):
        reason = UNREAD.get((name, kind))
        assert wrong is None if reason is None else reason in (wrong or ""), (kind, wrong)


@pytest.mark.parametrize(
    "name, program", [p for p in PROGRAMS if ALL or p[0] in FEW], ids=lambda p: str(p) if isinstance(p, str) else ""
)
def test_program(name, program):
    check(name, *program())


@pytest.mark.sampled(101)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("family, row", [pytest.param(f, r, id=f"{f}-{r.primitive}") for f, r in test_lax_grid.ROWS])
def test_primitive(family, row):
    with jax.enable_x64(True):
        cells = [cell for cell in row.cells if test_lax_grid.accepted(cell)]
        arguments = [a for cell in cells for a in cell.arguments]
        check(f"{family}-{row.primitive}", test_lax_grid.packed(cells), arguments)
