"""The tutorial is followed to the letter, in a folder of its own."""

import importlib.util
import re
import shutil

import pytest
from walkthrough import ROOT, follow

from hlo.environment import VARIABLES


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("cc"), reason="there is no C compiler")
def test_tutorial(tmp_path):
    programs = {"torch": "network.py", "tensorflow": "model.py"}
    without = tuple(file for package, file in programs.items() if not importlib.util.find_spec(package))
    follow(ROOT / "docs" / "tutorial.md", tmp_path, without)


@pytest.mark.slow
def test_tour(tmp_path):
    follow(ROOT / "docs" / "tour.md", tmp_path)


def test_every_environment_variable_has_its_row():
    page = (ROOT / "docs" / "environment.md").read_text()
    rows = dict(re.findall(r"^\| `(HLO_\w+)` \| ([^|]*) \|", page, re.MULTILINE))
    assert set(rows) == {v.name for v in VARIABLES} | {"HLO_CACHE_DIR"}
    for variable in VARIABLES:
        assert rows[variable.name].replace("`", "").split(",")[0] in variable.takes


def test_every_page_is_in_the_site():
    pages = set(re.findall(r": ([\w-]+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE))
    assert pages == {page.name for page in (ROOT / "docs").glob("*.md")}
    listed = set(re.findall(r"\]\(([\w-]+\.md)\)", (ROOT / "docs" / "index.md").read_text()))
    assert listed == pages - {"index.md"}
