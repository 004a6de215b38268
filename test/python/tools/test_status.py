"""docs/status.md says what the registries and the test files say, with a reason for each empty cell."""

import re

import pytest

import hlo
from hlo.dialect.definition import OPS
from hlo.runtime.gpu.plan import HostCall, Launch
from hlo.tools.pages import status
from hlo.tools.run.check import parts_of
from hlo.tools.run.check_worker import _entries

COLUMNS = ("defined", "form", "IRDL", "verified", "inferred", "reference", "CPU", "GPU", "element types", "tests")


def rows(text: str) -> dict[str, dict[str, str]]:
    """By the op's name: its cells by column."""
    lines = [
        [cell.strip() for cell in line.strip("| \n").split(" | ")] for line in text.splitlines() if line[:2] == "| "
    ]
    assert lines[0] == ["op", *COLUMNS]
    return {cells[0].split()[0]: dict(zip(COLUMNS, cells[1:], strict=True)) for cells in lines[1:]}


def test_page_is_up_to_date():
    assert (status.ROOT / "docs" / "status.md").read_text() == status.page(), "run python -m hlo.tools.pages.status"


def test_every_op_has_every_cell():
    table = rows(status.page())
    assert sorted(table) == sorted(OPS)
    assert [(op, column) for op, cells in table.items() for column, cell in cells.items() if not cell.strip("- ")] == []
    notes = {int(n) for cells in table.values() for cell in cells.values() for n in re.findall(r"\((\d+)\)", cell)}
    assert notes <= set(range(1, len(status.NOTES) + 1))


def test_element_types_are_those_of_the_programs():
    table = rows(status.page())
    assert table["stablehlo.popcnt"]["element types"] == "i8 i16 i32 i64 ui8 ui16 ui32 ui64"
    assert table["stablehlo.uniform_dequantize"]["element types"] == "f32 quantized"


def test_files_are_there():
    """Where an op is defined, lowered and interpreted: the way from its name to the code."""
    table = rows(status.page())
    for cells in table.values():
        files = [("dialect", cells["defined"]), ("reference", cells["reference"])]
        files += [("lowering", words[1]) for words in [cells["CPU"].split()] if words[0] in ("rule", "decomposed")]
        missing = [f"{folder}/{file}" for folder, file in files if not file.startswith("(")
                   and not (status.ROOT / folder / f"{file}.py").exists()]  # fmt: skip
        assert not missing
    assert table["stablehlo.scatter"]["CPU"] == "rule linalg/indexing/scatter"
    assert table["stablehlo.unary_einsum"]["CPU"] == "decomposed stablehlo/decompositions/contraction"


OTHER_FILES = {
    "reference": {"chlo.constant", "chlo.ragged_dot", "check.expect_serialized_eq", "interpreter.print", "interpreter.probe", "interpreter.run_parallel"},
    "CPU": {"interpreter.print", "interpreter.probe", "stablehlo.fft", "stablehlo.reduce_window", "stablehlo.select_and_scatter"},
}  # fmt: skip
"""Ops whose meaning, or rule, is in a file of another name than their class: of other dialects, or in a folder of several files."""


OF_ELEMENTS = ("linalg/elementwise", "linalg/long_functions")


def test_a_family_has_one_file_name():
    """In dialect/, reference/ and lowering/; but for what checks, and for the rules of all ops on elements."""
    found: dict[str, set[str]] = {column: set() for column in OTHER_FILES}
    for op, cells in rows(status.page()).items():
        family = cells["defined"].split("/")[-1]
        if not cells["reference"].startswith("(") and cells["reference"].split("/")[-1] != family:
            found["reference"].add(op)
        kind, *files = cells["CPU"].split()
        is_of_one = kind == "rule" and files[0] not in OF_ELEMENTS and family != "check"
        if is_of_one and family not in files[0].split("/"):
            found["CPU"].add(op)
    assert found == OTHER_FILES


def test_an_empty_cell_without_a_reason_is_refused(monkeypatch):
    monkeypatch.setitem(status.COLUMNS, "reference", lambda name, op: "")
    with pytest.raises(KeyError, match="reference"):
        status.row("stablehlo.add")


PARALLEL = (
    "add",
    "reduce",
    "dot_general",
    "concatenate",
    "dynamic_update_slice",
    "convert",
    "pad",
    "rng_bit_generator",
)
LOOPS = ("sort", "scatter", "fft", "select_and_scatter", "triangular_solve", "cholesky")
HOST = ("custom_call", "infeed", "outfeed", "send", "recv")


@pytest.mark.parametrize("name", [*PARALLEL, *LOOPS, *HOST])
def test_what_runs_how_on_a_gpu(name: str) -> None:
    """The plan of the first self-checking program of the op: kernels that are loops are named for it."""
    kind = rows(status.page())[f"stablehlo.{name}"]["GPU"]
    (part, *_) = parts_of(str(status.ROOT / "test" / "e2e" / f"{name}.mlir"), "gpu", {}, ())
    module = hlo.parse(part.text)
    plan = hlo.compile(module, target="gpu", device="model", entry=_entries(module)[0]).program.plan
    launches = [step for step in plan.steps if isinstance(step, Launch)]
    loops = [step for step in launches if step.kernel.startswith(f"{name}_0")]
    assert bool(loops) == (kind == "loops")
    assert kind != "threads" or (launches and all(step.threads > 1 for step in launches))
    assert kind != "host" or any(isinstance(step, HostCall) for step in plan.steps)
