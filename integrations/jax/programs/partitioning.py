"""Programs for several devices with shardings: the program of one process, before it is compiled, and as JAX shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import hlo
from hlo.dialect.printer import print_module
from hlo.pipelines.runner import run_pass
from hlo.runtime.compile.compilation import has_shardings
from hlo.runtime.grid.sharded import partitioned

if TYPE_CHECKING:
    from mlir import ir

SHOWN = ("remove-shardings", "legalize-chlo")
"""What makes of it a program that jaxlib can turn into HLO."""


def sharded_program(text: str) -> ir.Module | None:
    """The program of one process, which tells how its arrays are cut: evenly, as JAX has them. None for a program without shardings."""
    module = hlo.parse(text)
    if not has_shardings(module):
        return None
    from hlo.jax.functions.call_partitioners import PARTITIONERS

    return partitioned(module, "main", even=True, partitioners=PARTITIONERS)


def optimized_text(module: ir.Module) -> bytes:
    """What `compiled.as_text()` is made from: the collectives are in it, which the partitioner has put there."""
    copy = hlo.parse(print_module(module))
    for name in SHOWN:
        run_pass(copy, name)
    return print_module(copy).encode()
