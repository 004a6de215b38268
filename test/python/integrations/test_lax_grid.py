"""Every primitive of jax.lax: hlo compiles what JAX lowers, and gets the numbers that JAX gets on the CPU."""

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import jax
import numpy as np
import pytest
from lax_grid import FAMILIES, oracles
from lax_grid.census import LEFT_OUT
from lax_grid.compare import report, wrong
from lax_grid.values import COMPLEX, REAL, TINY

import hlo

PATHS = [
    str(Path(__file__).parents[2] / "support"),
    str(Path(__file__).parent),
    *filter(None, [os.environ.get("PYTHONPATH")]),
]
CHILD = {**os.environ, "PYTHONPATH": os.pathsep.join(PATHS), "JAX_PLATFORMS": "cpu"}
ROWS = [(family, row) for family in FAMILIES for row in importlib.import_module(f"lax_grid.{family}").ROWS]


def accepted(cell) -> bool:
    """Whether JAX takes these element types."""
    try:
        jax.eval_shape(cell.function, *cell.arguments)
    except (TypeError, ValueError, NotImplementedError):
        return False
    return True


def packed(cells):
    """One function that makes every call, so that a compilation covers all of them."""
    counts = np.cumsum([len(cell.arguments) for cell in cells])[:-1]

    def run(*arguments):
        parts = np.split(np.arange(len(arguments)), counts)
        return [cell.function(*(arguments[i] for i in part)) for cell, part in zip(cells, parts)]

    return run


def widened(array: np.ndarray) -> np.ndarray:
    if array.dtype.name in TINY + REAL:
        return array.astype(np.float64)
    return array.astype(np.complex128) if array.dtype.name in COMPLEX else array


def results(value) -> list[np.ndarray]:
    return [np.asarray(leaf) for leaf in jax.tree.leaves(value)]


def oracle(cells):
    """JAX on the CPU, without the optimisations that its short runs would not repay."""
    return jax.jit(packed(cells), compiler_options={"xla_backend_optimization_level": 0})


def expected_results(row, cells) -> list[np.ndarray]:
    """What every cell must give, from the row's oracle."""
    arguments = [a for cell in cells for a in cell.arguments]
    if not row.wide:
        return results(oracle(cells)(*arguments))
    others = [cell for cell in cells if not exact(row, cell)]
    jitted = iter(results(oracle(others)(*(widened(a) for cell in others for a in cell.arguments))))
    with np.errstate(all="ignore"):
        return [
            np.asarray(oracles.FUNCTIONS[row.primitive](*map(widened, cell.arguments)))
            if exact(row, cell)
            else next(jitted)
            for cell in cells
        ]


def exact(row, cell) -> bool:
    """Whether numpy in float64 is the oracle of a cell."""
    kinds = TINY + REAL + (() if row.primitive in oracles.REAL_ONLY else COMPLEX)
    return row.primitive in oracles.FUNCTIONS and all(a.dtype.name in kinds for a in cell.arguments)


def differences(row, cells, found, expected):
    """A line for every wrong result."""
    shapes = [len(jax.tree.leaves(jax.eval_shape(cell.function, *cell.arguments))) for cell in cells]
    owners = [(cell, index) for cell, count in zip(cells, shapes) for index in range(count)]
    for (cell, index), ours, theirs in zip(owners, found, expected, strict=True):
        if ours.shape != theirs.shape:
            yield f"{cell}: shape {ours.shape}, expected {theirs.shape}"
        elif (bad := wrong(ours, theirs, row)).any():
            yield report(cell, index, ours, theirs, bad)


@pytest.mark.sampled(7)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("family", "row"), [pytest.param(f, r, id=f"{f}-{r.primitive}") for f, r in ROWS])
def test_primitive(family, row):
    with jax.enable_x64(True):
        cells = [cell for cell in row.cells if accepted(cell)]
        assert cells, "JAX accepts no cell of this row"
        arguments = [a for cell in cells for a in cell.arguments]
        traced = jax.jit(packed(cells), keep_unused=True).trace(*arguments)
        assert row.primitive in called(traced.jaxpr.jaxpr), "the row does not call its primitive"
        found = hlo.compile(traced.lower().as_text())(*arguments)
        found = results(found if isinstance(found, (list, tuple)) else [found])
        wrongs = list(differences(row, cells, found, expected_results(row, cells)))
    assert not wrongs, "\n".join(wrongs)


def primitives_of_jax_alone() -> set[str]:
    """In a process of its own: modules that other tests import (jax.experimental, libraries) add primitives of theirs."""
    code = "import json; from lax_grid.census import primitives; print(json.dumps(sorted(primitives())))"
    done = subprocess.run([sys.executable, "-c", code], env=CHILD, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_every_primitive_has_a_row_or_a_reason():
    rows, present = {row.primitive for _, row in ROWS}, primitives_of_jax_alone()
    known = rows | set(LEFT_OUT)
    assert not (missing := present - known), f"neither in the grid nor left out with a reason: {sorted(missing)}"
    assert not (gone := known - present), f"no primitives of this JAX: {sorted(gone)}"
    assert not (both := rows & set(LEFT_OUT)), f"in the grid and left out: {sorted(both)}"


def called(jaxpr) -> set[str]:
    """The names of all primitives of a program, inner ones included: a row that tested another one would hide a gap."""
    names = set()
    for equation in jaxpr.eqns:
        names |= {equation.primitive.name}
        for inner in jax.core.jaxprs_in_params(equation.params):
            names |= called(inner)
    return names
