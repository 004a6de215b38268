"""NVIDIA's driver, with a record of calls in place of its API: what it is asked, and which errors are told."""

import ctypes
from types import SimpleNamespace

import numpy as np
import pytest
from gpu_drivers import NamedApi, Status

from hlo.errors import HloError
from hlo.runtime.gpu import tensor_maps
from hlo.runtime.gpu.cuda_driver import CudaDriver
from hlo.runtime.gpu.plan import TensorMap


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
