"""Trials of libraries that are written for JAX: the table, the comparison, and what is told when something fails."""

import ast
import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT))

from integrations.ecosystem import __main__ as command  # noqa: E402
from integrations.ecosystem import environments, table, trial  # noqa: E402
from integrations.ecosystem.comparison import PROGRAMS, differences  # noqa: E402
from integrations.ecosystem.errors import EcosystemError  # noqa: E402
from integrations.ecosystem.libraries import ALTERNATELY, AS_CPU, LIBRARIES, Library  # noqa: E402

NAMED = [
    "keras",
    "numpyro",
    "blackjax",
    "diffrax",
    "brax",
    "orbax",
    "haiku",
    "equinox",
    "optimistix",
    "penzai",
    "e3nn-jax",
    "netket",
    "optax",
    "flax",
]
OPTAX = next(library for library in LIBRARIES if library.name == "optax")


def test_the_table_has_a_row_for_each_library_with_its_versions_and_program():
    rows = re.findall(r"^(\| .* \|)$", table.PAGE.read_text().partition("| first run |")[2], re.MULTILINE)
    assert [" | ".join(row.split(" | ")[:3]) for row in rows] == [table.head(library) for library in LIBRARIES]
    assert set(NAMED) <= {library.name for library in LIBRARIES}


def test_each_program_belongs_to_a_library():
    assert {p.stem for p in PROGRAMS.glob("*.py")} == {library.program for library in LIBRARIES}


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.name)
def test_versions_are_exact_and_programs_state_tolerances(library):
    assert all(re.fullmatch(r"[\w-]+==[\d.]+", r) for r in (*library.requirements, *library.jax))
    tree = ast.parse((PROGRAMS / f"{library.program}.py").read_text())
    assert "TOLERANCES" in {t.id for n in tree.body if isinstance(n, ast.Assign) for t in n.targets}
    assert {n.name for n in tree.body if isinstance(n, ast.FunctionDef)} >= {"make"}


EXPECTED = {"x": np.array([1.0, -2.0, 0.0]), "n": np.array(3)}
TOLERANCES = {"x": (0.01, 0.001), "n": (0.0, 0.0)}


@pytest.mark.parametrize(
    "found, wrong",
    [
        (EXPECTED, []),
        ({"x": np.array([1.01, -2.02, 0.001]), "n": np.array(3)}, []),
        (
            {"x": np.array([1.02, -2.0, 0.0]), "n": np.array(4)},
            ["n: 1 of 1 differ", "x: 1 of 3 differ, by up to 2.00e-02"],
        ),
        ({"x": np.array([1.0, np.nan, 0.0]), "n": np.array(3)}, ["x: 1 of 3 differ"]),
        ({"x": np.array([1.0, -2.0]), "n": np.array(3)}, ["x: float64[2], expected float64[3]"]),
        ({"x": EXPECTED["x"].astype(np.float32), "n": np.array(3)}, ["x: float32[3], expected float64[3]"]),
        ({"x": EXPECTED["x"]}, ["results are ['x'], expected ['n', 'x']"]),
    ],
)
def test_comparison(found, wrong):
    lines = differences(EXPECTED, found, TOLERANCES)
    assert len(lines) == len(wrong) and all(line.startswith(w) for line, w in zip(lines, wrong)), lines


def test_a_row_is_put_in_the_place_of_the_librarys_old_one():
    page = "| a | 1 |\n| ab | 2 |\n"
    assert table.put(page, "| a | 3 |") == "| a | 3 |\n| ab | 2 |\n"
    with pytest.raises(ValueError, match="0 rows of c"):
        table.put(page, "| c | 3 |")


@pytest.mark.sampled(2)
@pytest.mark.parametrize("backends", [ALTERNATELY, AS_CPU], ids=["hlo", "as-cpu"])
def test_a_program_on_both_backends(backends):
    pytest.importorskip("optax")
    outcome = trial.run(replace(OPTAX, backends=backends), Path(sys.executable), seconds=0)
    assert outcome.differences == [] and outcome.ratio > 0
    assert table.row(OPTAX, outcome).startswith(table.head(OPTAX) + " | equal | ")


def test_a_backend_is_not_compared_with_itself():
    pytest.importorskip("optax")
    same = replace(OPTAX, backends={"cpu": ALTERNATELY["cpu"], "hlo": ALTERNATELY["cpu"]})
    with pytest.raises(EcosystemError, match=r"(?s)optax on hlo failed.*the program would run on cpu, not on hlo"):
        trial.run(same, Path(sys.executable), seconds=0)


def test_what_cannot_be_run_or_installed_is_told(tmp_path, monkeypatch, capsys):
    absent = Library("absent", "no_such_program", ())
    with pytest.raises(EcosystemError, match=r"(?s)absent on cpu failed.*No module named 'no_such_program'"):
        trial.run(absent, Path(sys.executable), seconds=0)
    monkeypatch.setattr(command, "LIBRARIES", (absent,))
    monkeypatch.setattr(
        environments.subprocess, "run", lambda *_, stdout, **__: stdout.write("ERROR: no network\n") and _Failed
    )
    assert command.main(["--folder", str(tmp_path)]) == 1
    assert "base-jax-0.10.2 cannot be installed: ERROR: no network (all of it:" in capsys.readouterr().err


def test_an_interpreter_that_is_not_there_is_named():
    with pytest.raises(EcosystemError, match=r"needs python9\.9 on PATH"):
        environments.find_interpreter("9.9")
    assert environments.find_interpreter("") == sys.executable


@pytest.mark.parametrize(
    "options, code, told", [([], 1, "error: needs"), (["--skip-missing-python"], 0, "left out: needs")]
)
def test_a_version_whose_interpreter_is_missing(tmp_path, monkeypatch, capsys, options, code, told):
    monkeypatch.setattr(command, "LIBRARIES", (Library("old", "jax_parts", (), python="9.9"),))
    assert command.main(["--folder", str(tmp_path), *options]) == code
    assert told in capsys.readouterr().err


def test_writers_have_a_program_and_exact_versions():
    from integrations.ecosystem.writers.__main__ import INDEX, WRITERS

    folder = ROOT / "integrations" / "ecosystem" / "writers"
    programs = {p.stem for p in folder.glob("*.py")} - {"__init__", "__main__", "check"}
    assert programs == {program for program, _ in WRITERS.values()}
    for _, requirements in WRITERS.values():
        assert all(re.fullmatch(r"[\w-]+==[\d.]+", r) for r in requirements if r not in INDEX)


class _Failed:
    returncode = 1
