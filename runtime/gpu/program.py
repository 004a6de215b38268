"""A program compiled for a GPU as data: what an executable is made from, in this process or another."""

from __future__ import annotations

import numpy as np

from hlo.lazy_dataclasses import dataclass
from hlo.runtime.calls.signature import Signature
from hlo.runtime.custom_calls.registry import CustomCall
from hlo.runtime.gpu.plan import Plan


@dataclass(frozen=True)
class DeviceProgram:
    """`device`: "cuda", whose code is PTX for cards from `arch` on, or "model", whose code is data (model/code.py)."""

    plan: Plan
    code: str
    constants: tuple[np.ndarray, ...]
    signature: Signature
    custom_calls: tuple[CustomCall, ...] = ()
    device: str = "cuda"
    arch: str = "sm_80"
