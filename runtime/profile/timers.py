"""The functions that a program with timers calls (`time-calls`, `parallelise-parts`), as the program has them.

`hlo_profile` points to the record of the program (record.py), or is null: then nothing is recorded. A frame is five
words on the stack of a host function: the time of the last lap, the times at which the run began, in ticks and in
nanoseconds, the rows of the thread (null: nothing is recorded), and whether other threads write to these, too. Ticks
are those of the processor's time stamp counter (x86-64) or nanoseconds; each run is measured in both, which says how
long a tick is. Several threads may run a program at once: each counts in rows of its own, without atomic additions,
which would wait for the stores of the kernel before; threads that have the last rows in common add atomically."""

from __future__ import annotations

import sys
from string import Template

from hlo.host import host_architecture
from hlo.runtime.profile import layout

MONOTONIC, MONOTONIC_MACOS = 1, 6
"""CLOCK_MONOTONIC: the clock of Python's perf_counter_ns on Linux."""

TICKS, COUNTER = "llvm.call @hlo_profile_ticks()", 'llvm.call_intrinsic "llvm.readcyclecounter"()'
"""How the functions below read the time in ticks, and what x86-64 has for it."""

TEXT = """
llvm.mlir.global external @hlo_profile() : !llvm.ptr {
  %0 = llvm.mlir.zero : !llvm.ptr
  llvm.return %0 : !llvm.ptr
}
llvm.func @pthread_self() -> i64
llvm.func @clock_gettime(i32, !llvm.ptr) -> i32

llvm.func internal @hlo_profile_ticks() -> i64 {
  %0 = llvm.call @hlo_profile_nanoseconds() : () -> i64
  llvm.return %0 : i64
}

llvm.func internal @hlo_profile_nanoseconds() -> i64 {
  %two = llvm.mlir.constant(2 : i64) : i64
  %clock = llvm.mlir.constant($clock : i32) : i32
  %billion = llvm.mlir.constant(1000000000 : i64) : i64
  %time = llvm.alloca %two x i64 : (i64) -> !llvm.ptr
  %0 = llvm.call @clock_gettime(%clock, %time) : (i32, !llvm.ptr) -> i32
  %rest_at = llvm.getelementptr %time[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %seconds = llvm.load %time : !llvm.ptr -> i64
  %rest = llvm.load %rest_at : !llvm.ptr -> i64
  %whole = llvm.mul %seconds, %billion : i64
  %sum = llvm.add %whole, %rest : i64
  llvm.return %sum : i64
}

llvm.func @hlo_profile_now() -> i64 {
  %0 = llvm.call @hlo_profile_ticks() : () -> i64
  llvm.return %0 : i64
}

// The number of this thread in the record: those that come when all numbers are given away get the last one.
llvm.func internal @hlo_profile_thread(%record: !llvm.ptr) -> i64 {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %most = llvm.mlir.constant($most_threads : i64) : i64
  %last = llvm.mlir.constant($last_thread : i64) : i64
  %self = llvm.call @pthread_self() : () -> i64
  %count_at = llvm.getelementptr %record[$threads] : (!llvm.ptr) -> !llvm.ptr, i64
  %known_at = llvm.getelementptr %record[$threads_at] : (!llvm.ptr) -> !llvm.ptr, i64
  %counted = llvm.load %count_at atomic acquire {alignment = 8 : i64} : !llvm.ptr -> i64
  %count = llvm.intr.umin(%counted, %most) : (i64, i64) -> i64
  llvm.br ^look(%zero : i64)
^look(%i: i64):
  %more = llvm.icmp "ult" %i, %count : i64
  llvm.cond_br %more, ^compare, ^new
^compare:
  %at = llvm.getelementptr %known_at[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %known = llvm.load %at atomic monotonic {alignment = 8 : i64} : !llvm.ptr -> i64
  %same = llvm.icmp "eq" %known, %self : i64
  %next = llvm.add %i, %one : i64
  llvm.cond_br %same, ^found, ^look(%next : i64)
^found:
  llvm.return %i : i64
^new:
  %full = llvm.icmp "uge" %count, %most : i64
  llvm.cond_br %full, ^crowd, ^take
^take:
  %number = llvm.atomicrmw add %count_at, %one acq_rel : !llvm.ptr, i64
  %room = llvm.icmp "ult" %number, %most : i64
  llvm.cond_br %room, ^enter, ^crowd
^enter:
  %slot = llvm.getelementptr %known_at[%number] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.store %self, %slot atomic monotonic {alignment = 8 : i64} : i64, !llvm.ptr
  llvm.return %number : i64
^crowd:
  llvm.return %last : i64
}

llvm.func internal @hlo_profile_event(%record: !llvm.ptr, %row: i64, %kind: i64, %start: i64, %end: i64) {
  %one = llvm.mlir.constant(1 : i64) : i64
  %size = llvm.mlir.constant($event_words : i64) : i64
  %shift = llvm.mlir.constant(32 : i64) : i64
  %count_at = llvm.getelementptr %record[$events] : (!llvm.ptr) -> !llvm.ptr, i64
  %capacity_at = llvm.getelementptr %record[$capacity] : (!llvm.ptr) -> !llvm.ptr, i64
  %capacity = llvm.load %capacity_at : !llvm.ptr -> i64
  %count = llvm.load %count_at atomic monotonic {alignment = 8 : i64} : !llvm.ptr -> i64
  %room = llvm.icmp "ult" %count, %capacity : i64
  llvm.cond_br %room, ^take, ^end
^take:
  %number = llvm.atomicrmw add %count_at, %one monotonic : !llvm.ptr, i64
  %still = llvm.icmp "ult" %number, %capacity : i64
  llvm.cond_br %still, ^write, ^end
^write:
  %thread = llvm.call @hlo_profile_thread(%record) : (!llvm.ptr) -> i64
  %list_at = llvm.getelementptr %record[$events_at] : (!llvm.ptr) -> !llvm.ptr, i64
  %list = llvm.load %list_at : !llvm.ptr -> !llvm.ptr
  %offset = llvm.mul %number, %size : i64
  %event = llvm.getelementptr %list[%offset] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %thread_at = llvm.getelementptr %event[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %start_at = llvm.getelementptr %event[2] : (!llvm.ptr) -> !llvm.ptr, i64
  %end_at = llvm.getelementptr %event[3] : (!llvm.ptr) -> !llvm.ptr, i64
  %high = llvm.shl %kind, %shift : i64
  %what = llvm.or %high, %row : i64
  llvm.store %what, %event : i64, !llvm.ptr
  llvm.store %thread, %thread_at : i64, !llvm.ptr
  llvm.store %start, %start_at : i64, !llvm.ptr
  llvm.store %end, %end_at : i64, !llvm.ptr
  llvm.br ^end
^end:
  llvm.return
}

// The rows of a thread.
llvm.func internal @hlo_profile_rows(%record: !llvm.ptr, %thread: i64) -> !llvm.ptr {
  %words_at = llvm.getelementptr %record[$block_words] : (!llvm.ptr) -> !llvm.ptr, i64
  %words = llvm.load %words_at : !llvm.ptr -> i64
  %offset = llvm.mul %thread, %words : i64
  %first = llvm.getelementptr %record[$first_row] : (!llvm.ptr) -> !llvm.ptr, i64
  %rows = llvm.getelementptr %first[%offset] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.return %rows : !llvm.ptr
}

llvm.func internal @hlo_profile_row(%rows: !llvm.ptr, %row: i64) -> !llvm.ptr {
  %words = llvm.mlir.constant($row_words : i64) : i64
  %offset = llvm.mul %row, %words : i64
  %at = llvm.getelementptr %rows[%offset] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.return %at : !llvm.ptr
}

// Whether other threads write to the rows of this thread.
llvm.func internal @hlo_profile_is_shared(%thread: i64) -> i1 {
  %last = llvm.mlir.constant($last_thread : i64) : i64
  %shared = llvm.icmp "eq" %thread, %last : i64
  llvm.return %shared : i1
}

// Adds to a word of a row.
llvm.func internal @hlo_profile_count(%at: !llvm.ptr, %more: i64, %shared: i1) {
  llvm.cond_br %shared, ^together, ^alone
^together:
  %0 = llvm.atomicrmw add %at, %more monotonic : !llvm.ptr, i64
  llvm.return
^alone:
  %before = llvm.load %at : !llvm.ptr -> i64
  %sum = llvm.add %before, %more : i64
  llvm.store %sum, %at : i64, !llvm.ptr
  llvm.return
}

// One more call of a row, which took from start to end.
llvm.func internal @hlo_profile_add(%frame: !llvm.ptr, %rows: !llvm.ptr, %row: i64, %kind: i64, %start: i64, %end: i64) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %shared_at = llvm.getelementptr %frame[4] : (!llvm.ptr) -> !llvm.ptr, i64
  %shared_word = llvm.load %shared_at : !llvm.ptr -> i64
  %shared = llvm.icmp "ne" %shared_word, %zero : i64
  %at = llvm.call @hlo_profile_row(%rows, %row) : (!llvm.ptr, i64) -> !llvm.ptr
  %calls_at = llvm.getelementptr %at[$calls] : (!llvm.ptr) -> !llvm.ptr, i64
  %ticks_at = llvm.getelementptr %at[$ticks] : (!llvm.ptr) -> !llvm.ptr, i64
  %ticks = llvm.sub %end, %start : i64
  llvm.call @hlo_profile_count(%calls_at, %one, %shared) : (!llvm.ptr, i64, i1) -> ()
  llvm.call @hlo_profile_count(%ticks_at, %ticks, %shared) : (!llvm.ptr, i64, i1) -> ()
  %pointer = llvm.mlir.addressof @hlo_profile : !llvm.ptr
  %record = llvm.load %pointer : !llvm.ptr -> !llvm.ptr
  %count_at = llvm.getelementptr %record[$events] : (!llvm.ptr) -> !llvm.ptr, i64
  %capacity_at = llvm.getelementptr %record[$capacity] : (!llvm.ptr) -> !llvm.ptr, i64
  %capacity = llvm.load %capacity_at : !llvm.ptr -> i64
  %count = llvm.load %count_at atomic monotonic {alignment = 8 : i64} : !llvm.ptr -> i64
  %room = llvm.icmp "ult" %count, %capacity : i64
  llvm.cond_br %room, ^keep, ^end
^keep:
  llvm.call @hlo_profile_event(%record, %row, %kind, %start, %end) : (!llvm.ptr, i64, i64, i64, i64) -> ()
  llvm.br ^end
^end:
  llvm.return
}

// A frame begins: whose rows it counts in. Whether there is a record.
llvm.func internal @hlo_profile_open(%frame: !llvm.ptr) -> i1 {
  %null = llvm.mlir.zero : !llvm.ptr
  %pointer = llvm.mlir.addressof @hlo_profile : !llvm.ptr
  %record = llvm.load %pointer : !llvm.ptr -> !llvm.ptr
  %rows_at = llvm.getelementptr %frame[3] : (!llvm.ptr) -> !llvm.ptr, i64
  %shared_at = llvm.getelementptr %frame[4] : (!llvm.ptr) -> !llvm.ptr, i64
  llvm.store %null, %rows_at : !llvm.ptr, !llvm.ptr
  %has_record = llvm.icmp "ne" %record, %null : !llvm.ptr
  llvm.cond_br %has_record, ^on, ^end
^on:
  %thread = llvm.call @hlo_profile_thread(%record) : (!llvm.ptr) -> i64
  %rows = llvm.call @hlo_profile_rows(%record, %thread) : (!llvm.ptr, i64) -> !llvm.ptr
  %shared = llvm.call @hlo_profile_is_shared(%thread) : (i64) -> i1
  %shared_word = llvm.zext %shared : i1 to i64
  llvm.store %rows, %rows_at : !llvm.ptr, !llvm.ptr
  llvm.store %shared_word, %shared_at : i64, !llvm.ptr
  llvm.br ^end
^end:
  llvm.return %has_record : i1
}

llvm.func @hlo_profile_begin(%frame: !llvm.ptr) {
  %on = llvm.call @hlo_profile_open(%frame) : (!llvm.ptr) -> i1
  llvm.cond_br %on, ^on, ^end
^on:
  %nanoseconds = llvm.call @hlo_profile_nanoseconds() : () -> i64
  %ticks = llvm.call @hlo_profile_ticks() : () -> i64
  %ticks_at = llvm.getelementptr %frame[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %nanoseconds_at = llvm.getelementptr %frame[2] : (!llvm.ptr) -> !llvm.ptr, i64
  llvm.store %ticks, %frame : i64, !llvm.ptr
  llvm.store %ticks, %ticks_at : i64, !llvm.ptr
  llvm.store %nanoseconds, %nanoseconds_at : i64, !llvm.ptr
  llvm.br ^end
^end:
  llvm.return
}

llvm.func @hlo_profile_end(%frame: !llvm.ptr) {
  %null = llvm.mlir.zero : !llvm.ptr
  %one = llvm.mlir.constant(1 : i64) : i64
  %nobody = llvm.mlir.constant(0 : i64) : i64
  %kind = llvm.mlir.constant($is_run : i64) : i64
  %pointer = llvm.mlir.addressof @hlo_profile : !llvm.ptr
  %record = llvm.load %pointer : !llvm.ptr -> !llvm.ptr
  %rows_at = llvm.getelementptr %frame[3] : (!llvm.ptr) -> !llvm.ptr, i64
  %rows = llvm.load %rows_at : !llvm.ptr -> !llvm.ptr
  %off = llvm.icmp "eq" %rows, %null : !llvm.ptr
  llvm.cond_br %off, ^end, ^on
^on:
  %ticks = llvm.call @hlo_profile_ticks() : () -> i64
  %nanoseconds = llvm.call @hlo_profile_nanoseconds() : () -> i64
  %from_ticks_at = llvm.getelementptr %frame[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %from_nanoseconds_at = llvm.getelementptr %frame[2] : (!llvm.ptr) -> !llvm.ptr, i64
  %from_ticks = llvm.load %from_ticks_at : !llvm.ptr -> i64
  %from_nanoseconds = llvm.load %from_nanoseconds_at : !llvm.ptr -> i64
  %took_ticks = llvm.sub %ticks, %from_ticks : i64
  %took_nanoseconds = llvm.sub %nanoseconds, %from_nanoseconds : i64
  %runs_at = llvm.getelementptr %record[$runs] : (!llvm.ptr) -> !llvm.ptr, i64
  %run_ticks_at = llvm.getelementptr %record[$run_ticks] : (!llvm.ptr) -> !llvm.ptr, i64
  %run_nanoseconds_at = llvm.getelementptr %record[$run_nanoseconds] : (!llvm.ptr) -> !llvm.ptr, i64
  %start_ticks_at = llvm.getelementptr %record[$start_ticks] : (!llvm.ptr) -> !llvm.ptr, i64
  %start_nanoseconds_at = llvm.getelementptr %record[$start_nanoseconds] : (!llvm.ptr) -> !llvm.ptr, i64
  %0 = llvm.atomicrmw add %runs_at, %one monotonic : !llvm.ptr, i64
  %1 = llvm.atomicrmw add %run_ticks_at, %took_ticks monotonic : !llvm.ptr, i64
  %2 = llvm.atomicrmw add %run_nanoseconds_at, %took_nanoseconds monotonic : !llvm.ptr, i64
  llvm.store %from_ticks, %start_ticks_at : i64, !llvm.ptr
  llvm.store %from_nanoseconds, %start_nanoseconds_at : i64, !llvm.ptr
  llvm.call @hlo_profile_event(%record, %nobody, %kind, %from_ticks, %ticks) : (!llvm.ptr, i64, i64, i64, i64) -> ()
  llvm.br ^end
^end:
  llvm.return
}

llvm.func @hlo_profile_start(%frame: !llvm.ptr) {
  %on = llvm.call @hlo_profile_open(%frame) : (!llvm.ptr) -> i1
  %ticks = llvm.call @hlo_profile_ticks() : () -> i64
  llvm.store %ticks, %frame : i64, !llvm.ptr
  llvm.return
}

llvm.func @hlo_profile_lap(%frame: !llvm.ptr, %row: i64) {
  %null = llvm.mlir.zero : !llvm.ptr
  %kind = llvm.mlir.constant($is_lap : i64) : i64
  %rows_at = llvm.getelementptr %frame[3] : (!llvm.ptr) -> !llvm.ptr, i64
  %rows = llvm.load %rows_at : !llvm.ptr -> !llvm.ptr
  %off = llvm.icmp "eq" %rows, %null : !llvm.ptr
  llvm.cond_br %off, ^end, ^on
^on:
  %ticks = llvm.call @hlo_profile_ticks() : () -> i64
  %before = llvm.load %frame : !llvm.ptr -> i64
  llvm.store %ticks, %frame : i64, !llvm.ptr
  llvm.call @hlo_profile_add(%frame, %rows, %row, %kind, %before, %ticks) : (!llvm.ptr, !llvm.ptr, i64, i64, i64, i64) -> ()
  llvm.br ^end
^end:
  llvm.return
}

llvm.func @hlo_profile_span(%frame: !llvm.ptr, %row: i64, %start: i64) {
  %null = llvm.mlir.zero : !llvm.ptr
  %kind = llvm.mlir.constant($is_span : i64) : i64
  %rows_at = llvm.getelementptr %frame[3] : (!llvm.ptr) -> !llvm.ptr, i64
  %rows = llvm.load %rows_at : !llvm.ptr -> !llvm.ptr
  %off = llvm.icmp "eq" %rows, %null : !llvm.ptr
  llvm.cond_br %off, ^end, ^on
^on:
  %ticks = llvm.call @hlo_profile_ticks() : () -> i64
  llvm.store %ticks, %frame : i64, !llvm.ptr
  llvm.call @hlo_profile_add(%frame, %rows, %row, %kind, %start, %ticks) : (!llvm.ptr, !llvm.ptr, i64, i64, i64, i64) -> ()
  llvm.br ^end
^end:
  llvm.return
}
"""

SHARING = """
llvm.func @hlo_share(!llvm.ptr)

// Words of timed work: this function, number of parts, the kernel's work, its row, the thread that called, ticks of that thread's parts.
llvm.func internal @hlo_profile_part(%part: i64, %timed: !llvm.ptr) {
  %one = llvm.mlir.constant(1 : i64) : i64
  %kind = llvm.mlir.constant($is_part : i64) : i64
  %work_at = llvm.getelementptr %timed[2] : (!llvm.ptr) -> !llvm.ptr, i64
  %row_at = llvm.getelementptr %timed[3] : (!llvm.ptr) -> !llvm.ptr, i64
  %caller_at = llvm.getelementptr %timed[4] : (!llvm.ptr) -> !llvm.ptr, i64
  %work = llvm.load %work_at : !llvm.ptr -> !llvm.ptr
  %row = llvm.load %row_at : !llvm.ptr -> i64
  %caller = llvm.load %caller_at : !llvm.ptr -> i64
  %function = llvm.load %work : !llvm.ptr -> !llvm.ptr
  %start = llvm.call @hlo_profile_ticks() : () -> i64
  llvm.call %function(%part, %work) : !llvm.ptr, (i64, !llvm.ptr) -> ()
  %end = llvm.call @hlo_profile_ticks() : () -> i64
  %took = llvm.sub %end, %start : i64
  %pointer = llvm.mlir.addressof @hlo_profile : !llvm.ptr
  %record = llvm.load %pointer : !llvm.ptr -> !llvm.ptr
  %thread = llvm.call @hlo_profile_thread(%record) : (!llvm.ptr) -> i64
  %rows = llvm.call @hlo_profile_rows(%record, %thread) : (!llvm.ptr, i64) -> !llvm.ptr
  %at = llvm.call @hlo_profile_row(%rows, %row) : (!llvm.ptr, i64) -> !llvm.ptr
  %busy_at = llvm.getelementptr %at[$busy] : (!llvm.ptr) -> !llvm.ptr, i64
  %parts_at = llvm.getelementptr %at[$parts] : (!llvm.ptr) -> !llvm.ptr, i64
  %shared = llvm.call @hlo_profile_is_shared(%thread) : (i64) -> i1
  llvm.call @hlo_profile_count(%busy_at, %took, %shared) : (!llvm.ptr, i64, i1) -> ()
  llvm.call @hlo_profile_count(%parts_at, %one, %shared) : (!llvm.ptr, i64, i1) -> ()
  llvm.call @hlo_profile_event(%record, %row, %kind, %start, %end) : (!llvm.ptr, i64, i64, i64, i64) -> ()
  %self = llvm.call @pthread_self() : () -> i64
  %own = llvm.icmp "eq" %self, %caller : i64
  llvm.cond_br %own, ^add, ^end
^add:
  %own_at = llvm.getelementptr %timed[5] : (!llvm.ptr) -> !llvm.ptr, i64
  %so_far = llvm.load %own_at : !llvm.ptr -> i64
  %sum = llvm.add %so_far, %took : i64
  llvm.store %sum, %own_at : i64, !llvm.ptr
  llvm.br ^end
^end:
  llvm.return
}

// The parts of a kernel, timed. The caller waits while it runs none of them.
llvm.func @hlo_profile_share(%work: !llvm.ptr, %row: i64) {
  %null = llvm.mlir.zero : !llvm.ptr
  %zero = llvm.mlir.constant(0 : i64) : i64
  %words = llvm.mlir.constant(6 : i64) : i64
  %timed = llvm.alloca %words x i64 : (i64) -> !llvm.ptr
  %pointer = llvm.mlir.addressof @hlo_profile : !llvm.ptr
  %record = llvm.load %pointer : !llvm.ptr -> !llvm.ptr
  %off = llvm.icmp "eq" %record, %null : !llvm.ptr
  llvm.cond_br %off, ^plain, ^on
^plain:
  llvm.call @hlo_share(%work) : (!llvm.ptr) -> ()
  llvm.return
^on:
  %part = llvm.mlir.addressof @hlo_profile_part : !llvm.ptr
  %self = llvm.call @pthread_self() : () -> i64
  %count_from = llvm.getelementptr %work[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %count = llvm.load %count_from : !llvm.ptr -> i64
  %count_at = llvm.getelementptr %timed[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %work_at = llvm.getelementptr %timed[2] : (!llvm.ptr) -> !llvm.ptr, i64
  %row_at = llvm.getelementptr %timed[3] : (!llvm.ptr) -> !llvm.ptr, i64
  %caller_at = llvm.getelementptr %timed[4] : (!llvm.ptr) -> !llvm.ptr, i64
  %own_at = llvm.getelementptr %timed[5] : (!llvm.ptr) -> !llvm.ptr, i64
  llvm.store %part, %timed : !llvm.ptr, !llvm.ptr
  llvm.store %count, %count_at : i64, !llvm.ptr
  llvm.store %work, %work_at : !llvm.ptr, !llvm.ptr
  llvm.store %row, %row_at : i64, !llvm.ptr
  llvm.store %self, %caller_at : i64, !llvm.ptr
  llvm.store %zero, %own_at : i64, !llvm.ptr
  %start = llvm.call @hlo_profile_ticks() : () -> i64
  llvm.call @hlo_share(%timed) : (!llvm.ptr) -> ()
  %end = llvm.call @hlo_profile_ticks() : () -> i64
  %own = llvm.load %own_at : !llvm.ptr -> i64
  %took = llvm.sub %end, %start : i64
  %waited = llvm.sub %took, %own : i64
  %thread = llvm.call @hlo_profile_thread(%record) : (!llvm.ptr) -> i64
  %rows = llvm.call @hlo_profile_rows(%record, %thread) : (!llvm.ptr, i64) -> !llvm.ptr
  %at = llvm.call @hlo_profile_row(%rows, %row) : (!llvm.ptr, i64) -> !llvm.ptr
  %waited_at = llvm.getelementptr %at[$waited] : (!llvm.ptr) -> !llvm.ptr, i64
  %shared = llvm.call @hlo_profile_is_shared(%thread) : (i64) -> i1
  llvm.call @hlo_profile_count(%waited_at, %waited, %shared) : (!llvm.ptr, i64, i1) -> ()
  llvm.return
}
"""


def host_has_counter() -> bool:
    """Whether ticks are those of the processor's counter, and not nanoseconds."""
    return host_architecture() == "x86_64"


def text() -> str:
    """The functions in the LLVM dialect, for this machine."""
    numbers = {name.lower(): value for name, value in vars(layout).items() if isinstance(value, int)}
    written = TEXT + SHARING
    if host_has_counter():
        written = written.replace(TICKS, COUNTER)
    clock = MONOTONIC_MACOS if sys.platform == "darwin" else MONOTONIC
    return Template(written).substitute(numbers, clock=clock, last_thread=layout.MOST_THREADS - 1)
