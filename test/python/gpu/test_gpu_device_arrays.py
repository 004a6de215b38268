"""Arrays that stay on a GPU, ours and those of other libraries: what is read, copied, kept and refused."""

import ctypes

import ml_dtypes
import numpy as np
import pytest
from gpu_drivers import CHAIN, Counting, NamedApi, operands, program

from hlo.errors import ArgumentError
from hlo.runtime.calls.signature import ArrayType
from hlo.runtime.gpu.cuda_driver import CudaDriver
from hlo.runtime.gpu.device_array import on_device
from hlo.runtime.gpu.dlpack import Description, make_capsule, read_capsule
from hlo.runtime.gpu.executable import GpuExecutable


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
    described = Description(4096, (2, 3), None, np.dtype(np.float32), driver.dlpack_device)

    class Torch:
        __cuda_array_interface__ = {"shape": (2, 3), "typestr": "<f4", "data": (4096, False), "version": 2}

    class WithDlpack(Torch):
        streams: list[int] = []

        def __dlpack_device__(self):
            return driver.dlpack_device

        def __dlpack__(self, *, stream=None):
            self.streams.append(stream)
            return make_capsule(described, self)

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
    capsule = make_capsule(Description(4096, shape, None, np.dtype(np.int16), (2, 1)), "owner")
    assert read_capsule(capsule) == Description(4096, shape, None, np.dtype(np.int16), (2, 1))
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
            return make_capsule(Description(data.ctypes.data, (2, 3), None, data.dtype, (1, 0)), self)

    view = np.from_dlpack(Host())
    assert np.array_equal(view, data.reshape(2, 3)) and np.shares_memory(view, data)
    capsule = np.arange(4, dtype=np.int64).reshape(2, 2).T.__dlpack__()
    assert read_capsule(capsule).strides == (1, 2)
