"""The code for one block of rows of a softmax between two contractions that goes through its columns section by section (streamed.py)."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from hlo.lowering.kernels.schedule import said_of
from hlo.lowering.memory.storage import byte_size, element_bytes, row_major
from hlo.lowering.vector.contraction.function_text import FunctionText
from hlo.lowering.vector.contraction.nest import Code
from hlo.lowering.vector.region.graph import returned_values
from hlo.lowering.vector.rows.binding import is_contiguous
from hlo.lowering.vector.rows.emit import RowsEmitter, factors, pack_b
from hlo.lowering.vector.rows.hidden import Hidden
from hlo.lowering.vector.rows.schedule import scheduled_block
from hlo.lowering.vector.rows.stages import BlockProduct, factor_order, region_steps
from hlo.lowering.vector.rows.streamed import LEAST, PRODUCTS, Streamed
from hlo.lowering.vector.rows.streamed_parts import stages_by_name

EXPONENTS = {"f32": ("i32", 0x7F800000), "f64": ("i64", 0x7FF << 52), "bf16": ("i16", 0x7F80), "f16": ("i16", 0x7C00)}
"""By type, integers of its size, and the bits that are all set in infinities and in what is no number."""
LANES = 16
RANGES = 3
"""Of sections: those that a mask shows, and those before and behind, which rows may need that see next to nothing."""


class StreamedBlock:
    """Writes the code of a block into a function of the emitter of its kernel."""

    def __init__(self, emitter: RowsEmitter, f: FunctionText, streamed: Streamed):
        self.emitter, self.f, self.streamed = emitter, f, streamed
        self.sections = -(-streamed.tile.extents[-1] // streamed.tile.section)
        tile, row, result = streamed.tile_type(streamed.kind), streamed.row_type, streamed.result_type
        types = {"scores": tile, "weights": streamed.weight_type, "result": result, "products": result}
        types |= dict.fromkeys(("maximum", "following", "total", "next total", "factor"), row)
        self.buffers = {name: emitter.take(f, byte_size(kind)) for name, kind in types.items()}
        names = stages_by_name(streamed)
        self.numbers = {name: number for number, name in enumerate(names)}
        self.stages = dict(zip(names, emitter.schedule.stages))
        self.calls: dict[str, tuple[BlockProduct, Code, ir.Operation, str | None]] = {}

    def write(self) -> None:
        f, at = self.f, self.buffers
        for name, call in zip(PRODUCTS, self.emitter.calls[::2]):
            self.calls[name] = self._product(name, call)
        self._part("begin", [at[name] for name in ("maximum", "total", "result")])
        hidden = self.streamed.hidden
        if hidden is None:
            with f.loop(0, self.sections) as section:
                self._section(section)
        else:
            self._seen(hidden)
        self._finish()

    def _finish(self) -> None:
        """The block of the result, which is copied to its place where it is not one piece."""
        (result,) = returned_values(self.emitter.kernel)
        binding, at, f = self.streamed.result_binding, self.buffers, self.f
        place = self.emitter.result_pointer(f, result, binding)
        is_whole = is_contiguous(result.type.shape, binding, self.streamed.rows)
        given = [at[name] for name in ("result", "total", "maximum")]
        self._part("finish", [*given, place if is_whole else at["products"]])
        if not is_whole:
            shape = self.streamed.result_type.shape
            element = str(result.type.element_type)
            self._copy(at["products"], place, element, list(zip(shape, row_major(shape), row_major(result.type.shape))))

    def _copy(self, source: str, target: str, element: str, loops: list[tuple[int, int, int]]) -> None:
        """`loops`: how often, and how far both move each time."""
        f = self.f
        *outer, (size, *steps) = [loop for loop in loops if loop[0] != 1] or [(1, 1, 1)]
        lanes = LANES if steps == [1, 1] else 1

        def copy(pointers: list[str], _: list[str]) -> list[str]:
            with f.loop(0, size, lanes) as index:
                mask = f.mask(lanes, f.sub(size, index)) if size % lanes else None
                places = [f.offset(p, f.mul(index, step), element) for p, step in zip(pointers, steps)]
                f.store_vector(f.load_vector(places[0], lanes, element, mask), places[1], lanes, element, mask)
            return []

        f.nest(outer, [(source, element), (target, element)], copy)

    # ---- which sections

    def _seen(self, hidden: Hidden) -> None:
        """The sections that a mask shows; the others if rows may need them."""
        f = self.f
        first, end = self._range(hidden)
        if not hidden.is_rest_perhaps_needed:
            with f.loop(first, end) as section:
                self._section(section)
            return
        least = self.emitter.take(f, element_bytes(self.streamed.kind))
        with f.loop(0, RANGES) as number:
            self._part(LEAST, [self.buffers["maximum"], least])
            is_first, is_second = (f.compare("eq", number, n) for n in (0, 1))
            start = f.select(is_first, first, f.select(is_second, 0, end))
            stop = f.select(is_first, end, f.select(is_second, first, self.sections))
            stop = f.select(self._is_near(least, hidden.far), stop, start)
            with f.loop(start, stop) as section:
                self._section(section)

    def _range(self, hidden: Hidden) -> tuple[str | int, str | int]:
        """First and last (exclusive) section that rows of the block see. All, where values are no numbers: 0 times these is none either."""
        f, finite = self.f, self._are_finite()
        first, end = hidden.sections(f, self.emitter.starts[-1], self.streamed.tile)
        return f.select(finite, first, 0), f.select(finite, end, self.sections)

    def _is_near(self, least: str, far: float) -> str:
        """Whether the smallest maximum is so near to what hidden scores are that these may have weights: exp(far - maximum) is 0 above half of `far`."""
        f, kind = self.f, str(self.streamed.kind)
        limit = f.constant(f"{far / 2:.17e}", kind)
        found = f.load(least, kind, element_bytes(self.streamed.kind))
        return f.op(f"arith.cmpf ult, {found}, {limit} : {kind}")

    def _are_finite(self) -> str:
        """Whether the second factor of the last contraction has numbers alone, looked at where another one begins."""
        f = self.f
        product, _, _, _ = self.calls["values"]
        flag, source = self.emitter.take(f, 8), self._factors("values", 0)[1]
        with f.when(self.emitter.fresh):
            f.store(self._finiteness(product, source), flag, "i64", 8)
        return f.op(f"arith.trunci {f.load(flag, 'i64', 8)} : i64 to i1")

    def _finiteness(self, product: BlockProduct, source: str) -> str:
        """1 if all elements of B are numbers, else 0."""
        f, p = self.f, product.plan.problem
        integer, bits = EXPONENTS[p.b_type]
        columns = self.streamed.tile.extents[-1]
        loops = [(columns, product.b[-1]), *((d.size, d.b) for d in (*p.k, *p.n) if d.b != product.b[-1])]
        *outer, (size, step) = loops
        lanes = LANES if step == 1 else 1
        types = f"vector<{lanes}x{integer}>"
        exponent = f.constant(f"dense<{bits}>", types)

        def row(pointers: list[str], found: list[str]) -> list[str]:
            def vector(index: str | int, carried: list[str]) -> list[str]:
                mask = f.mask(lanes, f.sub(size, index)) if size % lanes else None
                at = f.offset(pointers[0], f.mul(index, step), p.b_type)
                loaded = f.load_vector(at, lanes, integer, mask)
                masked = f.op(f"arith.andi {loaded}, {exponent} : {types}")
                special = f.op(f"arith.cmpi eq, {masked}, {exponent} : {types}")
                return [f.op(f"arith.ori {carried[0]}, {special} : vector<{lanes}xi1>")]

            return f.fold(0, size, lanes, [(found[0], f"vector<{lanes}xi1>")], vector)

        none_yet = f.constant("dense<false>", f"vector<{lanes}xi1>")
        (any_special,) = f.nest(outer, [(source, p.b_type)], row, [(none_yet, f"vector<{lanes}xi1>")])
        one = f.op(f"vector.reduction <or>, {any_special} : vector<{lanes}xi1> into i1")
        none = f.op(f"arith.xori {one}, {f.constant('true', 'i1')} : i1")
        return f.op(f"arith.extui {none} : i1 to i64")

    # ---- a section

    def _section(self, section: str | int) -> None:
        starts, at = self.emitter.starts, self.buffers
        self.emitter.starts = [*starts, self._start(section)]
        self._multiply("scores", section, at["scores"])
        self._part("weights", [*self._read(section), *(at[n] for n in ("maximum", "weights", "following"))])
        self._part("factors", [at[n] for n in ("maximum", "following", "factor")])
        self._part("sums", [at[n] for n in ("weights", "total", "factor", "next total")])
        self._multiply("values", section, at["products"])
        given = ["result", "products", "factor", "following", "next total"]
        self._part("update", [at[n] for n in (*given, "result", "maximum", "total")])
        self.emitter.starts = starts

    def _read(self, section: str | int) -> list[str]:
        """What the softmax's kernel reads, where the tile begins, and how many of its columns are skipped."""
        stage, call = self.streamed.softmax, self.emitter.calls[1]
        found = [
            self.buffers["scores"] if n in stage.blocks else self.emitter.source(self.f, v, region_steps(stage, n))
            for n, v in enumerate(call.operands)
        ]
        found += [self.emitter.start(self.f, row) for row in self.streamed.positions]
        if self.streamed.is_ragged:
            skipped = self.f.sub(self.f.mul(section, self.streamed.tile.section), self.emitter.starts[-1])
            found.append(self.emitter.stored(self.f, skipped))
        return found

    def _start(self, section: str | int) -> str | int:
        """The first column of a section's tile."""
        tile = self.streamed.tile
        return self.f.min(self.f.mul(section, tile.section), tile.extents[-1] - tile.section)

    def _part(self, name: str, pointers: Sequence[str]) -> None:
        emitter = self.emitter
        with (
            said_of(f"stages[{self.numbers[name]}]"),
            scheduled_block(*self.stages[name], emitter.kernel, f"{emitter.name}.{name}") as block,
        ):
            emitter.call_region(self.f, block, pointers)

    # ---- products

    def _product(self, name: str, call: ir.Operation) -> tuple[BlockProduct, Code, ir.Operation, str | None]:
        """The code of a contraction; where its B is packed beforehand, the panels of all sections."""
        emitter, f = self.emitter, self.f
        with said_of(f"stages[{self.numbers[name]}]"):
            product, code = emitter.product_code(
                f"{emitter.name}.{name}", getattr(self.streamed, name), self.stages[name][1]
            )
        self.calls[name] = product, code, call, None
        if code.pack_b is None:
            return self.calls[name]
        size = code.pack_b[1]
        panels = emitter.take(f, size * self.sections)
        is_new = emitter.fresh if any(product.b[:-1]) else emitter.first
        with f.when(is_new), f.loop(0, self.sections) as section:
            source = self._factors(name, section)[1]
            pack_b(f, code, product, source, f.offset(panels, f.mul(section, size), "i8"))
        return product, code, call, panels

    def _factors(self, name: str, section: str | int) -> list[str]:
        """Pointers to A (the weights, of the second contraction) and B of a section."""
        product, _, call, _ = self.calls[name]
        stage = getattr(self.streamed, name)
        starts, emitter = self.emitter.starts, self.emitter
        emitter.starts = [*starts[: self.streamed.tile.axis], self._start(section)]
        a, b = (factors(call, stage)[number] for number in factor_order(stage))
        at_a = self.buffers["weights"] if name == "values" else emitter.source(self.f, a, dict(enumerate(product.a)))
        at_b = emitter.source(self.f, b, dict(enumerate(product.b)))
        emitter.starts = starts
        return [at_a, at_b]

    def _multiply(self, name: str, section: str | int, result: str) -> None:
        _, code, _, panels = self.calls[name]
        at_a, at_b = self._factors(name, section)
        if panels is not None:
            assert code.pack_b is not None
            at_b = self.f.offset(panels, self.f.mul(section, code.pack_b[1]), "i8")
        self.f.call(code.functions[-1], at_a, at_b, result, self.emitter.take(self.f, code.scratch))
