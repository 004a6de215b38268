"""HLO text, XLA's own printed form, to StableHLO: `read_hlo`.

Comes in: `HloModule ...`, as `jax.jit(f).lower(x).compiler_ir("hlo").as_hlo_text()` and XLA's dumps print it, optimised or not. Goes out: a
module of StableHLO ops, whose locations are positions in the text. Read by `dialect.reader`.

    syntax   what a text says: computations, instructions, shapes, attributes as text
    shapes, literals   types and elements
    attributes   an instruction's attributes as numbers, groups, windows
    forms    the table: which StableHLO op an opcode is, with which attributes
    special_forms   opcodes that are no single op: tuples, calls, loops, ...
    limits   what is too large, or endless
    emission   computations to functions and regions"""

from __future__ import annotations

import re

from mlir import ir

from hlo.dialect.diagnostics import Source

__all__ = ["is_hlo_text", "read_hlo"]

_FIRST_WORD = re.compile(r"(?:\s+|//[^\n]*|/\*(?:[^*]|\*(?!/))*\*/)*HloModule\b")


def is_hlo_text(text: str) -> bool:
    """Whether the first word says that this is HLO text."""
    return "HloModule" in text and _FIRST_WORD.match(text) is not None


def read_hlo(source: Source, context: ir.Context) -> ir.Module:
    """The module that a text describes. Raises ParseError with the position of the first mistake."""
    from hlo.dialect.hlo_text.emission import emit_module  # most programs need nothing of it
    from hlo.dialect.hlo_text.syntax import parse_text

    return emit_module(parse_text(source), context)
