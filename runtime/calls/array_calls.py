"""Calls of compiled code on numpy arrays in some hundred nanoseconds: machine code compares what numpy's ABI says of
each array (the fields of PyArrayObject_fields behind the object header) with the type that is expected, and takes its
address.

In: a program's code and the addresses that it takes (`Executable.image`); for each call a tuple of arguments and one of
results. Out: what the code gives, or DOES_NOT_FIT, for arrays that Python has to convert or refuse."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Sequence
from functools import partial
from string import Template
from typing import TYPE_CHECKING, Any

import numpy as np

from hlo.runtime.calls.addresses import IN_PLACE, address_of, public_address_of
from hlo.runtime.calls.allocator import POOL, SmallArrays
from hlo.runtime.calls.signature import ArrayType
from hlo.runtime.code.process_code import READ_WORDS, Loaded, load_once

if TYPE_CHECKING:
    from hlo.runtime.calls.executable import Executable

Run = Callable[[int, int, int], int]
QuickCalls = Callable[[tuple[Any, ...]], "list[np.ndarray] | None"]

LEAST_SHARED = 1 << 17
"""Bytes of a program's results from which they come from the pool of all programs, which takes 1 to 2 us more than
memory of the program's own."""

RUN = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)

HEADER = object.__basicsize__
"""Bytes of an object's header, at whose end its type is; behind it a tuple has its length, an array its fields."""

ENTRY, IMAGE, COUNT, RESULTS, FIRST_RESULT, ITEMS, ARRAY, GUARD, KINDS = range(9)
"""Words of a call: addresses of the code and of the addresses that it takes; how many arguments there are, how many
results, and where among the addresses these begin; where in a tuple its items begin; the address of numpy's type of
arrays; that of the function through which the code is called (0: none). Then for each argument: the address of its
element type, what the type says of itself, its rank, its sizes."""

SAYS, BYTE_ORDERS = 1, 0xFFFFFFFFFFFEFFFF
"""Which of the words behind the header of an element type says what it is (PyArray_Descr: kind, letter, byte order, flags,
number), and the bits of it in which equal types are equal: `=` (0x3D) and `<` (0x3C) are the same order, `>` (0x3E) is
another. An array that is unpickled, or made by some other libraries, has a type of its own that equals numpy's."""

TAKEN, CALL, MAKE, NONE, CALL_OBJECT, LEAVE_PYTHON, ENTER_PYTHON, MAKE_LIST, FORGET, KEEP = range(10)
"""Words of a builtin function, which is a call as Python sees it: whether a thread is in it, the address of the call's
words, the object that makes a tuple of arrays for results, None; then functions of Python's."""

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
  %element = call ptr @pointer(ptr %fields, i64 5)
  %flags = call i64 @word(ptr %fields, i64 6)
  %wanted_element = call ptr @pointer(ptr %kind, i64 0)
  %wanted_rank = call i64 @word(ptr %kind, i64 2)
  %wanted_sizes = getelementptr i64, ptr %kind, i64 3
  %kind_next = getelementptr i64, ptr %wanted_sizes, i64 %wanted_rank
  %same_rank = icmp eq i64 %rank, %wanted_rank
  %set = and i64 %flags, $in_place
  %in_place = icmp eq i64 %set, $in_place
  %fits = and i1 %same_rank, %in_place
  br i1 %fits, label %compare_element, label %refuse

compare_element:
  %same_element = icmp eq ptr %element, %wanted_element
  br i1 %same_element, label %next_size, label %compare_types

compare_types:
  %element_fields = getelementptr i8, ptr %element, i64 $header
  %says = call i64 @word(ptr %element_fields, i64 $says)
  %wanted_says = call i64 @word(ptr %kind, i64 1)
  %differing = xor i64 %says, %wanted_says
  %telling = and i64 %differing, $byte_orders
  %equal_element = icmp eq i64 %telling, 0
  br i1 %equal_element, label %next_size, label %refuse

next_size:
  %d = phi i64 [ 0, %compare_element ], [ 0, %compare_types ], [ %d_next, %size ]
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
  %slot = getelementptr i64, ptr %image, i64 %n
  store i64 %data, ptr %slot
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
  %guard = call ptr @pointer(ptr %call, i64 $guard)
  %is_direct = icmp eq ptr %guard, null
  br i1 %is_direct, label %direct, label %guarded

direct:
  %given_back = call i64 %entry_code(ptr %image)
  ret i64 %given_back

guarded:
  %given_by_guard = call i64 %guard(ptr %entry_code, ptr %image)
  ret i64 %given_by_guard

refuse:
  ret i64 $does_not_fit
}

; The list of the results, or None: where the arguments do not fit, where a custom call has failed, and while another thread is in the same call.
define ptr @hlo_call_as_builtin(ptr %self, ptr %arguments) {
entry:
  %own_at = getelementptr i8, ptr %self, i64 $first_item
  %own_array = load ptr, ptr %own_at
  %own = call ptr @pointer(ptr %own_array, i64 $header_words)
  %taken = atomicrmw xchg ptr %own, i64 1 acquire
  %is_free = icmp eq i64 %taken, 0
  br i1 %is_free, label %make, label %nothing

make:
  %make_results = call ptr @pointer(ptr %own, i64 $make)
  %call_object = call ptr @pointer(ptr %own, i64 $call_object)
  %results = call ptr %call_object(ptr %make_results)
  %made = icmp ne ptr %results, null
  br i1 %made, label %run, label %failed

run:
  %leave_python = call ptr @pointer(ptr %own, i64 $leave_python)
  %state = call ptr %leave_python()
  %call = call ptr @pointer(ptr %own, i64 $call)
  %given = call i64 @hlo_call_on_arrays(ptr %call, ptr %arguments, ptr %results)
  %enter_python = call ptr @pointer(ptr %own, i64 $enter_python)
  call void %enter_python(ptr %state)
  store atomic i64 0, ptr %own release, align 8
  %fits = icmp eq i64 %given, 0
  br i1 %fits, label %list, label %drop

list:
  %make_list = call ptr @pointer(ptr %own, i64 $make_list)
  %list_or_null = call ptr %make_list(ptr %results)
  br label %drop

drop:
  %found = phi ptr [ %list_or_null, %list ], [ null, %run ]
  %forget = call ptr @pointer(ptr %own, i64 $forget)
  call void %forget(ptr %results)
  br i1 %fits, label %give, label %nothing

give:
  ret ptr %found

failed:
  store atomic i64 0, ptr %own release, align 8
  ret ptr null

nothing:
  %none = call ptr @pointer(ptr %own, i64 $none)
  %keep = call ptr @pointer(ptr %own, i64 $keep)
  call void %keep(ptr %none)
  ret ptr %none
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
    """Calls of the code at `entry` with `image`, an array of addresses (ctypes): those of the arguments come first,
    those of the results from `first_result` on. `run(address, id(arguments), id(results))`, one at a time, takes a
    tuple of whatever a caller has given, and one of `results` arrays, which are not checked. `guard`: the address of
    `i64 f(ptr entry, ptr image)`, which calls the code."""

    def __init__(
        self, entry: int, image: Any, arguments: Sequence[ArrayType], first_result: int, results: int, guard: int = 0
    ):
        words = [0] * KINDS
        words[ENTRY], words[IMAGE], words[FIRST_RESULT] = entry, ctypes.addressof(image), first_result
        words[COUNT], words[RESULTS], words[GUARD] = len(arguments), results, guard
        words[ITEMS], words[ARRAY] = tuple.__basicsize__, id(np.ndarray)
        words += [word for kind in arguments for word in (*_element_words(kind.dtype), len(kind.shape), *kind.shape)]
        self._words, self._kept = np.array(words, np.int64), (image, arguments)
        self.address = address_of(self._words)

    @property
    def run(self) -> Run:
        run = _machine_code()
        assert run, "who makes a call has asked reads_headers"
        return run


def _element_words(dtype: np.dtype) -> tuple[int, int]:
    """The address of an element type, and what it says of itself."""
    return id(dtype), ctypes.c_int64.from_address(id(dtype) + HEADER + 8 * SAYS).value


def quick_calls(executable: Executable) -> QuickCalls | None:
    """Calls of an executable of one process, which calls no function of Python's and changes none of its arguments: a
    function from a tuple of arguments to the list of results. It gives None where Python has to make the call: where an
    array has to be converted or refused, where a custom call has failed, and while another thread is in a call. None
    where numpy or Python are built in another way than the machine code takes it."""
    if not reads_headers():
        return None
    if not executable.has_loops:
        return _builtin(executable)
    from hlo.runtime.calls import interrupts

    return interrupts.quick_calls(_builtin(executable), _builtin(executable, interrupts.guard()))


def _builtin(executable: Executable, guard: int = 0) -> QuickCalls:
    arguments, results = executable.signature
    call = ArrayCall(executable.entry, executable.image(), arguments, len(arguments), len(results), guard)
    is_small = sum(kind.nbytes for kind in results) < LEAST_SHARED
    make = SmallArrays(results).take if is_small else partial(_pooled, results)
    words = np.array([0, call.address, id(make), id(None), *_python_functions()], np.int64)
    method = _method()
    return _new_builtin(ctypes.addressof(method), (words, call, make, method), None)


def _pooled(kinds: Sequence[ArrayType]) -> tuple[np.ndarray, ...]:
    return tuple([POOL.array(*kind) for kind in kinds])


class _Method(ctypes.Structure):
    """PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("code", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


_ONE_ARGUMENT = 8
"""METH_O"""

_new_builtin = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)(
    ("PyCFunction_NewEx", ctypes.pythonapi)
)


@functools.cache
def _method() -> _Method:
    return _Method(b"call", _code().address("hlo_call_as_builtin"), _ONE_ARGUMENT, None)


@functools.cache
def _python_functions() -> list[int]:
    """The addresses of what a builtin asks Python for."""
    names = (
        "PyObject_CallNoArgs",
        "PyEval_SaveThread",
        "PyEval_RestoreThread",
        "PySequence_List",
        "Py_DecRef",
        "Py_IncRef",
    )
    found = (ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value for name in names)
    return [address for address in found if address]


def reads_headers() -> bool:
    """Whether numpy and Python are built as the machine code takes it: it sees what numpy says of some arrays."""
    return _machine_code() is not None


@functools.cache
def _machine_code() -> Run | None:
    if address_of is public_address_of:
        return None
    try:
        code = _code()
    except ImportError:  # without LLVM there is what a saved program has brought, if anything
        return None
    run = RUN(code.address("hlo_call_on_arrays"))
    return run if _sees_arrays(run, code.address("hlo_run_nothing")) else None


def _code() -> Loaded:
    return load_once(text())


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
        first.view(np.uint32),
        first.view(first.dtype.newbyteorder()),
        np.asfortranarray(first),
        first.reshape(2, 3, 1),
        first.tolist(),
    ]
    sees = fits(first, second) and list(image) == [public_address_of(a) for a in (first, second, result)]
    sees = sees and fits(first.view(first.dtype.newbyteorder("=")), second)
    return sees and not any(fits(other, second) for other in others) and not fits(first)


def text() -> str:
    names = {
        "entry": ENTRY, "image": IMAGE, "count": COUNT, "results": RESULTS, "first_result": FIRST_RESULT, "items": ITEMS, "array": ARRAY,
        "guard": GUARD, "kinds": KINDS, "header": HEADER, "type": HEADER - 8, "in_place": IN_PLACE, "does_not_fit": DOES_NOT_FIT,
        "says": SAYS, "byte_orders": BYTE_ORDERS,
        "first_item": tuple.__basicsize__, "header_words": HEADER // 8, "call": CALL, "make": MAKE, "none": NONE, "call_object": CALL_OBJECT,
        "leave_python": LEAVE_PYTHON, "enter_python": ENTER_PYTHON, "make_list": MAKE_LIST, "forget": FORGET, "keep": KEEP,
    }  # fmt: skip
    return Template(TEXT).substitute(names) + READ_WORDS
