"""Calls that run at the same time, as LLVM IR: each on a thread of its own, so that they may wait for each other
(docs/parallel.md). The threads are the caller's and workers of the pool (pool_text.py), to whose text this is added.

`hlo_run_together(room, count, first, watch, sleeps)` has memory at `room`: a job, ranges of one part each, then the
pool's words of work: the function, the number of calls, and for each call a function, its argument, what it gave
(RUNNING: it has not come to its end), and where the number of the thread that runs it is to stand (interrupts.Abandoned)."""

WORDS_OF_JOB, WORDS_OF_RANGE, WORDS_OF_CALL, RUNNING = 8, 8, 4, -1

DONE, NO_THREADS, LEFT = range(3)
"""What a run came to."""

TEXT = """
; `first`: the first call that workers run, 0 or 1: call 0 may be the caller's. While the caller waits for the others it calls the watch, 20 times a second, with
; a number that the watch gives back as long as the caller is to wait. `sleeps`: 1 where whoever has nothing to do is to sleep at once. Gives $done; $no_threads if there are too few threads (no call was begun);
; $left if the watch has had enough: the room must stay as long as the process.
define i64 @hlo_run_together(ptr %room, i64 %count, i64 %first, ptr %watch, i64 %sleeps) {
entry:
  %taken = alloca %Cores
  %ranges = getelementptr i64, ptr %room, i64 $words_of_job
  %work = getelementptr %Range, ptr %ranges, i64 %count
  %ranges_at = getelementptr %Job, ptr %room, i32 0, i32 1
  %n_at = getelementptr %Job, ptr %room, i32 0, i32 2
  %mode_at = getelementptr %Job, ptr %room, i32 0, i32 3
  %workers_at = getelementptr %Job, ptr %room, i32 0, i32 4
  %mode = call i32 @read_mode()
  store ptr %work, ptr %room
  store ptr %ranges, ptr %ranges_at
  store i64 %count, ptr %n_at
  store i32 %mode, ptr %mode_at
  store i32 0, ptr %workers_at
  %crew = call ptr @own_crew()
  %nobody = icmp eq ptr %crew, null
  br i1 %nobody, label %refuse, label %fill

fill:
  %t = phi i64 [ 0, %entry ], [ %t_next, %fill ]
  %range = getelementptr %Range, ptr %ranges, i64 %t
  call void @set_range(ptr %range, i64 %t, i64 %count, i64 %count)
  %t_next = add i64 %t, 1
  %filled = icmp eq i64 %t_next, %count
  br i1 %filled, label %reserve, label %fill

reserve:
  %reserved = call i1 @reserve_workers(ptr %crew, ptr %ranges, i64 %first, i64 %count)
  br i1 %reserved, label %hand, label %refuse

refuse:
  ret i64 $no_threads

hand:
  %cores = load i64, ptr @hlo_cores
  %full = icmp ugt i64 %count, %cores
  %told = icmp ne i64 %sleeps, 0
  %at_once = or i1 %full, %told
  %hasty = zext i1 %at_once to i32
  %patience = select i1 %at_once, i64 0, i64 $patience_of_callers
  call void @own_core(ptr %taken)
  br label %next

next:
  %g = phi i64 [ %first, %hand ], [ %g_next, %give ]
  %more = icmp ult i64 %g, %count
  br i1 %more, label %give, label %begin

give:
  %given = getelementptr %Range, ptr %ranges, i64 %g, i32 2
  %slot = load ptr, ptr %given
  call void @give(ptr %slot, ptr %room, i64 %g, i32 %hasty, ptr %taken)
  %g_next = add i64 %g, 1
  br label %next

begin:
  %takes_part = icmp ne i64 %first, 0
  br i1 %takes_part, label %own, label %wait

own:                                               ; and no other one: what it is to look after might wait there
  %ran = call i64 @run_range(ptr %ranges, ptr %work)
  br label %wait

wait:
  %over = call i1 @look_for_workers(ptr %workers_at, i64 %patience)
  br i1 %over, label %done, label %sleep

sleep:
  %old = atomicrmw or ptr %workers_at, i32 $sleeping_caller acquire
  %left = and i32 %old, $workers_of_job
  %empty = icmp eq i32 %left, 0
  br i1 %empty, label %done, label %rest

rest:
  %expected = or i32 %old, $sleeping_caller
  call void @hlo_wait(ptr %workers_at, i32 %expected, i64 50000000)
  %now = load atomic i32, ptr %workers_at acquire, align 4
  %changed = icmp ne i32 %now, %expected
  br i1 %changed, label %sleep, label %look

look:
  %number = call i64 @now()
  %answer = call i64 %watch(i64 %number)
  %goes_on = icmp eq i64 %answer, %number
  br i1 %goes_on, label %sleep, label %leave

done:
  ret i64 $done

leave:
  ret i64 $left
}

; The crew of this process, not of its parent.
define internal ptr @own_crew() {
  %found = call ptr @present_crew()
  %none = icmp eq ptr %found, null
  br i1 %none, label %absent, label %look

look:
  call void @leave_crew_of_parent(ptr %found)
  %own = call ptr @present_crew()
  ret ptr %own

absent:
  ret ptr null
}

; A worker for each range from the first on; false, and none, where there are too few.
define internal i1 @reserve_workers(ptr %crew, ptr %ranges, i64 %first, i64 %count) {
entry:
  br label %next

next:
  %t = phi i64 [ %first, %entry ], [ %t_next, %keep ]
  %more = icmp ult i64 %t, %count
  br i1 %more, label %find, label %all

find:
  %preferred = call i64 @llvm.umax.i64(i64 %t, i64 1)
  %slot = call ptr @reserve_worker(ptr %crew, i64 %preferred, i64 $most)
  %none = icmp eq ptr %slot, null
  br i1 %none, label %release, label %keep

keep:
  %at = getelementptr %Range, ptr %ranges, i64 %t, i32 2
  store ptr %slot, ptr %at
  %t_next = add i64 %t, 1
  br label %next

all:
  ret i1 true

release:
  %r = phi i64 [ %first, %find ], [ %r_next, %free ]
  %left = icmp ult i64 %r, %t
  br i1 %left, label %free, label %few

free:
  %reserved_at = getelementptr %Range, ptr %ranges, i64 %r, i32 2
  %reserved = load ptr, ptr %reserved_at
  store atomic ptr null, ptr %reserved release, align 8
  %r_next = add i64 %r, 1
  br label %release

few:
  ret i1 false
}

; What the pool calls for a part: the call of that number.
define void @hlo_run_call(i64 %part, ptr %work) {
  %before = mul i64 %part, $words_of_call
  %words = getelementptr i64, ptr %work, i64 2
  %call = getelementptr i64, ptr %words, i64 %before
  %argument_at = getelementptr i64, ptr %call, i64 1
  %given_at = getelementptr i64, ptr %call, i64 2
  %function = load ptr, ptr %call
  %argument = load ptr, ptr %argument_at
  %thread_at = getelementptr i64, ptr %call, i64 3
  %thread_place = load ptr, ptr %thread_at
  %thread = call i64 @pthread_self()
  store atomic i64 %thread, ptr %thread_place release, align 8
  %given = call i64 %function(ptr %argument)
  store atomic i64 0, ptr %thread_place release, align 8
  store atomic i64 %given, ptr %given_at release, align 8
  ret void
}

declare i64 @pthread_self()
"""

CONSTANTS = {
    "words_of_job": WORDS_OF_JOB,
    "words_of_call": WORDS_OF_CALL,
    "done": DONE,
    "no_threads": NO_THREADS,
    "left": LEFT,
}
"""What the text names with a $, in addition to the pool's names."""
