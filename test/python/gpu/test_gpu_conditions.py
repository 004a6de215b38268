"""Loops and branches that the device decides: plans, the numpy model, and what NVIDIA's driver is asked for."""

from types import SimpleNamespace

import numpy as np
import pytest
from gpu_drivers import Counting, NamedApi
from test_gpu_model import CASE

import hlo
from hlo.errors import HloError
from hlo.runtime.gpu.cuda_driver import CudaDriver
from hlo.runtime.gpu.decide_on_device import decide_on_device
from hlo.runtime.gpu.executable import GpuExecutable
from hlo.runtime.gpu.plan import (
    Body,
    Choose,
    Compute,
    Condition,
    HostCall,
    If,
    Launch,
    Plan,
    Read,
    Repeat,
    While,
)

NESTED = """
func.func @main(%n: tensor<i32>, %x: tensor<2000xf32>) -> (tensor<2000xf32>, tensor<i64>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %none = stablehlo.constant dense<0> : tensor<i64>
  %step = stablehlo.constant dense<1> : tensor<i64>
  %0:3 = stablehlo.while(%i = %zero, %v = %x, %turns = %none) : tensor<i32>, tensor<2000xf32>, tensor<i64>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %even = stablehlo.and %i, %one : tensor<i32>
    %is = stablehlo.compare EQ, %even, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %w = "stablehlo.if"(%is) ({
      %a = stablehlo.add %v, %v : tensor<2000xf32>
      stablehlo.return %a : tensor<2000xf32>
    }, {
      %b = stablehlo.negate %v : tensor<2000xf32>
      stablehlo.return %b : tensor<2000xf32>
    }) : (tensor<i1>) -> tensor<2000xf32>
    %1:2 = stablehlo.while(%k = %zero, %t = %turns) : tensor<i32>, tensor<i64>
    cond {
      %c = stablehlo.compare LT, %k, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %l = stablehlo.add %k, %one : tensor<i32>
      %u = stablehlo.add %t, %step : tensor<i64>
      stablehlo.return %l, %u : tensor<i32>, tensor<i64>
    }
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %w, %1#1 : tensor<i32>, tensor<2000xf32>, tensor<i64>
  }
  return %0#1, %0#2 : tensor<2000xf32>, tensor<i64>
}
"""


def program(text: str):
    return hlo.compile(text, target="gpu", device="model").program


def check_nested(exe, n: int) -> None:
    x = np.arange(2000, dtype=np.float32)
    found, turns = exe(np.int32(n), x)
    assert np.array_equal(found, x * 2.0 ** ((n + 1) // 2) * (-1) ** (n // 2)) and turns == n * (n - 1) // 2


# The model


def test_loops_in_loops_and_branches_are_one_graph() -> None:
    driver, runs = Counting(), (3, 0, 1, 6)
    exe = GpuExecutable(program(NESTED), driver)
    check_nested(exe, 3)
    before = driver.calls["download"]
    for n in runs:
        check_nested(exe, n)
    looks = sum((n + 1) + n + sum(i + 1 for i in range(n)) for n in runs)  # at conditions, which a card does itself
    assert driver.calls["download"] - before == 2 * len(runs) + looks
    assert [v is not None for v in exe._loaded.graphs._graphs.values()] == [True] and not exe._loaded.graphs.is_off


def test_every_branch_of_a_case_in_one_graph() -> None:
    exe = GpuExecutable(program(CASE), Counting())
    x = np.array([1, -2, 3], np.float32)
    for index, branch in [(0, 0), (1, 1), (2, 2), (-1, 2), (3, 2), (-(2**31), 2), (0, 0)]:
        assert np.array_equal(exe(np.int32(index), x)[0], (-x, x + x, x * x)[branch])
    assert [v is not None for v in exe._loaded.graphs._graphs.values()] == [True]


ROTATION = """
func.func @main(%n: tensor<i32>, %a: tensor<3xi32>, %b: tensor<3xi32>) -> (tensor<3xi32>, tensor<3xi32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:3 = stablehlo.while(%i = %zero, %x = %a, %y = %b) : tensor<i32>, tensor<3xi32>, tensor<3xi32>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %y, %x : tensor<i32>, tensor<3xi32>, tensor<3xi32>
  }
  return %0#1, %0#2 : tensor<3xi32>, tensor<3xi32>
}
"""


def test_values_that_change_places_need_no_host() -> None:
    """What the host code allocates in a loop has a place in the arena."""
    exe = GpuExecutable(program(ROTATION), Counting())
    a, b = np.array([1, 2, 3], np.int32), np.array([4, 5, 6], np.int32)
    for n in (1, 4, 5, 0):
        assert np.array_equal(exe(np.int32(n), a, b), [b, a] if n % 2 else [a, b])
    assert [v is not None for v in exe._loaded.graphs._graphs.values()] == [True]


@pytest.mark.parametrize("how", ["variable", "all graphs", "driver"])
def test_the_host_decides_where_the_device_is_not_to(how: str, monkeypatch) -> None:
    driver = Counting()
    if how == "driver":
        driver.decides = False
    else:
        monkeypatch.setenv("HLO_GPU_CONDITIONS" if how == "variable" else "HLO_GPU_GRAPHS", "0")
    exe = GpuExecutable(program(NESTED), driver)
    for n in (2, 2, 5):
        check_nested(exe, n)
    assert not driver.calls["capture"]


def test_a_recording_that_the_driver_refuses_leaves_it_to_the_host() -> None:
    driver = Counting()
    exe = GpuExecutable(program(NESTED), driver)
    check_nested(exe, 2)
    driver.fails = {"capture": 2}  # the body of a loop
    with pytest.warns(RuntimeWarning, match="no CUDA graph"):
        check_nested(exe, 2)
    for n in (4, 4):
        check_nested(exe, n)
    assert exe._loaded.graphs.is_off and not driver.calls["replay"]
    del exe
    assert driver.blocks == 0


# Plans


def launch(register: int) -> Launch:
    return Launch("k", 1, 32, (register,))


def steps_of(*steps) -> list | None:
    found = decide_on_device(Plan(steps, 20, 0, 0, 0, 0))
    return None if found is None else list(found.steps)


READ, IS = Read(5, 0, "int8"), Compute(6, "trunci.i8.i1", (5,))
TRUE = Condition(0, "int8", 1, 0, equal=False)


def test_a_loop_becomes_a_loop_of_the_device() -> None:
    loop = While((), Body((), (launch(1), READ, IS)), 6, Body((), (launch(2),)))
    assert steps_of(loop, launch(3)) == [launch(1), Repeat(TRUE, (launch(2), launch(1))), launch(3)]


def test_numbers_are_compared_with_constants() -> None:
    one, minus = Compute(7, "constant", value=1), Compute(8, "constant", value=-1)
    first = Compute(9, "cmpi_eq.i32.i1", (10, 7))
    second = Compute(11, "cmpi_ne.i32.i1", (10, 8))
    inner = If(11, Body((), (launch(2),)), Body())
    found = steps_of(one, minus, Read(10, 0, "int32"), first, If(9, Body((), (launch(1),)), Body((), (second, inner))))
    word = 2**32 - 1
    assert found is not None and found[2:] == [
        Choose(
            Condition(0, "int32", word, 1),
            (launch(1),),
            (Choose(Condition(0, "int32", word, word, equal=False), (launch(2),), ()),),
        )
    ]
    assert found[2].condition.holds(1) and not found[2].condition.holds(-1)
    assert found[2].otherwise[0].condition.holds(1) and not found[2].otherwise[0].condition.holds(-1)


def test_what_only_the_host_can_do_stays_with_it() -> None:
    branch = If(6, Body((), (launch(1),)), Body())
    assert steps_of(READ, IS, branch) is not None
    assert steps_of(READ, IS, launch(0), branch) is None  # the number may be another one by then
    assert steps_of(READ, launch(0), IS, branch) is None
    assert steps_of(READ, IS, branch, branch) is None
    assert steps_of(READ, IS, HostCall(0, ())) is None
    assert steps_of(READ, Compute(6, "addi.i8.i8", (5, 5))) is None
    assert steps_of(READ, IS, If(6, Body((), (), (1,)), Body((), (), (2,)), (3,))) is None
    swapped = While((1, 2), Body((3, 4), (READ, IS), (3, 4)), 6, Body((7, 8), (launch(7),), (8, 7)), (9, 10))
    assert steps_of(swapped) is None


# NVIDIA's driver


class GraphApi(NamedApi):
    """Of drivers with conditional nodes; numbers for graphs, nodes and handles are those of the calls that made them."""

    RESULTS = {**NamedApi.RESULTS, "cuDriverGetVersion": (12040,)}
    WITHOUT_RESULT = (*NamedApi.WITHOUT_RESULT, "cuStreamBeginCaptureToGraph", "cuStreamUpdateCaptureDependencies")
    CUgraphEdgeData = SimpleNamespace
    CUgraphNodeType = CUgraphConditionalNodeType = NamedApi.CUstream_flags
    CUstreamCaptureStatus = NamedApi.CUstream_flags
    CUstreamUpdateCaptureDependencies_flags = SimpleNamespace(CU_STREAM_SET_CAPTURE_DEPENDENCIES=1)

    def __init__(self):
        super().__init__()
        self.graphs: dict = {}
        """By the stream: what it is recorded into, and the last node."""

    @staticmethod
    def CUgraphNodeParams():
        return SimpleNamespace(conditional=SimpleNamespace())

    def __getattr__(self, name):
        if name.endswith(("_v2", "_v3")):
            raise AttributeError(name)
        call = super().__getattr__(name)
        return getattr(self, f"_{name}")(call) if hasattr(type(self), f"_{name}") else call

    def _cuStreamBeginCaptureToGraph(self, call):
        def run(stream, graph, *rest):
            self.graphs[int(stream)] = (graph, [])
            return call(stream, graph, *rest)

        return run

    def _cuStreamGetCaptureInfo(self, call):
        def run(stream):
            status, *_ = call(stream)
            graph, nodes = self.graphs.get(int(stream), ("outermost", []))
            return status, "CU_STREAM_CAPTURE_STATUS_ACTIVE", 1, graph, nodes, [], len(nodes)

        return run

    def _cuGraphAddNode(self, call):
        def run(graph, nodes, data, count, node):
            assert len(nodes) == len(data) == count  # the bindings for CUDA 12 refuse others
            status, *number = call(graph, nodes, data, count, node)
            node.conditional.phGraph_out = [f"body of {n}" for n in number]
            return status, *number

        return run


def queued(api: GraphApi) -> list[str]:
    """What happened, a word each: recorded kernels by their stream's graph."""
    found = []
    for name, arguments in api.log:
        if name == "cuLaunchKernel":
            found.append(f"launch in {api.graphs.get(arguments[8], ('outermost',))[0]}")
        elif name == "cuGraphAddNode":
            found.append(f"{arguments[-1].conditional.type.rpartition('_')[2]} in {arguments[0]}")
    return found


def test_a_loop_with_a_branch_is_recorded_as_nodes() -> None:
    api = GraphApi()
    driver = CudaDriver(api=api)
    assert driver.decides
    loaded = driver.load("ptx")

    def step(name: str):
        return lambda: driver.launch(loaded, name, 1, 32, 0, [])

    def turn() -> None:
        step("a")()
        driver.choose(Condition(0, "int32", 7, 3), 4096, step("b"), None)

    del api.log[:]
    driver.capture(lambda: driver.repeat(Condition(0, "int8", 1, 1), 8192, turn))
    loop, branch = (n + 1 for n, (name, _) in enumerate(api.log) if name == "cuGraphAddNode")
    assert queued(api) == [
        "launch in outermost",  # is there a first turn?
        "WHILE in outermost",
        f"launch in body of {loop}",
        f"launch in body of {loop}",  # which branch?
        f"IF in body of {loop}",
        f"launch in body of {branch}",
        f"launch in body of {loop}",  # is there another turn?
    ]
    names = [name for name, _ in api.log]
    assert names.count("cuStreamCreate") == names.count("cuStreamDestroy") == 3
    assert names.count("cuStreamEndCapture") == 3
    updates = [a for name, a in api.log if name == "cuStreamUpdateCaptureDependencies"]
    assert [a[1] for a in updates] == [[branch], [loop]] and all(a[3:] == (1, 1) for a in updates)


@pytest.mark.parametrize("what", ["version", "code", "bindings"])
def test_drivers_without_conditional_nodes(what: str, monkeypatch) -> None:
    class Api(GraphApi):
        def __getattr__(self, name):
            if what == "bindings" and name == "cuGraphConditionalHandleCreate":
                raise AttributeError(name)
            return super().__getattr__(name)

    api = Api()
    if what == "version":
        monkeypatch.setitem(GraphApi.RESULTS, "cuDriverGetVersion", (12030,))
    if what == "code":
        api.fails = {"cuModuleLoadDataEx": "CUDA_ERROR_INVALID_PTX"}
    assert not CudaDriver(api=api).decides


def test_a_body_that_fails_ends_all_recordings() -> None:
    api = GraphApi()
    driver = CudaDriver(api=api)
    assert driver.decides

    def fails() -> None:
        raise HloError("no room")

    del api.log[:]
    with pytest.raises(HloError, match="no room"):
        driver.capture(lambda: driver.choose(Condition(0, "int8", 1, 1), 4096, None, fails))
    names = [name for name, _ in api.log]
    assert names.count("cuStreamEndCapture") == names.count("cuStreamDestroy") == 2
    api.fails = {"cuGraphAddNode": "CUDA_ERROR_NOT_SUPPORTED"}
    with pytest.raises(HloError, match="adding a conditional node to a CUDA graph failed"):
        driver.capture(lambda: driver.repeat(Condition(0, "int8", 1, 1), 4096, lambda: None))


def test_bindings_have_what_conditional_nodes_need() -> None:
    """With as many parameters as are passed, in a structure that keeps what it is given."""
    real = pytest.importorskip("cuda.bindings.driver", reason="cuda-bindings is not installed")
    api = GraphApi()
    driver = CudaDriver(api=api)
    assert driver.decides
    driver.capture(lambda: driver.repeat(Condition(0, "int8", 1, 1), 4096, lambda: None))
    suffixes = {"cuGraphAddNode": "_v2", "cuStreamGetCaptureInfo": "_v3", "cuStreamUpdateCaptureDependencies": "_v2"}
    for name, arguments in api.log:
        known = name + suffixes.get(name, "")
        signature = getattr(real, known if hasattr(real, known) else name).__doc__.splitlines()[0]
        inside = signature.partition("(")[2].rpartition(")")[0]
        count = 0 if not inside.strip() else inside.count(",") + 1
        assert count == len(arguments), (name, signature, arguments)
    node = real.CUgraphNodeParams()
    node.type = real.CUgraphNodeType.CU_GRAPH_NODE_TYPE_CONDITIONAL
    node.conditional.handle, node.conditional.size = real.CUgraphConditionalHandle(77), 1
    node.conditional.type = real.CUgraphConditionalNodeType.CU_GRAPH_COND_TYPE_WHILE
    assert int(node.conditional.handle) == 77 and node.conditional.type.value == 1
    assert int(real.CUstreamUpdateCaptureDependencies_flags.CU_STREAM_SET_CAPTURE_DEPENDENCIES) == 1
