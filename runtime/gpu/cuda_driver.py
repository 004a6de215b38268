"""NVIDIA cards, through the driver API as cuda.bindings gives it. No CUDA toolkit is needed: the driver compiles the PTX."""

from __future__ import annotations

import functools
import threading
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np

from hlo.errors import HloError
from hlo.runtime.gpu.cuda_conditions import Conditions
from hlo.runtime.gpu.cuda_errors import MODEL, advised, check_target
from hlo.runtime.gpu.driver import LEGACY_STREAM
from hlo.runtime.gpu.plan import Condition, TensorMap
from hlo.runtime.gpu.tensor_maps import encode

OLDEST = (8, 0)
"""The oldest compute capability that the code is written for (A100)."""

KEPT = (1 << 64) - 1
"""Bytes of freed memory that the driver keeps for the next allocations: all."""

DLPACK_CUDA = 2

LOG_BYTES = 8192
"""Of what the driver's compiler says about an error."""


def _bindings() -> Any:
    try:
        from cuda.bindings import driver
    except ImportError:
        raise HloError(
            "running on a GPU needs NVIDIA's bindings: pip install 'hlo[gpu]' (device='model' needs no GPU)"
        ) from None
    return driver


class CudaDriver:
    """Implements `hlo.runtime.gpu.driver.Driver` on one card: its primary context and one stream of its own."""

    name = "cuda"

    def __init__(self, number: int = 0, api: Any = None):
        self.api = api or _bindings()
        self.dlpack_device = (DLPACK_CUDA, number)
        self._local = threading.local()
        self._start(number)
        self._stream = self.new_stream()
        self._keep_memory()
        self._conditions = Conditions(self)
        self.encoded = functools.lru_cache(maxsize=1024)(lambda one, address: encode(self, one, address))
        """The bytes of a tensor map of the array at an address."""

    @classmethod
    def capability_of_card(cls, number: int = 0, api: Any = None) -> tuple[int, ...]:
        """(major, minor); no context is made. Raises HloError where there is no driver, no such card or one that is too old."""
        driver = cls.__new__(cls)
        driver.api = api or _bindings()
        driver._find(number)
        return driver.capability

    def _start(self, number: int) -> None:
        self._find(number)
        self.context = self.call("cuDevicePrimaryCtxRetain", self.device)
        self._use()

    def _find(self, number: int) -> None:
        try:
            self.call("cuInit", 0)
        except HloError as error:
            if not isinstance(error.__cause__, RuntimeError):
                raise
            # cuda.bindings raises this when libcuda.so.1 is not there
            raise HloError(f"no NVIDIA driver was found ({error.__cause__}): install it; {MODEL}") from None
        count = self.call("cuDeviceGetCount")
        if number >= count:
            raise HloError(f"no card {number}: the driver knows {count}; {MODEL}")
        self.device = self.call("cuDeviceGet", number)
        self._check_capability()

    def _check_capability(self) -> None:
        attribute = self.api.CUdevice_attribute
        names = ("CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR", "CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR")
        self.capability = tuple(
            self.call("cuDeviceGetAttribute", getattr(attribute, name), self.device) for name in names
        )
        if self.capability < OLDEST:
            found, oldest = (".".join(map(str, c)) for c in (self.capability, OLDEST))
            raise HloError(f"the card has compute capability {found}; at least {oldest} (A100) is needed; {MODEL}")

    def facts(self) -> dict[str, Any]:
        name = self.call("cuDeviceGetName", 256, self.device)
        version = int(self.call("cuDriverGetVersion"))
        cache = self.call(
            "cuDeviceGetAttribute", self.api.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, self.device
        )
        return {
            "card": name.partition(b"\0")[0].decode(),
            "driver": f"CUDA {version // 1000}.{version % 1000 // 10}",
            "cache": int(cache),
        }

    def call(self, name: str, *arguments: Any, what: str = "") -> Any:
        """Calls a function of the driver; its error code becomes HloError with the driver's own text."""
        try:
            status, *results = getattr(self.api, name)(*arguments)
        except (
            TypeError,
            ValueError,
            RuntimeError,
        ) as error:  # an argument that these bindings do not take, or no driver
            raise HloError(f"{what or name} failed: {error} (in the bindings for {name})") from error
        self.check(status, what or name)
        return results[0] if len(results) == 1 else tuple(results)

    def check(self, status: Any, what: str) -> None:
        """Raises HloError, with the driver's own text, unless all went well."""
        if status == self.api.CUresult.CUDA_SUCCESS:
            return
        _, text = self.api.cuGetErrorString(status)
        reason = text.decode() if isinstance(text, bytes) else str(status)
        raise HloError(advised(f"{what} failed: {reason} ({status.name})", status.name))

    def _use(self) -> None:
        """Contexts are current by thread."""
        if not getattr(self._local, "is_ready", False):
            self.call("cuCtxSetCurrent", self.context)
            self._local.is_ready = True

    # Streams and events

    @property
    def stream(self) -> int:
        self._use()
        return getattr(self._local, "stream", None) or int(self._stream)

    @contextmanager
    def using(self, stream: int | None) -> Iterator[None]:
        outer = self.stream
        self._local.stream = outer if stream is None else stream or LEGACY_STREAM
        try:
            yield
        finally:
            self._local.stream = outer

    def new_stream(self) -> Any:
        return self.call("cuStreamCreate", self.api.CUstream_flags.CU_STREAM_NON_BLOCKING)

    def record(self) -> Any:
        event = _Event(self, self.call("cuEventCreate", 0))
        self.call("cuEventRecord", event.handle, self.stream)
        return event

    def is_done(self, event: Any) -> bool:
        (status,) = self.api.cuEventQuery(event.handle)
        return status != self.api.CUresult.CUDA_ERROR_NOT_READY

    def wait_for(self, event: Any) -> None:
        self.call("cuStreamWaitEvent", self.stream, event.handle, 0)

    def milliseconds(self, start: Any, end: Any) -> float:
        self.call("cuEventSynchronize", end.handle, what="waiting for the device")
        return float(self.call("cuEventElapsedTime", start.handle, end.handle))

    def synchronize(self) -> None:
        self.call("cuStreamSynchronize", self.stream, what="waiting for the device")

    def synchronize_all(self) -> None:
        self._use()
        self.call("cuCtxSynchronize", what="waiting for the device")

    # Memory

    def _keep_memory(self) -> None:
        self._pool = self.call("cuDeviceGetDefaultMemPool", self.device)
        threshold = self.api.CUmemPool_attribute.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD
        self.call("cuMemPoolSetAttribute", self._pool, threshold, self.api.cuuint64_t(KEPT))

    def available(self) -> int:
        self._use()
        free, _ = self.call("cuMemGetInfo")
        attribute = self.api.CUmemPool_attribute
        reserved, used = (
            int(self.call("cuMemPoolGetAttribute", self._pool, name))
            for name in (attribute.CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, attribute.CU_MEMPOOL_ATTR_USED_MEM_CURRENT)
        )
        return int(free) + reserved - used

    def allocate(self, size: int) -> int:
        what = f"allocating {size} bytes of device memory"
        return int(self.call("cuMemAllocAsync", max(size, 1), self.stream, what=what))

    def free(self, address: int) -> None:
        self.call("cuMemFreeAsync", address, self.stream)

    def upload(self, address: int, array: np.ndarray) -> None:
        if array.nbytes:
            array = np.ascontiguousarray(array)
            self.call("cuMemcpyHtoDAsync", address, array.ctypes.data, array.nbytes, self.stream)

    def download(self, array: np.ndarray, address: int) -> None:
        if array.nbytes:
            self.call("cuMemcpyDtoHAsync", array.ctypes.data, address, array.nbytes, self.stream)
        self.synchronize()

    def copy(self, target: int, source: int, size: int) -> None:
        self.call("cuMemcpyDtoDAsync", target, source, size, self.stream)

    # Code

    def load(self, code: str) -> Any:
        """`code`: PTX. The driver compiles it here."""
        check_target(code, self.capability)
        self._use()
        log, option = bytearray(LOG_BYTES), self.api.CUjit_option
        options = {option.CU_JIT_ERROR_LOG_BUFFER: log, option.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES: LOG_BYTES}
        image, names, values = code.encode() + b"\0", list(options), list(options.values())
        try:
            module = self.call("cuModuleLoadDataEx", image, len(options), names, values, what="compiling the PTX")
        except HloError as error:
            said = bytes(log).partition(b"\0")[0].decode(errors="replace").strip()
            raise HloError(f"{error}: {said}" if said else str(error)) from None
        return _Module(self, module)

    def unload(self, loaded: Any) -> None:
        self._use()
        self.call("cuModuleUnload", loaded.module)

    def launch(
        self,
        loaded: Any,
        kernel: str,
        blocks: int,
        threads: int,
        shared_bytes: int,
        arguments: Sequence[int],
        maps: Sequence[TensorMap] = (),
    ) -> None:
        values = array("Q", arguments)  # seven times as quick as by numpy: 0.7 us
        plain, (first, _) = len(values) - len(maps), values.buffer_info()
        pointers = array("Q", range(first, first + 8 * plain, 8))
        if maps:
            encoded = [self.encoded(one, int(at)) for one, at in zip(maps, arguments[plain:], strict=True)]
            pointers.extend(one.ctypes.data for one in encoded)
        what = f"launching kernel {kernel}"
        self.call(
            "cuLaunchKernel", loaded.function(kernel, shared_bytes), blocks, 1, 1, threads, 1, 1, shared_bytes, self.stream,
            pointers.buffer_info()[0], 0, what=what,
        )  # fmt: skip

    def capture(self, work: Callable[[], None]) -> Any:
        """On a stream of its own: what other threads queue meanwhile must not get into the graph. Whatever else this thread
        does (the driver loads a kernel that it has not seen) is no part of it either: "relaxed"."""
        self._use()
        recorder = self.new_stream()
        try:
            graph = self._captured(recorder, work)
        finally:
            self.call("cuStreamDestroy", recorder)
        try:
            return self.call("cuGraphInstantiate", graph, 0, what="making a CUDA graph")
        finally:
            self.call("cuGraphDestroy", graph)

    def _captured(self, recorder: Any, work: Callable[[], None]) -> Any:
        mode = self.api.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED
        self.call("cuStreamBeginCapture", recorder, mode)
        return self.end_capture(recorder, work)

    def end_capture(self, recorder: Any, work: Callable[[], None]) -> Any:
        """Queues the work on a stream that is recorded; ends the recording, also after an error. The graph."""
        try:
            with self.using(int(recorder)):
                work()
        except BaseException:
            with suppress(HloError):  # the first error counts
                self.call("cuStreamEndCapture", recorder)
            raise
        return self.call("cuStreamEndCapture", recorder, what="recording a CUDA graph")

    @property
    def decides(self) -> bool:
        return self._conditions.are_known

    def repeat(self, condition: Condition, address: int, body: Callable[[], None]) -> None:
        self._conditions.repeat(condition, address, body)

    def choose(
        self, condition: Condition, address: int, then: Callable[[], None] | None, otherwise: Callable[[], None] | None
    ) -> None:
        self._conditions.choose(condition, address, then, otherwise)

    def replay(self, graph: Any) -> None:
        self.call("cuGraphLaunch", graph, self.stream, what="launching a CUDA graph")

    def drop(self, graph: Any) -> None:
        self.synchronize_all()
        self.call("cuGraphExecDestroy", graph)


class _Event:
    """Destroyed with this object."""

    def __init__(self, driver: CudaDriver, handle: Any):
        self.driver, self.handle = driver, handle

    def __del__(self) -> None:
        with suppress(Exception):  # at exit the bindings may be gone
            self.driver.api.cuEventDestroy(self.handle)


class _Module:
    """Loaded code."""

    def __init__(self, driver: CudaDriver, module: Any):
        self.driver, self.module = driver, module
        self.function = functools.cache(self._function)

    def _function(self, kernel: str, shared_bytes: int) -> Any:
        """Allowed to have so much dynamic shared memory: with the static one it may be more than every kernel may have."""
        call, what = self.driver.call, f"kernel {kernel} with {shared_bytes} bytes of shared memory"
        function = call("cuModuleGetFunction", self.module, kernel.encode(), what=f"kernel {kernel}")
        if shared_bytes:
            most = self.driver.api.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            call("cuFuncSetAttribute", function, most, shared_bytes, what=what)
        return function
