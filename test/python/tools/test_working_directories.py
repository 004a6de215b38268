"""A folder of the user's that is called like a package is another one: processes that hlo starts import what their parent has imported."""

import subprocess
import sys

import pytest

PROGRAM = """func.func @main() {
  %0 = stablehlo.constant dense<1.0> : tensor<f32>
  check.expect_eq_const %0, dense<1.0> : tensor<f32>
  return
}
"""


@pytest.fixture
def folder(tmp_path):
    """With packages that end whoever imports them."""
    for name in ("hlo", "numpy", "mlir", "json"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(
            "raise SystemExit(f'imported {__name__} of the working directory')\n"
        )
    (tmp_path / "program.mlir").write_text(PROGRAM)
    (tmp_path / "program.mlirbc").write_bytes(b"ML\xefR no bytecode")
    return tmp_path


TOOL = "import sys; sys.path.remove(''); from hlo.tools.{tool} import main; sys.exit(main())"


def run(folder, tool, *words):
    code = TOOL.format(tool=tool)
    return subprocess.run([sys.executable, "-c", code, *words], cwd=folder, capture_output=True, text=True)


def test_checks(folder):
    done = run(folder, "hlo_run", "--check", "program.mlir")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "1 passed, 0 failed"), done.stdout + done.stderr


def test_reading_bytecode(folder):
    """Another process reads it."""
    done = run(folder, "hlo_opt", "program.mlirbc")
    assert done.returncode == 1 and "cannot be read" not in done.stderr and "SystemExit" not in done.stderr, done.stderr


def test_reduction(folder):
    text = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { %0 = stablehlo.add %x, %x : tensor<2xf32> return %0 : tensor<2xf32> }"
    (folder / "sum.mlir").write_text(text)
    done = run(folder, "hlo_reduce", "sum.mlir")
    assert "imported" not in done.stdout + done.stderr and "Traceback" not in done.stderr, done.stderr


def test_isolated_compilation(folder):
    code = """import sys; sys.path.remove(''); import numpy as np, hlo
exe = hlo.compile("program.mlir", cache=False, isolate=hlo.Limits())
print(exe())"""
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "[]\n"), done.stderr
