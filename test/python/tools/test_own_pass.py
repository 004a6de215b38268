"""The documented own pass, run as a user would."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_example_script():
    script = ROOT / "examples" / "own_pass.py"
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert "stablehlo.add %arg0, %arg0" in done.stdout
    assert "stablehlo.multiply" not in done.stdout
    assert "[0., 2., 4., 6.]" in done.stdout


def test_documented():
    assert "examples/own_pass.py" in (ROOT / "docs" / "pipelines.md").read_text()
