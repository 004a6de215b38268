"""Drivers for tests of the GPU's runtime: the model's, which counts calls and fails on demand, and a record of the calls of NVIDIA's API."""

from collections import Counter

import numpy as np

import hlo
from hlo.errors import HloError
from hlo.runtime.gpu.model.driver import ModelDriver

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
        "cuDeviceGetName": (b"Card\0\0" + b" " * 60,), "cuDriverGetVersion": (13000,),
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
