"""Calls of LAPACK's routines for small matrices that become code of the program: how their problems are laid out and gone through."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from mlir import ir

from hlo.dialect.stablehlo import CustomCallOp
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.linear_algebra.interleaving import Batch
from hlo.lowering.linalg.loops import Index, element, shape
from hlo.lowering.linalg.parts import Array
from hlo.lowering.linalg.rules import Lowering

INTERLEAVED, ALONE = 32, 8
"""Orders up to which this is faster than LAPACK: of matrices that are interleaved, of others."""

LETTERS = {"f32": "s", "f64": "d", "complex<f32>": "c", "complex<f64>": "z"}

At = Callable[..., list[Index]]
"""Where an element of the problem at hand is in an array."""


TARGET = re.compile(r"lapack_([sdcz])(\w+)_ffi")


def routine_of(op: CustomCallOp) -> str:
    """The routine that a call is of, without the letter of its element type (potrf), where the first operand is an array of that type
    with static sizes; "" for other calls."""
    match = TARGET.fullmatch(op.call_target_name)
    kind = op.operands[0].type if match and len(op.operands) else None
    if match is None or not isinstance(kind, ir.RankedTensorType) or not kind.has_static_shape:
        return ""
    return match[2] if LETTERS.get(str(kind.element_type)) == match[1] else ""


CONFIGS = "mhlo.backend_config", "backend_config"
"""Attributes that may have a call's options."""


def letters_of(op: CustomCallOp) -> dict[str, str]:
    """The options of a call that are codes of letters."""
    configs = (op.attributes.get(key, None) for key in CONFIGS)
    config = next((one for one in configs if isinstance(one, ir.DictAttr)), ())
    codes = {e.name: ir.IntegerAttr(e.attr).value for e in config if isinstance(e.attr, ir.IntegerAttr)}
    return {name: chr(code) for name, code in codes.items() if 0 < code < 128}


def largest_of_ours(batch: Batch, filled: int) -> int:
    """The order up to which this is faster than LAPACK. `filled`: where interleaved matrices fill their vectors."""
    return (filled if batch.is_filled else INTERLEAVED) if batch.lanes else ALONE


@dataclass(frozen=True)
class Call:
    """A call of a routine: operands as the program has them, types of results, options as letters."""

    lowering: Lowering
    operands: Sequence[ir.Value]
    results: Sequence[ir.Type]
    options: dict[str, str]

    def has_results(self, *expected: ir.Type) -> bool:
        return list(self.results) == list(expected)

    def batch(self, filled: int = INTERLEAVED) -> Batch | None:
        """How the matrices of the first operand are laid out; None where LAPACK is faster, or there is nothing to compute. `filled`: the order up to which
        it is not, where interleaved matrices fill their vectors."""
        *extents, rows, columns = shape(self.operands[0])
        batch = Batch.of(extents, element(self.operands[0]))
        is_ours = self.lowering.own_lapack or max(rows, columns) <= largest_of_ours(batch, filled)
        return batch if is_ours and 0 not in shape(self.operands[0]) else None

    def run(
        self,
        name: str,
        batch: Batch,
        arrays: Sequence[Array],
        solve: Callable[..., list[Array]],
        read: Sequence[Array] = (),
    ) -> list[ir.Value]:
        """`solve_each` of this program."""
        return solve_each(self.lowering, name, batch, arrays, solve, read)


def solve_each(
    lowering: Lowering,
    name: str,
    batch: Batch,
    arrays: Sequence[Array],
    solve: Callable[..., list[Array]],
    read: Sequence[Array] = (),
    extents: Sequence[int] = (),
    through: Callable[..., list[ir.Value]] | None = None,
) -> list[ir.Value]:
    """The results of `solve(at, *position, *arrays, *read)` for each problem, as the program has them: what becomes of `arrays`. `extents`: problems
    of each matrix, by their position; `through`: how all are gone through, if not as loops of this program are."""
    outer, counts = batch.outer(), [len(a.tensors) for a in arrays]
    tensors, others = ([t for a in group for t in a.tensors] for group in (arrays, read))
    loops, independent = lowering.outer_loops([*outer, *extents])

    def build(updated: list[ir.Value], others: list[ir.Value]) -> list[ir.Value]:
        constant = _grouped(others, [len(a.tensors) for a in read])

        def one(position: list[Index], *values: ir.Value) -> list[ir.Value]:
            at, inner = batch.at(position[: len(outer)]), position[len(outer) :]
            return [t for a in solve(at, *inner, *_grouped(values, counts), *constant) for t in a.tensors]

        return (through or loops)([*outer, *extents], one, updated)

    made = lowering.outline(name, tensors, others, build, outer[0] if batch.lanes else independent)
    return [batch.take(a) for a in _grouped(made, counts)]


def _grouped(values: Sequence[ir.Value], counts: Sequence[int]) -> list[Array]:
    """Tensors, one after the other, as arrays of so many."""
    starts = [sum(counts[:n]) for n in range(len(counts))]
    return [Array(tuple(values[start : start + count])) for start, count in zip(starts, counts)]
