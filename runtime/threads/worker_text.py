"""Workers of the thread pool, as LLVM IR (pool_text.py): how one starts, waits for a job and runs it; how a caller
waits for those in its job; what is left of a pool after a fork; guests."""

TEXT = """
define internal ptr @work(ptr %slot) {
  %number_at = getelementptr %Slot, ptr %slot, i32 0, i32 1
  %thread_at = getelementptr %Slot, ptr %slot, i32 0, i32 6
  %thread = call i32 @this_thread()
  store i32 %thread, ptr %thread_at
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
  %slot = getelementptr %Crew, ptr %crew, i32 0, i32 5, i64 %started
  %patience_at = getelementptr %Slot, ptr %slot, i32 0, i32 2
  %core_at = getelementptr %Slot, ptr %slot, i32 0, i32 5
  store ptr inttoptr (i64 1 to ptr), ptr %slot
  store i32 -1, ptr %core_at
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
  store i64 $most, ptr %possible_at
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
; The job that is handed to a worker. It looks for its patience, then sleeps. Patience halves when nobody came meanwhile, and becomes
; twice what it would have taken when somebody came soon after. Nobody yields its core; time for which others had it does not count.
define internal ptr @wait_for_ticket(ptr %slot) {
entry:
  %patience_at = getelementptr %Slot, ptr %slot, i32 0, i32 2
  %asleep_at = getelementptr %Slot, ptr %slot, i32 0, i32 3
  %core_at = getelementptr %Slot, ptr %slot, i32 0, i32 5
  br label %begin

begin:
  call void @note_core(ptr %core_at)
  %usual_patience = load i64, ptr %patience_at
  %start = call i64 @now()
  %hasty_at = getelementptr %Slot, ptr %slot, i32 0, i32 4
  %hasty = load i32, ptr %hasty_at
  %is_hasty = icmp ne i32 %hasty, 0
  %has_guests = call i1 @has_guests(i64 %start)
  %sleeps = or i1 %has_guests, %is_hasty
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
  call void @note_core(ptr %core_at)
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

; Where the thread is now, for those who wake it.
define internal void @note_core(ptr %core_at) {
  %core = call i32 @this_core()
  store atomic i32 %core, ptr %core_at monotonic, align 4
  ret void
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
"""
