"""The functions that JAX's profiler asks for what ran on hlo's devices, in the order of a trace: create, start, stop,
collect the data, destroy (hlo.jax.profiler.traces, hlo.jax.profiler.xspace). Fields of their arguments begin behind one word, their
size."""

from __future__ import annotations

import ctypes
from typing import Any

from hlo.jax.code.header import HEADER_WORDS
from hlo.jax.code.process_memory import WORD, put
from hlo.jax.objects.records import OBJECTS, record, template
from hlo.jax.profiler.traces import Trace
from hlo.jax.profiler.xspace import xspace
from hlo.jax.table import slot
from hlo.jax.versions import has_profiler

OBJECT = 1 - HEADER_WORDS
"""Where the first field is, as fields of other functions are counted."""


class Profiler:
    """What JAX holds for one trace. `data`: what it was given, once it has asked."""

    def __init__(self) -> None:
        self.trace = Trace()
        self.data: Any = None

    def released(self) -> None:
        """JAX has dropped it."""
        self.trace.stop()


@slot()
def Profiler_Create(fields: int) -> None:
    """Fields: options, their size, the profiler."""
    WORD[fields + OBJECT + 2] = record(Profiler(), template())


@slot()
def Profiler_Start(fields: int) -> None:
    _profiler(fields).trace.start()


@slot()
def Profiler_Stop(fields: int) -> None:
    _profiler(fields).trace.stop()


@slot()
def Profiler_CollectData(fields: int) -> None:
    """Fields: profiler, memory, its size. Without memory, JAX gets the profiler's own; with memory, the data is copied there."""
    profiler = _profiler(fields)
    if profiler.data is None:
        found = xspace(profiler.trace)
        profiler.data = ctypes.create_string_buffer(found, max(1, len(found))), len(found)
    buffer, size = profiler.data
    if WORD[fields + OBJECT + 1]:
        ctypes.memmove(WORD[fields + OBJECT + 1], buffer, size)
        WORD[fields + OBJECT + 2] = size
    else:
        put(fields + OBJECT + 1, ctypes.addressof(buffer), size)


def _profiler(fields: int) -> Profiler:
    return OBJECTS[WORD[fields + OBJECT]]


def offer_profiler(capsule: Any) -> None:
    """From now on JAX's traces ask the table's extension, if jaxlib is known to take a table of this size: others end
    the process over it."""
    if has_profiler():
        from jax._src.lib import _profiler

        _profiler.register_plugin_profiler(capsule)
