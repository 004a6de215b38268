"""What is missing is said, and how to get it: no driver, no card, an old one, no room, a launch that fails."""

import ctypes
import sys

import numpy as np
import pytest
from gpu_drivers import CHAIN, NamedApi, Status, operands

import hlo
from hlo.errors import HloError
from hlo.lowering.target import GPUS
from hlo.runtime.calls.signature import ArrayType, Signature
from hlo.runtime.gpu import cuda_driver, devices
from hlo.runtime.gpu.cuda_driver import CudaDriver
from hlo.runtime.gpu.executable import GpuExecutable
from hlo.runtime.gpu.plan import Launch, Offset, Plan
from hlo.runtime.gpu.program import DeviceProgram

OWN_ARCHES = {**devices.OWN_ARCHES}  # conftest.py takes them away, for tests that name none
ROOM = {"cuMemGetInfo": (1 << 24, 1 << 30)}


class Card(NamedApi):
    """A card with room for programs, whose allocations have addresses of their own. `capability`: of computing."""

    RESULTS = {**NamedApi.RESULTS, **ROOM}

    def __init__(self, capability=(9, 0)):
        super().__init__()
        self.capability, self.allocated = capability, set()

    def cuDeviceGetAttribute(self, attribute, device):
        return self.CUresult.CUDA_SUCCESS, self.capability["MINOR" in attribute]

    def cuMemAllocAsync(self, size, stream):
        if "cuMemAllocAsync" in self.fails:
            return (Status(self.fails["cuMemAllocAsync"]),)
        address = 4096 * (len(self.log) + 1)
        self.log.append(("cuMemAllocAsync", (size, stream)))
        self.allocated.add(address)
        return self.CUresult.CUDA_SUCCESS, address

    def cuMemFreeAsync(self, address, stream):
        self.log.append(("cuMemFreeAsync", (address, stream)))
        self.allocated.remove(address)
        return (self.CUresult.CUDA_SUCCESS,)

    def count(self, name: str) -> int:
        return sum(called == name for called, _ in self.log)


def program(arch: str = "sm_80", size: int = 6):
    text = CHAIN.format(kind="f32").replace("x6x", f"x{size}x").replace("<6x", f"<{size}x")
    return hlo.compile(text, target="gpu", arch=arch).program


# Nothing to run on


def test_without_bindings(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "cuda.bindings", None)
    with pytest.raises(HloError, match=r"pip install 'hlo\[gpu\]' \(device='model' needs no GPU\)"):
        cuda_driver._bindings()


def test_without_a_driver() -> None:
    class Api(NamedApi):
        def cuInit(self, flags):
            raise RuntimeError("Failed to dlopen libcuda.so.1")

    with pytest.raises(HloError, match=r"no NVIDIA driver .*libcuda.so.1\): install it; device='model'"):
        CudaDriver(api=Api())


def test_without_a_card(monkeypatch) -> None:
    api = NamedApi()
    api.fails = {"cuInit": "CUDA_ERROR_NO_DEVICE"}
    with pytest.raises(HloError, match="no NVIDIA card is there, or CUDA_VISIBLE_DEVICES hides it; device='model'"):
        CudaDriver(api=api)
    with pytest.raises(HloError, match="no card 2: the driver knows 1; device='model'"):
        CudaDriver(2, api=NamedApi())


@pytest.mark.parametrize(
    "error, advice", [("SYSTEM_DRIVER_MISMATCH", "restart"), ("DEVICES_UNAVAILABLE", "nvidia-smi")]
)
def test_drivers_that_are_not_well(error: str, advice: str) -> None:
    api = NamedApi()
    api.fails = {"cuDevicePrimaryCtxRetain": f"CUDA_ERROR_{error}"}
    with pytest.raises(HloError, match=rf"\(CUDA_ERROR_{error}\): .*{advice}"):
        CudaDriver(api=api)


# Architectures


def test_a_card_that_is_too_old() -> None:
    with pytest.raises(HloError, match=r"compute capability 7\.5; at least 8\.0 \(A100\) is needed; device='model'"):
        CudaDriver(api=Card((7, 5)))


@pytest.mark.parametrize("arch, capability", [("sm_90", (8, 9)), ("sm_90a", (8, 0)), ("sm_90a", (10, 0))])
def test_a_program_for_another_card_is_refused_in_front(arch: str, capability) -> None:
    api = Card(capability)
    exe = GpuExecutable(program(arch), CudaDriver(api=api))
    found = ".".join(map(str, capability))
    with pytest.raises(HloError, match=rf"compiled for {arch}, the card has .* {found}; .*arch='sm_80'"):
        exe(*operands())
    assert not api.count("cuModuleLoadDataEx") and not api.allocated


@pytest.mark.parametrize("arch, capability", [("sm_80", (8, 0)), ("sm_80", (10, 3)), ("sm_90a", (9, 0))])
def test_programs_for_this_card_and_older_ones(arch: str, capability) -> None:
    api = Card(capability)
    GpuExecutable(program(arch), CudaDriver(api=api)).submit(*operands())
    assert api.count("cuLaunchKernel") == len(program(arch).plan.kernels)


@pytest.mark.parametrize(
    "capability, arch",
    [((8, 0), "sm_80"), ((8, 9), "sm_80"), ((9, 0), "sm_90a"), ((10, 0), "sm_80"), ((7, 5), "sm_80")],
)
def test_programs_are_compiled_for_the_card_that_is_there(capability, arch: str, monkeypatch) -> None:
    api = Card(capability)
    monkeypatch.setattr(cuda_driver, "_bindings", lambda: api)
    monkeypatch.setattr(devices, "OWN_ARCHES", OWN_ARCHES)
    devices._arch_of_card.cache_clear()
    text = CHAIN.format(kind="f32")
    assert hlo.compile(text, target="gpu").program.arch == arch
    assert f".target {arch}\n" in hlo.compile(text, target="gpu").program.code
    assert hlo.compile(text, target="gpu", device="model").program.arch == "sm_80"
    assert not api.count("cuDevicePrimaryCtxRetain")
    devices._arch_of_card.cache_clear()


def test_programs_are_compiled_for_all_cards_where_there_is_none(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "cuda.bindings", None)
    devices._arch_of_card.cache_clear()
    assert hlo.compile(CHAIN.format(kind="f32"), target="gpu").program.arch == "sm_80"
    devices._arch_of_card.cache_clear()


def test_a_driver_that_is_too_old_for_the_code() -> None:
    api = Card()
    api.fails = {"cuModuleLoadDataEx": "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"}
    with pytest.raises(HloError, match=r"compiling the PTX failed.*the driver is too old for this code: update it"):
        GpuExecutable(program(), CudaDriver(api=api))(*operands())
    assert not api.allocated


def test_unknown_architectures_are_refused_when_compiling() -> None:
    with pytest.raises(HloError, match="'sm_70': sm_80 or later expected"):
        program("sm_70")
    for unknown in ("sm_999", "sm_80a", "sm_90f", "sm_81", "90", "sm_90 a"):
        with pytest.raises(HloError, match=f"'{unknown}': sm_80 or later expected .*sm_86, .*sm_120"):
            program(unknown)


def test_every_architecture_has_code_of_its_ptx() -> None:
    """LLVM ends the process for a version of PTX that is too old for one; drivers refuse one that is too new for them."""
    versions = {"sm_80": "8.0", "sm_89": "8.0", "sm_90a": "8.0", "sm_100": "8.6", "sm_120a": "8.7", "sm_103f": "8.8"}
    for name, card in GPUS.items():
        versions.setdefault(name, f"{card.ptx / 10}")
    for arch, version in versions.items():
        code = program(arch).code
        assert f".version {version}\n.target {arch}\n" in code


# Room


def test_what_does_not_fit_is_refused_before_anything_is_done() -> None:
    api = Card()
    exe = GpuExecutable(program(size=1 << 20), CudaDriver(api=api))
    x, y = np.zeros((4, 1 << 20), np.float32), np.zeros((1 << 20, 5), np.float32)
    before = len(api.log)
    with pytest.raises(HloError, match=r"\d+ bytes of device memory needed \(arguments \d+, .*\), 16777216 available"):
        exe(x, y)
    assert {name for name, _ in api.log[before:]} <= {"cuMemGetInfo", "cuMemPoolGetAttribute", "cuCtxSetCurrent"}


def test_room_that_others_took_meanwhile() -> None:
    api = Card()
    exe = GpuExecutable(program(), CudaDriver(api=api))
    exe.submit(*operands())
    held = set(api.allocated)
    api.fails = {"cuMemAllocAsync": "CUDA_ERROR_OUT_OF_MEMORY"}
    with pytest.raises(HloError, match=r"allocating \d+ bytes of device memory failed: .*nvidia-smi"):
        exe.submit(*operands())
    assert api.allocated == held


# Launches


@pytest.mark.parametrize("what", ["cuLaunchKernel", "cuMemcpyHtoDAsync", "cuMemcpyDtoHAsync", "cuStreamSynchronize"])
def test_a_failed_device_keeps_no_memory(what: str) -> None:
    api = Card()
    exe = GpuExecutable(program(), CudaDriver(api=api))
    api.fails = {what: "CUDA_ERROR_LAUNCH_FAILED"}
    with pytest.raises(HloError, match="HLO_GPU_CHECK=1 names the kernel"):
        exe(*operands())
    del exe
    assert not api.allocated
    x, y = operands()
    assert np.array_equal(hlo.compile(CHAIN.format(kind="f32"))(x, y)[0], x @ y)  # the CPU goes on


def test_a_kernel_that_needs_too_much_is_named() -> None:
    api = Card()
    code = program()
    api.fails = {"cuLaunchKernel": "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"}
    first = code.plan.kernels[0]
    with pytest.raises(HloError, match=rf"kernel {first} from -:\d+:\d+ .*registers or shared memory .*\(arch=\)"):
        GpuExecutable(code, CudaDriver(api=api))(*operands())


# What a launch costs here


def chain(kernels: int) -> DeviceProgram:
    """A program of many launches, each with three arguments."""
    steps = [
        one
        for k in range(kernels)
        for one in (Offset(10 + k, 3, 64 * k), Launch(f"k{k}", 10, 256, (0, 10 + k, 1)))
    ]  # fmt: skip
    plan = Plan(tuple(steps), 10 + kernels, 1, 1, 0, 64 * kernels, tuple(f"k{k}" for k in range(kernels)))
    kind = ArrayType((1024,), np.dtype(np.float32))
    return DeviceProgram(plan, "ptx", (), Signature((kind,), (kind,)))


def test_arguments_of_launches_are_where_their_pointers_say() -> None:
    found = []

    class Api(Card):
        def cuLaunchKernel(self, *arguments):
            pointers = (ctypes.c_uint64 * 3).from_address(arguments[9])
            found.append([ctypes.c_uint64.from_address(p).value for p in pointers])
            return (self.CUresult.CUDA_SUCCESS,)

    driver = CudaDriver(api=Api())
    driver.launch(driver.load("ptx"), "k", 1, 32, 0, [1, 2**40 + 3, 5])
    assert found == [[1, 2**40 + 3, 5]]


@pytest.mark.parametrize("kernels", [2, 200])
def test_a_replay_costs_the_same_whatever_it_does(kernels: int) -> None:
    """Two allocations, one graph, one free: of results that are dropped, one more."""
    api = Card()
    api.cuMemAllocAsync = lambda size, stream: (api.CUresult.CUDA_SUCCESS, 4096 if size == 4096 else 1 << 20)
    api.cuMemFreeAsync = lambda address, stream: (api.CUresult.CUDA_SUCCESS,)
    driver = CudaDriver(api=api)
    exe = GpuExecutable(chain(kernels), driver)
    x = np.zeros(1024, np.float32)
    for _ in range(3):
        exe.submit(x)
    before = len(api.log)
    exe.submit(x)
    names = [name for name, _ in api.log[before:]]
    assert names == ["cuMemcpyHtoDAsync", "cuGraphLaunch"]
    assert api.count("cuGraphInstantiate") == 1 and api.count("cuLaunchKernel") == 2 * kernels
