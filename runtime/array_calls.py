"""Calls of compiled code on numpy arrays in some hundred nanoseconds: machine code compares what numpy's ABI says of each array (the fields of
PyArrayObject_fields behind the object header) with the type that is expected, and takes its address.

In: a program's code and the addresses that it takes (`Executable.image`); for each call a tuple of arguments and one of results. Out: what the code gives, or
DOES_NOT_FIT, for arrays that Python has to convert or refuse."""

from __future__ import annotations

import _thread
import ctypes
import functools
from collections.abc import Callable, Sequence
from string import Template
from typing import TYPE_CHECKING, Any

import numpy as np

from hlo.runtime.addresses import IN_PLACE, address_of, public_address_of
from hlo.runtime.allocator import LEAST_POOLED, POOL, SmallArrays
from hlo.runtime.process_code import READ_WORDS, load_once
from hlo.runtime.signature import ArrayType

if TYPE_CHECKING:
    from hlo.runtime.executable import Executable

Run = Callable[[int, int, int], int]

RUN = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)

HEADER = object.__basicsize__
"""Bytes of an object's header, at whose end its type is; behind it a tuple has its length, an array its fields."""

ENTRY, IMAGE, COUNT, RESULTS, FIRST_RESULT, ITEMS, ARRAY, KINDS = range(8)
"""Words of a call: addresses of the code and of the addresses that it takes; how many arguments there are, how many results, and where among the addresses these begin; where in a tuple
its items begin; the address of numpy's type of arrays. Then for each argument: the address of its element type, its rank, its sizes."""

DOES_NOT_FIT = -1
"""What a call gives instead of what the code does."""

TEXT = """
define i64 @hlo_call_on_arrays(ptr %call, ptr %arguments, ptr %results) {
entry:
  %image = call ptr @pointer(ptr %call, i64 $image)
  %count = call i64 @word(ptr %call, i64 $count)
  %results_count = call i64 @word(ptr %call, i64 $results)
  %first_result = call i64 @word(ptr %call, i64 $first_result)
  %items = call i64 @word(ptr %call, i64 $items)
  %array_type = call ptr @pointer(ptr %call, i64 $array)
  %kinds = getelementptr i64, ptr %call, i64 $kinds
  %given_at = getelementptr i8, ptr %arguments, i64 $header
  %given = load i64, ptr %given_at
  %as_many = icmp eq i64 %given, %count
  br i1 %as_many, label %next, label %refuse

next:
  %n = phi i64 [ 0, %entry ], [ %n_next, %take ]
  %kind = phi ptr [ %kinds, %entry ], [ %kind_next, %take ]
  %more = icmp ult i64 %n, %count
  br i1 %more, label %one, label %next_result

one:
  %n_next = add i64 %n, 1
  %array = call ptr @item(ptr %arguments, i64 %items, i64 %n)
  %type_at = getelementptr i8, ptr %array, i64 $type
  %type = load ptr, ptr %type_at
  %is_array = icmp eq ptr %type, %array_type
  br i1 %is_array, label %compare, label %refuse

compare:
  %fields = getelementptr i8, ptr %array, i64 $header
  %ranks = call i64 @word(ptr %fields, i64 1)
  %rank = and i64 %ranks, 4294967295
  %sizes = call ptr @pointer(ptr %fields, i64 2)
  %element = call i64 @word(ptr %fields, i64 5)
  %flags = call i64 @word(ptr %fields, i64 6)
  %wanted_element = load i64, ptr %kind
  %wanted_rank = call i64 @word(ptr %kind, i64 1)
  %wanted_sizes = getelementptr i64, ptr %kind, i64 2
  %kind_next = getelementptr i64, ptr %wanted_sizes, i64 %wanted_rank
  %same_element = icmp eq i64 %element, %wanted_element
  %same_rank = icmp eq i64 %rank, %wanted_rank
  %set = and i64 %flags, $in_place
  %in_place = icmp eq i64 %set, $in_place
  %both = and i1 %same_element, %same_rank
  %fits = and i1 %both, %in_place
  br i1 %fits, label %next_size, label %refuse

next_size:
  %d = phi i64 [ 0, %compare ], [ %d_next, %size ]
  %has_size = icmp ult i64 %d, %rank
  br i1 %has_size, label %size, label %take

size:
  %d_next = add i64 %d, 1
  %found_size = call i64 @word(ptr %sizes, i64 %d)
  %wanted_size = call i64 @word(ptr %wanted_sizes, i64 %d)
  %same_size = icmp eq i64 %found_size, %wanted_size
  br i1 %same_size, label %next_size, label %refuse

take:
  %data = load i64, ptr %fields
  %place = getelementptr i64, ptr %image, i64 %n
  store i64 %data, ptr %place
  br label %next

next_result:
  %r = phi i64 [ 0, %next ], [ %r_next, %result ]
  %more_results = icmp ult i64 %r, %results_count
  br i1 %more_results, label %result, label %run

result:
  %r_next = add i64 %r, 1
  %made = call ptr @item(ptr %results, i64 %items, i64 %r)
  %made_fields = getelementptr i8, ptr %made, i64 $header
  %made_data = load i64, ptr %made_fields
  %number = add i64 %first_result, %r
  %result_place = getelementptr i64, ptr %image, i64 %number
  store i64 %made_data, ptr %result_place
  br label %next_result

run:
  %entry_code = call ptr @pointer(ptr %call, i64 $entry)
  %given_back = call i64 %entry_code(ptr %image)
  ret i64 %given_back

refuse:
  ret i64 $does_not_fit
}

define internal ptr @item(ptr %tuple, i64 %items, i64 %n) alwaysinline {
  %first = getelementptr i8, ptr %tuple, i64 %items
  %item = call ptr @pointer(ptr %first, i64 %n)
  ret ptr %item
}

define i64 @hlo_run_nothing(ptr %image) {
  ret i64 0
}
"""


class ArrayCall:
    """Calls of the code at `entry` with `image`, an array of addresses (ctypes): those of the arguments come first, those of the results from
    `first_result` on. `run(address, id(arguments), id(results))`, one at a time, takes a tuple of whatever a caller has given, and one of `results` arrays,
    which are not checked."""

    def __init__(self, entry: int, image: Any, arguments: Sequence[ArrayType], first_result: int, results: int):
        words = [0] * KINDS
        words[ENTRY], words[IMAGE], words[FIRST_RESULT] = entry, ctypes.addressof(image), first_result
        words[COUNT], words[RESULTS] = len(arguments), results
        words[ITEMS], words[ARRAY] = tuple.__basicsize__, id(np.ndarray)
        words += [word for kind in arguments for word in (id(kind.dtype), len(kind.shape), *kind.shape)]
        self._words, self._kept = np.array(words, np.int64), (image, arguments)
        self.address = address_of(self._words)

    @property
    def run(self) -> Run:
        run = _machine_code()
        assert run, "who makes a call has asked reads_headers"
        return run


class QuickCalls:
    """Calls of an executable of one process, which has no loops, calls nothing of Python's and changes none of its arguments."""

    def __init__(self, executable: Executable):
        arguments, results = executable.signature
        is_small = sum(kind.nbytes for kind in results) < LEAST_POOLED
        self._kinds = results
        self._small = SmallArrays(results) if is_small else None
        self._call = call = ArrayCall(executable.entry, executable.image(), arguments, len(arguments), len(results))
        self._run, self._address = call.run, call.address
        self._turn = _thread.allocate_lock()

    def __call__(self, arrays: tuple[Any, ...]) -> list[np.ndarray] | None:
        """The results; None where an array has to be converted or refused, or while another thread is in a call."""
        if not self._turn.acquire(False):
            return None
        try:
            results = self._small.take() if self._small else tuple([POOL.array(*kind) for kind in self._kinds])
            given = self._run(self._address, id(arrays), id(results))
        finally:
            self._turn.release()
        return None if given == DOES_NOT_FIT else list(results)


def reads_headers() -> bool:
    """Whether numpy and Python are built as the machine code takes it: it sees what numpy says of some arrays."""
    return _machine_code() is not None


@functools.cache
def _machine_code() -> Run | None:
    if address_of is public_address_of:
        return None
    try:
        code = load_once(text())
    except ImportError:  # without LLVM there is what a saved program has brought, if anything
        return None
    run = RUN(code.address("hlo_call_on_arrays"))
    return run if _sees_arrays(run, code.address("hlo_run_nothing")) else None


def _sees_arrays(run: Run, nothing: int) -> bool:
    """Whether two arrays are found to fit their types, and others not to."""
    first, second, result = np.zeros((2, 3), np.float32), np.zeros((), np.int8), np.zeros(5)
    image = (ctypes.c_int64 * 3)()
    call = ArrayCall(nothing, image, [ArrayType(a.shape, a.dtype) for a in (first, second)], 2, 1)

    def fits(*arrays: Any) -> bool:
        results = (result,)
        return run(call.address, id(arrays), id(results)) != DOES_NOT_FIT

    others = [
        first[:, :2],
        first.T,
        first.view(np.int32),
        np.asfortranarray(first),
        first.reshape(2, 3, 1),
        first.tolist(),
    ]
    sees = fits(first, second) and list(image) == [public_address_of(a) for a in (first, second, result)]
    return sees and not any(fits(other, second) for other in others) and not fits(first)


def text() -> str:
    names = {
        "entry": ENTRY, "image": IMAGE, "count": COUNT, "results": RESULTS, "first_result": FIRST_RESULT, "items": ITEMS, "array": ARRAY,
        "kinds": KINDS, "header": HEADER, "type": HEADER - 8, "in_place": IN_PLACE, "does_not_fit": DOES_NOT_FIT,
    }  # fmt: skip
    return Template(TEXT).substitute(names) + READ_WORDS
