"""The clock that threads and processes wait by, as LLVM IR: `now()`, nanoseconds of CLOCK_MONOTONIC ($clock)."""

LINUX, MACOS = 1, 6
"""CLOCK_MONOTONIC."""

TEXT = """
define internal i64 @now() {
  %time = alloca [2 x i64]                         ; struct timespec
  %error = call i32 @clock_gettime(i32 $clock, ptr %time)
  %seconds = load i64, ptr %time
  %rest_at = getelementptr i64, ptr %time, i64 1
  %rest = load i64, ptr %rest_at
  %whole = mul i64 %seconds, 1000000000
  %nanoseconds = add i64 %whole, %rest
  ret i64 %nanoseconds
}

declare i32 @clock_gettime(i32, ptr)
"""
