"""From a module after the GPU phases to an executable."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from mlir import ir

from hlo.lowering.gpu.ptx import ptx_of
from hlo.runtime.calls.signature import Signature
from hlo.runtime.compile.code_options import gpu_code_options
from hlo.runtime.compile.loader import _custom_call, take_constants
from hlo.runtime.gpu.executable import GpuExecutable
from hlo.runtime.gpu.model.read_code import code_of
from hlo.runtime.gpu.program import DeviceProgram
from hlo.runtime.gpu.read_plan import read_plan


def load(
    module: ir.Module,
    signature: Signature,
    *,
    device: str = "cuda",
    arch: str = "sm_80",
    phases: Mapping[str, str] | None = None,
) -> GpuExecutable:
    """Makes an executable of what the target's last phase left: for the device "model" the phase "device", for "cuda"
    the phase "nvvm". `arch` was used by the pipeline. The device is first looked for when the executable is called."""
    with module.context:
        plan = read_plan(module, len(signature.results))
        records = ir.ArrayAttr(module.operation.attributes["hlo.custom_calls"])
        calls = tuple(_custom_call(ir.DictAttr(a)) for a in records)
        constants = tuple(np.array(one) for one in take_constants(module))  # copies: nothing keeps the context
    code = code_of(module) if device == "model" else _ptx(module)
    return GpuExecutable(DeviceProgram(plan, code, constants, signature, calls, device, arch), phases=phases)


def _ptx(module: ir.Module) -> str:
    """The same text in every process."""
    with gpu_code_options():
        return ptx_of(module)
