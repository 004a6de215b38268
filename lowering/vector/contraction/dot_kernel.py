"""The micro-kernel for products whose contracted dimension is contiguous in both operands: vectors along it, summed at the
end. C[r, n] = sum_k A(r, k) * B(n, k)."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

from hlo.lowering.vector.contraction.function_text import NOINLINE, POINTER, FunctionText, byte_size
from hlo.lowering.vector.contraction.micro_kernel import TileWriter
from hlo.lowering.vector.contraction.nest import Nest, Pointers
from hlo.lowering.vector.contraction.problem import Dim, Problem
from hlo.lowering.vector.region.blocked_sums import BLOCK

ARGUMENTS = [("a", POINTER), ("b", POINTER), ("c", POINTER)]


def dot_kernel(name: str, p: Problem, m: Dim, n: Dim, lanes: int) -> FunctionText:
    """`p`: whose last contracted dimension is contiguous; `m`, `n`: its rows and columns here."""
    f = FunctionText(name, ARGUMENTS, NOINLINE)
    writer, count = _Writer(f, p, m, n, lanes), m.size * n.size
    streams = 4 if count <= 2 else 2 if count <= 6 else 1
    outer = [(d.size, d.a, d.b) for d in p.k[:-1]]
    totals = writer.walk(outer, [f.zero(writer.vector)] * (count * streams), "%a", "%b")
    for position in range(count):
        writer.store(position, totals[position::count])
    return f


class _Writer(TileWriter):
    def __init__(self, f: FunctionText, p: Problem, m: Dim, n: Dim, lanes: int):
        super().__init__(f, lanes, p.a_type, p.b_type, p.c_type)
        self.p, self.m, self.n = p, m, n

    def along(self, sums: list[str], a: str, b: str) -> list[str]:
        """The contiguous part: some independent sums of each element, of blocks where they are long, and what is left, masked."""
        f, depth, count = self.f, self.p.k[-1].size, self.m.size * self.n.size
        streams = len(sums) // count
        step = self.lanes * streams
        main = depth // step * step

        def body(k: str | int, sums: list[str]) -> list[str]:
            out = list(sums)
            for s in range(streams):
                self._step(out, s * count, f.add(k, s * self.lanes), a, b, None)
            return out

        sums = list(sums)
        for k in range(main, depth, self.lanes):
            left = depth - k
            self._step(sums, 0, k, a, b, f.mask(self.lanes, left) if left < self.lanes else None)
        carried, block = [(t, self.vector) for t in sums], BLOCK * step
        whole = main // block * block if main > 2 * block and "f" in self.c_type else 0
        if main > whole:
            sums = f.fold(whole, main, step, carried, body)
        if not whole:
            return sums

        def one(first: str | int, sums: list[str]) -> list[str]:
            begun = [(f.zero(self.vector), self.vector)] * len(sums)
            made = f.fold(0, block, step, begun, lambda k, sums: body(f.add(first, k), sums))
            return [f.op(f"arith.addf {x}, {y} : {self.vector}") for x, y in zip(sums, made)]

        return f.fold(0, whole, block, [(t, self.vector) for t in sums], one)

    def _step(self, sums: list[str], at: int, k: str | int, a: str, b: str, mask: str | None) -> None:
        """Adds products to the sums from number `at` on."""
        p, f = self.p, self.f
        a_here, b_here = f.offset(a, k, p.a_type), f.offset(b, k, p.b_type)
        rows, columns = (
            [self.load_extended(f.offset(here, i * stride, kind), kind, extend, mask) for i in range(size)]
            for here, size, stride, kind, extend in (
                (a_here, self.m.size, self.m.a, p.a_type, p.a_extend),
                (b_here, self.n.size, self.n.b, p.b_type, p.b_extend),
            )
        )
        for number, (x, y) in enumerate(product(rows, columns), at):
            sums[number] = self.multiply_add(x, y, sums[number])

    def store(self, position: int, sums: list[str]) -> None:
        f, kind = self.f, self.c_type
        add, fast = ("arith.addf", " fastmath<reassoc>") if "f" in kind else ("arith.addi", "")
        while len(sums) > 1:
            sums = [f.op(f"{add} {x}, {y} : {self.vector}") for x, y in zip(sums[::2], sums[1::2])]
        total = f.op(f"vector.reduction <add>, {sums[0]}{fast} : {self.vector} into {kind}")
        row, column = divmod(position, self.n.size)
        f.store(total, f.offset("%c", row * self.m.c + column * self.n.c, kind), kind, byte_size(kind))


# The loops around it


class DotNest(Nest):
    """Vectors along the contracted dimension."""

    def inner(self, f: FunctionText, pointers: Pointers) -> None:
        p, plan = self.problem, self.plan
        m, n, _ = plan.inner_dims(p)

        def tile(i: str | int, j: str | int, rows: int, columns: int) -> None:
            at = self.moved(f, self.moved(f, pointers, n, j), m, i)
            name = f"{self.name}.dots_{rows}x{columns}"
            make = lambda: dot_kernel(name, p, replace(m, size=rows), replace(n, size=columns), plan.vector)
            f.call(self.kernel((rows, columns), make), at.a, at.b, at.c)

        rows, columns = (
            self.thread_range(f, *one) for one in (("m", m.size, plan.unroll_m), ("n", n.size, plan.unroll_n))
        )
        self.tiles(f, (rows, m.size, plan.unroll_m), (columns, n.size, plan.unroll_n), tile)
