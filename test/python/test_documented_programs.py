"""The Python programs of the documentation run."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import hlo
from hlo.runtime import custom_calls

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
MODEL = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}"""


def run(page, names, *, without=""):
    """Runs the blocks of a page one after another in one namespace; those with `without` in them are left out."""
    blocks = BLOCK.findall((DOCS / page).read_text())
    assert blocks
    for block in blocks:
        if not without or without not in block:
            exec(compile(block, page, "exec"), names)
    return names


def test_programs_from_python():
    names = run("builder.md", {})
    np.testing.assert_array_equal(names["literal"], np.full(10, 3, np.float32))
    np.testing.assert_array_equal(names["result"], np.ones((2, 2), np.float32))


def test_running_programs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("model.mlir").write_text(MODEL)
    x, y = np.arange(4, dtype=np.float32), np.empty(4, np.float32)
    names = run("runtime.md", {"hlo": hlo, "arrays": [x], "y": y, "x": x}, without="libscale.so")
    np.testing.assert_array_equal(y, x + x)
    np.testing.assert_array_equal(names["outputs"][0], x + x)
    assert custom_calls.TARGETS.pop("scale")(x, backend_config="2").tolist() == [0, 2, 4, 6]


def test_the_readmes_programs(monkeypatch):
    monkeypatch.chdir(DOCS.parent)
    text = Path("README.md").read_text()
    names = {"x": np.arange(6, dtype=np.float32).reshape(2, 3)}
    for block in BLOCK.findall(text):
        exec(compile(block, "README.md", "exec"), names)
    command, shown = re.search(
        r"^\$ hlo-run (examples/softmax[^\n]*)\n(.*?)^```", text, re.MULTILINE | re.DOTALL
    ).groups()
    run_ = [sys.executable, "-m", "hlo.tools.hlo_run", *command.split()]
    assert subprocess.run(run_, capture_output=True, text=True, check=True).stdout.strip() == shown.strip()
    np.testing.assert_allclose(names["result"].sum(1), [1, 1], rtol=1e-6)


@pytest.mark.parametrize("page", sorted(p.name for p in DOCS.glob("*.md")))
def test_links_between_pages_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", (DOCS / page).read_text()):
        assert "://" in target or (DOCS / target).exists(), f"{page}: {target}"
