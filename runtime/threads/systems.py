"""What the thread pool and the meetings of processes (runtime/grid/meetings.py) need of an operating system and a processor,
as LLVM IR: waiting for a word in memory to change, a pause in a loop that waits, the floating-point mode."""

from __future__ import annotations

from string import Template

from hlo.errors import CompileError
from hlo.runtime.threads import clock_text, together_text
from hlo.runtime.threads.pool_text import CONSTANTS, TEXT

LINUX = """
declare i64 @syscall(i64, ...)

; Sleeps while the word is `expected`; may return earlier.
define internal void @wait(ptr %word, i32 %expected) {
  %error = call i64 (i64, ...) @syscall(i64 $futex, ptr %word, i64 $futex_wait, i32 %expected, ptr null)
  ret void
}

; Wakes one thread that sleeps at the word.
define internal void @wake(ptr %word) {
  %woken = call i64 (i64, ...) @syscall(i64 $futex, ptr %word, i64 $futex_wake, i64 1)
  ret void
}

declare i32 @sched_getcpu()
declare i32 @sched_getaffinity(i32, i64, ptr)
declare i32 @sched_setaffinity(i32, i64, ptr)

define internal i32 @this_core() {
  %core = call i32 @sched_getcpu()
  ret i32 %core
}

define internal i32 @this_thread() {
  %number = call i64 (i64, ...) @syscall(i64 $gettid)
  %thread = trunc i64 %number to i32
  ret i32 %thread
}

; Wakes the thread that sleeps at the word on one of its cores that is not taken, if there is one. Linux puts a thread that wakes on the
; core that it was on, also where that one is at work and others are idle, if it takes these for preempted, as idle ones of a virtual
; machine are. Where the thread may run is as before, behind that.
define internal void @wake_elsewhere(ptr %word, i32 %thread, ptr %taken) {
  %possible = alloca %Cores
  %free = alloca %Cores
  %e0 = call i32 @sched_getaffinity(i32 %thread, i64 $bytes_of_cores, ptr %possible)
  %known = icmp eq i32 %e0, 0
  br i1 %known, label %choose, label %as_it_is

choose:
  %all = load <$words_of_cores x i64>, ptr %possible, align 8
  %used = load <$words_of_cores x i64>, ptr %taken, align 8
  %unused = xor <$words_of_cores x i64> %used, splat (i64 -1)
  %rest = and <$words_of_cores x i64> %all, %unused
  store <$words_of_cores x i64> %rest, ptr %free, align 8
  %e1 = call i32 @sched_setaffinity(i32 %thread, i64 $bytes_of_cores, ptr %free) ; refused where none is left
  call void @wake(ptr %word)
  %moved = icmp eq i32 %e1, 0
  br i1 %moved, label %allow, label %done

allow:
  %e2 = call i32 @sched_setaffinity(i32 %thread, i64 $bytes_of_cores, ptr %possible)
  br label %done

as_it_is:
  call void @wake(ptr %word)
  br label %done

done:
  ret void
}
"""

MACOS = """
declare i32 @pthread_mutex_lock(ptr)
declare i32 @pthread_mutex_unlock(ptr)
declare i32 @pthread_cond_wait(ptr, ptr)
declare i32 @pthread_cond_broadcast(ptr)

%Mutex = type { i64, [56 x i8] }                   ; PTHREAD_MUTEX_INITIALIZER: a signature, then zeros
%Condition = type { i64, [40 x i8] }
@mutex = internal global %Mutex { i64 $mutex_signature, [56 x i8] zeroinitializer }, align 16
@condition = internal global %Condition { i64 $condition_signature, [40 x i8] zeroinitializer }, align 16

; Sleeps while the word is `expected`; may return earlier.
define internal void @wait(ptr %word, i32 %expected) {
  %e0 = call i32 @pthread_mutex_lock(ptr @mutex)
  %seen = load atomic i32, ptr %word acquire, align 4
  %same = icmp eq i32 %seen, %expected
  br i1 %same, label %rest, label %done

rest:
  %e1 = call i32 @pthread_cond_wait(ptr @condition, ptr @mutex)
  br label %done

done:
  %e2 = call i32 @pthread_mutex_unlock(ptr @mutex)
  ret void
}

; Wakes all threads that sleep at any word. Under the lock: a thread that has read its word is asleep by then.
define internal void @wake(ptr %word) {
  %e0 = call i32 @pthread_mutex_lock(ptr @mutex)
  %e1 = call i32 @pthread_cond_broadcast(ptr @condition)
  %e2 = call i32 @pthread_mutex_unlock(ptr @mutex)
  ret void
}

; Which core a thread is on is the system's affair.
define internal i32 @this_core() {
  ret i32 -1
}

define internal i32 @this_thread() {
  ret i32 0
}

define internal void @wake_elsewhere(ptr %word, i32 %thread, ptr %taken) {
  call void @wake(ptr %word)
  ret void
}
"""

LINUX_TIMED = """
; The same for so many nanoseconds at most (less than a second).
define void @hlo_wait(ptr %word, i32 %expected, i64 %nanoseconds) {
  %time = alloca [2 x i64]
  store i64 0, ptr %time
  %second = getelementptr i64, ptr %time, i64 1
  store i64 %nanoseconds, ptr %second
  %error = call i64 (i64, ...) @syscall(i64 $futex, ptr %word, i64 $futex_wait, i32 %expected, ptr %time)
  ret void
}

; Wakes all threads that sleep at the word.
define void @hlo_wake(ptr %word) {
  %woken = call i64 (i64, ...) @syscall(i64 $futex, ptr %word, i64 $futex_wake, i64 2147483647)
  ret void
}
"""

MACOS_TIMED = """
declare i32 @pthread_cond_timedwait_relative_np(ptr, ptr, ptr)

; The same for so many nanoseconds at most (less than a second).
define void @hlo_wait(ptr %word, i32 %expected, i64 %nanoseconds) {
  %time = alloca [2 x i64]
  store i64 0, ptr %time
  %second = getelementptr i64, ptr %time, i64 1
  store i64 %nanoseconds, ptr %second
  %e0 = call i32 @pthread_mutex_lock(ptr @mutex)
  %seen = load atomic i32, ptr %word acquire, align 4
  %same = icmp eq i32 %seen, %expected
  br i1 %same, label %rest, label %done

rest:
  %e1 = call i32 @pthread_cond_timedwait_relative_np(ptr @condition, ptr @mutex, ptr %time)
  br label %done

done:
  %e2 = call i32 @pthread_mutex_unlock(ptr @mutex)
  ret void
}

define void @hlo_wake(ptr %word) {
  call void @wake(ptr %word)
  ret void
}
"""

X86 = """
declare void @llvm.x86.sse2.pause()
declare void @llvm.x86.sse.stmxcsr(ptr)
declare void @llvm.x86.sse.ldmxcsr(ptr)

define internal void @pause() alwaysinline {
  call void @llvm.x86.sse2.pause()
  ret void
}

define internal i32 @read_mode() {
  %word = alloca i32
  call void @llvm.x86.sse.stmxcsr(ptr %word)
  %mode = load i32, ptr %word
  ret i32 %mode
}

define internal void @set_mode(i32 %mode) {
  %word = alloca i32
  store i32 %mode, ptr %word
  call void @llvm.x86.sse.ldmxcsr(ptr %word)
  ret void
}
"""

AARCH64 = """
declare void @llvm.aarch64.isb(i32)
declare i32 @llvm.get.fpmode.i32()
declare void @llvm.set.fpmode.i32(i32)

define internal void @pause() alwaysinline {
  call void @llvm.aarch64.isb(i32 15)              ; takes as long as x86's pause; the hint `yield` does nothing on most
  ret void
}

define internal i32 @read_mode() {
  %mode = call i32 @llvm.get.fpmode.i32()
  ret i32 %mode
}

define internal void @set_mode(i32 %mode) {
  call void @llvm.set.fpmode.i32(i32 %mode)
  ret void
}
"""

PROCESSORS = {
    "x86_64": (X86, {"futex": 202, "gettid": 186}),
    "aarch64": (AARCH64, {"futex": 98, "gettid": 178}),
    "arm64": (AARCH64, {"futex": 98, "gettid": 178}),
}
"""By the first word of a triple: the text, and the numbers of Linux's system calls."""

ON_LINUX = {
    "futex_wait": 128,
    "futex_wake": 129,
    "clock": clock_text.LINUX,
    "detached": 1,
    "set_mask": 2,
    "sigbus": 7,
}
ON_MACOS = {
    "clock": clock_text.MACOS,
    "detached": 2,
    "set_mask": 3,
    "sigbus": 10,
    "mutex_signature": 0x32AAABA7,
    "condition_signature": 0x3CB0B1BB,
}
"""Constants of the systems' headers. Futexes are private to the process."""


def pool_text(triple: str) -> str:
    """The thread pool for a target triple, as LLVM IR. Raises CompileError for a processor that it was not written for."""
    return _text(triple, TEXT, LINUX, MACOS)


def process_text(triple: str) -> str:
    """The thread pool, and what processes of a grid need: `hlo_run_together` (together_text.py), `hlo_wait(word,
    expected, nanoseconds)`, `hlo_wake(word)`."""
    return _text(triple, TEXT + together_text.TEXT, LINUX + LINUX_TIMED, MACOS + MACOS_TIMED)


def _text(triple: str, text: str, linux: str, macos: str) -> str:
    architecture, _, rest = triple.partition("-")
    if architecture not in PROCESSORS:
        raise CompileError(f"no thread pool for {triple!r}; there is one for {', '.join(PROCESSORS)}")
    processor, numbers = PROCESSORS[architecture]
    system, constants = (macos, ON_MACOS) if "darwin" in rest or "macos" in rest else (linux, ON_LINUX)
    known = {**CONSTANTS, **together_text.CONSTANTS, **numbers, **constants}
    return Template(text + clock_text.TEXT + system + processor).substitute(known)
