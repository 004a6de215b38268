"""The runtime for GPUs on a driver that counts and fails on demand: graphs, arrays on the device, memory, errors."""

import ctypes
from collections import Counter
from types import SimpleNamespace

import ml_dtypes
import numpy as np
import pytest

import hlo
from hlo.errors import ArgumentError, HloError
from hlo.runtime.gpu import tensor_maps
from hlo.runtime.gpu.cuda_driver import CudaDriver
from hlo.runtime.gpu.device_array import on_device
from hlo.runtime.gpu.dlpack import Place, make_capsule, read_capsule
from hlo.runtime.gpu.executable import GpuExecutable
from hlo.runtime.gpu.graphs import LIMIT
from hlo.runtime.gpu.model.driver import ModelDriver
from hlo.runtime.gpu.plan import TensorMap
from hlo.runtime.signature import ArrayType

pytestmark = pytest.mark.usefixtures("launches_apart")

CHAIN = """
func.func @main(%x: tensor<4x6x{kind}>, %y: tensor<6x5x{kind}>) -> (tensor<4x5x{kind}>, tensor<5x4x{kind}>) {{
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<4x6x{kind}>, tensor<6x5x{kind}>) -> tensor<4x5x{kind}>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<4x5x{kind}>) -> tensor<5x4x{kind}>
  %2 = stablehlo.add %1, %1 : tensor<5x4x{kind}>
  return %0, %2 : tensor<4x5x{kind}>, tensor<5x4x{kind}>
}}
"""


class Counting(ModelDriver):
    """Counts calls; the call number `fails[name]` of a method fails."""

    def __init__(self, capacity: int = 1 << 24):
        super().__init__(capacity)
        self.calls: Counter[str] = Counter()
        self.fails: dict[str, int] = {}

    @property
    def blocks(self) -> int:
        return len(self.memory._blocks)


def _counted(name: str):
    def call(self, *arguments):
        self.calls[name] += 1
        if self.fails.get(name) == self.calls[name]:
            raise HloError(f"planted failure of {name}")
        return getattr(ModelDriver, name)(self, *arguments)

    return call


for _name in ("load", "allocate", "free", "upload", "download", "launch", "capture", "replay", "drop", "copy"):
    setattr(Counting, _name, _counted(_name))


def program(text: str = CHAIN.format(kind="f32")):
    return hlo.compile(text, target="gpu", device="model").program


def operands(kind=np.float32, seed: int = 0):
    rng = np.random.default_rng(seed)
    return [rng.integers(-4, 5, shape).astype(kind) for shape in ((4, 6), (6, 5))]


def check(results, arrays) -> None:
    product = arrays[0].astype(np.float64) @ arrays[1].astype(np.float64)
    assert np.array_equal(np.asarray(results[0]).astype(np.float64), product)
    assert np.array_equal(np.asarray(results[1]).astype(np.float64), 2 * product.T)


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


# Arrays on the device


class OnlyDlpack:
    def __init__(self, array):
        self.array, self.streams = array, []

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, *, stream=None):
        self.streams.append(stream)
        return self.array.__dlpack__(stream=-1)


class OnlyInterface:
    def __init__(self, array, **changed):
        self.array = array
        self.__cuda_array_interface__ = {**array.__cuda_array_interface__, **changed}


class LikeTorch(OnlyDlpack):
    """PyTorch's interface is that of version 2, without a stream, and calls bf16 two bytes of anything (torch/_tensor.py)."""

    @property
    def __cuda_array_interface__(self):
        kind = {ml_dtypes.bfloat16: "<V2"}.get(self.array.dtype.type, self.array.dtype.str)
        return {"shape": self.array.shape, "typestr": kind, "data": (self.array.address, False), "version": 2}


@pytest.mark.parametrize("kind, dtype", [("f32", np.float32), ("bf16", ml_dtypes.bfloat16), ("i32", np.int32)])
@pytest.mark.parametrize("wrap", [lambda a: a, OnlyDlpack, OnlyInterface, LikeTorch])
def test_results_are_arguments_again_without_a_copy(kind, dtype, wrap) -> None:
    square = (
        CHAIN.format(kind=kind).replace("4x6", "4x4").replace("6x5", "4x4").replace("4x5", "4x4").replace("5x4", "4x4")
    )
    driver = Counting()
    exe = GpuExecutable(program(square), driver)
    a = np.random.default_rng(1).integers(-2, 3, (4, 4)).astype(dtype)
    first = exe.submit(a, a)
    if wrap is OnlyInterface and kind == "bf16":
        with pytest.raises(AttributeError, match="DLPack"):
            wrap(first[0])
        return
    uploads = driver.calls["upload"]
    second = exe.submit(wrap(first[0]), wrap(first[1]))
    assert driver.calls["upload"] == uploads and not driver.calls["download"]
    product = a.astype(np.float64) @ a.astype(np.float64)
    assert np.array_equal(second[0].numpy().astype(np.float64), product @ (2 * product.T))
    exe.synchronize()
    del first, second, exe
    assert driver.blocks == 0


def test_others_are_told_which_stream_reads_their_arrays() -> None:
    """PyTorch queues on CUDA's default stream, for which a stream of our own does not wait by itself."""
    driver = CudaDriver(api=NamedApi())
    place = Place(4096, (2, 3), None, np.dtype(np.float32), driver.place)

    class Torch:
        __cuda_array_interface__ = {"shape": (2, 3), "typestr": "<f4", "data": (4096, False), "version": 2}

    class WithDlpack(Torch):
        streams: list[int] = []

        def __dlpack_device__(self):
            return driver.place

        def __dlpack__(self, *, stream=None):
            self.streams.append(stream)
            return make_capsule(place, self)

    kind = ArrayType((2, 3), np.dtype(np.float32))
    assert on_device(WithDlpack(), 0, kind, driver).address == 4096
    assert WithDlpack.streams == [driver.stream] and "cuStreamWaitEvent" not in dict(driver.api.log)
    on_device(Torch(), 0, kind, driver)
    recorded, waited = ([a for name, a in driver.api.log if name == n] for n in ("cuEventRecord", "cuStreamWaitEvent"))
    assert recorded[-1][1] == 1 and waited[-1][0] == driver.stream  # what is on the default stream comes first


def test_stream_0_is_cudas_default_stream() -> None:
    """As torch.cuda.current_stream().cuda_stream has it: not the stream that is used where none is given."""
    driver = CudaDriver(api=NamedApi())
    own = driver.stream
    with driver.using(0):
        assert driver.stream == 1 != own
        with driver.using(None):
            assert driver.stream == 1
    assert driver.stream == own


def test_memory_of_others_lives_until_it_was_read() -> None:
    driver = Counting()
    exe = GpuExecutable(program(), driver)
    driver.is_done = lambda event: False
    x, y = operands()
    on_device = exe.submit(x, y)[1]
    exe2 = GpuExecutable(program("func.func @main(%x: tensor<5x4xf32>) -> tensor<5x4xf32> { %0 = stablehlo.negate %x : tensor<5x4xf32>\n return %0 : tensor<5x4xf32> }"), driver)  # fmt: skip
    result = exe2.submit(OnlyDlpack(on_device))[0]
    before = driver.blocks
    del on_device
    assert driver.blocks == before
    exe2.synchronize()
    assert driver.blocks == before - 1
    assert np.array_equal(result.numpy(), -2 * (x @ y).T)


def test_arrays_that_do_not_fit_are_refused() -> None:
    driver = Counting()
    exe = GpuExecutable(program(), driver)
    x, y = operands()
    first, second = exe.submit(x, y)
    with pytest.raises(ArgumentError, match="argument 0: 4x6xf32 expected, found 4x5xf32"):
        exe.submit(first, y)
    fit = GpuExecutable(program(CHAIN.format(kind="f32").replace("4x6", "4x5").replace("6x5", "5x5")), driver)
    z = np.ones((5, 5), np.float32)
    with pytest.raises(ArgumentError, match="a contiguous array expected"):
        fit.submit(OnlyInterface(second, shape=(4, 5), strides=(4, 16)), z)
    with pytest.raises(ArgumentError, match="multiple of 16"):
        fit.submit(OnlyInterface(first, data=(first.address + 4, False)), z)
    other = GpuExecutable(program(), Counting()).submit(x, y)[0]
    found = fit.submit(other, z)[0]  # of another device: through the host
    assert np.array_equal(found.numpy(), (x @ y) @ z)
    with pytest.raises(ArgumentError, match="2 arguments expected, found 1"):
        exe.submit(x)


def test_capsules_hold_what_others_need() -> None:
    """Field by field, as DLPack's header has them."""
    shape = (2, 3)
    capsule = make_capsule(Place(4096, shape, None, np.dtype(np.int16), (2, 1)), "owner")
    assert read_capsule(capsule) == Place(4096, shape, None, np.dtype(np.int16), (2, 1))
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    raw = ctypes.string_at(pointer(capsule, b"dltensor"), 24)
    address, device, number, dimensions = np.frombuffer(raw[:8], "u8")[0], *np.frombuffer(raw[8:20], "i4")
    assert (address, device, number, dimensions) == (4096, 2, 1, 2)
    assert raw[20:24] == bytes([0, 16, 1, 0])  # signed integer, 16 bits, 1 lane


def test_numpy_reads_a_capsule_of_the_host() -> None:
    """numpy's own reader agrees with the structure that we write, and gives the memory back."""
    data = np.arange(6, dtype=np.float32)

    class Host:
        def __dlpack_device__(self):
            return (1, 0)

        def __dlpack__(self, **_):
            return make_capsule(Place(data.ctypes.data, (2, 3), None, data.dtype, (1, 0)), self)

    view = np.from_dlpack(Host())
    assert np.array_equal(view, data.reshape(2, 3)) and np.shares_memory(view, data)
    capsule = np.arange(4, dtype=np.int64).reshape(2, 2).T.__dlpack__()
    assert read_capsule(capsule).strides == (1, 2)


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


# NVIDIA's driver, replaced by a record of calls


class Status:
    def __init__(self, name):
        self.name = name


class Statuses:
    """Errors by name, and by number as other interfaces give them."""

    CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_NOT_READY = map(
        Status, ("CUDA_SUCCESS", "CUDA_ERROR_INVALID_VALUE", "CUDA_ERROR_NOT_READY")
    )

    def __call__(self, number: int) -> Status:
        return (self.CUDA_SUCCESS, self.CUDA_ERROR_INVALID_VALUE)[number]


class FakeApi:
    """Of the driver API: what CudaDriver calls, with success and numbers as results, unless `fails` names an error."""

    CUresult = Statuses()
    RESULTS = {
        "cuDeviceGetCount": (1,), "cuDeviceGet": (0,), "cuDeviceGetAttribute": (9,), "cuMemGetInfo": (1000, 4000),
        "cuMemPoolGetAttribute": (7,), "cuGetErrorString": (b"out of memory",), "cuEventElapsedTime": (1.5,),
        "cuDeviceGetName": (b"Card\0\0",), "cuDriverGetVersion": (13000,),
    }  # fmt: skip
    WITHOUT_RESULT = (
        "cuInit",
        "cuCtxSetCurrent",
        "cuMemFreeAsync",
        "cuEventQuery",
        "cuLaunchKernel",
        "cuFuncSetAttribute",
    )

    def __init__(self):
        self.log, self.fails = [], {}

    def __getattr__(self, name):
        if not name.startswith("cu"):
            return type(name, (), {"__getattr__": lambda self, n: n})()
        if name in ("cuuint32_t", "cuuint64_t"):
            return int

        def call(*arguments):
            self.log.append((name, arguments))
            if name in self.fails:
                return (Status(self.fails[name]),)
            results = () if name in self.WITHOUT_RESULT else self.RESULTS.get(name, (len(self.log),))
            return (self.CUresult.CUDA_SUCCESS, *results)

        return call

    def __dir__(self):
        return []


class NamedApi(FakeApi):
    CUtensorMapDataType = CUtensorMapInterleave = CUtensorMapSwizzle = CUtensorMapL2promotion = type(
        "Names", (type,), {"__getattr__": lambda cls, name: name}
    )("Names", (), {})
    CUtensorMapFloatOOBfill = CUjit_option = CUtensorMapDataType
    CUdevice_attribute = CUstream_flags = CUmemPool_attribute = CUstreamCaptureMode = CUfunction_attribute = type(
        "Names", (type,), {"__getattr__": lambda cls, name: name}
    )("Names", (), {})


def test_errors_of_the_driver_are_told_in_its_words() -> None:
    api = NamedApi()
    driver = CudaDriver(api=api)
    api.fails = {"cuMemAllocAsync": "CUDA_ERROR_OUT_OF_MEMORY"}
    with pytest.raises(HloError, match=r"allocating 12 bytes of device memory failed: out of memory \(CUDA_ERROR_OUT"):
        driver.allocate(12)
    assert driver.available() == 1000 + 7 - 7


def test_what_the_compiler_of_the_driver_says_is_told() -> None:
    api = NamedApi()
    driver = CudaDriver(api=api)

    def refuse(code, count, options, values):
        values[options.index("CU_JIT_ERROR_LOG_BUFFER")][:11] = b"line 3: no\n"
        return (Status("CUDA_ERROR_INVALID_PTX"),)

    api.cuModuleLoadDataEx = refuse
    with pytest.raises(HloError, match=r"compiling the PTX failed: .*\(CUDA_ERROR_INVALID_PTX\): line 3: no$"):
        driver.load("ptx")


def test_a_recording_that_fails_ends() -> None:
    api = NamedApi()
    driver = CudaDriver(api=api)

    def work() -> None:
        raise HloError("no")

    with pytest.raises(HloError, match="no"):
        driver.capture(work)
    names = [name for name, _ in api.log]
    assert names[-2:] == ["cuStreamEndCapture", "cuStreamDestroy"]
    graph = driver.capture(lambda: driver.copy(1, 2, 3))
    streams = [arguments for name, arguments in api.log if name in ("cuStreamBeginCapture", "cuMemcpyDtoDAsync")]
    assert streams[-1][-1] == streams[-2][0] != driver.stream
    driver.replay(graph)
    assert api.log[-1] == ("cuGraphLaunch", (graph, driver.stream))


def test_kernels_are_allowed_the_shared_memory_that_they_want() -> None:
    api = NamedApi()
    driver = CudaDriver(api=api)
    loaded = driver.load("ptx")
    for kernel, size in (("none", 0), ("small", 48 * 1024), ("big", 70000), ("big", 70000)):
        driver.launch(loaded, kernel, 1, 32, size, [])
    most = "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES"  # without it, 48 KiB with the static memory
    assert [a[1:] for name, a in api.log if name == "cuFuncSetAttribute"] == [(most, 48 * 1024), (most, 70000)]


class MapEncoder:
    """In the place of the driver's library: keeps what it is asked for, refuses results that are not aligned."""

    def __init__(self):
        self.asked = []

    def cuTensorMapEncodeTiled(self, place, kind, rank, address, *rest):
        lists, modes = [list(one) for one in rest[:4]], rest[4:]
        self.asked.append((kind, rank, address.value, *lists, *modes))
        if place.value % 64:
            return 1
        ctypes.memset(place.value, 7, 128)
        return 0


def test_tensor_maps_are_made_once_and_are_aligned(monkeypatch) -> None:
    library = MapEncoder()
    monkeypatch.setattr(tensor_maps, "cuda_library", lambda: library)
    driver = CudaDriver(api=NamedApi())
    one = TensorMap("bf16", (448, 128), (896,), (64, 128))
    for _ in range(2):
        driver.launch(driver.load("ptx"), "k", 1, 384, 0, [16, 4096], [one])
    uint16, interleave, swizzle_128b, promotion_128b, zeros = 1, 0, 3, 2, 0
    modes = (interleave, swizzle_128b, promotion_128b, zeros)
    assert library.asked == [(uint16, 2, 4096, [448, 128], [896, 0], [64, 128], [1, 1], *modes)]
    made = driver.encoded(one, 4096)
    assert made.tobytes() == bytes([7] * 128) and made.ctypes.data % 64 == 0
    monkeypatch.setattr(tensor_maps, "cuda_library", lambda: SimpleNamespace(cuTensorMapEncodeTiled=lambda *_: 1))
    with pytest.raises(HloError, match=r"a tensor map of .* at address 0x2000 failed: .*INVALID_VALUE"):
        driver.encoded(one, 8192)


def test_numbers_of_the_header_are_those_of_the_bindings() -> None:
    real = pytest.importorskip("cuda.bindings.driver", reason="cuda-bindings is not installed")
    names = {"bf16": "UINT16", "f16": "UINT16", "i8": "UINT8", "tf32": "TFLOAT32"}
    kinds = {name: int(getattr(real.CUtensorMapDataType, f"CU_TENSOR_MAP_DATA_TYPE_{n}")) for name, n in names.items()}
    assert kinds == tensor_maps.KINDS
    assert int(real.CUtensorMapInterleave.CU_TENSOR_MAP_INTERLEAVE_NONE) == tensor_maps.NO_INTERLEAVE
    assert int(real.CUtensorMapSwizzle.CU_TENSOR_MAP_SWIZZLE_128B) == tensor_maps.SWIZZLE_128B
    assert int(real.CUtensorMapL2promotion.CU_TENSOR_MAP_L2_PROMOTION_L2_128B) == tensor_maps.L2_PROMOTION_128B
    assert int(real.CUtensorMapFloatOOBfill.CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == tensor_maps.ZEROS_OUTSIDE
    assert real.CUresult(1) == real.CUresult.CUDA_ERROR_INVALID_VALUE


def test_what_the_bindings_do_not_take_is_an_error_of_ours() -> None:
    api = NamedApi()
    driver = CudaDriver(api=api)

    def refuse(*_):
        raise TypeError("an integer is required")

    api.cuMemAllocAsync = refuse
    with pytest.raises(HloError, match="an integer is required"):
        driver.allocate(12)


def test_every_function_that_is_called_is_in_the_bindings() -> None:
    """With as many parameters as are passed; the bindings import without a card."""
    real = pytest.importorskip("cuda.bindings.driver", reason="cuda-bindings is not installed")
    api = NamedApi()
    driver = CudaDriver(api=api)
    place, array = driver.allocate(8), np.zeros(2, np.float32)
    driver.upload(place, array)
    driver.copy(place, place, 4)
    driver.download(array, place)
    loaded = driver.load("ptx")
    driver.launch(loaded, "k", 1, 32, 0, [place])
    driver.launch(loaded, "big", 1, 32, 70000, [place])
    driver.replay(driver.capture(lambda: driver.copy(place, place, 4)))
    start, end = driver.record(), driver.record()
    driver.wait_for(start)
    driver.is_done(start)
    driver.milliseconds(start, end)
    driver.available()
    driver.free(place)
    driver.drop(1)
    driver.unload(loaded)
    driver.synchronize_all()
    assert driver.facts() == {"card": "Card", "driver": "CUDA 13.0", "cache": 9}
    del start, end
    for name, arguments in api.log:
        signature = getattr(real, name).__doc__.splitlines()[0]
        inside = signature.partition("(")[2].rpartition(")")[0]
        count = 0 if not inside.strip() else inside.count(",") + 1
        assert count == len(arguments), (name, signature, arguments)
