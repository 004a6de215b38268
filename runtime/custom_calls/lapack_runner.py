"""What runs a plan of LAPACK calls for every problem of a batch: machine code that a process has once.

A plan is an array of words. The first HEADER words are

    0 problems      1 bytes of a workspace, of which each part has one      2 addresses (of arrays)      3 steps
    4 parts that the problems are cut in      5 the address of the words that say which threads run them (threads/pool.py)
    6, 7 the addresses of LAPACK's functions that tell and set its own threads (0: they stay)
    8 the address of the pool's function that is called before and behind a call in which they stay (0: none)

then come WORDS words a step. A reference is three words, (array, offset, stride): for problem p the address array + offset + p * stride,
where array 0 is at 0, array 1 is the workspace (whole cache lines, whose bytes are any), and the others are those that the custom call has.
A step begins with its number, or with the address of a function:

    0, source, target, rows, columns, bytes, stride copies the first columns of a matrix transposed: target[column, row] = source[row, column],
                                                    whose rows are `stride` elements apart; where that is 1, as it is
    1, imaginary, vectors, target, order, bytes     real eigenvectors as complex ones: of a pair (imaginary part > 0, then < 0), two columns
                                                    are real and imaginary parts
    2, source, info, numbers, bytes, code           where a number is NaN or infinite: info = code, the workspace is zeros, and this problem's
                                                    calls are left out
    3, target, bytes                                fills with zeros
    function, address of references, sides, count   calls a function with `count` pointers. `sides` is 0, or how many right sides a single problem has,
                                                    which threads divide: strides are those from one right side to the next, and array
                                                    PART is an integer (of 32 bits), how many of them a part has

The copies and checks are in lapack_copies.py. LAPACK's functions take pointers only, and look at as many as they have: ARGUMENTS are passed, and those beyond `count` are any."""

from __future__ import annotations

import functools

from hlo.runtime.code.process_code import load_once
from hlo.runtime.custom_calls import lapack_copies
from hlo.runtime.custom_calls.lapack_copies import LINE

ARGUMENTS = 18
"""More than any routine has, with the lengths of its letters."""

WORDS = 12
"""Of a step."""

HEADER = 9
"""Words before the first step."""

MOST_ARRAYS = 32

PART = MOST_ARRAYS - 1
"""The array that has the number of right sides of a part."""

SIDES, ALIGNED_SIDES = 32, 16
"""Right sides that a part has at least; parts begin at multiples of the latter, as blocks of OpenBLAS's code do."""

RUN = """
declare i64 @llvm.usub.sat.i64(i64, i64)
declare i64 @llvm.umin.i64(i64, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare ptr @aligned_alloc(i64, i64)
declare void @free(ptr)

; The address that a reference has for a problem.
define internal ptr @address(ptr %reference, ptr %arrays, i64 %problem) {
  %array = load i64, ptr %reference
  %offset_at = getelementptr i64, ptr %reference, i64 1
  %stride_at = getelementptr i64, ptr %reference, i64 2
  %offset = load i64, ptr %offset_at
  %stride = load i64, ptr %stride_at
  %base_at = getelementptr i64, ptr %arrays, i64 %array
  %base = load i64, ptr %base_at
  %way = mul i64 %problem, %stride
  %whole = add i64 %offset, %way
  %address = add i64 %base, %whole
  %pointer = inttoptr i64 %address to ptr
  ret ptr %pointer
}

define internal void @copy(ptr %step, ptr %arrays, i64 %problem) {
  %source_at = getelementptr i64, ptr %step, i64 1
  %target_at = getelementptr i64, ptr %step, i64 4
  %rows_at = getelementptr i64, ptr %step, i64 7
  %columns_at = getelementptr i64, ptr %step, i64 8
  %bytes_at = getelementptr i64, ptr %step, i64 9
  %stride_at = getelementptr i64, ptr %step, i64 10
  %source = call ptr @address(ptr %source_at, ptr %arrays, i64 %problem)
  %target = call ptr @address(ptr %target_at, ptr %arrays, i64 %problem)
  %rows = load i64, ptr %rows_at
  %columns = load i64, ptr %columns_at
  %bytes = load i64, ptr %bytes_at
  %stride = load i64, ptr %stride_at
  %is_vector = icmp eq i64 %stride, 1
  br i1 %is_vector, label %vector, label %matrix
vector:
  %is_there = icmp eq ptr %source, %target
  br i1 %is_there, label %done, label %straight
done:
  ret void
straight:
  %size = mul i64 %rows, %bytes
  call void @llvm.memmove.p0.p0.i64(ptr %target, ptr %source, i64 %size, i1 false)
  ret void
matrix:
  switch i64 %bytes, label %sixteen [ i64 4, label %four i64 8, label %eight ]
four:
  call void @transpose_4(ptr %source, ptr %target, i64 %rows, i64 %columns, i64 %stride)
  ret void
eight:
  call void @transpose_8(ptr %source, ptr %target, i64 %rows, i64 %columns, i64 %stride)
  ret void
sixteen:
  call void @transpose_16(ptr %source, ptr %target, i64 %rows, i64 %columns, i64 %stride)
  ret void
}

define internal void @pair(ptr %step, ptr %arrays, i64 %problem) {
  %imaginary_at = getelementptr i64, ptr %step, i64 1
  %vectors_at = getelementptr i64, ptr %step, i64 4
  %target_at = getelementptr i64, ptr %step, i64 7
  %order_at = getelementptr i64, ptr %step, i64 10
  %bytes_at = getelementptr i64, ptr %step, i64 11
  %imaginary = call ptr @address(ptr %imaginary_at, ptr %arrays, i64 %problem)
  %vectors = call ptr @address(ptr %vectors_at, ptr %arrays, i64 %problem)
  %target = call ptr @address(ptr %target_at, ptr %arrays, i64 %problem)
  %order = load i64, ptr %order_at
  %bytes = load i64, ptr %bytes_at
  %is_float = icmp eq i64 %bytes, 4
  br i1 %is_float, label %four, label %eight
four:
  call void @pair_4(ptr %imaginary, ptr %vectors, ptr %target, i64 %order)
  ret void
eight:
  call void @pair_8(ptr %imaginary, ptr %vectors, ptr %target, i64 %order)
  ret void
}

define internal void @clear(ptr %step, ptr %arrays, i64 %problem) {
  %target_at = getelementptr i64, ptr %step, i64 1
  %bytes_at = getelementptr i64, ptr %step, i64 4
  %target = call ptr @address(ptr %target_at, ptr %arrays, i64 %problem)
  %bytes = load i64, ptr %bytes_at
  call void @llvm.memset.p0.i64(ptr %target, i8 0, i64 %bytes, i1 false)
  ret void
}

; Whether the problem's calls are to be left out.
define internal i1 @fails(ptr %step, ptr %arrays, i64 %problem, ptr %workspace, i64 %workspace_bytes) {
  %source_at = getelementptr i64, ptr %step, i64 1
  %info_at = getelementptr i64, ptr %step, i64 4
  %count_at = getelementptr i64, ptr %step, i64 7
  %bytes_at = getelementptr i64, ptr %step, i64 8
  %code_at = getelementptr i64, ptr %step, i64 9
  %source = call ptr @address(ptr %source_at, ptr %arrays, i64 %problem)
  %info = call ptr @address(ptr %info_at, ptr %arrays, i64 %problem)
  %count = load i64, ptr %count_at
  %bytes = load i64, ptr %bytes_at
  %code = load i32, ptr %code_at
  %is_float = icmp eq i64 %bytes, 4
  br i1 %is_float, label %four, label %eight
four:
  %finite_4 = call i1 @finite_4(ptr %source, i64 %count)
  br label %decide
eight:
  %finite_8 = call i1 @finite_8(ptr %source, i64 %count)
  br label %decide
decide:
  %finite = phi i1 [ %finite_4, %four ], [ %finite_8, %eight ]
  br i1 %finite, label %go_on, label %leave_out
go_on:
  ret i1 false
leave_out:
  store i32 %code, ptr %info
  call void @llvm.memset.p0.i64(ptr %workspace, i8 0, i64 %workspace_bytes, i1 false)
  ret i1 true
}

define internal void @invoke(ptr %step, ptr %arrays, i64 %problem) {
entry:
  %pointers = alloca [$arguments x ptr]
  %function = load ptr, ptr %step
  %references_at = getelementptr i64, ptr %step, i64 1
  %references = load ptr, ptr %references_at
  %count_at = getelementptr i64, ptr %step, i64 3
  %count = load i64, ptr %count_at
  br label %next
next:
  %n = phi i64 [ 0, %entry ], [ %n_next, %next ]
  %first = mul i64 %n, 3
  %reference = getelementptr i64, ptr %references, i64 %first
  %pointer = call ptr @address(ptr %reference, ptr %arrays, i64 %problem)
  %slot = getelementptr ptr, ptr %pointers, i64 %n
  store ptr %pointer, ptr %slot
  %n_next = add i64 %n, 1
  %done = icmp uge i64 %n_next, %count
  br i1 %done, label %call, label %next
call:
$loads
  call void %function($passed)
  ret void
}

; Some of the right sides of a problem.
define internal void @some_sides(i64 %number, ptr %work) {
entry:
  %own = alloca [$most x i64]
  %count = alloca i32
  %parts_at = getelementptr i64, ptr %work, i64 1
  %arrays_at = getelementptr i64, ptr %work, i64 2
  %step_at = getelementptr i64, ptr %work, i64 3
  %parts = load i64, ptr %parts_at
  %arrays = load ptr, ptr %arrays_at
  %step = load ptr, ptr %step_at
  %sides_at = getelementptr i64, ptr %step, i64 2
  %sides = load i64, ptr %sides_at
  %next = add i64 %number, 1
  %first = call i64 @first_side(i64 %number, i64 %parts, i64 %sides)
  %end = call i64 @first_side(i64 %next, i64 %parts, i64 %sides)
  %many = sub i64 %end, %first
  %narrow = trunc i64 %many to i32
  store i32 %narrow, ptr %count
  call void @llvm.memcpy.p0.p0.i64(ptr %own, ptr %arrays, i64 $most_bytes, i1 false)
  %place = getelementptr i64, ptr %own, i64 $part
  store ptr %count, ptr %place
  call void @invoke(ptr %step, ptr %own, i64 %first)
  ret void
}

define internal i64 @first_side(i64 %number, i64 %parts, i64 %sides) {
  %filled = add i64 %sides, $aligned_less_one
  %blocks = udiv i64 %filled, $aligned
  %before = mul i64 %blocks, %number
  %block = udiv i64 %before, %parts
  %side = mul i64 %block, $aligned
  %first = call i64 @llvm.umin.i64(i64 %side, i64 %sides)
  ret i64 %first
}

; All right sides of the only problem, on the threads of the pool, if there is one.
define internal void @all_sides(ptr %step, ptr %arrays, ptr %pool) {
entry:
  %work = alloca [4 x i64]
  %count_at = getelementptr i64, ptr %work, i64 1
  %arrays_at = getelementptr i64, ptr %work, i64 2
  %step_at = getelementptr i64, ptr %work, i64 3
  store ptr @some_sides, ptr %work
  store i64 1, ptr %count_at
  store ptr %arrays, ptr %arrays_at
  store ptr %step, ptr %step_at
  %none = icmp eq ptr %pool, null
  br i1 %none, label %alone, label %divide
divide:
  %sides_at = getelementptr i64, ptr %step, i64 2
  %sides = load i64, ptr %sides_at
  %most = udiv i64 %sides, $sides
  %threads_at = getelementptr i64, ptr %pool, i64 1
  %threads = load i64, ptr %threads_at
  %parts = call i64 @llvm.umin.i64(i64 %most, i64 %threads)
  %single = icmp ult i64 %parts, 2
  br i1 %single, label %alone, label %shared
alone:
  call void @some_sides(i64 0, ptr %work)
  ret void
shared:
  store i64 %parts, ptr %count_at
  %run_parts = load ptr, ptr %pool
  call void %run_parts(ptr %work, i64 %threads)
  ret void
}

; The problems of one part: those from problems * part / parts on.
define internal void @part(i64 %number, ptr %work) {
entry:
  %arrays = alloca [$most x i64]
  %parts_at = getelementptr i64, ptr %work, i64 1
  %addresses_at = getelementptr i64, ptr %work, i64 2
  %plan_at = getelementptr i64, ptr %work, i64 3
  %failed_at = getelementptr i64, ptr %work, i64 4
  %parts = load i64, ptr %parts_at
  %addresses = load ptr, ptr %addresses_at
  %plan = load ptr, ptr %plan_at
  %failed = load ptr, ptr %failed_at
  %bytes_at = getelementptr i64, ptr %plan, i64 1
  %count_at = getelementptr i64, ptr %plan, i64 2
  %steps_at = getelementptr i64, ptr %plan, i64 3
  %pool_at = getelementptr i64, ptr %plan, i64 5
  %pool = load ptr, ptr %pool_at
  %steps = getelementptr i64, ptr %plan, i64 $header
  %problems = load i64, ptr %plan
  %bytes = load i64, ptr %bytes_at
  %count = load i64, ptr %count_at
  %step_count = load i64, ptr %steps_at
  %before = mul i64 %problems, %number
  %first_problem = udiv i64 %before, %parts
  %up_to = add i64 %before, %problems
  %end_problem = udiv i64 %up_to, %parts
  %workspace = call ptr @aligned_alloc(i64 $line, i64 %bytes)
  %none = icmp eq ptr %workspace, null
  br i1 %none, label %no_memory, label %fill
no_memory:
  store i64 1, ptr %failed
  ret void
fill:
  %own = getelementptr i64, ptr %arrays, i64 1
  store i64 0, ptr %arrays
  store ptr %workspace, ptr %own
  br label %array
array:
  %a = phi i64 [ 0, %fill ], [ %a_next, %array ]
  %given = getelementptr i64, ptr %addresses, i64 %a
  %position = add i64 %a, 2
  %kept = getelementptr i64, ptr %arrays, i64 %position
  %value = load i64, ptr %given
  store i64 %value, ptr %kept
  %a_next = add i64 %a, 1
  %arrays_done = icmp uge i64 %a_next, %count
  br i1 %arrays_done, label %problem, label %array
problem:
  %p = phi i64 [ %first_problem, %array ], [ %p_next, %problem_done ]
  br label %step
step:
  %s = phi i64 [ 0, %problem ], [ %s_next, %step_done ]
  %left_out = phi i1 [ false, %problem ], [ %left_out_next, %step_done ]
  %first_word = mul i64 %s, $words
  %at = getelementptr i64, ptr %steps, i64 %first_word
  %function = load i64, ptr %at
  switch i64 %function, label %call [ i64 0, label %copy i64 1, label %pair i64 2, label %check i64 3, label %clear ]
copy:
  call void @copy(ptr %at, ptr %arrays, i64 %p)
  br label %step_done
pair:
  call void @pair(ptr %at, ptr %arrays, i64 %p)
  br label %step_done
clear:
  call void @clear(ptr %at, ptr %arrays, i64 %p)
  br label %step_done
check:
  %fails = call i1 @fails(ptr %at, ptr %arrays, i64 %p, ptr %workspace, i64 %bytes)
  br label %step_done
call:
  br i1 %left_out, label %step_done, label %invoke
invoke:
  %sides_at = getelementptr i64, ptr %at, i64 2
  %sides = load i64, ptr %sides_at
  %is_whole = icmp eq i64 %sides, 0
  br i1 %is_whole, label %whole, label %divided
whole:
  call void @invoke(ptr %at, ptr %arrays, i64 %p)
  br label %step_done
divided:
  call void @all_sides(ptr %at, ptr %arrays, ptr %pool)
  br label %step_done
step_done:
  %left_out_next = phi i1 [ %left_out, %copy ], [ %left_out, %pair ], [ %left_out, %clear ], [ %fails, %check ], [ %left_out, %call ], [ %left_out, %whole ], [ %left_out, %divided ]
  %s_next = add i64 %s, 1
  %steps_done = icmp uge i64 %s_next, %step_count
  br i1 %steps_done, label %problem_done, label %step
problem_done:
  %p_next = add i64 %p, 1
  %all_done = icmp uge i64 %p_next, %end_problem
  br i1 %all_done, label %end, label %problem
end:
  call void @free(ptr %workspace)
  ret void
}

; Calls that keep LAPACK to one thread, which have its setting in common: the first one sets it, the last one gives it back.
@inside = internal global i32 0
@setting = internal global i32 0
@lock = internal global i32 0

define internal void @acquire() {
entry:
  br label %try
try:
  %taken = cmpxchg ptr @lock, i32 0, i32 1 acquire monotonic
  %free = extractvalue { i32, i1 } %taken, 1
  br i1 %free, label %done, label %try
done:
  ret void
}

define internal void @begin_alone(ptr %get, ptr %set) {
entry:
  %none = icmp eq ptr %set, null
  br i1 %none, label %done, label %enter
enter:
  call void @acquire()
  %others = load i32, ptr @inside
  %more = add i32 %others, 1
  store i32 %more, ptr @inside
  %first = icmp eq i32 %others, 0
  br i1 %first, label %change, label %release
change:
  %found = call i32 %get()
  store i32 %found, ptr @setting
  call void %set(i32 1)
  br label %release
release:
  store atomic i32 0, ptr @lock release, align 4
  br label %done
done:
  ret void
}

define internal void @end_alone(ptr %set) {
entry:
  %none = icmp eq ptr %set, null
  br i1 %none, label %done, label %leave
leave:
  call void @acquire()
  %all = load i32, ptr @inside
  %others = sub i32 %all, 1
  store i32 %others, ptr @inside
  %last = icmp eq i32 %others, 0
  br i1 %last, label %change, label %release
change:
  %before = load i32, ptr @setting
  call void %set(i32 %before)
  br label %release
release:
  store atomic i32 0, ptr @lock release, align 4
  br label %done
done:
  ret void
}

define internal void @tell(ptr %function) {
entry:
  %none = icmp eq ptr %function, null
  br i1 %none, label %done, label %call
call:
  call void %function()
  br label %done
done:
  ret void
}

define void @hlo_lapack(ptr %out, ptr %addresses, ptr %plan, ptr %failed) {
entry:
  %work = alloca [5 x i64]
  %get_at = getelementptr i64, ptr %plan, i64 6
  %set_at = getelementptr i64, ptr %plan, i64 7
  %get = load ptr, ptr %get_at
  %set = load ptr, ptr %set_at
  %receive_at = getelementptr i64, ptr %plan, i64 8
  %receive = load ptr, ptr %receive_at
  call void @begin_alone(ptr %get, ptr %set)
  call void @tell(ptr %receive)
  %parts_at = getelementptr i64, ptr %plan, i64 4
  %pool_at = getelementptr i64, ptr %plan, i64 5
  %parts = load i64, ptr %parts_at
  %pool = load ptr, ptr %pool_at
  %count_at = getelementptr i64, ptr %work, i64 1
  %addresses_at = getelementptr i64, ptr %work, i64 2
  %plan_at = getelementptr i64, ptr %work, i64 3
  %failed_at = getelementptr i64, ptr %work, i64 4
  store ptr @part, ptr %work
  store i64 %parts, ptr %count_at
  store ptr %addresses, ptr %addresses_at
  store ptr %plan, ptr %plan_at
  store ptr %failed, ptr %failed_at
  %single = icmp ult i64 %parts, 2
  br i1 %single, label %alone, label %shared
alone:
  call void @part(i64 0, ptr %work)
  br label %done
shared:
  %threads_at = getelementptr i64, ptr %pool, i64 1
  %run_parts = load ptr, ptr %pool
  %threads = load i64, ptr %threads_at
  call void %run_parts(ptr %work, i64 %threads)
  br label %done
done:
  call void @tell(ptr %receive)
  call void @end_alone(ptr %set)
  ret void
}
"""


def text() -> str:
    """LLVM IR of the function `hlo_lapack(out, addresses, plan, failed)`."""
    loads = [
        f"  %at{n} = getelementptr ptr, ptr %pointers, i64 {n}\n  %p{n} = load ptr, ptr %at{n}"
        for n in range(ARGUMENTS)
    ]
    values = {
        "$arguments": str(ARGUMENTS),
        "$loads": "\n".join(loads),
        "$passed": ", ".join(f"ptr %p{n}" for n in range(ARGUMENTS)),
        "$most_bytes": str(8 * MOST_ARRAYS),
        "$most": str(MOST_ARRAYS),
        "$part": str(PART),
        "$sides": str(SIDES),
        "$aligned_less_one": str(ALIGNED_SIDES - 1),
        "$aligned": str(ALIGNED_SIDES),
        "$words": str(WORDS),
        "$header": str(HEADER),
        "$line": str(LINE),
    }
    filled = RUN
    for name, value in values.items():
        filled = filled.replace(name, value)
    return filled + lapack_copies.text()


@functools.cache
def address() -> int:
    """Of the function: out (which it does not use), the addresses of operands and results, a plan, a word that becomes 1
    where there is no memory."""
    return load_once(text(), quick=False).address("hlo_lapack")
