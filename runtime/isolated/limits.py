"""What a compilation in a worker process may take."""

from __future__ import annotations

from numbers import Real
from typing import Any

from hlo.environment import ISOLATE, ISOLATE_BYTES, ISOLATE_SECONDS
from hlo.errors import ArgumentError
from hlo.lazy_dataclasses import dataclass
from hlo.program_text import machine_memory


@dataclass(frozen=True)
class Limits:
    """`seconds`: of a compilation, from its request to its answer. `bytes`: of the worker's address space; 0: no limit. Without them:
    HLO_ISOLATE_SECONDS (600) and HLO_ISOLATE_BYTES (the memory of the machine)."""

    seconds: float = 0
    bytes: int = 0


def limits_of(isolate: Any) -> Limits | None:
    """What the option `isolate` asks for; None: the compilation is done in this process. Raises ArgumentError."""
    if isolate is None:
        isolate = ISOLATE.value()
    if isinstance(isolate, bool):
        return _filled(Limits()) if isolate else None
    if not isinstance(isolate, Limits):
        raise ArgumentError(f"isolate takes True, False or hlo.Limits(seconds=, bytes=), found {isolate!r}")
    for name, value in vars(isolate).items():
        if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) < 1 << 62:
            raise ArgumentError(f"Limits: {name} takes a number from 0, found {value!r}")
    return _filled(isolate)


def _filled(limits: Limits) -> Limits:
    return Limits(
        limits.seconds or ISOLATE_SECONDS.value(), int(limits.bytes or ISOLATE_BYTES.value() or machine_memory())
    )
