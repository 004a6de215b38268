"""A compiled program: numpy (or DLPack) arrays in, numpy arrays out."""

from __future__ import annotations

import ctypes
import functools
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hlo.environment import PROFILE
from hlo.errors import ArgumentError, HloError
from hlo.forks import UNFORKED
from hlo.runtime.calls.addresses import IN_PLACE, address_of
from hlo.runtime.calls.allocator import POOL, Pool
from hlo.runtime.calls.arguments import LARGEST_BYTE, canonical, check_count, checked_out, converted, may_overlap
from hlo.runtime.calls.donation import separate_donated, with_donated
from hlo.runtime.calls.signature import ArrayType
from hlo.runtime.code.loaded_code import Code
from hlo.runtime.saved.program import Program
from hlo.runtime.threads.count import number_of_threads

if TYPE_CHECKING:  # what few programs need is imported where it is needed
    from hlo.runtime.calls.array_calls import QuickCalls
    from hlo.runtime.calls.memory_use import Memory
    from hlo.runtime.custom_calls.registry import Dispatcher
    from hlo.runtime.grid.grid_run import GridRunner
    from hlo.runtime.profile.profile import Profile
    from hlo.runtime.profile.record import Record
    from hlo.runtime.profile.rows import PhaseTime

PARALLEL_PREFIX = "interpreter.run_parallel."
"""Of the targets that run other programs (parallel_programs.py)."""

OFTEN = 16
"""Calls after which a program's calls are prepared to be quick (array_calls.py): that takes longer than a call."""


class Executable:
    """`exe(*arrays)` runs the program. Several threads may call it at once; the GIL is released while it runs.

    `signature`: types of arguments and results. `has_loops`: whether it may run for ever. `memory`: sizes in bytes.
    `phases`: the IR text of each phase, when compiled with keep_phases=True. `threads`: how many it runs on at most.
    `program`: what it was made from, as data. `record`: what its timers write into, None for a program without;
    `with_timers` compiles the program with them, where that is possible; `compile_phases`: how long its compilation
    took. `entry`: the address of its code, which takes the address of addresses: those of the arguments, of the
    results, `tail`, and that of memory for temporaries. It returns 0, or another number if a custom call has failed."""

    def __init__(
        self,
        code: Code,
        program: Program,
        threads: int | None = None,
        *,
        phases: Mapping[str, str] | None = None,
    ):
        self.signature = signature = program.signature
        self.phases = dict(phases or {})
        self.program = program
        self.grid = program.grid
        self._code = code
        self._chosen_threads = threads
        self.dispatcher = _dispatcher(program)
        self.divide_processors(self.grid.size)
        self.has_loops = code.interrupt != 0
        self.record = _record(code, program)
        self.with_timers: Callable[[], Executable] | None = None
        self._with_timers: Executable | None = None
        self.compile_phases: tuple[PhaseTime, ...] = ()
        if self.record is not None and PROFILE.value():
            from hlo.runtime.profile.at_exit import remember

            remember(self)
        if code.interrupt:
            from hlo.runtime.calls import interrupts

            interrupts.connect(code.interrupt)
            self._interrupts = interrupts
        self.entry = code.entry
        self._entry = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(code.entry)
        callback = self.dispatcher.address if self.dispatcher else 0
        self.tail = (*(c.ctypes.data for c in program.constants), callback)
        words = self.grid.size > 1
        count = len(signature.arguments) + words + len(signature.results) + len(self.tail) + 1
        self._pointers = ctypes.c_void_p * count
        self._arenas = Pool()
        self._arena_size = program.arena
        self._arguments = tuple((t.shape, t.dtype) for t in signature.arguments)
        self._small = tuple(n for n, t in enumerate(signature.arguments) if t.dtype in LARGEST_BYTE)
        self._results = tuple((t.shape, t.dtype) for t in signature.results)
        self._donation = program.donation
        needs_python = self.may_copy_arguments or (self.dispatcher is not None and self.dispatcher.needs_python)
        self._until_often = -1 if self.grid.size > 1 or needs_python else OFTEN
        self._quick: QuickCalls | None = None

    @functools.cached_property
    def memory(self) -> Memory:
        from hlo.runtime.calls.memory_use import memory_of

        return memory_of(self.program, self._code.size)

    def profile(self, *arrays: Any, repeat: int = 10) -> Profile:
        """Where the time of a call goes (docs/profiling.md): the mean of `repeat` calls of the program with timers,
        after one that is not counted. A program without timers is compiled with them first. Raises what a call raises,
        and HloError for a program without timers that this process has not compiled."""
        from hlo.runtime.profile.measure import profile_calls

        return profile_calls(self._timed(), arrays, repeat)

    def _timed(self) -> Executable:
        """This program with timers."""
        if self.record is not None:
            return self
        if self.with_timers is None:
            raise HloError("the program has no timers: compile it with profile=True (before it is saved)")
        if self._with_timers is None:
            self._with_timers = self.with_timers()
        return self._with_timers

    def divide_processors(self, processes: int) -> None:
        """So many processes run at the same time on the processors of this one: each on as many threads as it was told
        to, or on an equal part of them."""
        self.threads = number_of_threads(self._chosen_threads)
        if self._chosen_threads is None:
            self.threads = max(1, self.threads // processes)
        if self._code.threads:
            from hlo.runtime.threads.pool import connect

            connect(self._code.threads, self.threads, tuple(name for name, _ in self.program.process_code))
        if self.dispatcher:
            self.dispatcher.use_threads(self.threads)

    @property
    def may_be_saved(self) -> bool:
        """Whether the program is data: code of its own, and no other programs that it runs."""
        others = any(call.target.startswith(PARALLEL_PREFIX) for call in self.program.custom_calls)
        return bool(self.program.objects or self.program.library) and not others

    def save(self, path: str | os.PathLike[str], format: str = "exe") -> None:
        """Writes the compiled program to a file, for `hlo.load_executable` on a machine with such a processor.
        `format`: "exe", or "so", which C programs can be linked with too (docs/deploy.md)."""
        if format not in ("exe", "so"):
            raise ArgumentError(f"format takes 'exe' or 'so', found {format!r}")
        from hlo.whole_files import save

        save(path, self._contents(path, format))

    def _contents(self, path: str | os.PathLike[str], format: str) -> bytes:
        """Of a file of that name. Raises HloError."""
        if not self.may_be_saved:
            raise HloError(
                "only programs compiled with engine='llvm' can be saved, and none with an interpreter.run_parallel of "
                "several processes"
            )
        from hlo.runtime.saved.portable import contents_of  # not where programs are loaded only

        return contents_of(self.program, path, format)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as it is saved: for processes of this machine, or of one with such a processor."""
        from hlo.runtime.saved.load_file import load_contents

        return load_contents, (self._contents("program", "exe"), self._chosen_threads)

    def __call__(self, *arrays: Any, out: Sequence[np.ndarray] | None = None) -> list[np.ndarray]:
        """Runs the program; returns its results, or `out`, into which they are written. Raises ArgumentError for
        arrays that do not fit the signature, and for a program of several processes."""
        if self._quick is not None and out is None:
            results = self._quick(arrays)
            if results is None and any(isinstance(a, np.generic) for a in arrays):
                results = self._quick(tuple(np.asarray(a) if isinstance(a, np.generic) else a for a in arrays))
            if results is not None:
                return results
        elif self._until_often > 0:
            self._count_call()
        elif self.grid.size > 1:
            from hlo.runtime.grid.processes import refuse_call

            refuse_call(self.grid)
        inputs = self.inputs(arrays)
        return self.run_unchecked(inputs) if out is None else self._run_into(inputs, out)

    def _count_call(self) -> None:
        self._until_often -= 1
        if self._until_often == 0:
            with UNFORKED:
                from hlo.runtime.calls.array_calls import quick_calls

                self._quick = quick_calls(self)

    def run_grid(self, arguments: Sequence[Sequence[Any]], timeout: float | None = None) -> list[list[np.ndarray]]:
        """The results of each process for one list of arguments each, process (r, p) at r * num_partitions + p. `timeout`: seconds
        for which a process waits for others that still run (None: 300). Raises
        ArgumentError for what does not fit, and HloError for a process that waits in vain."""
        from hlo.runtime.grid.processes import for_each_process
        from hlo.runtime.grid.rendezvous import seconds_to_wait

        seconds = seconds_to_wait(timeout)
        inputs = for_each_process(self.grid, self.inputs, arguments)
        if self.grid.size == 1:
            return [self.run_unchecked(inputs[0])]
        separate_donated(inputs, self._donation)
        return self.runner.run(inputs, timeout=seconds)

    @functools.cached_property
    def runner(self) -> GridRunner:
        """Runs the program on all processes of its grid."""
        from hlo.runtime.grid.grid_run import GridRunner

        return GridRunner([self] * self.grid.size)

    @property
    def may_copy_arguments(self) -> bool:
        """Whether `inputs` may copy an array that fits and is contiguous: one that is donated, or of booleans or elements of a few bits."""
        return bool(self._small or self._donation.arguments)

    def inputs(self, arrays: Sequence[Any]) -> list[np.ndarray]:
        """The arrays as the program reads them. Raises ArgumentError for those that do not fit."""
        if len(arrays) != len(self._arguments):
            check_count(self.signature.arguments, len(arrays))
        inputs = [
            a
            if type(a) is np.ndarray
            and a.shape == shape
            and (a.dtype is dtype or a.dtype == dtype)
            and a.flags.num & IN_PLACE == IN_PLACE
            else converted(a, number, ArrayType(shape, dtype))
            for number, (a, (shape, dtype)) in enumerate(zip(arrays, self._arguments))
        ]
        if self._donation.arguments:
            with_donated(inputs, arrays, self._donation, self.signature.arguments)
        for number in self._small:
            inputs[number] = canonical(inputs[number], number in self._donation.arguments)
        return inputs

    def run_unchecked(self, inputs: Sequence[np.ndarray], words: int | None = None) -> list[np.ndarray]:
        """Runs the program on contiguous arrays of the right types. Those that it was promised as donated are overwritten
        (`program.donation`): they must be writable and share no memory with others. `words`: in a grid, the address of
        those of the process."""
        results = self.fresh_results(inputs)
        self._run(inputs, results, words)
        return results

    def image(self, words: int | None = None) -> Any:
        """What the code takes, with memory for temporaries of its own; `fill` adds the arrays. `words`: in a grid, the address of those
        of the process."""
        arena = self._arenas.take(self._arena_size) if self._arena_size else None
        arguments, results = [0] * len(self._arguments), [0] * len(self._results)
        between = [] if words is None else [words]
        image: Any = self._pointers(
            *arguments, *between, *results, *self.tail, 0 if arena is None else address_of(arena)
        )
        image.arena = arena
        return image

    def fill(self, image: Any, inputs: Sequence[np.ndarray], results: Sequence[np.ndarray]) -> None:
        """Puts the addresses of arrays into an image of a process of a grid."""
        count = len(inputs)
        image[:count] = [*map(address_of, inputs)]
        image[count + 1 : count + 1 + len(results)] = [*map(address_of, results)]

    def fresh_results(self, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Arrays for the results of a call; those that are left in donated memory are the arguments."""
        if not self._donation.results:
            return [POOL.array(shape, dtype) for shape, dtype in self._results]
        found = self._in_donated(inputs)
        return [found[n] if n in found else POOL.array(*kind) for n, kind in enumerate(self._results)]

    def _in_donated(self, inputs: Sequence[np.ndarray]) -> dict[int, np.ndarray]:
        """The results that are left in the memory of an argument, by number."""
        return {r: inputs[a].reshape(self._results[r][0]) for a, r in self._donation.results}

    def run_addresses(self, arguments: Sequence[int], results: Sequence[int]) -> None:
        """Runs the program on memory that the caller vouches for: the addresses of contiguous arguments and of results, of the types of
        the signature, no result within an argument or another result (those of `program.donation` lie in their argument's memory)."""
        self._run_on((*arguments, *results))

    def _run(self, inputs: Sequence[np.ndarray], results: Sequence[np.ndarray], words: int | None = None) -> None:
        addresses: Iterable[int] = map(address_of, (*inputs, *results))
        if words is not None:
            addresses = (*map(address_of, inputs), words, *map(address_of, results))
        self._run_on(addresses)

    def _run_on(self, addresses: Iterable[int]) -> None:
        """Runs the program on the addresses that its code takes, but those of constants and of memory for temporaries."""
        arena = self._arenas.take(self._arena_size) if self._arena_size else None
        pointers = self._pointers(*addresses, *self.tail, 0 if arena is None else address_of(arena))
        if self.dispatcher:
            self.dispatcher.forget()
        if self.has_loops and self._interrupts.may_interrupt():
            has_failed = self._interrupts.call(self.entry, ctypes.addressof(pointers))
        else:
            has_failed = self._entry(ctypes.addressof(pointers))
        if arena is not None:
            self._arenas.give(arena)
        if has_failed and self.dispatcher:
            raise self.dispatcher.failure()

    def _run_into(self, inputs: list[np.ndarray], out: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Results are made in place, or elsewhere and copied where `out` shares memory with an argument."""
        given, out = out, checked_out(out, self.signature.results)
        donated, overlaps = self._in_donated(inputs), may_overlap(out, inputs)
        direct = [n not in donated and a.flags.carray and not overlaps[n] for n, a in enumerate(out)]
        arrays = [
            a if d else donated[n] if n in donated else POOL.array(a.shape, a.dtype)
            for n, (a, d) in enumerate(zip(out, direct))
        ]
        self._run(inputs, arrays)
        for array, result, is_direct in zip(out, arrays, direct):
            if not is_direct:
                array[...] = result
        return list(given)

    def __repr__(self) -> str:
        return f"<Executable {self.signature}>"


def _dispatcher(program: Program) -> Dispatcher | None:
    if not program.custom_calls:
        return None
    from hlo.runtime.custom_calls.registry import Dispatcher

    return Dispatcher(program.custom_calls)


def _record(code: Code, program: Program) -> Record | None:
    """What the program's timers write into from now on."""
    if not code.profile or program.profile is None:
        return None
    from hlo.runtime.profile.record import Record

    record = Record(len(program.profile))
    record.connect(code.profile)
    return record
