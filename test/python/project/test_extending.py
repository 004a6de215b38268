"""docs/extending.md is followed to the letter in a copy of the project: invented ops, a pass, a processor, a target."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from walkthrough import BLOCK, ROOT, run_console

PAGE = ROOT / "docs" / "extending.md"
SECTIONS = dict(re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", PAGE.read_text(), re.MULTILINE | re.DOTALL))


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project's files, with the tree of links by which the copy is imported as hlo."""
    folder = tmp_path_factory.mktemp("project")
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in filter(lambda name: (ROOT / name).is_file(), listed.stdout.splitlines()):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name)
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)  # its tests ask git for the project's files
    subprocess.run(["git", "add", "."], cwd=folder, check=True)
    subprocess.run([sys.executable, "tools/type_check.py", "--tree"], cwd=folder, check=True)
    return folder


def environment(copy: Path) -> dict[str, str]:
    paths = [str(copy / "build" / "types"), os.environ.get("PYTHONPATH", "")]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    found = dict(os.environ, PATH=path, PYTHONPATH=os.pathsep.join(filter(None, paths)), PYTHONSAFEPATH="1")
    return found | {"HLO_CACHE_DIR": str(copy / "build" / "cache"), "HLO_LIT_OUTPUT": str(copy / "build" / "lit")}


def put(copy: Path, title: str, text: str) -> None:
    """One block of the page, where its title says. Raises AssertionError where the place is not there, or there twice."""
    name, _, place = title.partition(", ")
    file = copy / name
    if not place:
        assert not file.exists(), f"{name} is there already"
        file.write_text(text)
        return
    old = file.read_text()
    if place == "at the end":
        file.write_text(f"{old}\n\n{text}")
        return
    where, start = place.split(": ", 1)
    lines = old.splitlines(keepends=True)
    found = [i for i, line in enumerate(lines) if line.replace('"', "").lstrip().startswith(start)]
    assert len(found) == 1, f"{name} has {len(found)} lines that begin with {start!r}"
    lines.insert(found[0] + {"before": 0, "after": 1}[where], text)
    file.write_text("".join(lines))


@pytest.mark.slow
@pytest.mark.skipif(
    sys.version_info < (3, 11), reason="PYTHONSAFEPATH keeps the folder hlo/ from hiding the copy's package"
)
@pytest.mark.parametrize("section", SECTIONS)
def test_section(copy: Path, section: str) -> None:
    """Sections build on each other: pytest runs them in the page's order in one copy."""
    blocks = BLOCK.findall(SECTIONS[section])
    assert any(title for _, title, _ in blocks) and any(kind == "console" for kind, _, _ in blocks)
    for kind, title, text in blocks:
        if title:
            put(copy, title, text)
        else:
            assert kind == "console", f"a block that nobody runs: {text}"
            run_console(text, copy, environment(copy))


def test_files_that_the_page_names_are_there() -> None:
    """Also those beside the blocks."""
    new = {title for _, title, _ in BLOCK.findall(PAGE.read_text())}
    named = set(
        re.findall(
            r"`((?:builder|dialect|hlo|lowering|pipelines|reference|runtime|test|tools)/[\w./-]+)`", PAGE.read_text()
        )
    )
    assert named - new - {"test/e2e/cube.mlir"} == {name for name in named - new if (ROOT / name).exists()}
