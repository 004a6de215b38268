"""From a module after the GPU phases to an executable."""

from __future__ import annotations

from collections.abc import Mapping

from mlir import ir

from hlo.errors import ArgumentError
from hlo.runtime.gpu.driver import Driver
from hlo.runtime.gpu.executable import DeviceProgram, GpuExecutable
from hlo.runtime.gpu.model.driver import ModelDriver
from hlo.runtime.gpu.read_plan import read_plan
from hlo.runtime.loader import _custom_call, _take_constants
from hlo.runtime.signature import Signature


def load(
    module: ir.Module, signature: Signature, *, device: str = "model", phases: Mapping[str, str] | None = None
) -> GpuExecutable:
    """Makes an executable of a module after the phase "device" (device="model")."""
    with module.context:
        plan = read_plan(module, len(signature.results))
        calls = [_custom_call(ir.DictAttr(a)) for a in ir.ArrayAttr(module.operation.attributes["hlo.custom_calls"])]
        constants = tuple(_take_constants(module))
    program = DeviceProgram(plan, str(module), constants, signature)
    return GpuExecutable(program, driver_named(device), custom_calls=calls, phases=phases)


def driver_named(device: str) -> Driver:
    if device != "model":
        raise ArgumentError(f"unknown device {device!r}; devices: model")
    return ModelDriver()
