"""docs/status.md says what the registries and the test files say, with a reason for each empty cell."""

import re

import pytest

from hlo.dialect.definition import OPS
from hlo.tools import status

COLUMNS = ("read", "printed", "verified", "inferred", "reference", "CPU", "element types", "tests")


def rows(text: str) -> dict[str, dict[str, str]]:
    """By the op's name: its cells by column."""
    lines = [
        [cell.strip() for cell in line.strip("| \n").split(" | ")] for line in text.splitlines() if line[:2] == "| "
    ]
    assert lines[0] == ["op", *COLUMNS]
    return {cells[0].split()[0]: dict(zip(COLUMNS, cells[1:], strict=True)) for cells in lines[1:]}


def test_page_is_up_to_date():
    assert (status.ROOT / "docs" / "status.md").read_text() == status.page(), "run python -m hlo.tools.status"


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


def test_an_empty_cell_without_a_reason_is_refused(monkeypatch):
    monkeypatch.setitem(status.COLUMNS, "reference", lambda name, op: "")
    with pytest.raises(KeyError, match="reference"):
        status.row("stablehlo.add")
