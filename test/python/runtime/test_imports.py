"""What a process imports: a first compile must not pay for targets and tools that it does not use."""

import gc
import os
import subprocess
import sys
from importlib.util import find_spec

import pytest

OF_FEW_PROGRAMS = (
    "hlo.lowering.stablehlo.chlo.legalize_chlo",
    "hlo.lowering.stablehlo.chlo.scan",
    "hlo.lowering.stablehlo.linear_algebra.lapack_to_stablehlo",
    "hlo.lowering.stablehlo.linear_algebra.split_factorisations",
    "hlo.lowering.stablehlo.linear_algebra.transpose_factorisations",
    "hlo.lowering.vector.contraction.micro_kernel",
    "hlo.lowering.vector.contraction.packing",
    "hlo.lowering.vector.contraction.tile_nest",
    "hlo.runtime.custom_calls.registry",
    "hlo.runtime.calls.dynamic",
    "hlo.runtime.grid.processes",
)

SQUARE = "func.func @main(%x: tensor<5xf32>) -> tensor<5xf32> {\n  %r = stablehlo.multiply %x, %x : tensor<5xf32>\n  return %r : tensor<5xf32>\n}\n"


def _imported(tmp_path, code, cache=""):
    """The modules that a new process has imported after `code`."""
    environment = {**os.environ, "HLO_CACHE_DIR": str(cache)}
    listing = f"{code}; import sys; print('\\n'.join(sorted(sys.modules)))"
    (tmp_path / "p.mlir").write_text(SQUARE)
    command = [sys.executable, "-c", listing, str(tmp_path / "p.mlir")]
    return set(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.split("\n"))


def test_a_compile_for_the_cpu_imports_nothing_of_other_targets(tmp_path):
    imported = _imported(tmp_path, "import sys, hlo; hlo.compile(sys.argv[1])")
    assert "hlo.lowering.kernels.form_kernels" in imported
    assert not [
        m
        for m in imported
        if m.startswith(("hlo.lowering.gpu", "hlo.runtime.gpu", "hlo.reference", "hlo.tools", "jax"))
    ]
    assert not [m for m in imported if m.startswith(("mlir.dialects.gpu", "mlir.dialects.nvvm"))]
    assert not [m for m in imported if m.startswith("hlo.dialect.hlo_text.")]
    assert not imported & set(OF_FEW_PROGRAMS)


def test_what_few_programs_need_exists():
    """A module that has another name now would never be among those that are imported."""
    assert all(find_spec(name) for name in OF_FEW_PROGRAMS)


def test_hlo_run_of_a_kept_program_imports_no_mlir(tmp_path):
    code = "import sys; from hlo.tools.hlo_run import main; main([sys.argv[1]])"
    first, second = (_imported(tmp_path, code, tmp_path / "cache") for _ in range(2))
    assert "mlir.ir" in first
    assert not [m for m in second if m.startswith("mlir")]


@pytest.mark.parametrize("first", ["hlo.Builder", "hlo.dialect.verifier", "hlo.dialect.reader", "hlo.dialect.printer"])
def test_may_be_the_first_import(first):
    """No module needs another one to have been imported before."""
    code = f"import hlo; {first}" if first == "hlo.Builder" else f"import {first}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


MOST = 8
"""Looks for garbage between imports: without care, 150."""

COUNTED = """
import gc, sys, hlo
gc.set_threshold(700, 10, 10)
looks = []
gc.callbacks.append(lambda phase, info: looks.append(phase))
{first}
assert len(looks) <= MOST, len(looks)
assert gc.get_threshold() == (700, 10, 10), gc.get_threshold()
{second}
assert gc.get_threshold() == (700, 10, 10), gc.get_threshold()
"""


@pytest.mark.parametrize(
    "first, second",
    [
        ("hlo.compile(sys.argv[1], cache=False)", "hlo.compile(sys.argv[1], cache=False)"),
        ("hlo.load(sys.argv[1])", "hlo.load(sys.argv[1])"),
    ],
    ids=["compile", "load"],
)
def test_imports_are_not_searched_for_garbage(tmp_path, first, second):
    _imported(tmp_path, COUNTED.format(first=first, second=second).strip().replace("MOST", str(MOST)))


def test_a_threshold_that_is_set_meanwhile_stays():
    from hlo.garbage import importing

    before = gc.get_threshold()
    try:
        with importing("hlo.not_a_module"):
            gc.set_threshold(12_345, 6, 7)
        assert gc.get_threshold() == (12_345, 6, 7)
        gc.set_threshold(0)
        with importing("hlo.not_a_module"):
            assert gc.get_threshold()[0] == 0
    finally:
        gc.set_threshold(*before)


AGED = """
import gc, sys, hlo
kept = gc.get_freeze_count()
gc.set_threshold(700, 10, 10)
hlo.compile(sys.argv[1], cache=False)
young = len(gc.get_objects(generation=0)) + len(gc.get_objects(generation=1))
assert young < 20_000, young
assert gc.get_freeze_count() == kept == 0
"""


def test_what_is_imported_counts_as_old(tmp_path):
    """The first look at 80,000 young objects takes 20 ms."""
    _imported(tmp_path, AGED.strip())


def test_what_others_have_frozen_stays():
    from hlo.garbage import importing

    gc.freeze()
    try:
        frozen = gc.get_freeze_count()
        with importing("hlo.not_a_module"):
            pass
        assert gc.get_freeze_count() == frozen > 0
    finally:
        gc.unfreeze()
