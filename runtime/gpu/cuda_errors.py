"""What to do about errors of NVIDIA's driver, and about code that is for other cards."""

from __future__ import annotations

import re

from hlo.errors import HloError

MODEL = "device='model' runs programs without a card"

ADVICE = {
    "CUDA_ERROR_NO_DEVICE": f"no NVIDIA card is there, or CUDA_VISIBLE_DEVICES hides it; {MODEL}",
    "CUDA_ERROR_DEVICES_UNAVAILABLE": "another process has the card for itself (nvidia-smi shows which)",
    "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH": "the driver's library and kernel module have different versions: restart the machine",
    "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE": f"the driver is too old for this library of CUDA: update it; {MODEL}",
    "CUDA_ERROR_OUT_OF_MEMORY": "other programs may have the rest of the card's memory (nvidia-smi shows them)",
    "CUDA_ERROR_UNSUPPORTED_PTX_VERSION": "the driver is too old for this code: update it (nvidia-smi shows its version)",
    "CUDA_ERROR_NO_BINARY_FOR_GPU": "compile the program for this card: hlo.compile(..., arch='sm_80') runs on all from A100 on",
    "CUDA_ERROR_ILLEGAL_ADDRESS": "HLO_GPU_CHECK=1 names the kernel; start the process anew, its device cannot go on",
    "CUDA_ERROR_LAUNCH_FAILED": "HLO_GPU_CHECK=1 names the kernel; start the process anew, its device cannot go on",
    "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES": "the kernel needs more registers or shared memory than the card has; "
    "compile the program for this card (arch=)",
}
"""By the driver's name of the error."""


def advised(message: str, error: str) -> str:
    """The message, with what to do about it where that is known."""
    return f"{message}: {ADVICE[error]}" if error in ADVICE else message


def check_target(code: str, capability: tuple[int, ...]) -> None:
    """Raises HloError for PTX that a card of a compute capability cannot run: that of a later one, or (sm_90a) of that one
    only."""
    match = re.search(r"^\.target\s+sm_(\d+)(\d)([af]?)", code, re.M)
    if not match:
        return
    wanted, only = (int(match[1]), int(match[2])), match[3]
    fits = wanted == capability if only == "a" else wanted <= capability and (not only or wanted[0] == capability[0])
    if not fits:
        found = ".".join(map(str, capability))
        raise HloError(
            f"the program was compiled for sm_{match[1]}{match[2]}{only}, the card has compute capability {found}; "
            "hlo.compile(..., arch='sm_80') makes code for all cards from A100 on"
        )
