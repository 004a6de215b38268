"""Ops of sm_90 that the kernels use, one function each: barriers in shared memory, TMA, warpgroup matrix products."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from mlir import ir
from mlir.dialects import arith, gpu, llvm, memref, nvgpu, nvvm, scf

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.gpu.contraction.problem import MatrixTypes
from hlo.lowering.gpu.tensor_maps import Source, TensorMap, Term
from hlo.lowering.gpu.threads import (
    WARP,
    WORKGROUP,
    equals,
    instruction_attribute,
    shuffled_word,
    structure,
    where,
)
from hlo.lowering.linalg.loops import add, divided, index, mul, sub
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


def load_box(
    descriptor: ir.Value,
    coordinates: Sequence[ir.Value],
    barriers: Barriers,
    number: ir.Value,
    to: ir.Value,
) -> None:
    """Starts to copy the box at these coordinates (innermost first) to shared memory; the barrier is told when it is there."""
    nvgpu.tma_async_load(to, barriers.group, descriptor, coordinates, number)


def coordinates(box: TensorMap, at: Callable[[Source], ir.Value]) -> list[ir.Value]:
    """Where a box begins. `at`: by what the terms of the map's coordinates count."""
    return [_coordinate(terms, offset, at) for terms, offset in box.order]


def _coordinate(terms: Sequence[Term], offset: int, at: Callable[[Source], ir.Value]) -> ir.Value:
    total = index(offset) if offset or not terms else None
    for term in terms:
        value = at(term.source)
        value = value if term.factor == 1 else mul(value, term.factor)
        total = value if total is None else add(total, value)
    return total


def descriptor_type(box: TensorMap) -> ir.Type:
    """Of the map as nvgpu has it."""
    shape = "x".join(map(str, reversed(box.box)))
    return ir.Type.parse(
        f"!nvgpu.tensormap.descriptor<tensor = memref<{shape}x{box.stored}, 3>, swizzle = swizzle_128b, l2promo = none, "
        "oob = zero, interleave = none>"
    )


def descriptor_of(pointer: ir.Value, box: TensorMap) -> ir.Value:
    """A map that a function is given, as nvgpu has it."""
    kind = descriptor_type(box)
    return ir.Operation.create("builtin.unrealized_conversion_cast", results=[kind], operands=[pointer]).results[0]


def matrix_descriptor(memory: ir.Value, offset: ir.Value, between_boxes: int) -> ir.Value:
    """Of an operand of wgmma that begins at `offset` bytes of shared memory: its address and the strides between boxes and between
    groups of eight rows of 128 bytes, in units of 16 bytes; the swizzle of 128 bytes. PTX ISA, "Matrix Descriptor Format"."""
    base = memref.ExtractAlignedPointerAsIndexOp(memory).result
    address = arith.shrui(add(base, offset), index(4))
    unit = arith.index_cast(ir.IntegerType.get_signless(64), arith.andi(address, index(0x3FFF)))
    return arith.ori(unit, i64(between_boxes << 16 | (GROUP_BYTES // UNIT) << 32 | 1 << 62))


def set_registers(action: str, count: int) -> None:
    """Of each thread of a warpgroup: "increase" or "decrease"."""
    nvvm.setmaxregister(count, ir.Attribute.parse(f"#nvvm<action {action}>"))


def start_products(
    types: MatrixTypes,
    columns: int,
    pairs: Iterable[tuple[ir.Value, ir.Value]],
    transposed: tuple[bool, bool],
    sums: ir.Value,
    is_from_zero: bool,
) -> ir.Value:
    """Starts to add products of 64 rows to a structure of sums, or to 0 instead; they are safe after a wait. `pairs`: descriptors of both
    inputs, by instruction, written where they are needed; `transposed`: which inputs do not lie along k."""
    # as rows or columns of a matrix: the left operand's rows are along k, the right one's columns
    layouts = ("col" if transposed[0] else "row"), ("row" if transposed[1] else "col")
    one, total = instruction_attribute("wgmma_scale_in", "one"), "s32" if types.sums == "i32" else types.sums
    nvvm.wgmma_fence_aligned()
    for number, pair in enumerate(pairs):
        sums = nvvm.wgmma_mma_async(
            sums.type,
            sums,
            *pair,
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


def undefined(kind: str, count: int) -> ir.Value:
    """A structure of sums without values."""
    return llvm.mlir_undef(structure([kind] * count))


def wait_for_products(most: int) -> None:
    """Until at most so many groups of warpgroup products are under way."""
    nvvm.wgmma_wait_group_sync_aligned(most)


def named_barrier(number: ir.Value, threads: int) -> None:
    """A barrier of some of a block's warps."""
    nvvm.barrier(None, barrier_id=number, number_of_threads=i32(threads))


def uniform(value: ir.Value) -> ir.Value:
    """The same for all lanes of a warp, as the assembler then knows: what lane 0 has."""
    word = arith.index_cast(ir.IntegerType.get_signless(32), value)
    return arith.index_cast(ir.IndexType.get(), shuffled_word(word, 0, "idx"))


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
        named_barrier(arith.index_cast(ir.IntegerType.get_signless(32), self.group), WARPGROUP)
