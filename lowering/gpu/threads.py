"""What the threads of a block do together: values that other lanes of a warp have, by shuffles, or other warps, through
shared memory; and branches and loops as Python's blocks.

gpu.shuffle moves 32 bits: narrower types travel in an integer of 32, wider ones in several."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from mlir import ir
from mlir.dialects import arith, gpu, llvm, memref, scf, vector
from mlir.dialects import complex as complex_dialect

from hlo.lowering.balanced_tree import in_pairs
from hlo.lowering.linalg.loops import Index, all_of, index
from hlo.lowering.memory.storage import element_bytes
from hlo.lowering.numbers import i32

ACCESS_BYTES = 16
"""The widest load or store of a thread."""


def load_several(memory: ir.Value, indices: Sequence[ir.Value], count: int) -> list[ir.Value]:
    """Neighbours in memory from an index on that is a multiple of their number: one access."""
    if count == 1:
        return [memref.load(memory, indices)]
    kind = ir.VectorType.get([count], ir.MemRefType(memory.type).element_type)
    loaded = aligned(vector.LoadOp(kind, memory, indices), kind).results[0]
    return [vector.extract(loaded, [], [lane]) for lane in range(count)]


def store_several(memory: ir.Value, indices: Sequence[ir.Value], values: Sequence[ir.Value]) -> None:
    """The same for stores."""
    if len(values) == 1:
        memref.store(values[0], memory, indices)
        return
    kind = ir.VectorType.get([len(values)], values[0].type)
    aligned(vector.StoreOp(vector.from_elements(kind, list(values)), memory, indices), kind)


def aligned(access: ir.OpView, kind: ir.VectorType) -> ir.Operation:
    """Says that the address is a multiple of the vector's size, without which LLVM splits the access."""
    size = kind.shape[0] * element_bytes(kind.element_type)
    access.operation.attributes["alignment"] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), size)
    return access.operation


def common_width(kinds: Sequence[ir.Type], multiples: Sequence[int], most: int = ACCESS_BYTES) -> int:
    """How many elements an access of at most `most` bytes has of all these types: what divides `multiples`."""
    width = most // max(map(element_bytes, kinds), default=most)
    while width > 1 and any(n % width for n in multiples):
        width //= 2
    return max(width, 1)


# Between lanes


WARP = 32
WORKGROUP = "#gpu.address_space<workgroup>"
"""Shared memory."""


def shuffled(value: ir.Value, distance: int) -> ir.Value:
    """The value that the lane with the number `lane xor distance` has."""
    return _by_words(value, lambda word: shuffled_word(word, distance))


def shuffled_word(value: ir.Value, distance: int, mode: str = "xor") -> ir.Value:
    """Of 32 bits. `mode`: "xor", or "idx": what the lane of this number has."""
    how = ir.Attribute.parse(f"#gpu<shuffle_mode {mode}>")
    return gpu.shuffle(value, i32(distance), i32(WARP), how)[0]


def _by_words(value: ir.Value, move: Callable[[ir.Value], ir.Value]) -> ir.Value:
    """A value whose parts of 32 bits are moved one by one."""
    kind = value.type
    if isinstance(kind, ir.ComplexType):
        parts = [complex_dialect.ReOp(value).result, complex_dialect.ImOp(value).result]
        return complex_dialect.CreateOp(kind, *(_by_words(part, move) for part in parts)).result
    if isinstance(kind, ir.IntegerType):
        return _integer_by_words(value, kind.width, move)
    width = ir.FloatType(kind).width
    if width == 32:
        return move(value)
    bits = _integer_by_words(arith.bitcast(ir.IntegerType.get_signless(width), value), width, move)
    return arith.bitcast(kind, bits)


def _integer_by_words(value: ir.Value, width: int, move: Callable[[ir.Value], ir.Value]) -> ir.Value:
    i32 = ir.IntegerType.get_signless(32)
    if width == 32:
        return move(value)
    if width < 32:
        return arith.trunci(value.type, move(arith.extui(i32, value)))
    half = arith.constant(value.type, 32)
    low = move(arith.trunci(i32, value))
    high = move(arith.trunci(i32, arith.shrui(value, half)))
    return arith.ori(arith.shli(arith.extui(value.type, high), half), arith.extui(value.type, low))


Combine = Callable[[ir.Value, ir.Value], ir.Value]


def across(lanes: int, value: ir.Value, combine: Combine, distance: int = 1) -> ir.Value:
    """Of the values of so many neighbouring lanes, a power of two; `distance`: of those that have different ones."""
    while distance < lanes:
        value = combine(value, shuffled_word(value, distance))
        distance *= 2
    return value


def any_thread(condition: ir.Value, warp: ir.Value, lane: ir.Value, warps: int) -> ir.Value:
    """Whether a condition holds in any thread of the block."""
    mine = arith.extui(ir.IntegerType.get_signless(32), condition)
    return any_warp(across(WARP, mine, arith.ori), warp, lane, warps)


def any_warp(mine: ir.Value, warp: ir.Value, lane: ir.Value, warps: int) -> ir.Value:
    """Whether an i32 that all lanes of a warp have is not 0 in any warp."""
    flags = shared_array([warps], mine.type)
    gpu.barrier()
    is_one = equals(lane, 0)
    with where(is_one):
        memref.store(mine, flags, [warp])
    gpu.barrier()
    return is_any([memref.load(flags, [index(n)]) for n in range(warps)])


def is_any(flags: Sequence[ir.Value]) -> ir.Value:
    """Whether one of some integers is not 0."""
    found = in_pairs(flags, arith.ori)
    return arith.cmpi(arith.CmpIPredicate.ne, found, arith.constant(found.type, 0))


def shared_array(shape: Sequence[int], kind: ir.Type) -> ir.Value:
    """A new array in the shared memory of the gpu.func at the insertion point: a workgroup attribution, aligned for the widest access."""
    function = ir.InsertionPoint.current.block.owner
    while function.operation.name != "gpu.func":
        function = function.operation.parent
    attributes, i64 = function.operation.attributes, ir.IntegerType.get_signless(64)
    number = len(attributes[ATTRIBUTIONS]) + 1 if ATTRIBUTIONS in attributes else 1
    aligned = ir.DictAttr.get({"llvm.align": ir.IntegerAttr.get(i64, ACCESS_BYTES)})
    attributes["workgroup_attributions"] = ir.IntegerAttr.get(i64, number)
    attributes[ATTRIBUTIONS] = ir.ArrayAttr.get([aligned] * number)
    return function.regions[0].blocks[0].add_argument(shared_type(shape, kind), function.location)


ATTRIBUTIONS = "workgroup_attrib_attrs"
"""Of a gpu.func: attributes of each."""


def shared_type(shape: Sequence[int], kind: ir.Type) -> ir.Type:
    """Of an array in shared memory."""
    return ir.MemRefType.get(list(shape), kind, None, ir.Attribute.parse(WORKGROUP))


def dynamic_shared_memory() -> ir.Value:
    """All of it, as bytes."""
    return gpu.dynamic_shared_memory(ir.Type.parse(f"memref<?xi8, {WORKGROUP}>"))


def shared_view(memory: ir.Value, shape: Sequence[int], kind: ir.Type, offset: Index = 0) -> ir.Value:
    """An array at so many bytes of dynamic shared memory."""
    return memref.view(shared_type(shape, kind), memory, index(offset), [])


# Instructions that give several registers give a structure of them.


def instruction_attribute(name: str, value: str) -> ir.Attribute:
    """Of an op that is a matrix instruction: #nvvm.name<value>."""
    return ir.Attribute.parse(f"#nvvm.{name}<{value}>")


def structure(kinds: Sequence[ir.Type | str]) -> ir.Type:
    """The type of one with fields of these types."""
    return ir.Type.parse(f"!llvm.struct<({', '.join(map(str, kinds))})>")


def fields(value: ir.Value) -> list[ir.Value]:
    kinds = str(value.type).partition("(")[2].partition(")")[0].split(", ")
    at = ir.DenseI64ArrayAttr.get
    return [llvm.extractvalue(ir.Type.parse(kind), value, at([n])) for n, kind in enumerate(kinds)]


# Branches and loops, written at the insertion point as Python's blocks; loops that carry values are in `linalg/loops.py`.
#
# with where(within(row, m)):                       scf.if (row < m) {
#     with each(thread, count, threads) as item:      scf.for %item = %thread to %count step %threads { ... } }


def i32_attribute(value: int) -> ir.Attribute:
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(32), value)


IDENTITIES = {"gpu.thread_id": gpu.thread_id, "gpu.block_id": gpu.block_id, "gpu.global_id": gpu.global_id}


def identity(name: str) -> ir.Value:
    """gpu.thread_id, gpu.block_id, gpu.global_id along x."""
    return IDENTITIES[name](gpu.Dimension.x)


def equals(value: ir.Value, number: int) -> ir.Value:
    return arith.cmpi(arith.CmpIPredicate.eq, value, index(number))


@contextmanager
def where(*checks: ir.Value) -> Iterator[None]:
    """What is written inside is done where all checks hold: always if there are none."""
    if not checks:
        yield
        return
    with ir.InsertionPoint(scf.IfOp(all_of(checks)).then_block):
        yield
        scf.YieldOp([])


@contextmanager
def each(start: Index, stop: Index, step: Index = 1) -> Iterator[ir.Value]:
    """A loop that carries nothing; its index."""
    loop = scf.ForOp(index(start), index(stop), index(step))
    with ir.InsertionPoint(loop.body):
        yield loop.induction_variable
        scf.YieldOp([])
