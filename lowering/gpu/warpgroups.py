"""A tile multiplied by warpgroups of sm_90a: TMA into a ring of stages, wgmma, specialised warps.

    warpgroup 0:      for each step: wait until its stage is empty; announce its bytes; TMA both boxes
    warpgroups 1, 2:  for each step: wait until its stage is full; four wgmma; tell that the stage before is empty

Each consumer multiplies 64 rows of the tile. mbarriers 0 .. STAGES - 1 are "full", the next STAGES "empty". An input lies in shared
memory as lines of 128 bytes, swizzled, along the depth or along its rows (columns). Matrix descriptors: PTX ISA, "Asynchronous
Warpgroup Level Matrix Shared Memory Layout"."""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir
from mlir.dialects import arith, llvm, memref, scf

from hlo.lowering.gpu.block import Block
from hlo.lowering.gpu.element import index_constant
from hlo.lowering.gpu.hopper_ops import (
    WORKGROUP,
    Barriers,
    descriptor_type,
    i32,
    i64,
    load_box,
    named_barrier,
    set_registers,
    wait_for_products,
    warpgroup_products,
)
from hlo.lowering.gpu.problem import Problem, innermost
from hlo.lowering.gpu.result_tile import ResultTile
from hlo.lowering.gpu.tensor_maps import TensorMap, tensor_map

WARPGROUP = 128
"""Threads."""

CONSUMERS = 2
ROWS = 64
"""Of the result that a warpgroup has."""

STEP = 64
"""Elements along the depth of a stage: 128 bytes."""

DEPTH = 16
"""Of one instruction."""

STAGES = 4
PRODUCER_REGISTERS, CONSUMER_REGISTERS = 40, 232
ENOUGH_BLOCKS = {256: 132, 128: 64}
"""By columns of a tile: blocks from which it is worth it."""

UNIT = 16
"""Bytes that sizes in matrix descriptors count."""

GROUP_BYTES = 1024
"""Of eight lines of 128 bytes, which are swizzled together."""


@dataclass(frozen=True)
class Side:
    """One input of a tile: `count` rows (columns), whose box is `box`. `is_along_depth`: its lines are along the depth;
    otherwise they are 64 rows, and there is a box for each 64 of them."""

    number: int
    count: int
    is_along_depth: bool
    box: TensorMap

    @property
    def boxes(self) -> int:
        return 1 if self.is_along_depth else self.count // STEP

    @property
    def bytes(self) -> int:
        return self.count * STEP * 2

    @property
    def descriptor(self) -> int:
        """All of a matrix descriptor but the address: strides between groups of eight lines, and between boxes; 128-byte
        swizzle."""
        between_boxes = 1 if self.is_along_depth else STEP * STEP * 2 // UNIT
        return between_boxes << 16 | (GROUP_BYTES // UNIT) << 32 | 1 << 62

    @property
    def step(self) -> int:
        """How far in memory DEPTH elements along the depth are, in units."""
        return DEPTH * 2 // UNIT if self.is_along_depth else DEPTH * 128 // UNIT


def side_of(problem: Problem, number: int, count: int) -> Side | None:
    """None where TMA cannot bring the input."""
    is_along_depth = innermost(problem.nest.maps[number]) == problem.depth[-1]
    box = tensor_map(problem, number, count if is_along_depth else STEP, STEP)
    return Side(number, count, is_along_depth, box) if box is not None else None


@dataclass(frozen=True)
class WarpgroupTile:
    """128 x `n` results."""

    n: int
    kind: str
    left: Side
    right: Side
    m: int = CONSUMERS * ROWS
    threads: int = (1 + CONSUMERS) * WARPGROUP

    @staticmethod
    def of(problem: Problem) -> WarpgroupTile | None:
        """Both inputs bf16 or both f16 and the sum in f32, in memory as TMA wants it, and enough tiles."""
        kinds = [str(problem.element_type(n)) for n in (0, 1, 2)]
        if kinds[0] != kinds[1] or kinds[0] not in ("bf16", "f16") or kinds[2] != "f32":
            return None
        rows = -(-problem.m // (CONSUMERS * ROWS)) * problem.batches
        for columns, enough in ENOUGH_BLOCKS.items():
            if rows * -(-problem.n // columns) >= enough:
                left, right = side_of(problem, problem.left, CONSUMERS * ROWS), side_of(problem, problem.right, columns)
                return WarpgroupTile(columns, kinds[0], left, right) if left and right else None
        return None

    @property
    def unit(self) -> str:
        return f"wgmma, one warpgroup that copies by TMA and {CONSUMERS} that multiply"

    @property
    def maps(self) -> tuple[TensorMap, ...]:
        return (self.left.box, self.right.box)

    @property
    def map_inputs(self) -> tuple[int, ...]:
        """The contraction's inputs that the maps are of."""
        return (self.left.number, self.right.number)

    @property
    def stage_bytes(self) -> int:
        return self.left.bytes + self.right.bytes

    def shared_bytes(self, problem: Problem) -> int:
        return max(STAGES * self.stage_bytes, self._result(problem).bytes)

    def _result(self, problem: Problem) -> ResultTile:
        return ResultTile(self.m, self.n, problem.element_type(2))

    def emit(self, block: Block) -> None:
        _Kernel(self, block).emit()


class _Kernel:
    """The code of a block."""

    def __init__(self, tile: WarpgroupTile, block: Block):
        self.tile, self.block = tile, block
        self.steps = -(-block.problem.k // STEP)
        self.descriptors = [
            _cast(pointer, descriptor_type(one)) for pointer, one in zip(block.maps, tile.maps, strict=True)
        ]
        kind = ir.Type.parse(f"memref<?xi8, {WORKGROUP}>")
        self.memory = ir.Operation.create("gpu.dynamic_shared_memory", results=[kind]).results[0]
        self.barriers = Barriers.create(2 * STAGES)
        self.group = _uniform(arith.divui(block.thread, index_constant(WARPGROUP)))
        self.member = arith.remui(block.thread, index_constant(WARPGROUP))
        self.is_first = arith.cmpi(arith.CmpIPredicate.eq, self.member, index_constant(0))

    def emit(self) -> None:
        self._start()
        is_producer = arith.cmpi(arith.CmpIPredicate.eq, self.group, index_constant(0))
        branch = scf.IfOp(is_producer, has_else=True)
        with ir.InsertionPoint(branch.then_block):
            set_registers("decrease", PRODUCER_REGISTERS)
            one = scf.IfOp(self.is_first)
            with ir.InsertionPoint(one.then_block):
                self._produce()
                scf.YieldOp([])
            scf.YieldOp([])
        with ir.InsertionPoint(branch.else_block):
            set_registers("increase", CONSUMER_REGISTERS)
            self._consume()
            scf.YieldOp([])

    def _start(self) -> None:
        """One thread makes the barriers ready."""
        first = scf.IfOp(arith.cmpi(arith.CmpIPredicate.eq, self.block.thread, index_constant(0)))
        with ir.InsertionPoint(first.then_block):
            for stage in range(STAGES):
                self.barriers.init(index_constant(stage), 1)
                self.barriers.init(index_constant(STAGES + stage), CONSUMERS)
            ir.Operation.create("nvvm.fence.mbarrier.init")
            for descriptor in self.descriptors:
                ir.Operation.create("nvgpu.tma.prefetch.descriptor", operands=[descriptor])
            scf.YieldOp([])
        ir.Operation.create("gpu.barrier")

    # The producer

    def _produce(self) -> None:
        loop = scf.ForOp(index_constant(0), index_constant(self.steps), index_constant(1))
        with ir.InsertionPoint(loop.body):
            stage, turn = self._stage(loop.induction_variable)
            # before the first turn every stage is empty: waiting for the phase before the first returns at once
            self.barriers.wait(self._empty(stage), arith.xori(turn, _true()))
            self.barriers.expect(stage, self.tile.stage_bytes)
            depth = arith.muli(loop.induction_variable, index_constant(STEP))
            offset = arith.muli(stage, index_constant(self.tile.stage_bytes))
            self._load(self.tile.left, self.descriptors[0], self.block.first_row, depth, stage, offset)
            offset = arith.addi(offset, index_constant(self.tile.left.bytes))
            self._load(self.tile.right, self.descriptors[1], self.block.first_column, depth, stage, offset)
            scf.YieldOp([])

    def _stage(self, step: ir.Value) -> tuple[ir.Value, ir.Value]:
        """Where a step is, and the parity of its turn through the ring."""
        stages = index_constant(STAGES)
        turn = arith.remui(arith.divui(step, stages), index_constant(2))
        return arith.remui(step, stages), arith.cmpi(arith.CmpIPredicate.eq, turn, index_constant(1))

    def _empty(self, stage: ir.Value) -> ir.Value:
        return arith.addi(stage, index_constant(STAGES))

    def _load(
        self, side: Side, descriptor: ir.Value, first: ir.Value, depth: ir.Value, stage: ir.Value, offset: ir.Value
    ) -> None:
        shape = "x".join(map(str, reversed(side.box.box)))
        kind = ir.Type.parse(f"memref<{shape}x{side.box.kind}, {WORKGROUP}>")
        for number in range(side.boxes):
            place = arith.addi(offset, index_constant(number * side.box.bytes))
            view = memref.view(kind, self.memory, place, [])
            outer = arith.addi(first, index_constant(number * STEP))
            by_part = {"outer": outer, "depth": depth}
            coordinates = [
                by_part[part] if isinstance(part, str) else self.block.element.place[part] for part in side.box.order
            ]
            load_box(descriptor, coordinates, self.barriers, stage, view)

    # The consumers

    def _consume(self) -> None:
        tile, block = self.tile, self.block
        consumer = arith.subi(self.group, index_constant(1))
        sums = self._products(consumer)
        thread = arith.subi(block.thread, index_constant(WARPGROUP))
        warp, lane = (f(thread, index_constant(32)) for f in (arith.divui, arith.remui))
        corner = (arith.muli(warp, index_constant(ROWS // 4)), index_constant(0))
        places = [(half, column) for column in range(0, tile.n, 8) for half in (0, 8)]
        result, threads = tile._result(block.problem), CONSUMERS * WARPGROUP
        named_barrier(1, threads)  # the stages' memory is used for the results from here on
        result.write(self.memory, lane, corner, places, sums)
        named_barrier(1, threads)
        result.finish(self.memory, block, thread, threads)

    def _products(self, consumer: ir.Value) -> list[ir.Value]:
        """A thread's sums: 2 x 8 rows, two neighbours in each eight columns."""
        count, f32 = self.tile.n // 2, ir.F32Type.get()
        kind = ir.Type.parse(f"!llvm.struct<({', '.join(['f32'] * count)})>")
        loop = scf.ForOp(index_constant(0), index_constant(self.steps), index_constant(1), [self._initial(kind, count)])
        with ir.InsertionPoint(loop.body):
            step = loop.induction_variable
            stage, turn = self._stage(step)
            self.barriers.wait(stage, turn)
            sums = self._multiply(stage, consumer, loop.inner_iter_args[0])
            wait_for_products(1)
            self._release_before(step)
            scf.YieldOp([sums])
        wait_for_products(0)
        at = ir.DenseI64ArrayAttr.get
        return [llvm.extractvalue(f32, loop.results[0], at([n])) for n in range(count)]

    def _initial(self, kind: ir.Type, count: int) -> ir.Value:
        value = llvm.mlir_undef(kind)
        start = self.block.initial()
        for number in range(count):
            value = llvm.insertvalue(value, start, ir.DenseI64ArrayAttr.get([number]))
        return value

    def _multiply(self, stage: ir.Value, consumer: ir.Value, sums: ir.Value) -> ir.Value:
        tile = self.tile
        offset = arith.muli(stage, index_constant(tile.stage_bytes))
        rows = arith.muli(consumer, index_constant(ROWS * STEP * 2))
        left = self._descriptor(tile.left, arith.addi(offset, rows))
        right = self._descriptor(tile.right, arith.addi(offset, index_constant(tile.left.bytes)))
        transposed = (not tile.left.is_along_depth, not tile.right.is_along_depth)
        attributes = warpgroup_products(tile.kind, tile.n, transposed)
        ir.Operation.create("nvvm.wgmma.fence.aligned")
        for part in range(STEP // DEPTH):
            a = arith.addi(left, i64(part * tile.left.step))
            b = arith.addi(right, i64(part * tile.right.step))
            made = ir.Operation.create(
                "nvvm.wgmma.mma_async", results=[sums.type], operands=[sums, a, b], attributes=attributes
            )
            sums = made.results[0]
        ir.Operation.create("nvvm.wgmma.commit.group.sync.aligned")
        return sums

    def _descriptor(self, side: Side, offset: ir.Value) -> ir.Value:
        """Where the matrix begins in shared memory, in units, and its layout."""
        base = memref.ExtractAlignedPointerAsIndexOp(self.memory).result
        address = arith.shrui(arith.addi(base, offset), index_constant(4))
        unit = arith.index_cast(ir.IntegerType.get_signless(64), arith.andi(address, index_constant(0x3FFF)))
        return arith.ori(unit, i64(side.descriptor))

    def _release_before(self, step: ir.Value) -> None:
        """The products of the step before are done: its stage is empty."""
        later = arith.cmpi(arith.CmpIPredicate.ugt, step, index_constant(0))
        branch = scf.IfOp(arith.andi(later, self.is_first))
        with ir.InsertionPoint(branch.then_block):
            before, _ = self._stage(arith.subi(step, index_constant(1)))
            self.barriers.arrive(self._empty(before))
            scf.YieldOp([])


def _cast(pointer: ir.Value, kind: ir.Type) -> ir.Value:
    return ir.Operation.create("builtin.unrealized_conversion_cast", results=[kind], operands=[pointer]).results[0]


def _true() -> ir.Value:
    return arith.constant(ir.IntegerType.get_signless(1), True)


def _uniform(value: ir.Value) -> ir.Value:
    """The same for all lanes of a warp, as the assembler then knows: what lane 0 has."""
    one, kind = arith.index_cast(ir.IntegerType.get_signless(32), value), ir.IntegerType.get_signless(32)
    mode = {"mode": ir.Attribute.parse("#gpu<shuffle_mode idx>")}
    found = ir.Operation.create(
        "gpu.shuffle",
        results=[kind, ir.IntegerType.get_signless(1)],
        operands=[one, i32(0), i32(32)],
        attributes=mode,
    )
    return arith.index_cast(ir.IndexType.get(), found.results[0])
