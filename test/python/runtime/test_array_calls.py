"""Calls on numpy arrays whose headers machine code reads, and small arrays whose memory is used again."""

from __future__ import annotations

import ctypes
import pickle
import weakref
from concurrent.futures import ThreadPoolExecutor

import ml_dtypes
import numpy as np
import pytest

from hlo.runtime.calls.allocator import ALIGNMENT, CountedBlocks, SmallArrays
from hlo.runtime.calls.array_calls import DOES_NOT_FIT, ArrayCall, reads_headers
from hlo.runtime.calls.signature import ArrayType

CODE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)
"""A function of Python's in the place of compiled code."""


def call_of(kinds, results: int = 1):
    """A call that keeps the addresses that the code is given, and these."""
    seen: list[list[int]] = []
    image = (ctypes.c_int64 * (len(kinds) + 1 + results))()

    @CODE
    def code(address):
        seen.append(list(image))
        return 7

    call = ArrayCall(ctypes.cast(code, ctypes.c_void_p).value, image, kinds, len(kinds) + 1, results)

    def run(*arrays):
        made = tuple(np.zeros(3) for _ in range(results))
        found = call.run(call.address, id(arrays), id(made))
        return found, [a.ctypes.data for a in made]

    run.kept = code, image, call
    return run, seen


@pytest.mark.parametrize("shape", [(), (0,), (5,), (2, 3), (2, 0, 4), (1, 2, 3, 4, 5)])
@pytest.mark.parametrize("dtype", ["f4", "f8", "i1", "u8", "c16", "f2"])
def test_arrays_of_the_type_are_taken_by_their_addresses(shape, dtype):
    array = np.ones(shape, dtype)
    run, seen = call_of([ArrayType(shape, array.dtype)])
    found, results = run(array)
    assert found == 7 and seen == [[array.ctypes.data, 0, *results]]


def test_parts_of_arrays_are_taken_where_they_lie():
    whole = np.arange(24, dtype=np.float32).reshape(4, 6)
    run, seen = call_of([ArrayType((2, 6), whole.dtype), ArrayType((6,), whole.dtype)], results=2)
    found, results = run(whole[1:3], whole[3])
    assert found == 7 and seen == [[whole[1:].ctypes.data, whole[3].ctypes.data, 0, *results]]


class Other(np.ndarray):
    pass


def misfits():
    good = np.zeros((2, 3), np.float32)
    unaligned = np.zeros(25, np.uint8)[1:].view(np.float32).reshape(2, 3)
    return {
        "size": np.zeros((2, 4), np.float32),
        "rank": np.zeros((2, 3, 1), np.float32),
        "lower rank": np.zeros(6, np.float32),
        "type": np.zeros((2, 3), np.int32),
        "byte order": good.astype(">f4"),
        "columns first": np.asfortranarray(good),
        "strided": np.zeros((2, 6), np.float32)[:, ::2],
        "unaligned": unaligned,
        "subclass": good.view(Other),
        "list": good.tolist(),
        "number": 1.0,
        "scalar": np.float32(1),
        "none": None,
    }


@pytest.mark.parametrize("name", misfits())
def test_what_python_has_to_look_at_does_not_run(name):
    good = np.zeros((2, 3), np.float32)
    run, seen = call_of([ArrayType(good.shape, good.dtype)] * 2)
    assert run(good, misfits()[name])[0] == DOES_NOT_FIT
    assert run(misfits()[name], good)[0] == DOES_NOT_FIT
    assert not seen
    assert run(good, good)[0] == 7


def equal_types(dtype):
    yield np.dtype(dtype, copy=True)
    yield pickle.loads(pickle.dumps(np.zeros(1, dtype))).dtype
    for order in "=<":
        yield dtype.newbyteorder(order)


@pytest.mark.parametrize(
    "dtype", ["?", "i1", "i8", "u2", "f2", "f4", "f8", "c8", "c16", ml_dtypes.bfloat16, ml_dtypes.int4]
)
def test_types_that_equal_numpys_own_are_taken(dtype):
    array = np.ones((2, 3), dtype)
    run, _ = call_of([ArrayType((2, 3), array.dtype)])
    same = [array.view(kind) for kind in equal_types(array.dtype)]
    assert all(a.dtype == array.dtype for a in same)
    assert [run(a)[0] for a in same] == [7] * len(same)


NAMES = ["?", *"bBhHiIlLqQefdgFDG", "M8[s]", "m8[s]", "V4", "S4", "U1", ">f4", ">i4", ">c8", "O"]


@pytest.mark.parametrize("wanted", ["?", "i1", "u2", "i4", "f4", "f8", "c8", ml_dtypes.bfloat16, ml_dtypes.float8_e4m3])
def test_types_that_differ_do_not_run(wanted):
    """`q` equals `l`, but has another number: who has it is converted by Python."""
    run, _ = call_of([ArrayType((2,), np.dtype(wanted))])
    others = [np.dtype(name) for name in [*NAMES, ml_dtypes.bfloat16, ml_dtypes.float8_e5m2, ml_dtypes.float8_e4m3]]
    for dtype in others:
        assert (run(np.zeros(2, dtype))[0] == 7) == (dtype == np.dtype(wanted)), dtype


def test_too_few_and_too_many_arrays_do_not_fit():
    array = np.zeros(2)
    run, seen = call_of([ArrayType((2,), array.dtype)] * 2)
    assert [run(*[array] * count)[0] for count in (0, 1, 3)] == [DOES_NOT_FIT] * 3
    assert not seen
    none, _ = call_of([])
    assert none()[0] == 7 and none(array)[0] == DOES_NOT_FIT


def test_headers_are_read_with_this_numpy():
    assert reads_headers()


KINDS = [((3,), np.dtype("f4")), ((), np.dtype("i8")), ((0, 2), np.dtype("f8")), ((2, 2), np.dtype("c16"))]


def test_small_arrays_are_of_their_types_and_aligned():
    for array, (shape, dtype) in zip(SmallArrays(KINDS).take(), KINDS, strict=True):
        assert array.shape == shape and array.dtype == dtype
        assert array.ctypes.data % ALIGNMENT == 0
        assert array.flags.writeable and array.flags.c_contiguous


def test_memory_of_arrays_that_are_gone_is_used_again():
    small = SmallArrays(KINDS)
    first = small.take()
    places = [a.ctypes.data for a in first]
    gone = weakref.ref(first[0])
    del first
    assert gone() is None
    assert [a.ctypes.data for a in small.take()] == places


HOLDERS = {
    "an array": lambda made: made[3],
    "a view": lambda made: made[3][1:],
    "a view of a view": lambda made: made[3][1:].T[:1],
    "another type": lambda made: made[3].view(np.float64),
    "a subclass": lambda made: made[3].view(Other)[0],
    "its buffer": lambda made: memoryview(made[3]),
    "DLPack": lambda made: np.from_dlpack(made[3]),
    "an iterator": lambda made: iter(made[3]),
    "ctypes": lambda made: np.ctypeslib.as_ctypes(made[0]),
}


@pytest.mark.parametrize("name", HOLDERS)
def test_memory_that_somebody_refers_to_is_not_used_again(name):
    small = SmallArrays(KINDS)
    made = small.take()
    place = made[0].ctypes.data
    held = HOLDERS[name](made)
    del made
    others = [small.take() for _ in range(3 * SmallArrays.KEPT)]
    assert place not in [a[0].ctypes.data for a in others]
    assert len({a[0].ctypes.data for a in others}) == len(others)
    del held


def test_no_small_arrays():
    small = SmallArrays([])
    assert small.take() == small.take() == ()


MEDIUM = (100, 100), np.dtype("f8"), 80000


def test_counted_blocks_are_used_again_whatever_the_type():
    blocks = CountedBlocks()
    first = blocks.array(*MEDIUM)
    place = first.ctypes.data
    assert first.shape == MEDIUM[0] and first.dtype == MEDIUM[1] and place % ALIGNMENT == 0
    assert first.flags.writeable and first.flags.c_contiguous
    del first
    assert blocks.array((79990,), np.dtype("i1"), 79990).ctypes.data == place


@pytest.mark.parametrize("name", sorted(HOLDERS.keys() - {"an array"}))
def test_a_counted_block_that_somebody_refers_to_is_not_used_again(name):
    blocks = CountedBlocks(limit=50 * MEDIUM[2])
    made = [blocks.array(*MEDIUM)] * 4
    place = made[0].ctypes.data
    held = HOLDERS[name](made)
    del made
    others = [blocks.array(*MEDIUM) for _ in range(150)]
    assert len({place, *(a.ctypes.data for a in others)}) == len(others) + 1
    del held


@pytest.mark.parametrize("count", [1, 3, 4, 5, 60])
def test_counted_blocks_of_many_results(count):
    """Results that are the next call's arguments: soon no call takes new memory."""
    blocks, places, results = CountedBlocks(), [], []
    for _ in range(8):
        results = [blocks.array(*MEDIUM) for _ in range(count)]
        places.append({a.ctypes.data for a in results})
        assert len(places[-1]) == count
    assert places[-1] <= set().union(*places[:-1])


def test_counted_blocks_stop_growing_at_their_limit():
    blocks = CountedBlocks(limit=10 * 80000)
    alive = [blocks.array(*MEDIUM) for _ in range(30)]
    for number, array in enumerate(alive):
        array[:] = number
    assert blocks._kept == sum(size * len(found) for size, found in blocks._blocks.items()) <= 10 * 80000
    assert all((array == number).all() for number, array in enumerate(alive))
    del alive, array
    again = {blocks.array(*MEDIUM).ctypes.data for _ in range(100)}
    assert len(again) <= 9


def test_counted_blocks_larger_than_the_limit():
    blocks = CountedBlocks(limit=1000)
    arrays = [blocks.array(*MEDIUM) for _ in range(10)]
    assert blocks._kept == 0 and len({a.ctypes.data for a in arrays}) == 10


def test_counted_blocks_keep_to_their_limit():
    blocks = CountedBlocks(limit=1 << 20)
    kinds = [((size,), np.dtype("u1"), size) for size in range(1 << 16, 1 << 17, 1 << 12)]
    alive = [blocks.array(*kind) for kind in kinds for _ in range(3)]
    for number, array in enumerate(alive):
        array[:] = number
    assert blocks._kept == sum(size * len(found) for size, found in blocks._blocks.items()) <= 1 << 20
    assert all((array == number).all() for number, array in enumerate(alive))


def test_counted_blocks_of_many_threads():
    blocks = CountedBlocks()

    def work(number):
        for _ in range(300):
            mine = [blocks.array(*MEDIUM) for _ in range(3)]
            for place, array in enumerate(mine):
                array[:] = number + 10 * place
            assert all((array == number + 10 * place).all() for place, array in enumerate(mine))

    with ThreadPoolExecutor(6) as threads:
        list(threads.map(work, range(6)))
