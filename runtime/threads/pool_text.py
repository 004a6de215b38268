"""The thread pool as LLVM IR, of which jobs are here: dividing one, handing it out, taking tickets back
(docs/threads.md tells how it works). Workers are in worker_text.py, what differs between machines in systems.py.

`hlo_run_parts(work, threads)` calls work[0](part, work) for each part from 0 to work[1] - 1 and returns when all are done. The words
at `work` are what `parallelise-parts` writes: the function, the number of parts, what else the function reads.

A job is on the caller's stack: it has a range of parts for each thread. A worker has a slot with a ticket: null (idle), 1 (reserved
by a caller that is about to hand a job over, or running one), or the address of a job that it has not begun. Who takes a ticket
away, the worker to begin or the caller to take it back, does so by one compare-and-exchange. So a caller waits only
for workers that have begun, and a job is gone only when nobody can reach it."""

from hlo.environment import MOST_THREADS
from hlo.runtime.threads import worker_text

TYPES = """
%Range = type { i64, i64, ptr, [40 x i8] }         ; next part, end, the slot that it was handed to; one cache line
%Job = type { ptr, ptr, i64, i32, i32 }            ; work, ranges, their number, floating-point mode, workers in it
%Slot = type { ptr, i64, i64, i32, i32, i32, i32, [88 x i8] } ; ticket, number of its range, patience (ns), is it asleep, 1: it has no
                                                   ; patience; the core that it was last on (-1: not known), the system's number of it; two cache lines
%Crew = type { i32, i32, i64, i64, [104 x i8], [$most x %Slot] } ; process, lock, workers started, how many can be; slots
%Pool = type { ptr, i64 }                          ; the workers of this process (null: none yet); until then threads of a library may
                                                   ; look for work (ns)
%Cores = type [$words_of_cores x i64]              ; a set, as the system has it (cpu_set_t)

@pool = internal global %Pool zeroinitializer
@hlo_cores = global i64 1                          ; up to so many threads all callers together, if none asks for more
"""

RUN = """
define void @hlo_run_parts(ptr %work, i64 %threads) {
  %count_at = getelementptr i64, ptr %work, i64 1
  %count = load i64, ptr %count_at
  %n = call i64 @llvm.umin.i64(i64 %count, i64 %threads)
  %alone = icmp ult i64 %n, 2
  br i1 %alone, label %serial, label %shared

serial:
  %one_range = alloca %Range, align 64
  call void @set_range(ptr %one_range, i64 0, i64 1, i64 %count)
  %all = call i64 @run_range(ptr %one_range, ptr %work)
  ret void

shared:
  %ranges = alloca %Range, i64 %n, align 64
  %job = alloca %Job, align 64
  %ranges_at = getelementptr %Job, ptr %job, i32 0, i32 1
  %n_at = getelementptr %Job, ptr %job, i32 0, i32 2
  %mode_at = getelementptr %Job, ptr %job, i32 0, i32 3
  %workers_at = getelementptr %Job, ptr %job, i32 0, i32 4
  %mode = call i32 @read_mode()
  store ptr %work, ptr %job
  store ptr %ranges, ptr %ranges_at
  store i64 %n, ptr %n_at
  store i32 %mode, ptr %mode_at
  store i32 0, ptr %workers_at
  br label %fill

fill:
  %t = phi i64 [ 0, %shared ], [ %t_next, %fill ]
  %range = getelementptr %Range, ptr %ranges, i64 %t
  call void @set_range(ptr %range, i64 %t, i64 %n, i64 %count)
  %t_next = add i64 %t, 1
  %filled = icmp eq i64 %t_next, %n
  br i1 %filled, label %hand, label %fill

hand:
  %crew = call ptr @present_crew()
  %none = icmp eq ptr %crew, null
  br i1 %none, label %alone_after_all, label %with_crew

with_crew:
  call void @hand_out(ptr %crew, ptr %job)
  %own = call i64 @run_ranges(ptr %job, i64 0)
  %complete = call i1 @take_back(ptr %job)
  call void @wait_for_workers(ptr %workers_at, i64 $patience_of_callers)
  br i1 %complete, label %done, label %look

look:                                              ; a worker that never comes may be one of the parent process
  call void @leave_crew_of_parent(ptr %crew)
  br label %done

alone_after_all:
  %own_all = call i64 @run_ranges(ptr %job, i64 0)
  br label %done

done:
  ret void
}

; Thread t of n prefers the parts from t * count / n on: the same ones every time, so that caches keep what it has made.
define internal void @set_range(ptr %range, i64 %t, i64 %n, i64 %count) {
  %next = add i64 %t, 1
  %before = mul i64 %t, %count
  %after = mul i64 %next, %count
  %first = udiv i64 %before, %n
  %end = udiv i64 %after, %n
  %end_at = getelementptr %Range, ptr %range, i32 0, i32 1
  %slot_at = getelementptr %Range, ptr %range, i32 0, i32 2
  store i64 %first, ptr %range
  store i64 %end, ptr %end_at
  store ptr null, ptr %slot_at
  ret void
}

; The parts of range `own`, then those that are left in the others. Gives how many it ran.
define internal i64 @run_ranges(ptr %job, i64 %own) {
entry:
  %work = load ptr, ptr %job
  %ranges_at = getelementptr %Job, ptr %job, i32 0, i32 1
  %n_at = getelementptr %Job, ptr %job, i32 0, i32 2
  %ranges = load ptr, ptr %ranges_at
  %n = load i64, ptr %n_at
  br label %next

next:
  %k = phi i64 [ 0, %entry ], [ %k_next, %next ]
  %ran = phi i64 [ 0, %entry ], [ %ran_next, %next ]
  %sum = add i64 %own, %k
  %t = urem i64 %sum, %n
  %range = getelementptr %Range, ptr %ranges, i64 %t
  %of_this = call i64 @run_range(ptr %range, ptr %work)
  %ran_next = add i64 %ran, %of_this
  %k_next = add i64 %k, 1
  %done = icmp eq i64 %k_next, %n
  br i1 %done, label %end, label %next

end:
  ret i64 %ran_next
}

; Whoever adds to the range's next part runs that part. Gives how many it ran.
define internal i64 @run_range(ptr %range, ptr %work) {
entry:
  %function = load ptr, ptr %work
  %end_at = getelementptr %Range, ptr %range, i32 0, i32 1
  %end = load i64, ptr %end_at
  br label %look

look:                                              ; a load first: ranges that are empty stay shared between caches
  %ran = phi i64 [ 0, %entry ], [ %ran_next, %run ]
  %seen = load atomic i64, ptr %range monotonic, align 8
  %left = icmp ult i64 %seen, %end
  br i1 %left, label %claim, label %done

claim:
  %part = atomicrmw add ptr %range, i64 1 monotonic
  %mine = icmp ult i64 %part, %end
  br i1 %mine, label %run, label %done

run:
  call void %function(i64 %part, ptr %work)
  %ran_next = add i64 %ran, 1
  br label %look

done:
  ret i64 %ran
}
"""

HAND_OUT = """
; Gives each range but the caller's own to an idle worker, as long as there is one.
define internal void @hand_out(ptr %crew, ptr %job) {
entry:
  %taken = alloca %Cores
  call void @own_core(ptr %taken)
  %n_at = getelementptr %Job, ptr %job, i32 0, i32 2
  %n = load i64, ptr %n_at
  br label %next

next:
  %t = phi i64 [ 1, %entry ], [ %t_next, %give ]
  %more = icmp ult i64 %t, %n
  br i1 %more, label %find, label %done

find:
  %slot = call ptr @reserve_worker(ptr %crew, i64 %t, i64 %n)
  %none = icmp eq ptr %slot, null
  br i1 %none, label %done, label %give

give:
  call void @give(ptr %slot, ptr %job, i64 %t, i32 0, ptr %taken)
  %t_next = add i64 %t, 1
  br label %next

done:
  ret void
}

; Gives range t of a job to a worker that is reserved, which begins with it. `hasty`: 1 for a worker that is to sleep at once when it is done.
; `taken`: the cores of the job's threads, among which the worker's is added.
define internal void @give(ptr %slot, ptr %job, i64 %t, i32 %hasty, ptr %taken) {
  %ranges_at = getelementptr %Job, ptr %job, i32 0, i32 1
  %workers_at = getelementptr %Job, ptr %job, i32 0, i32 4
  %ranges = load ptr, ptr %ranges_at
  %range = getelementptr %Range, ptr %ranges, i64 %t
  %slot_at = getelementptr %Range, ptr %range, i32 0, i32 2
  %number_at = getelementptr %Slot, ptr %slot, i32 0, i32 1
  %asleep_at = getelementptr %Slot, ptr %slot, i32 0, i32 3
  %hasty_at = getelementptr %Slot, ptr %slot, i32 0, i32 4
  %core_at = getelementptr %Slot, ptr %slot, i32 0, i32 5
  store ptr %slot, ptr %slot_at
  store i64 %t, ptr %number_at
  store i32 %hasty, ptr %hasty_at
  %before = atomicrmw add ptr %workers_at, i32 1 monotonic
  store atomic ptr %job, ptr %slot seq_cst, align 8
  %asleep = load atomic i32, ptr %asleep_at seq_cst, align 4 ; after the ticket, as the worker reads the ticket after this
  %sleeps = icmp ne i32 %asleep, 0
  br i1 %sleeps, label %rouse, label %given

rouse:
  store atomic i32 0, ptr %asleep_at seq_cst, align 4
  %thread_at = getelementptr %Slot, ptr %slot, i32 0, i32 6
  %thread = load i32, ptr %thread_at
  call void @wake_elsewhere(ptr %asleep_at, i32 %thread, ptr %taken)
  br label %given

given:
  %core = load atomic i32, ptr %core_at monotonic, align 4
  call void @take_core(ptr %taken, i32 %core)
  ret void
}

; The set with the calling thread's core.
define internal void @own_core(ptr %taken) {
  store %Cores zeroinitializer, ptr %taken
  %core = call i32 @this_core()
  call void @take_core(ptr %taken, i32 %core)
  ret void
}

; Adds a core to a set, unless its number is not known, or too large for one.
define internal void @take_core(ptr %taken, i32 %core) {
  %known = icmp ult i32 %core, $most_cores
  br i1 %known, label %add, label %done

add:
  %index = lshr i32 %core, 6
  %bit = and i32 %core, 63
  %wide = zext i32 %bit to i64
  %mask = shl i64 1, %wide
  %word_at = getelementptr %Cores, ptr %taken, i32 0, i32 %index
  %word = load i64, ptr %word_at
  %new = or i64 %word, %mask
  store i64 %new, ptr %word_at
  br label %done

done:
  ret void
}

; The slot of an idle worker, worker t - 1 if it is one; a new one if there may be more; null otherwise.
define internal ptr @reserve_worker(ptr %crew, i64 %t, i64 %n) {
entry:
  %started_at = getelementptr %Crew, ptr %crew, i32 0, i32 2
  %started = load atomic i64, ptr %started_at acquire, align 8
  %first = sub i64 %t, 1
  br label %next

next:
  %k = phi i64 [ 0, %entry ], [ %k_next, %taken ]
  %more = icmp ult i64 %k, %started
  br i1 %more, label %try, label %start

try:
  %sum = add i64 %first, %k
  %w = urem i64 %sum, %started
  %slot = getelementptr %Crew, ptr %crew, i32 0, i32 5, i64 %w
  %ticket = load atomic ptr, ptr %slot monotonic, align 8
  %idle = icmp eq ptr %ticket, null
  br i1 %idle, label %reserve, label %taken

reserve:
  %pair = cmpxchg ptr %slot, ptr null, ptr inttoptr (i64 1 to ptr) acquire monotonic
  %mine = extractvalue { ptr, i1 } %pair, 1
  br i1 %mine, label %found, label %taken

found:
  ret ptr %slot

taken:
  %k_next = add i64 %k, 1
  br label %next

start:
  %cores = load i64, ptr @hlo_cores
  %wanted = call i64 @llvm.umax.i64(i64 %n, i64 %cores)
  %limit = sub i64 %wanted, 1                      ; `n` of the most workers there can be: as many as are needed
  %new = call ptr @start_worker(ptr %crew, i64 %limit)
  ret ptr %new
}

; Tickets that no worker has taken are void. Whether there was none, and a worker for each range.
define internal i1 @take_back(ptr %job) {
entry:
  %ranges_at = getelementptr %Job, ptr %job, i32 0, i32 1
  %n_at = getelementptr %Job, ptr %job, i32 0, i32 2
  %workers_at = getelementptr %Job, ptr %job, i32 0, i32 4
  %ranges = load ptr, ptr %ranges_at
  %n = load i64, ptr %n_at
  br label %next

next:
  %t = phi i64 [ 1, %entry ], [ %t_next, %gone ], [ %t_next, %void ]
  %complete = phi i1 [ true, %entry ], [ %found_all, %gone ], [ false, %void ]
  %more = icmp ult i64 %t, %n
  br i1 %more, label %look, label %done

look:
  %t_next = add i64 %t, 1
  %range = getelementptr %Range, ptr %ranges, i64 %t
  %slot_at = getelementptr %Range, ptr %range, i32 0, i32 2
  %slot = load ptr, ptr %slot_at
  %found = icmp ne ptr %slot, null
  br i1 %found, label %try, label %gone

try:
  %pair = cmpxchg ptr %slot, ptr %job, ptr null release monotonic
  %ours = extractvalue { ptr, i1 } %pair, 1
  br i1 %ours, label %void, label %gone

void:
  %before = atomicrmw sub ptr %workers_at, i32 1 monotonic
  br label %next

gone:
  %found_all = and i1 %complete, %found
  br label %next

done:
  ret i1 %complete
}
"""

LIBC = """
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_attr_init(ptr)
declare i32 @pthread_attr_setdetachstate(ptr, i32)
declare i32 @pthread_attr_setstacksize(ptr, i64)
declare i32 @pthread_attr_destroy(ptr)
declare i32 @pthread_sigmask(i32, ptr, ptr)
declare i32 @sigfillset(ptr)
declare i32 @sigdelset(ptr, i32)
declare i32 @posix_memalign(ptr, i64, i64)
declare ptr @memset(ptr, i32, i64)
declare void @free(ptr)
declare i32 @getpid()
declare i64 @llvm.umin.i64(i64, i64)
declare i64 @llvm.umax.i64(i64, i64)
"""

MOST = MOST_THREADS
"""Workers of a process."""

CONSTANTS = {
    "most": MOST,
    "most_cores": 1024,
    "words_of_cores": 1024 // 64,
    "bytes_of_cores": 1024 // 8,
    "stack": 8 << 20,  # bytes of a worker's stack, of which only what is used is memory
    "looks": 64,  # pauses (of 40 to 140 cycles each) between two looks at the clock
    "longest_round": 20_000,  # ns between two looks at the clock; what is longer, others had the core
    "least_patience": 20_000,  # ns
    "first_patience": 50_000,
    "most_patience": 1_000_000,
    "patience_of_callers": 50_000,
    "stay": 20_000_000,  # ns behind a call of a library whose threads look for work (OpenBLAS: 2 ** 28 cycles, 60 to 130 ms)
    "sleeping_caller": -(1 << 31),  # in a job's number of workers: its caller sleeps
    "workers_of_job": (1 << 31) - 1,
    "last_of_sleeping_caller": -(1 << 31) + 1,
}
"""What the text names with a $."""

TEXT = TYPES + RUN + HAND_OUT + worker_text.TEXT + LIBC
