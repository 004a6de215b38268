"""The code of a kernel of kind "rows": a loop over blocks of rows, shared among threads, that runs all stages on each.

Before:  func.func private @k(%a, %b) -> %d attributes {hlo.kernel = "rows", hlo.schedule = {rows = [8, 1024], block = 64, ...}} {
           %c = call @matmul(%a, %b)    %d = call @softmax(%c)    return %d }
After:   func.func private @k.code(memrefs)   and   @k.code.part(pointers, thread) { for each block: stages on pointers }

What only later stages read is a block in scratch memory; a stage that may work in place does."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from mlir import ir

from hlo.lowering.kernel_calls import functions_by_name
from hlo.lowering.kernels.schedule import said_of
from hlo.lowering.memory.groups import aligned
from hlo.lowering.memory.scratch import scratch_bytes, take_scratch
from hlo.lowering.memory.storage import byte_size as tensor_bytes
from hlo.lowering.memory.storage import memref_type, row_major, stored_element
from hlo.lowering.target import Target, single
from hlo.lowering.vector.contraction.emit import build, contraction_op, entry_function, insert_functions
from hlo.lowering.vector.contraction.function_text import POINTER, FunctionText, functions_text
from hlo.lowering.vector.contraction.nest import Code, run_parts
from hlo.lowering.vector.region.emitter import emit_region
from hlo.lowering.vector.region.graph import returned_values
from hlo.lowering.vector.rows.binding import Binding, rows_with_positions
from hlo.lowering.vector.rows.chains import Kernels, in_place
from hlo.lowering.vector.rows.schedule import (
    calls_of,
    scheduled_block,
    scheduled_product,
    scheduled_rows,
)
from hlo.lowering.vector.rows.stages import BlockProduct, Stage, region_steps

I64_BYTES = 8
MOST_UNEQUAL = 64
"""Threads up to which each has blocks of its own number."""


def emit_rows(kernel: Any, target: Target) -> None:
    """Creates the code of a rows kernel behind it, and names it in `hlo.code`."""
    with kernel.operation.location:
        RowsEmitter(kernel, Kernels(kernel.operation.parent.regions[0].blocks[0]), target).emit()


def factors(call: ir.Operation, stage: Stage) -> list[ir.Value]:
    """Both factors of a contraction, as its call has them."""
    arguments = list(stage.kernel.entry_block.arguments)
    op, _ = contraction_op(stage.kernel)
    return [call.operands[arguments.index(value)] for value in list(op.operands)[:2]]


def pack_b(f: FunctionText, code: Code, product: BlockProduct, source: str, target: str) -> None:
    """Packs the panels of a contraction's B."""
    assert code.pack_b is not None
    pack, p = next(g for g in code.functions if g.name == code.pack_b[0]), product.plan.problem
    f.call(pack, source, target, p.k[-1].size if p.k else 1, p.n[-1].size)


def _unit(element: ir.Type) -> str:
    """What the LLVM dialect counts elements in: it knows no complex numbers."""
    if isinstance(element, ir.ComplexType):
        return f"!llvm.array<2 x {ir.ComplexType(element).element_type}>"
    return str(stored_element(element))


class RowsEmitter:
    def __init__(self, kernel: Any, kernels: Kernels, target: Target):
        self.kernel, self.target = kernel, target
        self.name = f"{kernel.name.value}.code"
        self.schedule = scheduled_rows(kernel, kernels)
        self.rows = self.schedule.rows
        self.calls = calls_of(kernel)
        self.functions: list[FunctionText] = []
        self.declarations: list[str] = []
        self.scratch = 0
        self.values = [*kernel.entry_block.arguments, *returned_values(kernel)]
        pointers = [(f"m{n}", POINTER) for n in range(len(self.values))]
        self.blocks = FunctionText(f"{self.name}.blocks", [*pointers, ("mine", POINTER), ("thread", "i64")])
        self.part = FunctionText(f"{self.name}.part", [*pointers, ("scratch", POINTER), ("thread", "i64")])

    def emit(self) -> None:
        per_axis = -(-self.rows.extents[-1] // self.rows.size)
        blocks, threads = self.schedule.blocks, self.schedule.threads
        f = self.blocks
        start, end = (self._thread_start(f, n, per_axis) for n in self._thread_range(f, blocks, threads))
        with f.loop(start, end) as block:
            self._block(f, block, start, per_axis)
        self._finish(aligned(self.scratch), threads)

    def _thread_range(self, f: FunctionText, blocks: int, threads: int) -> tuple[str | int, str | int]:
        """First and last (exclusive) block of a thread. Where blocks have more or less to do, each thread has as many as take it as long as others."""
        streamed = self.schedule.streamed
        if streamed is None or streamed.hidden is None or threads == 1 or threads > MOST_UNEQUAL:
            return f.thread_range(blocks, threads)
        counts = streamed.hidden.counts(streamed.tile)
        done = list(accumulate(counts * (blocks // len(counts)), initial=0))
        bounds = [bisect_left(done, done[-1] * n // threads) for n in range(threads + 1)]
        numbers = range(1, threads)
        conditions = [f.compare("eq", "%thread", n) for n in numbers]
        start: str | int = bounds[0]
        end: str | int = bounds[1]
        for n, condition in zip(numbers, conditions):
            start, end = f.select(condition, bounds[n], start), f.select(condition, bounds[n + 1], end)
        return start, end

    def _thread_start(self, f: FunctionText, block: str | int, per_axis: int) -> str | int:
        """Where a thread's part begins, near a block: a last block that has rows of the one before goes to that one's
        thread, as nobody may read results (partial sums, blocks used by several stages) that another is writing."""
        if self.rows.extents[-1] % self.rows.size == 0:
            return block
        is_last = f.compare("eq", self._within(f, block, per_axis), per_axis - 1)
        return f.add(block, f.op(f"arith.extui {is_last} : i1 to i64"))

    # ---- a block

    def _block(self, f: FunctionText, block: str | int, start: str | int, per_axis: int) -> None:
        self.starts = self._starts(f, block, per_axis)
        self.pointers: dict[ir.Value, str] = {}
        self.first = f.compare("eq", block, start)
        outer = f.compare("eq", self._within(f, block, per_axis), 0)
        self.fresh = f.op(f"arith.ori {self.first}, {outer} : i1")
        if self.schedule.streamed is not None:
            # few programs have a softmax between contractions
            from hlo.lowering.vector.rows.emit_streamed import StreamedBlock

            StreamedBlock(self, f, self.schedule.streamed).write()
            return
        stages = [(stage, own) for stage, own in self.schedule.stages if isinstance(stage, Stage)]
        self.pointers |= self._pointers(f, [stage for stage, _ in stages])
        for number, (call, (stage, schedule)) in enumerate(zip(self.calls, stages)):
            write = self._contraction if stage.kind == "contraction" else self._region
            with said_of(f"stages[{number}]"):
                write(f, f"{self.name}.stage{number}", call, stage, schedule)

    def _within(self, f: FunctionText, block: str | int, per_axis: int) -> str | int:
        return f.sub(block, f.mul(f.quotient(block, per_axis), per_axis))

    def _starts(self, f: FunctionText, block: str | int, per_axis: int) -> list[str | int]:
        """The first index of the block in each row dimension. The last block begins earlier when rows are left over."""
        rows = self.rows
        found = [f.min(f.mul(self._within(f, block, per_axis), rows.size), rows.extents[-1] - rows.size)]
        outer = f.quotient(block, per_axis)
        for extent in reversed(rows.extents[:-1]):
            found.insert(0, f.sub(outer, f.mul(f.quotient(outer, extent), extent)))
            outer = f.quotient(outer, extent)
        return found

    def _pointers(self, f: FunctionText, stages: list[Stage]) -> dict[ir.Value, str]:
        """Pointers to the blocks of what stages make, later ones first: an earlier one may have the same block."""
        pointers: dict[ir.Value, str] = {}
        results = returned_values(self.kernel)
        for call, stage in reversed(list(zip(self.calls, stages))):
            value = call.results[0]
            if value in results:
                pointers[value] = self.result_pointer(f, value, self.rows.leading(len(value.type.shape)))
            elif value not in pointers:
                shape = self.rows.block_shape(value.type.shape, self.rows.leading(len(value.type.shape)))
                pointers[value] = self.take(f, tensor_bytes(ir.RankedTensorType.get(shape, value.type.element_type)))
            shared = in_place(call, stage, results)
            if shared is not None:
                pointers[shared] = pointers[value]
        return pointers

    def result_pointer(self, f: FunctionText, value: ir.Value, binding: Binding) -> str:
        """Where the block of a result of the kernel begins."""
        number = self.values.index(value, len(self.kernel.arguments))
        steps = {row: step for row, step in zip(binding, row_major(value.type.shape)) if row is not None}
        return self.moved(f, f"%m{number}", steps, value.type)

    def take(self, f: FunctionText, size: int) -> str:
        """A part of the thread's scratch memory."""
        pointer = f.offset("%mine", self.scratch, "i8")
        self.scratch += aligned(size)
        return pointer

    def moved(self, f: FunctionText, pointer: str, steps: Any, type: ir.Type) -> str:
        total: str | int = 0
        for row, step in steps.items():
            total = f.add(total, f.mul(self.starts[row], step))
        return f.offset(pointer, total, _unit(type.element_type))

    def source(self, f: FunctionText, value: ir.Value, steps: Any) -> str:
        """An operand of a stage: a block that is made here, or a part of an argument."""
        if value in self.pointers:
            return self.pointers[value]
        return self.moved(f, f"%m{self.values.index(value)}", steps, value.type)

    def start(self, f: FunctionText, row: int) -> str:
        """The first index of the block along a row dimension, in memory."""
        return self.stored(f, self.starts[row])

    def stored(self, f: FunctionText, number: str | int) -> str:
        pointer = self.take(f, I64_BYTES)
        f.store(f.i64(number), pointer, "i64", I64_BYTES)
        return pointer

    # ---- stages

    def _contraction(
        self, f: FunctionText, name: str, call: ir.Operation, stage: Stage, schedule: ir.Attribute
    ) -> None:
        product, code = self.product_code(name, stage, schedule)
        a, b = factors(call, stage)
        at_a = self.source(f, a, dict(enumerate(product.a)))
        at_b = self.source(f, b, dict(enumerate(product.b)))
        if code.pack_b is not None:
            at_b = self._packed(f, code, product, at_b)
        f.call(code.functions[-1], at_a, at_b, self.pointers[call.results[0]], self.take(f, code.scratch))

    def product_code(self, name: str, stage: Stage, schedule: ir.Attribute) -> tuple[BlockProduct, Code]:
        product = scheduled_product(stage, schedule, single(self.target))
        code = build(name, product.plan)
        self.functions += code.functions
        return product, code

    def _packed(self, f: FunctionText, code: Code, product: BlockProduct, source: str) -> str:
        """B's panels, packed when another B begins."""
        assert code.pack_b is not None
        target = self.take(f, code.pack_b[1])
        with f.when(self.fresh if any(product.b) else self.first):
            pack_b(f, code, product, source, target)
        return target

    def _region(self, f: FunctionText, name: str, call: ir.Operation, stage: Stage, schedule: ir.Attribute) -> None:
        pointers = [self.source(f, v, region_steps(stage, n)) for n, v in enumerate(call.operands)]
        pointers += [self.start(f, row) for row in rows_with_positions(stage.kernel, stage.bindings)]
        pointers.append(self.pointers[call.results[0]])
        with scheduled_block(stage, schedule, self.kernel, name) as block:
            self.call_region(f, block, pointers)

    def call_region(self, f: FunctionText, block: Any, pointers: Sequence[str]) -> None:
        """Calls the code of a region kernel for a block, whose arguments and results are at these pointers."""
        code, scratch = self._region_code(block)
        if scratch:
            pointers = [*pointers, self.take(f, scratch)]
        types = list(code.type.inputs)
        memrefs = [_as_memref(f, p, t) for p, t in zip(pointers, types)]
        signature = ", ".join(map(str, types))
        self.declarations.append(f'func.func private @"{code.name.value}"({signature})\n')
        f.do(f'func.call @"{code.name.value}"({", ".join(memrefs)}) : ({signature}) -> ()')

    def _region_code(self, block: Any) -> tuple[Any, int]:
        """The code of a region kernel for a block, and the bytes of its temporaries."""
        emit_region(block, single(self.target))
        functions = functions_by_name(self.kernel.operation.parent.opview)
        code = functions[ir.FlatSymbolRefAttr(block.attributes["hlo.code"]).value]
        take_scratch(block, code)
        return code, scratch_bytes(block)

    # ---- the entry

    def _finish(self, scratch: int, threads: int) -> None:
        """The part of a thread, with scratch memory of its own, and the entry on memrefs."""
        types, names = [str(memref_type(v.type)) for v in self.values], [f"%m{n}" for n in range(len(self.values))]
        mine = self.part.offset("%scratch", self.part.mul("%thread", scratch), "i8")
        self.part.call(self.blocks, *names, mine, "%thread")
        with entry_function(self.name, types, scratch * threads) as (entry, pointers):
            run_parts(entry, self.part, threads, pointers)
        functions = functions_text([*self.functions, self.blocks, self.part, entry])
        insert_functions(self.kernel, "".join(self.declarations) + functions, self.name)
        self.kernel.attributes["hlo.code"] = ir.FlatSymbolRefAttr.get(self.name)


def _as_memref(f: FunctionText, pointer: str, type: ir.Type) -> str:
    """A memref of static shape at a pointer. Calls pass bare pointers: the descriptor leaves nothing behind."""
    kind = ir.MemRefType(type)
    if str(kind) == "memref<0xf32>":
        raise AssertionError("kernels of empty arrays are no chains")
    rank = len(kind.shape)
    dims = f", array<{rank} x i64>, array<{rank} x i64>" if rank else ""
    struct = f"!llvm.struct<(ptr, ptr, i64{dims})>"
    value = f.op(f"llvm.mlir.poison : {struct}")
    fields = [(pointer, "0"), (pointer, "1"), (f.i64(0), "2")]
    for n, (size, stride) in enumerate(zip(kind.shape, row_major(kind.shape))):
        fields += [(f.i64(size), f"3, {n}"), (f.i64(stride), f"4, {n}")]
    for item, position in fields:
        value = f.op(f"llvm.insertvalue {item}, {value}[{position}] : {struct}")
    return f.op(f"builtin.unrealized_conversion_cast {value} : {struct} to {kind}")
