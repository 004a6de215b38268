"""docs/ops.md: every op and attribute of the classes, with calls that the builder has."""

import re

import hlo
from hlo.dialect.definition import OPS
from hlo.dialect.registration import make_context
from hlo.tools.pages import op_pages

make_context()
PAGE = (op_pages.ROOT / "docs" / "ops.md").read_text()
ENTRIES = dict(re.findall(r"^### (\S+)\n(.*?)(?=^##|\Z)", PAGE, re.MULTILINE | re.DOTALL))


def test_page_is_up_to_date():
    assert op_pages.page() == PAGE, "run python -m hlo.tools.pages.op_pages"


def test_every_op_has_an_entry_with_its_text():
    assert {name for name in ENTRIES if not name.startswith("sdy.")} == set(OPS)
    assert [
        name for name, entry in ENTRIES.items() if not re.search(rf"```text\n.*?{re.escape(name)}", entry, re.DOTALL)
    ] == []


def test_every_attribute_is_named():
    missing = [
        (n, a.key) for n, op in OPS.items() for a in op.ATTRIBUTES if f"| attribute | `{a.key}` |" not in ENTRIES[n]
    ]
    assert missing == []


def test_calls_are_methods_of_the_builder():
    calls = re.findall(r"^`b\.((?:chlo\.|check\.|interpreter\.)?)(\w+)\(", PAGE, re.MULTILINE)
    assert len(calls) == len(OPS) - 1  # all but stablehlo.return
    builder = hlo.Builder()
    for namespace, method in calls:
        assert callable(getattr(getattr(builder, namespace[:-1]) if namespace else builder, method))
