"""Angles beyond the range of a kernel's expansion are computed by routines, which programs share."""

from __future__ import annotations

import numpy as np
import pytest
from mlir import ir

import hlo
from hlo.errors import CompileError
from hlo.lowering.llvm.math.large_angles import LargeAngles, routine_of_angles
from hlo.lowering.memory.routine_emitter import routine_text
from hlo.runtime.code import routines


@pytest.mark.parametrize("type", ["f32", "f64", "vector<16xf32>", "vector<3xf64>"])
@pytest.mark.parametrize("function, expansions", [("sin", 1), ("cos", 0), ("tan", 0)])
def test_a_name_says_all_that_the_code_depends_on(function, expansions, type):
    with ir.Context(), ir.Location.unknown():
        described = LargeAngles(function, expansions, ir.Type.parse(type))
        assert routine_of_angles(described.name) == described
    assert f"@{described.name}(" in routine_text(described.name, "baseline")


@pytest.mark.parametrize("name", ["sin_2_16xf32", "sin_1_0xf32", "sin_1_f16", "sinh_1_f32", "sin_1", "sin_1_16xf32_"])
def test_what_is_no_name_has_no_code(name):
    with pytest.raises(CompileError, match="no routine has the name"):
        routine_text(f"hlo_routine_angle_{name}", "baseline")


def _program(function: str, size: int) -> str:
    kind = f"tensor<{size}xf32>"
    return f"""func.func @main(%x: {kind}) -> {kind} {{
      %0 = stablehlo.{function} %x : {kind}
      return %0 : {kind} }}"""


def test_programs_of_all_sizes_share_the_code(monkeypatch):
    hlo.compile(_program("cosine", 1000), cache=False)
    monkeypatch.setattr(routines, "_made", lambda names, *_: pytest.fail(f"made again: {names}") if names else {})
    hlo.compile(_program("cosine", 3000), cache=False)


@pytest.mark.parametrize("function, exact", [("sine", np.sin), ("cosine", np.cos), ("tan", np.tan)])
def test_large_angles_next_to_small_ones(function, exact):
    x = np.linspace(-3, 3, 100).astype(np.float32)
    x[[3, 50, 99]] = [2.0**23 + 1, -(2.0**40), 1e30]
    expected = exact(x.astype(np.float64))
    (found,) = hlo.compile(_program(function, 100))(x)
    assert np.abs((np.asarray(found) - expected) / np.spacing(np.abs(expected.astype(np.float32)))).max() < 2
