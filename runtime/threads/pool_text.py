"""The thread pool as LLVM IR (docs/threads.md tells how it works; systems.py has what differs between machines).

`hlo_run_parts(work, threads)` calls work[0](part, work) for each part from 0 to work[1] - 1 and returns when all are done. The words
at `work` are what `parallelise-parts` writes: the function, the number of parts, what else the function reads.

A job is on the caller's stack: it has a range of parts for each thread. A worker has a slot with a ticket: null (idle), 1 (reserved
by a caller that is about to hand a job over, or running one), or the address of a job that it has not begun. Who takes a ticket
away, the worker to begin or the caller to take it back, does so by one compare-and-exchange. So a caller waits only
for workers that have begun, and a job is gone only when nobody can reach it."""

from hlo.environment import MOST_THREADS

TYPES = """
%Range = type { i64, i64, ptr, [40 x i8] }         ; next part, end, the slot that it was handed to; one cache line
%Job = type { ptr, ptr, i64, i32, i32 }            ; work, ranges, their number, floating-point mode, workers in it
%Slot = type { ptr, i64, i64, i32, i32, [96 x i8] } ; ticket, number of its range, patience (ns), is it asleep, 1: it has no patience;
                                                   ; two cache lines
%Crew = type { i32, i32, i64, i64, i64, i64, i64, [80 x i8], [$most x %Slot] } ; process, lock, workers started, how many can be;
                                                   ; the machine is crowded until then (ns), balance (ns), for how long next; slots
%Pool = type { ptr, i64, i64, i64, i64 }           ; the workers of this process (null: none yet); until then threads of a library may
                                                   ; look for work (ns); until then jobs ask how long their callers had a core (ns);
                                                   ; the thread that last looked how often it was preempted, and how often

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
  %start = call i64 @now()
  %crowded = call i1 @is_crowded(i64 %start)
  br i1 %crowded, label %pass, label %divide

pass:
  %passed = call i1 @pass_on(ptr %crew, ptr %job)
  br i1 %passed, label %done, label %alone_after_all

alone_after_all:
  %own_all = call i64 @run_ranges(ptr %job, i64 0)
  ret void

divide:
  %watched = call i1 @is_watched(i64 %start)
  %core_before = call i64 @time_with_core(i1 %watched)
  call void @hand_out(ptr %crew, ptr %job)
  %own = call i64 @run_ranges(ptr %job, i64 0)
  %missing = call i32 @take_back(ptr %job)
  %before = call i64 @now()
  %core_after = call i64 @time_with_core(i1 %watched)
  call void @wait_for_workers(ptr %workers_at, i64 $patience_of_callers)
  %after = call i64 @now()
  %refused = icmp eq i32 %missing, 2
  %passed_by = sub i64 %before, %start
  %with_core = sub i64 %core_after, %core_before
  %busy = select i1 %watched, i64 %with_core, i64 %passed_by
  call void @judge(ptr %crew, i64 %count, i64 %own, i1 %refused, i64 %busy, i64 %start, i64 %after)
  call void @watch_for_crowds(i64 %passed_by, i64 %after)
  %complete = icmp eq i32 %missing, 0
  br i1 %complete, label %done, label %look

look:                                              ; a worker that never comes may be one of the parent process
  call void @leave_crew_of_parent(ptr %crew)
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
  call void @give(ptr %slot, ptr %job, i64 %t, i32 0)
  %t_next = add i64 %t, 1
  br label %next

done:
  ret void
}

; Gives range t of a job to a worker that is reserved, which begins with it. `hasty`: 1 for a worker that is to sleep at once when it is done.
define internal void @give(ptr %slot, ptr %job, i64 %t, i32 %hasty) {
  %ranges_at = getelementptr %Job, ptr %job, i32 0, i32 1
  %workers_at = getelementptr %Job, ptr %job, i32 0, i32 4
  %ranges = load ptr, ptr %ranges_at
  %range = getelementptr %Range, ptr %ranges, i64 %t
  %slot_at = getelementptr %Range, ptr %range, i32 0, i32 2
  %number_at = getelementptr %Slot, ptr %slot, i32 0, i32 1
  %asleep_at = getelementptr %Slot, ptr %slot, i32 0, i32 3
  %hasty_at = getelementptr %Slot, ptr %slot, i32 0, i32 4
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
  call void @wake(ptr %asleep_at)
  br label %given

given:
  ret void
}

; On a crowded machine a thread that was just woken gets a core, the emptier one, long before a thread that has been running
; gets its core back. So a worker is woken to run the whole job, and the caller sleeps. False if the caller is to run it.
define internal i1 @pass_on(ptr %crew, ptr %job) {
  %home = load i32, ptr %crew                      ; the workers of a parent process do not come
  %here = call i32 @getpid()
  %same = icmp eq i32 %home, %here
  br i1 %same, label %find, label %own

find:
  %slot = call ptr @reserve_worker(ptr %crew, i64 1, i64 2)
  %none = icmp eq ptr %slot, null
  br i1 %none, label %own, label %hand

hand:
  %workers_at = getelementptr %Job, ptr %job, i32 0, i32 4
  call void @give(ptr %slot, ptr %job, i64 0, i32 0)
  call void @wait_for_workers(ptr %workers_at, i64 0)
  ret i1 true

own:
  ret i1 false
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
  %slot = getelementptr %Crew, ptr %crew, i32 0, i32 8, i64 %w
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

; Tickets that no worker has taken are void. 0: there were none; 1: no worker was found for a range; 2: a ticket was void.
define internal i32 @take_back(ptr %job) {
entry:
  %ranges_at = getelementptr %Job, ptr %job, i32 0, i32 1
  %n_at = getelementptr %Job, ptr %job, i32 0, i32 2
  %workers_at = getelementptr %Job, ptr %job, i32 0, i32 4
  %ranges = load ptr, ptr %ranges_at
  %n = load i64, ptr %n_at
  br label %next

next:
  %t = phi i64 [ 1, %entry ], [ %t_next, %gone ], [ %t_next, %void ]
  %missing = phi i32 [ 0, %entry ], [ %absent, %gone ], [ 2, %void ]
  %more = icmp ult i64 %t, %n
  br i1 %more, label %look, label %done

look:
  %t_next = add i64 %t, 1
  %range = getelementptr %Range, ptr %ranges, i64 %t
  %slot_at = getelementptr %Range, ptr %range, i32 0, i32 2
  %slot = load ptr, ptr %slot_at
  %none = icmp eq ptr %slot, null
  br i1 %none, label %gone, label %try

try:
  %pair = cmpxchg ptr %slot, ptr %job, ptr null release monotonic
  %ours = extractvalue { ptr, i1 } %pair, 1
  br i1 %ours, label %void, label %gone

void:
  %before = atomicrmw sub ptr %workers_at, i32 1 monotonic
  br label %next

gone:
  %found_none = zext i1 %none to i32
  %absent = call i32 @llvm.umax.i32(i32 %missing, i32 %found_none)
  br label %next

done:
  ret i32 %missing
}
"""

WORKER = """
define internal ptr @work(ptr %slot) {
  %number_at = getelementptr %Slot, ptr %slot, i32 0, i32 1
  br label %next

next:
  %job = call ptr @wait_for_ticket(ptr %slot)
  %pair = cmpxchg ptr %slot, ptr %job, ptr inttoptr (i64 1 to ptr) acquire monotonic
  %begun = extractvalue { ptr, i1 } %pair, 1
  br i1 %begun, label %run, label %next

run:
  %own = load i64, ptr %number_at
  %mode_at = getelementptr %Job, ptr %job, i32 0, i32 3
  %workers_at = getelementptr %Job, ptr %job, i32 0, i32 4
  %mode = load i32, ptr %mode_at
  call void @set_mode(i32 %mode)
  %ran = call i64 @run_ranges(ptr %job, i64 %own)
  store atomic ptr null, ptr %slot release, align 8 ; before the caller goes on: its next job finds this worker idle
  %workers = atomicrmw sub ptr %workers_at, i32 1 acq_rel ; the job may be gone after this
  %last = icmp eq i32 %workers, $last_of_sleeping_caller
  br i1 %last, label %rouse, label %next

rouse:                                             ; should others sleep at this address by now, they look again
  call void @wake(ptr %workers_at)
  br label %next
}

; Starts a worker, which is reserved; null where there are `limit`, another is being started, or the system has no more.
define internal ptr @start_worker(ptr %crew, i64 %limit) {
  %started_at = getelementptr %Crew, ptr %crew, i32 0, i32 2
  %possible_at = getelementptr %Crew, ptr %crew, i32 0, i32 3
  %lock = getelementptr %Crew, ptr %crew, i32 0, i32 1
  %possible = load atomic i64, ptr %possible_at monotonic, align 8
  %most = call i64 @llvm.umin.i64(i64 %limit, i64 %possible)
  %seen = load atomic i64, ptr %started_at monotonic, align 8
  %room = icmp ult i64 %seen, %most
  br i1 %room, label %try, label %none

try:
  %pair = cmpxchg ptr %lock, i32 0, i32 1 acquire monotonic
  %locked = extractvalue { i32, i1 } %pair, 1
  br i1 %locked, label %count, label %none

count:
  %started = load atomic i64, ptr %started_at monotonic, align 8
  %still = icmp ult i64 %started, %most
  br i1 %still, label %start, label %unlock

start:
  %slot = getelementptr %Crew, ptr %crew, i32 0, i32 8, i64 %started
  %patience_at = getelementptr %Slot, ptr %slot, i32 0, i32 2
  store ptr inttoptr (i64 1 to ptr), ptr %slot
  store i64 $first_patience, ptr %patience_at
  %error = call i32 @start_thread(ptr %slot)
  %failed = icmp ne i32 %error, 0
  br i1 %failed, label %refused, label %running

refused:
  store atomic i64 %started, ptr %possible_at monotonic, align 8
  br label %unlock

running:
  %now = add i64 %started, 1
  store atomic i64 %now, ptr %started_at release, align 8
  br label %unlock

unlock:
  %result = phi ptr [ null, %count ], [ null, %refused ], [ %slot, %running ]
  store atomic i32 0, ptr %lock release, align 4
  ret ptr %result

none:
  ret ptr null
}

; A detached thread that no signal interrupts: handlers run where they ran before. Gives the system's error number, or 0.
define internal i32 @start_thread(ptr %slot) {
  %all = alloca [128 x i8], align 16               ; sigset_t
  %before = alloca [128 x i8], align 16
  %attributes = alloca [128 x i8], align 16        ; pthread_attr_t
  %thread = alloca ptr
  %e0 = call i32 @pthread_attr_init(ptr %attributes)
  %e1 = call i32 @pthread_attr_setdetachstate(ptr %attributes, i32 $detached)
  %e2 = call i32 @pthread_attr_setstacksize(ptr %attributes, i64 $stack)
  %e3 = call i32 @sigfillset(ptr %all)
  %e7 = call i32 @sigdelset(ptr %all, i32 4)       ; SIGILL, SIGFPE, SIGSEGV, SIGBUS: a fault's handler runs where it is
  %e8 = call i32 @sigdelset(ptr %all, i32 8)
  %e9 = call i32 @sigdelset(ptr %all, i32 11)
  %e10 = call i32 @sigdelset(ptr %all, i32 $sigbus)
  %e4 = call i32 @pthread_sigmask(i32 $set_mask, ptr %all, ptr %before)
  %error = call i32 @pthread_create(ptr %thread, ptr %attributes, ptr @work, ptr %slot)
  %e5 = call i32 @pthread_sigmask(i32 $set_mask, ptr %before, ptr null)
  %e6 = call i32 @pthread_attr_destroy(ptr %attributes)
  ret i32 %error
}

; The workers of this process; null where there is no memory for them.
define internal ptr @present_crew() {
  %crew = load atomic ptr, ptr @pool acquire, align 8
  %none = icmp eq ptr %crew, null
  br i1 %none, label %make, label %present

present:
  ret ptr %crew

make:
  %made = call ptr @new_crew(ptr null)
  ret ptr %made
}

; A crew without workers in the stead of another; the one that is there if somebody else was first. What is gone is not freed:
; others may still look at it.
define internal ptr @new_crew(ptr %old) {
  %raw = alloca ptr
  %error = call i32 @posix_memalign(ptr %raw, i64 128, i64 ptrtoint (ptr getelementptr (%Crew, ptr null, i32 1) to i64))
  %failed = icmp ne i32 %error, 0
  br i1 %failed, label %none, label %fill

fill:
  %crew = load ptr, ptr %raw
  %zeros = call ptr @memset(ptr %crew, i32 0, i64 ptrtoint (ptr getelementptr (%Crew, ptr null, i32 1) to i64))
  %possible_at = getelementptr %Crew, ptr %crew, i32 0, i32 3
  %process = call i32 @getpid()
  store i32 %process, ptr %crew
  %balance_at = getelementptr %Crew, ptr %crew, i32 0, i32 5
  %long_at = getelementptr %Crew, ptr %crew, i32 0, i32 6
  store i64 $most, ptr %possible_at
  store i64 $most_balance, ptr %balance_at
  store i64 $least_crowded, ptr %long_at
  %pair = cmpxchg ptr @pool, ptr %old, ptr %crew acq_rel acquire
  %mine = extractvalue { ptr, i1 } %pair, 1
  br i1 %mine, label %made, label %late

made:
  ret ptr %crew

late:
  call void @free(ptr %crew)
  %other = extractvalue { ptr, i1 } %pair, 0
  ret ptr %other

none:
  ret ptr null
}

; After a fork the workers are in the parent only.
define internal void @leave_crew_of_parent(ptr %crew) {
  %process = load i32, ptr %crew
  %here = call i32 @getpid()
  %same = icmp eq i32 %process, %here
  br i1 %same, label %done, label %leave

leave:
  %made = call ptr @new_crew(ptr %crew)
  br label %done

done:
  ret void
}
"""

WAIT = """
; The job that is handed to a worker. It looks for its patience, then sleeps. Patience halves when nobody came meanwhile, and becomes
; twice what it would have taken when somebody came soon after. Nobody yields its core; time for which others had it does not count.
define internal ptr @wait_for_ticket(ptr %slot) {
entry:
  %patience_at = getelementptr %Slot, ptr %slot, i32 0, i32 2
  %asleep_at = getelementptr %Slot, ptr %slot, i32 0, i32 3
  br label %begin

begin:
  %usual_patience = load i64, ptr %patience_at
  %start = call i64 @now()
  %crowded = call i1 @is_crowded(i64 %start)
  %hasty_at = getelementptr %Slot, ptr %slot, i32 0, i32 4
  %hasty = load i32, ptr %hasty_at
  %is_hasty = icmp ne i32 %hasty, 0
  %has_guests = call i1 @has_guests(i64 %start)
  %is_unwanted = or i1 %crowded, %has_guests
  %sleeps = or i1 %is_unwanted, %is_hasty
  %patience = select i1 %sleeps, i64 0, i64 %usual_patience
  br label %round

round:                                             ; of looks, between two looks at the clock
  %before = phi i64 [ %start, %begin ], [ %time, %others ]
  %waited_before = phi i64 [ 0, %begin ], [ %waited, %others ]
  br label %look

look:
  %k = phi i64 [ 0, %round ], [ %k_next, %pause ]
  %ticket = load atomic ptr, ptr %slot acquire, align 8
  %number = ptrtoint ptr %ticket to i64
  %handed = icmp ugt i64 %number, 1
  br i1 %handed, label %came, label %pause

pause:
  call void @pause()
  %k_next = add i64 %k, 1
  %enough = icmp eq i64 %k_next, $looks
  br i1 %enough, label %clock, label %look

clock:
  %time = call i64 @now()
  %passed = sub i64 %time, %before
  %counted = call i64 @llvm.umin.i64(i64 %passed, i64 $longest_round)
  %waited = add i64 %waited_before, %counted
  %in_time = icmp ult i64 %waited, %patience
  br i1 %in_time, label %others, label %lose_patience

others:
  %guests_came = call i1 @has_guests(i64 %time)
  br i1 %guests_came, label %sleep, label %round

came:
  ret ptr %ticket

lose_patience:
  %quarter = lshr i64 %usual_patience, 2
  call void @set_patience(ptr %patience_at, i64 %quarter)
  br label %sleep

sleep:
  store atomic i32 1, ptr %asleep_at seq_cst, align 4
  %late = load atomic ptr, ptr %slot seq_cst, align 8
  %late_number = ptrtoint ptr %late to i64
  %late_handed = icmp ugt i64 %late_number, 1
  br i1 %late_handed, label %awake, label %rest

rest:
  call void @wait(ptr %asleep_at, i32 1)
  %asleep = load atomic i32, ptr %asleep_at acquire, align 4
  %roused = icmp eq i32 %asleep, 0
  br i1 %roused, label %awake, label %rest

awake:                                             ; the caller may have taken the ticket back meanwhile: look for the next one
  store atomic i32 0, ptr %asleep_at monotonic, align 4
  %end = call i64 @now()
  %slept = sub i64 %end, %start
  %soon = icmp ult i64 %slept, $most_patience
  br i1 %soon, label %learn, label %begin

learn:
  call void @set_patience(ptr %patience_at, i64 %slept)
  br label %begin
}

; Twice the time, within limits.
define internal void @set_patience(ptr %patience_at, i64 %time) {
  %double = shl i64 %time, 1
  %low = call i64 @llvm.umax.i64(i64 %double, i64 $least_patience)
  %new = call i64 @llvm.umin.i64(i64 %low, i64 $most_patience)
  store i64 %new, ptr %patience_at
  ret void
}

; Until no worker is in the job: looks for a while, then sleeps, with the highest bit as the sign of it.
define internal void @wait_for_workers(ptr %workers_at, i64 %patience) {
  %over = call i1 @look_for_workers(ptr %workers_at, i64 %patience)
  br i1 %over, label %done, label %sleep

sleep:
  %old = atomicrmw or ptr %workers_at, i32 $sleeping_caller acquire
  %left = and i32 %old, $workers_of_job
  %empty = icmp eq i32 %left, 0
  br i1 %empty, label %done, label %rest

rest:
  %expected = or i32 %old, $sleeping_caller
  call void @wait(ptr %workers_at, i32 %expected)
  br label %sleep

done:
  ret void
}

; Whether no worker is in the job any more, or soon: looks for a while.
define internal i1 @look_for_workers(ptr %workers_at, i64 %patience) {
entry:
  %none = load atomic i32, ptr %workers_at acquire, align 4
  %free = icmp eq i32 %none, 0
  br i1 %free, label %done, label %begin

begin:
  %start = call i64 @now()
  br label %round

round:                                             ; of looks, between two looks at the clock
  %before = phi i64 [ %start, %begin ], [ %time, %clock ]
  %waited_before = phi i64 [ 0, %begin ], [ %waited, %clock ]
  br label %look

look:
  %k = phi i64 [ 0, %round ], [ %k_next, %pause ]
  %workers = load atomic i32, ptr %workers_at acquire, align 4
  %over = icmp eq i32 %workers, 0
  br i1 %over, label %done, label %pause

pause:
  call void @pause()
  %k_next = add i64 %k, 1
  %enough = icmp eq i64 %k_next, $looks
  br i1 %enough, label %clock, label %look

clock:
  %time = call i64 @now()
  %passed = sub i64 %time, %before
  %counted = call i64 @llvm.umin.i64(i64 %passed, i64 $longest_round)
  %waited = add i64 %waited_before, %counted
  %in_time = icmp ult i64 %waited, %patience
  br i1 %in_time, label %round, label %late

done:
  ret i1 true

late:
  ret i1 false
}

; Whether threads were profitable, by one job, from `start` to `after`: the caller was busy for `busy` ns with `own` of `count` parts;
; `refused`: tickets were void. The balance is what jobs gained over one thread, less what they lost: by a thread that
; lost its core in a part, or by a worker that had none while the caller ran everything. Below zero the machine is taken for crowded for a while.
define internal void @judge(ptr %crew, i64 %count, i64 %own, i1 %refused, i64 %busy, i64 %start, i64 %after) {
  %time = sub i64 %after, %start
  %parts = call i64 @llvm.umax.i64(i64 %own, i64 1)
  %of_a_part = udiv i64 %busy, %parts
  %of_one_thread = mul i64 %of_a_part, %count
  %saved = sub i64 %of_one_thread, %time
  %alone = icmp eq i64 %own, %count
  %nobody = and i1 %alone, %refused
  %unaided = sub i64 0, %busy
  %gain = select i1 %nobody, i64 %unaided, i64 %saved
  %is_loss = icmp slt i64 %gain, -$least_loss
  %is_gain = icmp sgt i64 %gain, 0
  %counts = or i1 %is_loss, %is_gain
  br i1 %counts, label %add, label %done

add:
  %balance_at = getelementptr %Crew, ptr %crew, i32 0, i32 5
  %old = load atomic i64, ptr %balance_at monotonic, align 8
  %credit = call i64 @llvm.smin.i64(i64 %gain, i64 $most_gain)
  %sum = add i64 %old, %credit
  %balance = call i64 @llvm.smin.i64(i64 %sum, i64 $most_balance)
  %crowded = icmp slt i64 %balance, 0
  %kept = select i1 %crowded, i64 0, i64 %balance
  %long_at = getelementptr %Crew, ptr %crew, i32 0, i32 6
  %long = load atomic i64, ptr %long_at monotonic, align 8
  store atomic i64 %kept, ptr %balance_at monotonic, align 8
  br i1 %crowded, label %crowd, label %free

free:
  %is_full = icmp eq i64 %balance, $most_balance
  br i1 %is_full, label %forget, label %done

forget:
  store atomic i64 $least_crowded, ptr %long_at monotonic, align 8
  br label %done

crowd:                                             ; each time for longer, until threads are profitable again
  %until = add i64 %after, %long
  %double = shl i64 %long, 1
  %longer = call i64 @llvm.smin.i64(i64 %double, i64 $most_crowded)
  store atomic i64 %longer, ptr %long_at monotonic, align 8
  %until_at = getelementptr %Crew, ptr %crew, i32 0, i32 4
  store atomic i64 %until, ptr %until_at monotonic, align 8
  br label %done

done:
  ret void
}

; A caller that is preempted in a part seems to have had much to do. To ask the system how long it had a core costs as much as a small
; job, so it is asked for a while after a job that was long enough for it, and in which the thread was preempted.
define internal void @watch_for_crowds(i64 %passed, i64 %time) {
  %is_long = icmp ugt i64 %passed, $least_loss
  br i1 %is_long, label %look, label %done

look:
  %usage = alloca [18 x i64]                       ; struct rusage, whose last number is ru_nivcsw
  %error = call i32 @getrusage(i32 $usage_of, ptr %usage)
  %count_at = getelementptr i64, ptr %usage, i64 17
  %count = load i64, ptr %count_at
  %caller = call i64 @pthread_self()
  %caller_before = load atomic i64, ptr getelementptr (%Pool, ptr @pool, i64 0, i32 3) monotonic, align 8
  %count_before = load atomic i64, ptr getelementptr (%Pool, ptr @pool, i64 0, i32 4) monotonic, align 8
  store atomic i64 %caller, ptr getelementptr (%Pool, ptr @pool, i64 0, i32 3) monotonic, align 8
  store atomic i64 %count, ptr getelementptr (%Pool, ptr @pool, i64 0, i32 4) monotonic, align 8
  %same = icmp eq i64 %caller, %caller_before
  %more = icmp ne i64 %count, %count_before
  %preempted = and i1 %same, %more
  br i1 %preempted, label %watch, label %done

watch:
  %until = add i64 %time, $watch
  store atomic i64 %until, ptr getelementptr (%Pool, ptr @pool, i64 0, i32 2) monotonic, align 8
  br label %done

done:
  ret void
}

define internal i1 @is_watched(i64 %time) {
  %until = load atomic i64, ptr getelementptr (%Pool, ptr @pool, i64 0, i32 2) monotonic, align 8
  %watched = icmp ult i64 %time, %until
  ret i1 %watched
}

; How long the calling thread has had a core (ns), if that is asked for; else 0.
define internal i64 @time_with_core(i1 %asked) {
  br i1 %asked, label %ask, label %no

ask:
  %time = call i64 @read_clock(i32 $clock_of_thread)
  ret i64 %time

no:
  ret i64 0
}

; Whether jobs are passed on at this time.
define internal i1 @is_crowded(i64 %time) {
  %crew = load atomic ptr, ptr @pool monotonic, align 8
  %until_at = getelementptr %Crew, ptr %crew, i32 0, i32 4
  %until = load atomic i64, ptr %until_at monotonic, align 8
  %crowded = icmp ult i64 %time, %until
  ret i1 %crowded
}

; Before and behind a call of a library whose own threads look for work for a while: nobody else looks meanwhile.
define void @hlo_receive_guests() {
  %time = call i64 @now()
  %until = add i64 %time, $stay
  store atomic i64 %until, ptr getelementptr (%Pool, ptr @pool, i64 0, i32 1) monotonic, align 8
  ret void
}

define internal i1 @has_guests(i64 %time) {
  %until = load atomic i64, ptr getelementptr (%Pool, ptr @pool, i64 0, i32 1) monotonic, align 8
  %has = icmp ult i64 %time, %until
  ret i1 %has
}

define internal i64 @now() {
  %time = call i64 @read_clock(i32 $clock)
  ret i64 %time
}

define internal i64 @read_clock(i32 %clock) alwaysinline {
  %time = alloca [2 x i64]                         ; struct timespec
  %error = call i32 @clock_gettime(i32 %clock, ptr %time)
  %seconds = load i64, ptr %time
  %rest_at = getelementptr i64, ptr %time, i64 1
  %rest = load i64, ptr %rest_at
  %whole = mul i64 %seconds, 1000000000
  %nanoseconds = add i64 %whole, %rest
  ret i64 %nanoseconds
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
declare i32 @clock_gettime(i32, ptr)
declare i32 @getrusage(i32, ptr)
declare i64 @pthread_self()
declare i64 @llvm.umin.i64(i64, i64)
declare i64 @llvm.umax.i64(i64, i64)
declare i64 @llvm.smin.i64(i64, i64)
declare i32 @llvm.umax.i32(i32, i32)
"""

MOST = MOST_THREADS
"""Workers of a process."""

CONSTANTS = {
    "most": MOST,
    "stack": 8 << 20,  # bytes of a worker's stack, of which only what is used is memory
    "looks": 64,  # pauses (of 40 to 140 cycles each) between two looks at the clock
    "longest_round": 20_000,  # ns between two looks at the clock; what is longer, others had the core
    "least_patience": 20_000,  # ns
    "first_patience": 50_000,
    "most_patience": 1_000_000,
    "patience_of_callers": 50_000,
    "least_loss": 200_000,  # ns by which a job must be slower than on one thread, or have no help
    "most_gain": 1_000_000,  # ns of a job that count: a caller that lost its core gained less than it seems
    "most_balance": 10_000_000,  # ns
    "least_crowded": 50_000_000,  # ns for which jobs are passed on
    "most_crowded": 1_600_000_000,
    "watch": 100_000_000,  # ns for which callers are asked how long they had a core, after one that was preempted
    "stay": 20_000_000,  # ns behind a call of a library whose threads look for work (OpenBLAS: 2 ** 28 cycles, 60 to 130 ms)
    "sleeping_caller": -(1 << 31),  # in a job's number of workers: its caller sleeps
    "workers_of_job": (1 << 31) - 1,
    "last_of_sleeping_caller": -(1 << 31) + 1,
}
"""What the text names with a $."""

TEXT = TYPES + RUN + HAND_OUT + WORKER + WAIT + LIBC
