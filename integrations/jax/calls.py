"""Calls that machine code could not make (hlo.jax.code.call_code), and the table of Python functions that it calls."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from hlo.jax.code.call_code import DONE, EVENTS, FAILED, NOT_POSSIBLE, PLAN_SLOT
from hlo.jax.code.machine_code import PYTHON_SLOTS
from hlo.jax.code.process_memory import WORD, keep_forever, put, words_at
from hlo.jax.code.record_words import DEVICE
from hlo.jax.errors import permanent_error
from hlo.jax.objects.buffers import Client_BufferFromHostBuffer, copy_of
from hlo.jax.objects.device_memories import READY, device_memory_of
from hlo.jax.objects.native import delete, is_deleted, is_private, release
from hlo.jax.objects.records import CODE, OBJECTS, collect
from hlo.jax.profiler.traces import called_program
from hlo.jax.table import INTERRUPT_WORD, RUNNING, callback, python_function, slot
from hlo.runtime.grid.grid_run import MakesRuns, Runs
from hlo.runtime.grid.rendezvous import TIMEOUT

if TYPE_CHECKING:
    from hlo.jax.code.plans import Plan
    from hlo.jax.objects.executables import LoadedProgram
    from hlo.runtime.calls.executable import Executable

LEAST_THREADED = 1 << 17
"""Bytes that each process of a program touches from which they run at the same time, even where they need not."""

WORDS_OF_CALL = 10
"""Of the arguments of LoadedExecutable_Execute, with their header."""

_call = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(CODE["Call"])


@slot()
def LoadedExecutable_Execute(fields: int) -> None:
    """Says why a call is not possible; makes calls on several devices. Donated arguments that others see, and those
    that the options of this call keep, are copied, so that the program overwrites the copies; a buffer that is an
    argument twice cannot be donated.

    Fields: executable, options, argument lists, devices, arguments, result lists, events."""
    loaded = called_program(OBJECTS[WORD[fields]])
    count = WORD[fields + 4]
    rows = [list(words_at(at, count)) for at in words_at(WORD[fields + 2], len(loaded.plans))]
    if loaded.assignment.grid.size == 1:
        _call_with_copies(loaded, fields, rows, _call_alone)
        return
    with loaded.together.exclusive():
        if loaded.plans[0].donated:
            _call_with_copies(loaded, fields, rows, _call_all)
        else:
            _call_all(loaded, fields, rows)


def _call_with_copies(loaded: LoadedProgram, fields: int, rows: list[list[int]], call: Callable[..., None]) -> None:
    kept = _kept(WORD[fields + 1])
    copied = [_to_copy(handles, plan.donated, kept) for handles, plan in zip(rows, loaded.plans)]
    with ExitStack() as copies:
        given = [copies.enter_context(_copies(handles, numbers)) for handles, numbers in zip(rows, copied)]
        call(loaded, fields, given)
        for handles, numbers in zip(rows, copied):
            for number in set(numbers) - set(kept):
                delete(handles[number])


def _to_copy(handles: list[int], donated: Sequence[int], kept: Sequence[int]) -> list[int]:
    """The numbers of the donated arguments that cannot be overwritten where they are. Raises ValueError for arguments that cannot be."""
    _refuse_deleted(handles)
    for number in set(donated) - set(kept):
        if handles.count(handles[number]) > 1:
            raise ValueError(f"argument {number}: this buffer is donated and is another argument too: f(donate(a), a)")
    return [n for n in donated if n in kept or not is_private(handles[n])]


def _call_alone(loaded: LoadedProgram, fields: int, rows: list[list[int]]) -> None:
    """The same call on other arguments, none of which is kept. Raises what the program has raised."""
    (given,) = rows
    arguments = (ctypes.c_uint64 * max(1, len(given)))(*given)
    lists = (ctypes.c_uint64 * 1)(ctypes.addressof(arguments))
    call = _call_words(WORD[fields], ctypes.addressof(lists), len(given), WORD[fields + 5])
    call[EVENTS] = WORD[fields + 6]
    _raise_for(_call(ctypes.addressof(call)), OBJECTS[WORD[fields]], given)
    assert arguments and lists, "they live as long as the call"


def _call_all(loaded: LoadedProgram, fields: int, given: list[list[int]]) -> None:
    """A call for each device, all at the same time: JAX gets the results if none has failed."""
    python = loaded.together.runner.calls_python
    made = _call_on_threads(loaded, given) if python else _call_together(loaded, given)
    for number, results in enumerate(made):
        ctypes.memmove(WORD[(WORD[fields + 5] >> 3) + number], results, 8 * len(loaded.outputs))
    if WORD[fields + 6]:
        put(WORD[fields + 6] >> 3, *[READY] * len(given))


def _call_together(loaded: LoadedProgram, given: list[list[int]]) -> list[Any]:
    """The results of each process, without Python in them."""
    run = loaded.runs.take()
    for call, handles in zip(run.prepared, given):
        call.arguments[: len(handles)] = handles
    ends = run.one_by_one() if _is_small(loaded.program.executable) else run.go(TIMEOUT, (loaded, given))
    made = [type(call.results)(*call.results) for call in run.prepared]
    if ends.failure is None:
        loaded.runs.give(run)
        if not ends.given:
            return _call_on_threads(loaded, given)
        if not any(ends.given):
            return made
    for status, results in zip(ends.given, made):
        if status == DONE:
            _drop(results)
    for status, handles in zip(ends.given, given):
        _raise_for(status, loaded, handles)  # before the failure: others have waited for this process
    assert ends.failure, "a process has failed"
    raise ends.failure


def _call_on_threads(loaded: LoadedProgram, given: list[list[int]]) -> list[Any]:
    """The same with a thread of Python's for each process."""
    made: dict[int, Any] = {}

    def run(number: int, words: int) -> None:
        call = ProcessCall(loaded.plans[number], words)
        call.arguments[: len(given[number])] = given[number]
        _raise_for(_call(call.address), loaded, given[number])
        made[number] = call.results

    try:
        loaded.together.runner.run_calls([functools.partial(run, number) for number in range(len(given))])
    except BaseException:
        for results in made.values():
            _drop(results)
        raise
    return [made[number] for number in range(len(given))]


class ProcessCall:
    """The call of machine code that is one process of a program, and its memory. `arguments` and `results`: handles."""

    def __init__(self, plan: Plan, words: int):
        address, self._plan = plan.for_process(words)
        self._plan_slot = (ctypes.c_uint64 * 2)(address, 0)
        self._executable = (ctypes.c_uint64 * (PLAN_SLOT + 1))(*[0] * PLAN_SLOT, ctypes.addressof(self._plan_slot))
        self.arguments: Any = (ctypes.c_uint64 * max(1, plan.arguments))()
        self.results = (ctypes.c_uint64 * max(1, plan.results))()
        self._lists = (ctypes.c_uint64 * 2)(ctypes.addressof(self.arguments), ctypes.addressof(self.results))
        lists = ctypes.addressof(self._lists)
        self._call = _call_words(ctypes.addressof(self._executable), lists, plan.arguments, lists + 8)
        self.address = ctypes.addressof(self._call)


def process_runs(runner: MakesRuns, plans: Mapping[int, Plan]) -> Runs:
    """Runs of processes, each by the plan of its number."""

    def prepare(number: int, words: int) -> tuple[int, int, ProcessCall]:
        call = ProcessCall(plans[number], words)
        return CODE["Call"], call.address, call

    return Runs(runner, prepare)


def _is_small(executable: Executable) -> bool:
    """Whether the processes of a program wait for nobody, and a thread for each would cost more than it saves."""
    program, memory = executable.program, executable.memory
    bytes_touched = memory.arguments + memory.results + memory.temporaries
    return not program.meetings and not program.custom_calls and bytes_touched < LEAST_THREADED


def _drop(results: Any) -> None:
    for handle in results:
        if handle:
            release(handle)


def _raise_for(status: int, loaded: LoadedProgram, handles: list[int]) -> None:
    if status == NOT_POSSIBLE:
        _refuse_deleted(handles)
        raise MemoryError(_needs(loaded))
    if status == FAILED:
        raise loaded.failure()


def _needs(loaded: LoadedProgram) -> str:
    memory = loaded.program.executable.memory
    return (
        f"{loaded.program.facts.name} makes {memory.results} bytes of results, with {memory.temporaries} of temporaries"
    )


def _refuse_deleted(handles: list[int]) -> None:
    for number, handle in enumerate(handles):
        if is_deleted(handle):
            raise ValueError(f"argument {number}: this buffer has been deleted or donated")


def _kept(options: int) -> tuple[int, ...]:
    """The donated arguments that the options of a call want to keep."""
    words = (options >> 3) + 7
    return words_at(WORD[words], WORD[words + 1]) if options else ()


@contextmanager
def _copies(handles: list[int], numbers: list[int]) -> Iterator[list[int]]:
    """The arguments, some of them copies."""
    given, made = list(handles), []
    try:
        for number in numbers:
            given[number] = copy_of(handles[number], device_memory_of(WORD[(handles[number] >> 3) + DEVICE]))
            made.append(given[number])
        yield given
    finally:
        for handle in made:
            release(handle)


def _call_words(executable: int, lists: int, count: int, result_lists: int) -> Any:
    """The arguments of a call on one device, none of which is kept. `lists`, `result_lists`: where the addresses of
    `count` arguments and of results stand."""
    return (ctypes.c_uint64 * WORDS_OF_CALL)(8 * WORDS_OF_CALL, 0, executable, 0, lists, 1, count, result_lists)


def raise_failure(fields: int) -> None:
    """Raises what a Python function of the program has raised in this thread. Fields: executable, ..."""
    raise OBJECTS[WORD[fields]].failure()


def set_python() -> None:
    """Tells machine code the Python functions that it calls, in the order of their numbers."""
    functions = [LoadedExecutable_Execute, raise_failure, lambda _: collect(), Client_BufferFromHostBuffer]
    functions += [python_function(name) for name in PYTHON_SLOTS]
    addresses = keep_forever((ctypes.c_uint64 * len(functions))(*map(callback, functions)))
    interrupted = permanent_error("a Python function was left by an exception that it could not catch")
    send = ctypes.cast(ctypes.pythonapi.PyErr_SetInterrupt, ctypes.c_void_p).value
    words = [ctypes.addressof(word) for word in (INTERRUPT_WORD, RUNNING)]
    set_all = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 5)(CODE["SetPython"])
    set_all(ctypes.addressof(addresses), interrupted, words[0], send, words[1])
