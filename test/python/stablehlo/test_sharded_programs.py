"""JAX programs with shardings: results and numbers of collectives beside those of XLA's partitioner; programs that are
refused."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import hlo


def checked(option: str) -> int:
    """How many programs are right. In a process of its own: JAX must be told of eight devices before it starts."""
    script = Path(__file__).parents[2] / "support" / "sharded_programs.py"
    run = subprocess.run([sys.executable, script, option], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout.count(": ok")


def test_results_are_those_of_xla_with_no_more_collectives() -> None:
    assert checked("--check") > 25


@pytest.mark.slow
def test_twelve_layers_have_no_more_collectives_and_bytes_than_with_xla() -> None:
    assert checked("--check-large") == 2


MESH = 'sdy.mesh @mesh = <["x"=2, "y"=2]>\n'
SUM = (
    MESH
    + """
func.func @main(%a: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> tensor<4xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}"""
)


@pytest.mark.parametrize("target", ["reference", "cpu"])
def test_a_program_with_shardings_takes_global_arrays(target: str) -> None:
    exe = hlo.compile(SUM, target=target)
    array = np.arange(24, dtype=np.float32).reshape(4, 6)
    np.testing.assert_array_equal(exe(array)[0], array.sum(1))
    parts = exe.cut([array])  # type: ignore[union-attr]
    assert [p[0].shape for p in parts] == [(2, 3)] * 4
    np.testing.assert_array_equal(exe.join(exe.run_grid(parts))[0], array.sum(1))  # type: ignore[union-attr]
    with pytest.raises(hlo.ArgumentError, match="1 global arrays expected, found 2"):
        exe(array, array)
    with pytest.raises(hlo.ArgumentError, match=r"shape \(4, 6\) and type float32 expected, found \(2, 3\) float32"):
        exe(parts[0][0])


def test_a_mesh_of_one_device_changes_nothing() -> None:
    text = SUM.replace('"x"=2, "y"=2', '"x"=1, "y"=1')
    array = np.ones((4, 6), np.float32)
    np.testing.assert_array_equal(hlo.compile(text)(array)[0], array.sum(1))


def test_a_grid_that_is_not_the_mesh_is_refused() -> None:
    with pytest.raises(hlo.CompileError, match="over 4 devices needs num_partitions 4, found 3"):
        hlo.compile(SUM, target="reference", num_partitions=3)
    with pytest.raises(hlo.CompileError, match="over 4 devices needs num_replicas 1, found 2"):
        hlo.compile(SUM, target="reference", num_replicas=2)
    for name, size in (("num_partitions", 3), ("num_replicas", 2)):
        text = f"module attributes {{mhlo.{name} = {size} : i32}} {{\n{SUM}\n}}"
        with pytest.raises(hlo.CompileError, match=f"over 4 devices needs {name} .*, found {size}"):
            hlo.compile(text, target="reference")
    assert hlo.compile(f"module attributes {{mhlo.num_partitions = 4 : i32}} {{\n{SUM}\n}}").grid.num_partitions == 4


REFUSED = {
    "collectives outside of manual computations": (
        MESH
        + """func.func @main(%a: tensor<4xf32>) -> tensor<ui32> {
  %0 = stablehlo.partition_id : tensor<ui32>
  return %0 : tensor<ui32>
}""",
        r"3:\d+: error: stablehlo.partition_id has no meaning .* it is allowed in manual computations",
    ),
    "a reduction to one process outside of manual computations": (
        MESH
        + """func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.collective_reduce"(%a) ({
  ^bb0(%b: tensor<f32>, %c: tensor<f32>):
    %1 = stablehlo.add %b, %c : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}""",
        r"3:\d+: error: stablehlo.collective_reduce has no meaning .* it is allowed in manual computations",
    ),
    "meshes whose axes cut the devices in two ways": (
        'sdy.mesh @a = <["x"=2, "y"=3]>\nsdy.mesh @b = <["z"=3, "w"=2]>\n'
        + """func.func @main(%a: tensor<6xf32> {sdy.sharding = #sdy.sharding<@a, [{"x"}]>}) -> tensor<6xf32> {
  return %a : tensor<6xf32>
}""",
        r"1:\d+: error: the axes of all meshes and their parts must cut the 6 devices in one way, found strides 3 and 2",
    ),
    "a manual computation over devices in another order": (
        'sdy.mesh @a = <["x"=2]>\nsdy.mesh @b = <["x"=2], device_ids=[1, 0]>\n'
        + """func.func @main(%a: tensor<6xf32>) -> tensor<6xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@b, [{"x"}]>] out_shardings=[<@b, [{"x"}]>] manual_axes={"x"} (%b: tensor<3xf32>) {
    sdy.return %b : tensor<3xf32>
  } : (tensor<6xf32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}""",
        r"4:\d+: error: the mesh of a manual computation must have its devices in the order of @a, the first of the module; found @b",
    ),
    "sums that have not been taken, of a mesh in another order": (
        MESH
        + """sdy.mesh @other = <["x"=2, "y"=2], device_ids=[1, 0, 2, 3]>
func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@other, [{}], unreduced={"x"}>}) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}""",
        r"3:\d+: error: unreduced axes of a mesh with another order of devices are not supported",
    ),
    "meshes of more devices than any machine has": (
        'sdy.mesh @a = <["x"=9223372036854775783, "y"=2]>\n'
        + """func.func @main(%a: tensor<6xf32> {sdy.sharding = #sdy.sharding<@a, [{"x"}]>}) -> tensor<6xf32> {
  return %a : tensor<6xf32>
}""",
        r"1:\d+: error: programs are partitioned for meshes of at most 131072 devices, found 18446744073709551566",
    ),
    "dynamic shapes": (
        MESH
        + """func.func @main(%a: tensor<?xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<?xf32> {
  return %a : tensor<?xf32>
}""",
        r"2:\d+: error: sharded programs must have static shapes, found tensor<\?xf32>",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_partitioned_is_refused(name: str) -> None:
    text, message = REFUSED[name]
    with pytest.raises(hlo.CompileError, match=message):
        hlo.compile(text, target="reference")


def string(text: str) -> str:
    return f"""module attributes {{mhlo.num_partitions = 4 : i32}} {{
func.func @main(%a: tensor<4x4xf32> {{mhlo.sharding = "{text}"}}, %b: tensor<4xf32> {{mhlo.sharding = "{{devices=[2,2]<=[4] last_tile_dim_replicate}}"}}) -> tensor<4x4xf32> {{
  return %a : tensor<4x4xf32>
}} }}"""


STRINGS = {
    "{devices=[2,2]<=[2,2]T(0,0)}": r"T\(...\) must name each of 2 dimensions once",
    "{devices=[2,2]0,3,1,2}": "devices must be a grid of 0, 1, 2, ... with dimensions exchanged, found .*<=",
    "{devices=[2,2]0,1,2,2}": "devices must be 0 to 3, each once",
    "{devices=[2,4]<=[8]}": "all shardings of a program must be for as many devices, found 4 and 8",
    "{devices=[100000000000,1]<=[100000000000]}": "devices must be 1 to 131072 in a grid without empty dimensions",
    "{devices=[4,0]<=[4,0]}": "devices must be 1 to 131072 in a grid without empty dimensions",
    "{devices=[4,1]<=[100000000000]}": "the 4 tiles must be as many as the devices behind <=",
    "{rectangular}": "expected replicated, maximal device=N, manual or",
    "devices": "a sharding must be in braces",
    "{devices=[2,1,2]<=[4] last_tile_dims={sideways}}": "last_tile_dims must be of replicated, manual, unknown",
}


@pytest.mark.parametrize("text", STRINGS)
def test_strings_that_are_no_shardings_are_refused(text: str) -> None:
    with pytest.raises(hlo.CompileError, match=f"2:.*'func.func' op mhlo.sharding: {STRINGS[text]}"):
        hlo.compile(string(text), target="reference")


def test_strings_of_another_rank_are_refused() -> None:
    with pytest.raises(hlo.HloError, match="a sharding must have a dimension for each of the tensor's, 2, found 1"):
        hlo.compile(string("{devices=[4]<=[4]}"), target="reference")


COUNT = "mhlo.num_partitions = 4 : i32"


@pytest.mark.parametrize("target", ["reference", "cpu"])
def test_strings_say_how_many_devices_there_are(target: str) -> None:
    """As a mesh does. Where num_partitions is 1, they are ignored, as XLA does."""
    text, arrays = (
        string("{devices=[2,2]<=[4]}"),
        (np.arange(16, dtype=np.float32).reshape(4, 4), np.zeros(4, np.float32)),
    )
    unsaid, one = text.replace(COUNT, ""), text.replace(COUNT, COUNT.replace("4", "1"))
    for given in ({}, {"num_partitions": 4}):
        exe = hlo.compile(unsaid, target=target, **given)  # type: ignore[arg-type]
        assert exe.grid.num_partitions == 4
        assert [p[0].shape for p in exe.cut(arrays)] == [(2, 2)] * 4  # type: ignore[union-attr]
        np.testing.assert_array_equal(exe(*arrays)[0], arrays[0])
    with pytest.raises(hlo.CompileError, match="over 4 devices needs num_partitions 4, found 2"):
        hlo.compile(unsaid, target=target, num_partitions=2)
    assert hlo.compile(one, target=target).grid.size == 1


def test_strings_for_one_device_make_no_grid() -> None:
    for text in ("{replicated}", "{maximal device=0}", "{devices=[1,1]<=[1]}"):
        program = string(text).replace(COUNT, "").replace("{devices=[2,2]<=[4] last_tile_dim_replicate}", text)
        assert hlo.compile(program, target="reference").grid.size == 1


def test_mistakes_in_strings_without_num_partitions_are_told() -> None:
    with pytest.raises(hlo.CompileError, match=r"2:.*'func.func' op mhlo.sharding: expected replicated"):
        hlo.compile(string("{rectangular}").replace(COUNT, ""), target="reference")


SUMS = """
sdy.mesh @mesh = <["x"=2, "y"=3]>
func.func @main(%a: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}], unreduced={"y"}>}, %b: tensor<6x2xi32>
    {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<4x6xf32>, tensor<4x6xf32>
    {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}], unreduced={"y"}>}, tensor<6x2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}], unreduced={"y"}>}) {
  %0 = stablehlo.multiply %a, %a : tensor<4x6xf32>
  %1 = stablehlo.add %a, %a : tensor<4x6xf32>
  return %0, %1, %b : tensor<4x6xf32>, tensor<4x6xf32>, tensor<6x2xi32>
}"""


@pytest.mark.parametrize("target", ["reference", "cpu"])
def test_arrays_that_are_yet_to_be_summed(target: str) -> None:
    exe = hlo.compile(SUMS, target=target)
    rng = np.random.default_rng(3)
    a, b = rng.integers(-9, 9, (4, 6)).astype(np.float32), rng.integers(-9, 9, (6, 2)).astype(np.int32)
    for found, wanted in zip(exe(a, b), (a * a, a + a, b)):
        assert found.dtype == wanted.dtype
        np.testing.assert_array_equal(found, wanted)
    summands = rng.integers(-9, 9, (6, 2, 6)).astype(np.float32)
    given = [[part, rows] for part, (_, rows) in zip(summands, exe.cut([a, b]))]
    results = exe.run_grid(given)
    for process, (squared, doubled, _) in enumerate(results):
        np.testing.assert_array_equal(doubled, summands[process] * 2)
        x = process // 3 * 3
        np.testing.assert_array_equal(squared, summands[x : x + 3].sum(0) ** 2 if squared.shape == (2, 6) else squared)
    np.testing.assert_array_equal(exe.join(results)[0][:2], summands[:3].sum(0) ** 2)
