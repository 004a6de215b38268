"""Damaged bytecode: modules and portable artifacts with bytes changed, lost, doubled or moved, and lengths that lie."""

from __future__ import annotations

import io
import random
import re
from contextlib import suppress
from functools import cache

from hlo.tools.fuzz import texts

EVERY = 8
"""Every so many of the project's programs are turned to bytecode."""
_CHECK = re.compile(r"^.*check\..*$", re.MULTILINE)
"""Lines of a dialect that jaxlib does not have."""


@cache
def seeds() -> list[bytes]:
    """Programs as bytecode of both kinds, written by jaxlib."""
    from jax._src.interpreters.mlir import make_ir_context
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import stablehlo

    files = []
    with make_ir_context():
        for text in texts.seeds()[::EVERY]:
            try:
                module = ir.Module.parse(_CHECK.sub("", text))
            except ir.MLIRError:
                continue
            buffer = io.BytesIO()
            module.operation.write_bytecode(buffer)
            files.append(buffer.getvalue())
            with suppress(ValueError):  # VHLO has no such ops of scalars
                files.append(stablehlo.serialize_portable_artifact(module, stablehlo.get_current_version(), True))
    return files


def mutant(seed: int, number: int) -> bytes:
    """File `number` of a seed."""
    choose = random.Random(f"{seed}:{number}")
    data = bytearray(choose.choice(seeds()))
    for _ in range(choose.choice((1, 1, 2, 4, 16))):
        start = choose.randrange(4, max(len(data), 5))
        length = choose.choice((1, 1, 2, 8, 64))
        kind = choose.randrange(6)
        if kind == 0:
            data[start : start + 1] = bytes([choose.randrange(256)])
        elif kind == 1:
            data[start : start + length] = b""
        elif kind == 2:
            data[start:start] = data[start : start + length]
        elif kind == 3:
            data[start : start + length] = choose.choice((b"\xff", b"\x00", b"\x01")) * length
        elif kind == 4:
            other = choose.randrange(4, max(len(data), 5))
            data[start : start + length] = data[other : other + length]
        else:
            del data[start:]
    return bytes(data)
