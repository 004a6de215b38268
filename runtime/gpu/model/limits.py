"""What NVIDIA's driver or processor refuses whatever the code computes: sizes of launches, tensor maps, registers that warpgroups
hand on. CUDA Programming Guide, "Technical Specifications per Compute Capability"; cuTensorMapEncodeTiled; PTX ISA, setmaxnreg."""

from __future__ import annotations

import numpy as np

from hlo.errors import HloError
from hlo.runtime.gpu.plan import TensorMap

MOST_THREADS, MOST_BLOCKS, MOST_ARGUMENT_BYTES = 1024, (1 << 31) - 1, 32764
"""Of a block, of a launch, of a kernel's arguments (from PTX 8.1 on, which lowering/gpu/ptx.py asks for where they need it)."""

SHARED_BYTES = 227 << 10
"""Static and dynamic, of a block of sm_90."""

DYNAMIC_ALIGNMENT = 1024
"""Of dynamic shared memory, as code for a card declares it: the static memory in front of it is filled up."""

MAP_BYTES, POINTER_BYTES = 128, 8
"""Of arguments."""

REGISTERS, STEP, LEAST, MOST = 1 << 16, 8, 24, 256
"""Of a multiprocessor; multiples of which a thread has; how many setmaxnreg gives."""

WARPGROUP = 128

ROW, ALIGNMENT = 128, 16
LONGEST_BOX, MOST_STEPS, LARGEST_SIZE, LARGEST_STRIDE, MOST_DIMENSIONS = 256, 8, 1 << 32, 1 << 40, 5
"""Of tensor maps without interleaving, swizzled by 128 bytes."""


def check_launch(kernel: str, blocks: int, threads: int, static: int, dynamic: int) -> None:
    """`static`, `dynamic`: bytes of shared memory."""
    shared = (-(-static // DYNAMIC_ALIGNMENT) * DYNAMIC_ALIGNMENT if dynamic else static) + dynamic
    reasons = {
        f"{blocks} blocks": not 0 < blocks <= MOST_BLOCKS,
        f"{threads} threads a block": not 0 < threads <= MOST_THREADS,
        f"{shared} bytes of shared memory": shared > SHARED_BYTES,
    }
    _refuse(f"kernel {kernel}", reasons)


def check_arguments(kernel: str, count: int, maps: int) -> None:
    """`maps`: how many of them are tensor maps, passed by value."""
    size = (count - maps) * POINTER_BYTES + maps * MAP_BYTES
    _refuse(f"kernel {kernel}", {f"{size} bytes of arguments": size > MOST_ARGUMENT_BYTES})


def check_map(one: TensorMap, address: int, size: int) -> None:
    """`size`: of an element, in bytes."""
    steps = one.steps or (1,) * len(one.box)
    reasons = {
        "dimensions": not 1 <= len(one.sizes) <= MOST_DIMENSIONS,
        "address": address % ALIGNMENT != 0,
        "sizes": any(not 0 < n <= LARGEST_SIZE for n in one.sizes),
        "strides": any(n % ALIGNMENT or not 0 < n < LARGEST_STRIDE for n in one.strides),
        "box": any(not 0 < n * step <= LONGEST_BOX for n, step in zip(one.box, steps)),
        "row": one.box[0] * size > ROW or one.box[0] * size % ALIGNMENT != 0,
        "steps": any(not 0 < step <= MOST_STEPS for step in steps) or steps[0] != 1,
        "numbers": {len(one.sizes), len(one.strides) + 1, len(one.box), len(steps)} != {len(one.sizes)},
    }
    _refuse(f"tensor map {one} at {address:#x}", reasons)


def _refuse(what: str, reasons: dict[str, bool]) -> None:
    found = [reason for reason, is_one in reasons.items() if is_one]
    if found:
        raise HloError(f"{what}: a card refuses {', '.join(found)}")


class Registers:
    """Of a launch with so many `threads` a block: how many each thread has, as setmaxnreg changes it."""

    def __init__(self, blocks: int, threads: int):
        self.threads = threads
        self.at_first = min(REGISTERS // threads // STEP * STEP, MOST - 1)
        self._each: np.ndarray | None = None
        self._size = blocks * threads

    def set(self, mask: np.ndarray, count: int, increases: bool, name: str) -> None:
        """All threads of the mask, which are whole warpgroups, have `count` from now on."""
        groups = mask.reshape(-1, WARPGROUP)
        if (groups.any(1) != groups.all(1)).any():
            raise HloError(f"kernel {name}: registers of a part of a warpgroup")
        if self._each is None:
            self._each = np.full(self._size, self.at_first)
        wrong = self._each[mask] > count if increases else self._each[mask] < count
        if count % STEP or not LEAST <= count <= MOST or wrong.any():
            raise HloError(f"kernel {name}: {self._each[mask][0]} registers a thread become {count}")
        self._each[mask] = count

    def finish(self) -> None:
        """The launch ends. Raises HloError where a warpgroup waits for registers that nobody gives back."""
        if self._each is None:
            return
        most = int(self._each.reshape(-1, self.threads).sum(1).max())
        if most > self.at_first * self.threads:
            raise HloError(
                f"{most} registers a block of {self.at_first * self.threads}; on a card the kernel would hang"
            )
