"""The runtime for GPUs on a driver that counts and fails on demand: graphs, memory, errors."""

import numpy as np
import pytest
from gpu_drivers import CHAIN, Counting, check, operands, program

from hlo.errors import HloError
from hlo.runtime.gpu.executable import GpuExecutable
from hlo.runtime.gpu.graphs import LIMIT

# Graphs


def test_the_second_call_is_recorded_and_later_ones_replay() -> None:
    driver = Counting()
    exe = GpuExecutable(program(), driver)
    assert len(exe.program.plan.kernels) > 1
    for number in range(5):
        arrays = operands(seed=number)
        check(exe(*arrays), arrays)
    assert (driver.calls["capture"], driver.calls["replay"]) == (1, 4)
    del exe
    assert driver.calls["drop"] == 1 and driver.blocks == 0


def test_other_addresses_are_another_graph_and_few_are_kept() -> None:
    driver = Counting()
    exe = GpuExecutable(program(), driver)
    held = []
    for number in range(LIMIT + 3):
        for _ in range(3):  # results that are kept are elsewhere each time
            arrays = operands(seed=number)
            check(exe(*arrays), arrays)
        held.append(exe.submit(*arrays))
    assert driver.calls["drop"] > 0
    for number, results in enumerate(held):
        check(results, operands(seed=number))


def test_loops_and_single_launches_are_no_graphs(monkeypatch) -> None:
    one = "func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> { %0 = stablehlo.add %x, %x : tensor<8xf32>\n return %0 : tensor<8xf32> }"
    driver = Counting()
    exe = GpuExecutable(program(one), driver)
    for _ in range(3):
        assert np.array_equal(exe(np.ones(8, np.float32))[0], np.full(8, 2))
    monkeypatch.setenv("HLO_GPU_GRAPHS", "0")
    off = GpuExecutable(program(), driver)
    for _ in range(3):
        check(off(*operands()), operands())
    assert not driver.calls["capture"]


def test_a_failed_recording_is_told_and_leaves_nothing() -> None:
    driver = Counting()
    exe = GpuExecutable(program(), driver)
    exe(*operands())
    driver.fails = {"capture": 1}
    with pytest.warns(RuntimeWarning, match="no CUDA graph, launches are slower: planted failure of capture"):
        check(exe(*operands()), operands())
    check(exe(*operands()), operands())
    assert exe._loaded.graphs.is_off and not driver.calls["replay"]
    del exe
    assert driver.blocks == 0


# Memory and errors


def test_too_little_memory_is_told_before_anything_is_launched() -> None:
    driver = Counting(capacity=1 << 16)
    text = "func.func @main(%x: tensor<10000xf32>) -> tensor<10000xf32> { %0 = stablehlo.sine %x : tensor<10000xf32>\n return %0 : tensor<10000xf32> }"
    with pytest.raises(HloError, match=r"bytes of device memory needed \(arguments 40000, results 40000, .*available"):
        GpuExecutable(program(text), driver)(np.ones(10000, np.float32))
    assert not driver.calls["launch"] and not driver.calls["load"] and not driver.calls["allocate"]


LOOP = """
func.func @main(%n: tensor<i32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %v = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %0:2 = stablehlo.while(%i = %zero, %x = %v) : tensor<i32>, tensor<4xf32>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    %w = stablehlo.add %x, %x : tensor<4xf32>
    stablehlo.return %j, %w : tensor<i32>, tensor<4xf32>
  }
  return %0#1 : tensor<4xf32>
}
"""


@pytest.mark.parametrize("what", ["load", "allocate", "upload", "launch", "download", "copy"])
@pytest.mark.parametrize("text, arrays", [(CHAIN.format(kind="f32"), operands()), (LOOP, [np.int32(3)])])
def test_whatever_fails_all_memory_is_freed(what: str, text: str, arrays) -> None:
    """Each call of the driver fails once; then all works again."""
    code = program(text)
    number = 0
    while True:
        number += 1
        driver = Counting()
        driver.fails = {what: number}
        exe = GpuExecutable(code, driver)
        try:
            exe(*arrays)
        except HloError as error:
            assert "planted failure" in str(error)
        if driver.calls[what] < number:
            break
        constants = len(code.constants) if exe._loaded else 0
        assert driver.blocks == constants
        exe(*arrays)
        del exe
        assert driver.blocks == 0
    assert number > 1 or what == "copy"


def test_an_error_names_kernel_and_place() -> None:
    driver = Counting()
    driver.fails = {"launch": 2}
    code = program(CHAIN.format(kind="f32"))
    with pytest.raises(HloError, match=rf"kernel {code.plan.kernels[1]} from -:\d+:\d+ \(\d+ x \d+ threads\): planted"):
        GpuExecutable(code, driver)(*operands())


def test_waiting_for_every_launch_finds_the_kernel_that_failed(monkeypatch) -> None:
    driver = Counting()
    code = program()
    failing = code.plan.kernels[1]

    def synchronize() -> None:
        if driver.calls["launch"] == 2:
            raise HloError("an illegal memory access was encountered")

    driver.synchronize = synchronize
    monkeypatch.setenv("HLO_GPU_CHECK", "1")
    with pytest.raises(HloError, match=f"kernel {failing} .*illegal memory access"):
        GpuExecutable(code, driver)(*operands())
