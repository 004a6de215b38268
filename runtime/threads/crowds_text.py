"""What the thread pool does on a crowded machine, where other processes take its cores, as LLVM IR (pool_text.py;
docs/threads.md): whether threads are profitable is judged by each job, and for a while jobs are passed on whole, or
left to their callers. The clocks that all of the pool reads are here too."""

TEXT = """
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
