"""What kernels of sm_90a are made of: barriers in shared memory, boxes that TMA brings into a multistage pipeline, warpgroup matrix products,
warpgroups of different work.

A stage of the pipeline has an mbarrier that ends a phase when its boxes are there, and one that does when all consumers have told that they
have read them. Steps are counted through all tiles of a block, by indices, or by numbers of 32 bits where threads keep many of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from mlir import ir
from mlir.dialects import arith, gpu, llvm, memref, nvgpu, nvvm, scf

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.gpu.accesses import STARTS, Source, TensorMap, Term
from hlo.lowering.gpu.contraction.box_operands import K_BYTES, ROW_BYTES, BoxOperand
from hlo.lowering.gpu.contraction.problem import MatrixTypes
from hlo.lowering.gpu.launches import Values, starts_of
from hlo.lowering.gpu.threads import (
    WARP,
    WORKGROUP,
    equals,
    instruction_attribute,
    shared_view,
    shuffled_word,
    structure,
    where,
)
from hlo.lowering.linalg.loops import Index, add, divided, index, mul, sub
from hlo.lowering.numbers import i32, i64

WARPGROUP = 128
"""Threads."""

UNIT, GROUP_BYTES = 16, 1024
"""Bytes that sizes in matrix descriptors count; of eight rows of 128 bytes, which are swizzled together."""

TICKS = 10_000_000
"""How long one try to wait takes at most; it is tried again."""


@dataclass(frozen=True)
class Barriers:
    """`count` mbarriers in shared memory."""

    group: ir.Value

    @staticmethod
    def create(count: int) -> Barriers:
        kind = ir.Type.parse(f"!nvgpu.mbarrier.group<memorySpace = {WORKGROUP}, num_barriers = {count}>")
        return Barriers(nvgpu.mbarrier_create(kind))

    def init(self, number: ir.Value, arrivals: int) -> None:
        """A phase ends after so many arrivals, when all announced bytes are there."""
        nvgpu.mbarrier_init(self.group, index(arrivals), number)

    def wait(self, number: ir.Value, parity: ir.Value) -> None:
        """Until the phase of this parity has ended."""
        nvgpu.mbarrier_try_wait_parity(self.group, parity, index(TICKS), number)

    def arrive(self, number: ir.Value) -> None:
        nvgpu.mbarrier_arrive(self.group, number)

    def expect(self, number: ir.Value, size: int) -> None:
        """Arrives, and announces bytes that TMA will bring."""
        nvgpu.mbarrier_arrive_expect_tx(self.group, index(size), number)


# Boxes


At = Callable[[Source], ir.Value]
"""Where the first box of an input begins, by what its coordinates count."""


@dataclass(frozen=True)
class Input:
    """`descriptor`: of its tensor map; `starts`: of the input in the array that it is a part of."""

    operand: BoxOperand
    descriptor: ir.Value
    starts: Sequence[ir.Value] = ()

    def load(self, barriers: Barriers, number: ir.Value, memory: ir.Value, offset: ir.Value, at: At) -> None:
        """Starts to copy all boxes to `offset` bytes of shared memory; the barrier is told when they are there."""
        box = self.operand.box
        for one in range(self.operand.boxes):
            further = self.operand.offsets(one)
            begin, kind = add(offset, one * box.bytes), ir.Type.parse(box.stored)
            view = shared_view(memory, box.box[::-1], kind, begin)
            first = [self._coordinate(terms, before, further, at) for terms, before in box.order]
            nvgpu.tma_async_load(view, barriers.group, self.descriptor, first, number)

    def _coordinate(self, terms: Sequence[Term], before: int, further: Mapping[Source, int], at: At) -> ir.Value:
        """Of a box that is so much `further` than the first one."""
        total: Index = before
        for term in terms:
            source = term.source
            value = self.starts[source[1]] if isinstance(source, tuple) and source[0] == STARTS else at(source)
            total = add(total, mul(add(value, further.get(source, 0)), term.factor))
        return index(total)


def inputs_of(operands: Sequence[tuple[ir.Value, BoxOperand]], maps: Sequence[ir.Value], values: Values) -> list[Input]:
    """Of tensors in boxes. `maps`: their tensor maps, as the gpu.func has them; `values`: memory, by tensor."""
    both = zip(operands, maps, strict=True)
    return [Input(one, _descriptor(pointer, one.box), starts_of(value, values)) for (value, one), pointer in both]


def _descriptor(pointer: ir.Value, box: TensorMap) -> ir.Value:
    """A map that a function is given, as nvgpu has it."""
    shape = "x".join(map(str, reversed(box.box)))
    kind = ir.Type.parse(
        f"!nvgpu.tensormap.descriptor<tensor = memref<{shape}x{box.stored}, 3>, swizzle = swizzle_128b, l2promo = none, "
        "oob = zero, interleave = none>"
    )
    return ir.Operation.create("builtin.unrealized_conversion_cast", results=[kind], operands=[pointer]).results[0]


@dataclass(frozen=True)
class BoxRing:
    """`inputs`: behind each other in a stage; `first`: the number of the first barrier; `offset`: of the first stage in shared memory, in
    bytes."""

    inputs: Sequence[Input]
    stages: int
    barriers: Barriers
    first: int
    memory: ir.Value
    offset: int = 0

    @property
    def stage_bytes(self) -> int:
        return sum(one.operand.bytes for one in self.inputs)

    def prepare(self, consumers: int) -> None:
        for stage in range(self.stages):
            self.barriers.init(index(self.first + stage), 1)
            self.barriers.init(index(self.first + self.stages + stage), consumers)

    def _begin(self, stage: ir.Value, number: int) -> ir.Value:
        """Where the so many-th input of a stage begins, in bytes."""
        before = self.offset + sum(one.operand.bytes for one in self.inputs[:number])
        return add(mul(stage, self.stage_bytes), before)

    def matrix(self, stage: ir.Value, number: int = 0, offset: Index = 0) -> Matrix:
        """The so many-th input of a stage, from so many bytes on."""
        operand = self.inputs[number].operand
        return Matrix(operand, _matrix_descriptor(self.memory, add(self._begin(stage, number), offset), operand))

    def fill(self, step: ir.Value, coordinates: Sequence[At]) -> None:
        """Waits until the stage of a step is empty and starts to copy. `coordinates`: by input."""
        stage, parity = self._stage(step)
        # before the first iteration every stage is empty: waiting for the phase before the first returns at once
        self.barriers.wait(self._empty(stage), arith.xori(parity, arith.constant(parity.type, True)))
        full = self._full(stage)
        self.barriers.expect(full, sum(one.operand.loaded_bytes for one in self.inputs))
        for number, (one, at) in enumerate(zip(self.inputs, coordinates)):
            one.load(self.barriers, full, self.memory, self._begin(stage, number), at)

    def wait(self, step: ir.Value) -> ir.Value:
        """Until its boxes are there; the stage."""
        stage, parity = self._stage(step)
        self.barriers.wait(self._full(stage), parity)
        return stage

    def release(self, step: ir.Value, is_first: ir.Value) -> None:
        """The consumer has read it: one of its threads says so."""
        with where(is_first):
            self.barriers.arrive(self._empty(self._stage(step)[0]))

    def _stage(self, step: ir.Value) -> tuple[ir.Value, ir.Value]:
        """The stage that a step is in, and the parity of the stage's phase."""
        if self.stages == 1:
            return index(0), is_odd(step)
        stages = arith.constant(step.type, self.stages)
        return widened(arith.remui(step, stages)), is_odd(arith.divui(step, stages))

    def _full(self, stage: ir.Value) -> ir.Value:
        return add(stage, self.first)

    def _empty(self, stage: ir.Value) -> ir.Value:
        return add(stage, self.first + self.stages)


def widened(number: ir.Value) -> ir.Value:
    """As an index."""
    return number if isinstance(number.type, ir.IndexType) else arith.index_castui(ir.IndexType.get(), number)


def narrowed(number: ir.Value) -> ir.Value:
    """An index as 32 bits."""
    return arith.index_cast(ir.IntegerType.get_signless(32), number)


def is_odd(number: ir.Value) -> ir.Value:
    one, zero = (arith.constant(number.type, n) for n in (1, 0))
    return arith.cmpi(arith.CmpIPredicate.ne, arith.andi(number, one), zero)


# Products


@dataclass(frozen=True)
class Matrix:
    """An input of wgmma in shared memory."""

    operand: BoxOperand
    descriptor: ir.Value

    def part(self, number: int) -> ir.Value:
        """The descriptor for an instruction."""
        one = self.operand
        segment, inside = divmod(number * K_BYTES, ROW_BYTES)
        bytes = segment * one.box.bytes + inside if one.is_k_major else number * K_BYTES // one.box.size * ROW_BYTES
        return add(self.descriptor, i64(bytes // UNIT))


def _matrix_descriptor(memory: ir.Value, offset: ir.Value, operand: BoxOperand) -> ir.Value:
    """Of an operand that begins at `offset` bytes of shared memory: its address and the strides between boxes and between groups of eight
    rows of 128 bytes, in units of 16 bytes; the swizzle of 128 bytes. PTX ISA, "Matrix Descriptor Format"."""
    between_boxes = 1 if operand.is_k_major else operand.box.bytes // UNIT
    base = memref.ExtractAlignedPointerAsIndexOp(memory).result
    address = arith.shrui(add(base, offset), index(4))
    unit = arith.index_cast(ir.IntegerType.get_signless(64), arith.andi(address, index(0x3FFF)))
    return arith.ori(unit, i64(between_boxes << 16 | (GROUP_BYTES // UNIT) << 32 | 1 << 62))


def start_products(
    types: MatrixTypes, columns: int, left: Matrix, right: Matrix, count: int, sums: ir.Value | None = None
) -> ir.Value:
    """Starts to add products of 64 rows to a structure of sums, or to 0, by so many instructions along k; they are safe after a wait."""
    # as rows or columns of a matrix: the left operand's rows are along k, the right one's columns
    layouts = ("row" if left.operand.is_k_major else "col"), ("col" if right.operand.is_k_major else "row")
    one, total = instruction_attribute("wgmma_scale_in", "one"), "s32" if types.sums == "i32" else types.sums
    is_from_zero = sums is None
    if sums is None:
        sums = llvm.mlir_undef(structure([types.sums] * (columns // 2)))
    nvvm.wgmma_fence_aligned()
    for number in range(count):
        sums = nvvm.wgmma_mma_async(
            sums.type,
            sums,
            left.part(number),
            right.part(number),
            instruction_attribute("shape", f"m = 64, n = {columns}, k = {32 // types.size}"),
            *(instruction_attribute("wgmma_type", kind) for kind in (types.left, types.right, total)),
            instruction_attribute("wgmma_scale_out", "zero" if is_from_zero and number == 0 else "one"),
            one,
            one,
            *(instruction_attribute("mma_layout", name) for name in layouts),
            satfinite=instruction_attribute("mma_int_overflow", "wrapped"),
        )
    nvvm.wgmma_commit_group_sync_aligned()
    return sums


def wait_for_products(most: int) -> None:
    """Until at most so many groups of warpgroup products are under way."""
    nvvm.wgmma_wait_group_sync_aligned(most)


def named_barrier(number: ir.Value, threads: int) -> None:
    """A barrier of some of a block's warps."""
    nvvm.barrier(None, barrier_id=number, number_of_threads=i32(threads))


# Warpgroups of different work


def uniform(value: ir.Value) -> ir.Value:
    """The same for all lanes of a warp, as the assembler then knows: what lane 0 has."""
    return arith.index_cast(ir.IndexType.get(), shuffled_word(narrowed(value), 0, "idx"))


def set_registers(action: str, count: int) -> None:
    """Of each thread of a warpgroup: "increase" or "decrease"."""
    nvvm.setmaxregister(count, ir.Attribute.parse(f"#nvvm<action {action}>"))


class Specialised:
    """A block of warpgroups, of which the first one copies and the others multiply. `group`, `member`: of a thread; `is_first`: one
    thread of each warpgroup."""

    def __init__(self, thread: ir.Value):
        self.thread = thread
        group, self.member = divided(thread, WARPGROUP)
        self.group = uniform(group)
        self.is_first = equals(self.member, 0)

    def run(
        self,
        init: Callable[[], None],
        descriptors: Sequence[ir.Value],
        registers: tuple[int, int],
        produce: Callable[[], None],
        consume: Callable[[], None],
    ) -> None:
        """What one thread of the first warpgroup does, and the threads of the others. `init`: makes barriers ready, and
        is done by one thread; `descriptors`: of tensor maps; `registers`: of a thread of each."""
        with where(equals(self.thread, 0)):
            init()
            nvvm.fence_mbarrier_init()
            for descriptor in descriptors:
                nvgpu.tma_prefetch_descriptor(descriptor)
        gpu.barrier()
        branch = scf.IfOp(equals(self.group, 0), has_else=True)
        with ir.InsertionPoint(branch.then_block):
            set_registers("decrease", registers[0])
            with where(self.is_first):
                produce()
            scf.YieldOp([])
        with ir.InsertionPoint(branch.else_block):
            set_registers("increase", registers[1])
            consume()
            scf.YieldOp([])


class Multiplier:
    """A thread of one of the warpgroups that multiply, at the insertion point. `number`: of the warpgroup among these;
    `warp`, `lane`: in it."""

    def __init__(self, block: Specialised):
        self.group, self.member = block.group, block.member
        self.number = sub(block.group, 1)
        self.warp, self.lane = divided(block.member, WARP)

    def barrier(self) -> None:
        """The threads of the warpgroup wait for each other."""
        named_barrier(narrowed(self.group), WARPGROUP)
