"""What the function of a custom call's target is given by keyword: the functions that the call names, and its other attributes."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import hlo
from hlo.runtime import custom_calls

PROGRAM = """
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.custom_call @test.twice(%x) {called_computations = [@g, @h], has_side_effect = true, api_version = 2 : i32,
                                              backend_config = "q"} : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
func.func private @g(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = func.call @h(%x) : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
func.func private @h(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.add %x, %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}"""

TARGETS = ["cpu", "gpu", "reference"]
X = np.array([1, -2, 3], np.float32)


def _compiled(target: str, program: str = PROGRAM) -> object:
    return hlo.compile(program, target=target, **({"device": "model"} if target == "gpu" else {}))


@pytest.fixture
def twice():
    seen = []

    @custom_calls.register("test.twice")
    def twice(x, *, called_computations, has_side_effect, api_version, backend_config):
        g, h = called_computations
        seen.append((g.__name__, h.__name__, has_side_effect, api_version, backend_config))
        return h(g(x)[0])[0]

    yield seen
    del custom_calls.TARGETS["test.twice"]


@pytest.mark.parametrize("target", TARGETS)
def test_functions_and_attributes_reach_the_target(target: str, twice: list) -> None:
    np.testing.assert_array_equal(_compiled(target)(X)[0], 4 * X)
    assert twice == [("g", "h", True, 2, "q")]


@pytest.mark.parametrize("target", TARGETS)
def test_a_function_that_the_program_calls_too(target: str, twice: list) -> None:
    program = PROGRAM.replace(
        "return %0 : tensor<3xf32>\n}",
        "%1 = func.call @g(%0) : (tensor<3xf32>) -> tensor<3xf32>\n  return %1 : tensor<3xf32>\n}",
        1,
    )
    np.testing.assert_array_equal(_compiled(target, program)(X)[0], 8 * X)


@pytest.mark.parametrize("target", TARGETS)
def test_inside_a_loop(target: str, twice: list) -> None:
    program = """func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %r:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<3xf32>
       cond { %n = stablehlo.constant dense<2> : tensor<i32>
        %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1> }
       do { %one = stablehlo.constant dense<1> : tensor<i32>
        %j = stablehlo.add %i, %one : tensor<i32>
        %b = stablehlo.custom_call @test.twice(%a) {called_computations = [@g, @h]} : (tensor<3xf32>) -> tensor<3xf32>
        stablehlo.return %j, %b : tensor<i32>, tensor<3xf32> }
      return %r#1 : tensor<3xf32> }""" + PROGRAM[PROGRAM.index("func.func private @g") :]
    np.testing.assert_array_equal(_compiled(target, program)(X)[0], 16 * X)


@pytest.mark.parametrize("target", TARGETS)
def test_wrong_arguments_of_a_function_are_an_error(target: str) -> None:
    @custom_calls.register("test.twice")
    def wrong(x, *, called_computations):
        return called_computations[0](x[:2])[0]

    try:
        with pytest.raises(hlo.HloError, match="3xf32"):
            _compiled(target)(X)
    finally:
        del custom_calls.TARGETS["test.twice"]


def test_a_saved_program_has_the_functions(tmp_path: Path, twice: list) -> None:
    """Loaded by another process, which compiles the functions when they are called."""
    path = tmp_path / "program.hlo"
    _compiled("cpu").save(path)
    child = f"""
import numpy as np
import hlo
from hlo.runtime import custom_calls

@custom_calls.register("test.twice")
def twice(x, *, called_computations, api_version):
    assert api_version == 2
    return called_computations[1](called_computations[0](x)[0])[0]

print(hlo.load_executable({str(path)!r})(np.array([1, -2, 3], np.float32))[0].tolist())
"""
    done = subprocess.run(
        [sys.executable, "-c", child], capture_output=True, text=True, env=dict(os.environ), timeout=300
    )
    assert done.stdout.strip() == "[4.0, -8.0, 12.0]", done.stderr


def test_an_unknown_function_is_refused() -> None:
    program = PROGRAM.replace("[@g, @h]", "[@missing]")
    with pytest.raises(hlo.HloError, match="@missing"):
        _compiled("cpu", program)
