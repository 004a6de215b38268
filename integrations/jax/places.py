"""Handles that buffers and executables refer to: the device, its memory, and the event that has always happened."""

from __future__ import annotations

from hlo.jax.process_memory import interned_text
from hlo.jax.records import permanent

MEMORY_KIND = interned_text("device")

DEVICE = permanent("device 0")
MEMORY = permanent("memory 0", *MEMORY_KIND)
READY = permanent("an event that has happened", 1)
"""All work is done when a function returns, so that one event serves for everything."""
