"""The micro-kernel for products whose contracted dimension is contiguous in both operands: vectors along it, summed at the
end. C[r, n] = sum_k A(r, k) * B(n, k)."""

from __future__ import annotations

from dataclasses import dataclass

from hlo.lowering.vector.contraction.function_text import POINTER, FunctionText, byte_size

ARGUMENTS = [("a", POINTER), ("b", POINTER), ("c", POINTER)]
MOST_ROWS, MOST_COLUMNS = 4, 4


@dataclass(frozen=True)
class DotTile:
    """Strides in elements; `depth` elements are contiguous, `outer` the contracted dimensions around them."""

    rows: int
    columns: int
    lanes: int
    depth: int
    a_row: int
    b_column: int
    c_row: int
    c_column: int
    a_type: str
    b_type: str
    c_type: str
    a_extend: str
    b_extend: str
    outer: tuple[tuple[int, int, int], ...]


def dot_kernel(name: str, tile: DotTile) -> FunctionText:
    f = FunctionText(name, ARGUMENTS, 'attributes {passthrough = ["noinline"]}')
    writer = _Writer(f, tile)
    streams = 4 if tile.rows * tile.columns <= 2 else 2 if tile.rows * tile.columns <= 6 else 1
    totals = writer.walk(list(tile.outer), [f.zero(writer.vector)] * (writer.count * streams), "%a", "%b", streams)
    for position in range(writer.count):
        writer.store(position, [totals[s * writer.count + position] for s in range(streams)])
    return f


class _Writer:
    def __init__(self, f: FunctionText, tile: DotTile):
        self.f, self.tile = f, tile
        self.vector = f"vector<{tile.lanes}x{tile.c_type}>"
        self.count = tile.rows * tile.columns

    def walk(self, outer, totals: list[str], a: str, b: str, streams: int) -> list[str]:
        f, tile = self.f, self.tile
        if not outer:
            return self._along(totals, a, b, streams)
        (size, a_stride, b_stride), *rest = outer

        def body(_, values):
            *sums, a_here, b_here = values
            inner = self.walk(rest, sums, a_here, b_here, streams)
            return [*inner, f.offset(a_here, a_stride, tile.a_type), f.offset(b_here, b_stride, tile.b_type)]

        carried = [*((t, self.vector) for t in totals), (a, POINTER), (b, POINTER)]
        return f.fold(0, size, 1, carried, body)[:-2]

    def _along(self, totals: list[str], a: str, b: str, streams: int) -> list[str]:
        """The contiguous part: `streams` independent sums, then what is left, masked."""
        f, tile = self.f, self.tile
        step = tile.lanes * streams
        main = tile.depth // step * step

        def body(k, sums):
            out = list(sums)
            for s in range(streams):
                self._step(out, s, f.add(k, s * tile.lanes), a, b, None)
            return out

        totals = f.fold(0, main, step, [(t, self.vector) for t in totals], body) if main else list(totals)
        for k in range(main, tile.depth, tile.lanes):
            left = tile.depth - k
            mask = f.mask(tile.lanes, left) if left < tile.lanes else None
            self._step(totals, 0, k, a, b, mask)
        return totals

    def _step(self, totals: list[str], stream: int, k, a: str, b: str, mask: str | None) -> None:
        tile, f = self.tile, self.f
        a_here, b_here = f.offset(a, k, tile.a_type), f.offset(b, k, tile.b_type)
        rows = [self._load(a_here, r * tile.a_row, tile.a_type, tile.a_extend, mask) for r in range(tile.rows)]
        columns = [self._load(b_here, c * tile.b_column, tile.b_type, tile.b_extend, mask) for c in range(tile.columns)]
        for r, x in enumerate(rows):
            for c, y in enumerate(columns):
                at = stream * self.count + r * tile.columns + c
                totals[at] = self._multiply_add(x, y, totals[at])

    def _load(self, pointer: str, offset: int, element: str, extend: str, mask: str | None) -> str:
        f, lanes = self.f, self.tile.lanes
        place = f.offset(pointer, offset, element)
        size = byte_size(element)
        value = (
            f.masked_load(place, mask, lanes, element, size)
            if mask
            else f.load(place, f"vector<{lanes}x{element}>", size)
        )
        return f.op(f"{extend} {value} : vector<{lanes}x{element}> to {self.vector}") if extend else value

    def _multiply_add(self, x: str, y: str, total: str) -> str:
        if "f" in self.tile.c_type:
            return self.f.op(f"vector.fma {x}, {y}, {total} : {self.vector}")
        return self.f.op(f"arith.addi {self.f.op(f'arith.muli {x}, {y} : {self.vector}')}, {total} : {self.vector}")

    def store(self, position: int, sums: list[str]) -> None:
        f, tile = self.f, self.tile
        is_float = "f" in tile.c_type
        while len(sums) > 1:
            add = "arith.addf" if is_float else "arith.addi"
            sums = [f.op(f"{add} {x}, {y} : {self.vector}") for x, y in zip(sums[::2], sums[1::2])]
        fast = " fastmath<reassoc>" if is_float else ""
        total = f.op(f"vector.reduction <add>, {sums[0]}{fast} : {self.vector} into {tile.c_type}")
        row, column = divmod(position, tile.columns)
        f.store(
            total,
            f.offset("%c", row * tile.c_row + column * tile.c_column, tile.c_type),
            tile.c_type,
            byte_size(tile.c_type),
        )
