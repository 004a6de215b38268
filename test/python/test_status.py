"""docs/status.md says what the registries say."""

from hlo.dialect.definition import OPS
from hlo.tools import status


def test_page_is_up_to_date():
    assert (status.ROOT / "docs" / "status.md").read_text() == status.page(), "run python -m hlo.tools.status"


def test_every_op_has_a_row():
    text = status.page()
    assert all(f"| {name} |" in text for name in OPS)
