"""The launch plan: what the host does, as data. No MLIR is needed to keep, save or run one.

A plan is a program over registers. A register holds an address in device memory or a scalar. The first registers are the
program's arguments, results and constants (addresses), then the arena."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from hlo.lazy_dataclasses import dataclass

Register = int


@dataclass(frozen=True)
class Offset:
    """`result` is the address `base` plus `bytes`."""

    result: Register
    base: Register
    bytes: int


@dataclass(frozen=True)
class TensorMap:
    """How the TMA of sm_90 finds boxes of an array of `kind` elements ("bf16", "f16", "i8", "tf32": f32 that is rounded on
    the way): `sizes` and `box` in elements, innermost first; `strides` in bytes, of all dimensions but the innermost. Of dimensions
    of which the box has every so many-th element `steps` tells how many-th. Rows of 128 bytes, swizzled; zeros outside."""

    kind: str
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    box: tuple[int, ...]
    steps: tuple[int, ...] = ()


@dataclass(frozen=True)
class Launch:
    """Runs a kernel with `blocks` times `threads` threads; its arguments are addresses, of which the last are passed as
    `maps` of the arrays there. `location` tells where in the program the kernel comes from ("file:line:column")."""

    kernel: str
    blocks: int
    threads: int
    arguments: tuple[Register, ...]
    shared_bytes: int = 0
    location: str = ""
    maps: tuple[TensorMap, ...] = ()


@dataclass(frozen=True)
class Copy:
    """Copies within device memory; the two may be the same but do not overlap otherwise."""

    target: Register
    source: Register
    bytes: int


@dataclass(frozen=True)
class Read:
    """`result` is the scalar at an address; the host waits for it. `dtype`: its numpy type."""

    result: Register
    address: Register
    dtype: str


@dataclass(frozen=True)
class Compute:
    """`result` is a scalar that the host computes: an operation of SCALARS on registers, or a constant."""

    result: Register
    operation: str
    operands: tuple[Register, ...] = ()
    value: Any = None


@dataclass(frozen=True)
class HostCall:
    """Calls the custom call of this number with arrays copied from the addresses, and copies its results back."""

    number: int
    addresses: tuple[Register, ...]


@dataclass(frozen=True)
class Body:
    """Steps, after `parameters` were set; `results` are what it passes on."""

    parameters: tuple[Register, ...] = ()
    steps: tuple[Any, ...] = ()
    results: tuple[Register, ...] = ()


@dataclass(frozen=True)
class While:
    """As scf.while: `before` runs with the carried values and ends with `condition`; if true, `after` runs with its
    results and gives the next carried values."""

    initial: tuple[Register, ...]
    before: Body
    condition: Register
    after: Body
    results: tuple[Register, ...] = ()


@dataclass(frozen=True)
class If:
    condition: Register
    then: Body
    otherwise: Body
    results: tuple[Register, ...] = ()


@dataclass(frozen=True)
class Condition:
    """What the device decides by: whether the number at an address (`dtype`: its numpy type), masked, is the expected one
    (or is not, if not `equal`)."""

    address: Register
    dtype: str
    mask: int
    expected: int
    equal: bool = True

    def holds(self, number: int) -> bool:
        return ((number & self.mask) == self.expected) == self.equal


@dataclass(frozen=True)
class Repeat:
    """Steps that the device repeats while a condition holds; it is tested before each iteration."""

    condition: Condition
    steps: tuple[Any, ...]


@dataclass(frozen=True)
class Choose:
    """Steps that the device does if a condition holds, and others if not."""

    condition: Condition
    then: tuple[Any, ...]
    otherwise: tuple[Any, ...]


@dataclass(frozen=True)
class Plan:
    """`arena`: bytes of temporaries. `registers`: how many there are."""

    steps: tuple[Any, ...]
    registers: int
    arguments: int
    results: int
    constants: int
    arena: int
    kernels: tuple[str, ...] = field(default=())
