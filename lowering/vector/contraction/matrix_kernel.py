"""The micro-kernel on tile registers (AMX), where one instruction multiplies two tiles.

    sums[r, v] (+)= sum_k A[r, k] * B[k, v]      r, v < 2; a tile of A has 16 rows of 64 bytes, one of B 16 rows of 16 words

Panels are those of dot products (`packing.py`), with zeros up to whole tiles. How many rows and columns each register has is configured
before the first of the tiles of a size, so that left-over rows and columns are smaller tiles."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.target import TILE_ROWS
from hlo.lowering.vector.contraction.function_text import POINTER, External, FunctionText, byte_size
from hlo.lowering.vector.contraction.micro_kernel import ARGUMENTS, Tile
from hlo.lowering.vector.contraction.schedule import MOST_TILES

ROW_BYTES, REGISTERS, PALETTE = 64, 8, 1
COLUMN_BYTES_AT, ROWS_AT, CONFIGURATION_BYTES = 16, 48, 64
"""Where the configuration has, for each register, the bytes of a row (in two bytes) and the rows (in one)."""
A, B = MOST_TILES * MOST_TILES, MOST_TILES * MOST_TILES + MOST_TILES
"""The first registers of the operands; those of the sums come before."""
SIGNS = {"arith.extsi": "s", "arith.extui": "u"}


@dataclass(frozen=True)
class Registers:
    """The rows and columns of C that tile registers hold, and the columns of one."""

    rows: int
    columns: int
    lanes: int


def configuration(name: str, registers: Registers) -> FunctionText:
    """A function that gives the registers the sizes of their tiles."""
    rows, columns, lanes = registers.rows, registers.columns, registers.lanes
    sizes = [(0, 0)] * REGISTERS
    for r, height in enumerate(_parts(rows, TILE_ROWS)):
        sizes[A + r] = height, ROW_BYTES
        for v, width in enumerate(_parts(columns, lanes)):
            sizes[_sum(r, v)] = height, width * 4
            sizes[B + v] = TILE_ROWS, width * 4
    data = bytearray(CONFIGURATION_BYTES)
    data[0] = PALETTE
    for register, (height, width) in enumerate(sizes):
        data[COLUMN_BYTES_AT + 2 * register] = width
        data[ROWS_AT + register] = height
    f, kind = FunctionText(name, []), f"vector<{CONFIGURATION_BYTES}xi8>"
    place = f.op(f"llvm.alloca {f.i64(1)} x {kind} {{alignment = 64 : i64}} : (i64) -> {POINTER}")
    f.store(f.constant(f"dense<{[b if b < 128 else b - 256 for b in data]}>", kind), place, kind, 64)
    _instruction(f, "ldtilecfg", (place, POINTER))
    return f


@contextmanager
def configured(f: FunctionText, configure: External) -> Iterator[None]:
    """Around the tiles of a size. Then the registers hold nothing any more: the system need not save them."""
    f.call(configure)
    yield
    _instruction(f, "tilerelease")


def matrix_kernel(name: str, tile: Tile) -> FunctionText:
    """A function of ARGUMENTS, for registers that are configured."""
    f = FunctionText(name, ARGUMENTS)
    _Writer(f, tile).write()
    return f


class _Writer:
    def __init__(self, f: FunctionText, tile: Tile):
        self.f, self.tile = f, tile
        self.heights, self.widths = _parts(tile.rows, TILE_ROWS), _parts(tile.columns, tile.lanes)
        self.a_row, self.a_depth = tile.a_row or "%a_row", tile.a_depth or "%a_depth"
        self.a_stride = f.i64(f.mul(self.a_row, byte_size(tile.a_type)))
        self.b_stride = f.i64(f.mul("%b_depth", byte_size(tile.b_type)))
        self.c_stride = f.i64(f.mul("%c_row", byte_size(tile.c_type)))

    def write(self) -> None:
        self._begin()
        self._walk()
        self._move_sums("tilestored64")

    def _begin(self) -> None:
        """Sums are zero, or what C has of earlier blocks."""
        for row in range(self.tile.rows):
            for v in range(len(self.widths)):
                place = self.f.offset("%c", self.f.mul("%c_row", row), self.tile.c_type)
                self.f.prefetch(self.f.offset(place, v * self.tile.lanes, self.tile.c_type), write=True)
        if not self.tile.accumulates:
            return self._clear()
        self.f.do("scf.if %first {")
        self._clear()
        self.f.do("} else {")
        self._move_sums("tileloadd64")
        self.f.do("}")
        return None

    def _clear(self) -> None:
        for r in range(len(self.heights)):
            for v in range(len(self.widths)):
                _instruction(self.f, "tilezero", _sum(r, v))

    def _walk(self) -> None:
        f, tile = self.f, self.tile

        def step(_: str | int, values: list[str]) -> list[str]:
            a, b = values
            for v in range(len(self.widths)):
                part = f.offset(b, v * tile.lanes * tile.group, tile.b_type)
                _instruction(self.f, "tileloadd64", B + v, (part, POINTER), (self.b_stride, "i64"))
            next_a = f.offset(a, f.mul(self.a_depth, TILE_ROWS), tile.a_type)
            for row in range(tile.rows):
                f.prefetch(f.offset(next_a, f.mul(self.a_row, row), tile.a_type), once=True)
            for r in range(len(self.heights)):
                part = f.offset(a, f.mul(self.a_row, r * TILE_ROWS), tile.a_type)
                _instruction(self.f, "tileloadd64", A + r, (part, POINTER), (self.a_stride, "i64"))
                for v in range(len(self.widths)):
                    _instruction(self.f, self._product(), _sum(r, v), A + r, B + v)
            return [
                next_a,
                f.offset(b, f.mul("%b_depth", TILE_ROWS), tile.b_type),
            ]

        depth = TILE_ROWS * tile.group
        f.fold(0, tile.depth or "%depth", depth, [("%a", POINTER), ("%b", POINTER)], step)

    def _product(self) -> str:
        if self.tile.b_type == "bf16":
            return "tdpbf16ps"
        return f"tdpb{SIGNS[self.tile.a_extend]}{SIGNS[self.tile.b_extend]}d"

    def _move_sums(self, instruction: str) -> None:
        f, kind = self.f, self.tile.c_type
        for r in range(len(self.heights)):
            row = f.offset("%c", f.mul("%c_row", r * TILE_ROWS), kind)
            for v in range(len(self.widths)):
                place = f.offset(row, v * self.tile.lanes, kind)
                _instruction(self.f, instruction, _sum(r, v), (place, POINTER), (self.c_stride, "i64"))


def _instruction(f: FunctionText, name: str, *operands: int | tuple[str, str]) -> None:
    """Operands are numbers of registers, or values with their types."""
    typed = [(f.constant(str(o), "i8"), "i8") if isinstance(o, int) else o for o in operands]
    values, types = (", ".join(part) for part in zip(*typed)) if typed else ("", "")
    f.do(f'llvm.call_intrinsic "llvm.x86.{name}"({values}) : ({types}) -> ()')


def _sum(r: int, v: int) -> int:
    return r * MOST_TILES + v


def _parts(size: int, most: int) -> list[int]:
    return [min(most, size - at) for at in range(0, size, most)]
