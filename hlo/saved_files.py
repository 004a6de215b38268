"""How files of compiled programs begin. Importing this costs nothing: hlo-run asks it of each file."""

from __future__ import annotations

FAMILY = b"hlo compiled program, format "
MAGIC = FAMILY + b"9\n\0"
ELF = b"\x7fELF"
"""A shared library."""

STAYS = (0x6FFFFFFB).to_bytes(8, "little") + (8).to_bytes(8, "little")
"""DT_FLAGS_1 with DF_1_NODELETE, the last entry of the dynamic section of a library whose threads outlive `dlclose`:
the loader keeps it in the process."""

END = bytes(16)
"""DT_NULL, which ends the section, and what is loaded of our libraries."""


def is_executable(data: bytes) -> bool:
    """Whether the beginning of a file is that of a saved program, of any version."""
    return data.startswith((FAMILY, ELF))
