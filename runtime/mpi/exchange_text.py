"""The transport in machine code, as LLVM IR: MPI is called by address, without Python, as long as messages come soon.

`hlo_exchange(process, meeting, step, bank, number)` is called as meetings.py says. For each meeting the process's words
have the address of an array: that of the CONTEXT, then for each of its borrows that of a PLAN, or 0 where Python has
not made it (machine_exchange.py). What is not planned, and what takes long, is left to Python: to look after others, to
say who waits for whom."""

from __future__ import annotations

import sys
from string import Template

from hlo.lowering.stablehlo.collectives.rules import FIRST, PER_MEETING
from hlo.runtime.code.process_code import READ_WORDS
from hlo.runtime.threads import clock_text

TAGS, RECEIVE, SEND, TEST, STATUSES, PYTHON, REQUEST_BYTES, LOOKS, ERROR, WORDS_OF_CONTEXT = range(10)
"""Words of the context: what is added to the tags of this run; addresses of MPI_Irecv, MPI_Isend, MPI_Testall, of room
for statuses and of the Python function; the size of a request; how often messages are looked at before others may have
the processor; what MPI has said of an error."""

COMM, TAG, RECEIVES, MESSAGES, MESSAGE_LIST, REQUESTS, PUTS, BEGUN, WORDS_OF_PLAN = range(9)
"""Words of a plan: a communicator; a tag; how many messages come, and how many there are; the address of these, those
first that come; that of their requests; for each position of the group what is put there, or LEAVE; 1 after it has been
left to Python in the middle."""

BASE, OFFSET, COUNT, TYPE, RANK, WORDS_OF_MESSAGE = range(6)
"""Words of a message: the position whose array it is a part of, or ABSOLUTE; the offset there (or the address); as MPI
takes them: count, type, rank."""

LEAVE = ABSOLUTE = -1

TEXT = """
define i64 @hlo_exchange(ptr %process, i64 %meeting, i64 %step, i64 %bank, i64 %number) {
entry:
  %status = alloca i32
  %before = mul i64 %meeting, $per_meeting
  %third = add i64 %before, $descriptor
  %descriptor = call ptr @pointer(ptr %process, i64 %third)
  %fourth = add i64 %third, 1
  %plans = call ptr @pointer(ptr %process, i64 %fourth)
  %context = load ptr, ptr %plans
  %plan_number = add i64 %step, 1
  %plan = call ptr @pointer(ptr %plans, i64 %plan_number)
  %rendezvous = load ptr, ptr %descriptor
  %slots = getelementptr i64, ptr %rendezvous, i64 %bank
  %unplanned = icmp eq ptr %plan, null
  br i1 %unplanned, label %python, label %begin

begin:
  %count = call i64 @word(ptr %plan, i64 $messages)
  %started = call i32 @start(ptr %context, ptr %plan, ptr %slots, i64 %count)
  %requests = call ptr @pointer(ptr %plan, i64 $requests)
  %is_started = icmp eq i32 %started, 0
  br i1 %is_started, label %wait, label %failed

wait:
  %waited = call i32 @test(ptr %context, ptr %requests, i64 %count, ptr %status)
  %fine = icmp eq i32 %waited, 0
  br i1 %fine, label %look, label %failed

look:
  %done = load i32, ptr %status
  %is_done = icmp ne i32 %done, 0
  br i1 %is_done, label %fill, label %leave

leave:
  %begun_at = getelementptr i64, ptr %plan, i64 $begun
  store i64 1, ptr %begun_at
  br label %python

fill:
  call void @fill(ptr %plan, ptr %slots, ptr %descriptor)
  ret i64 %number

failed:
  %error = phi i32 [ %started, %begin ], [ %waited, %wait ]
  %wide = sext i32 %error to i64
  %error_at = getelementptr i64, ptr %context, i64 $error
  store i64 %wide, ptr %error_at
  ret i64 0

python:
  %function = call ptr @pointer(ptr %context, i64 $python)
  %answer = call i64 %function(ptr %process, i64 %meeting, i64 %step, i64 %bank, i64 %number)
  ret i64 %answer
}

; All messages are under way, or what MPI has said of an error.
define internal i32 @start(ptr %context, ptr %plan, ptr %slots, i64 %count) {
entry:
  %receives = call i64 @word(ptr %plan, i64 $receives)
  %list = call ptr @pointer(ptr %plan, i64 $message_list)
  %requests = call ptr @pointer(ptr %plan, i64 $requests)
  %comm = call i64 @word(ptr %plan, i64 $comm)
  %tag_of_meeting = call i64 @word(ptr %plan, i64 $tag)
  %tags = load i64, ptr %context
  %long_tag = add i64 %tags, %tag_of_meeting
  %tag = trunc i64 %long_tag to i32
  %receive = call ptr @pointer(ptr %context, i64 $receive)
  %send = call ptr @pointer(ptr %context, i64 $send)
  %size = call i64 @word(ptr %context, i64 $request_bytes)
  br label %next

next:
  %n = phi i64 [ 0, %entry ], [ %n_next, %go ]
  %more = icmp ult i64 %n, %count
  br i1 %more, label %one, label %done

one:
  %n_next = add i64 %n, 1
  %comes = icmp ult i64 %n, %receives
  %function = select i1 %comes, ptr %receive, ptr %send
  %first = mul i64 %n, $words_of_message
  %message = getelementptr i64, ptr %list, i64 %first
  %position = load i64, ptr %message
  %is_absolute = icmp eq i64 %position, -1
  %safe = select i1 %is_absolute, i64 0, i64 %position
  %slot = mul i64 %safe, 4
  %exposed = call i64 @word(ptr %slots, i64 %slot)
  %base = select i1 %is_absolute, i64 0, i64 %exposed
  %offset = call i64 @word(ptr %message, i64 $offset)
  %address = add i64 %base, %offset
  %buffer = inttoptr i64 %address to ptr
  %long_elements = call i64 @word(ptr %message, i64 $count)
  %elements = trunc i64 %long_elements to i32
  %type = call i64 @word(ptr %message, i64 $type)
  %long_rank = call i64 @word(ptr %message, i64 $rank)
  %rank = trunc i64 %long_rank to i32
  %bytes = mul i64 %n, %size
  %request = getelementptr i8, ptr %requests, i64 %bytes
  %error = call i32 %function(ptr %buffer, i32 %elements, i64 %type, i32 %rank, i32 %tag, i64 %comm, ptr %request)
  %fine = icmp eq i32 %error, 0
  br i1 %fine, label %go, label %failed

go:
  br label %next

failed:
  ret i32 %error

done:
  ret i32 0
}

; Whether all messages have come, in %done, or what MPI has said of an error. Looks for some milliseconds.
define internal i32 @test(ptr %context, ptr %requests, i64 %long_count, ptr %done) {
entry:
  %count = trunc i64 %long_count to i32
  %test = call ptr @pointer(ptr %context, i64 $test)
  %statuses = call ptr @pointer(ptr %context, i64 $statuses)
  %looks = call i64 @word(ptr %context, i64 $looks)
  br label %look

look:
  %k = phi i64 [ 0, %entry ], [ %k_next, %again ]
  %since = phi i64 [ 0, %entry ], [ %start, %again ]
  %error = call i32 %test(i32 %count, ptr %requests, ptr %done, ptr %statuses)
  %flag = load i32, ptr %done
  %has_come = icmp ne i32 %flag, 0
  %is_wrong = icmp ne i32 %error, 0
  %is_over = or i1 %has_come, %is_wrong
  br i1 %is_over, label %end, label %go_on

go_on:
  %k_next = add i64 %k, 1
  %patient = icmp ult i64 %k_next, %looks
  br i1 %patient, label %again, label %yield

yield:
  %yielded = call i32 @sched_yield()
  %time = call i64 @now()
  %is_first = icmp eq i64 %since, 0
  %began = select i1 %is_first, i64 %time, i64 %since
  %passed = sub i64 %time, %began
  %is_late = icmp ugt i64 %passed, $longest
  br i1 %is_late, label %end, label %again

again:
  %start = phi i64 [ %since, %go_on ], [ %began, %yield ]
  br label %look

end:
  ret i32 %error
}

; The group's slots after all has come.
define internal void @fill(ptr %plan, ptr %slots, ptr %descriptor) {
entry:
  %puts = call ptr @pointer(ptr %plan, i64 $puts)
  %me = call i64 @word(ptr %descriptor, i64 2)
  %group = call i64 @word(ptr %descriptor, i64 5)
  %own = mul i64 %me, 4
  %own_signature = add i64 %own, 1
  %signature = call i64 @word(ptr %slots, i64 %own_signature)
  br label %next

next:
  %n = phi i64 [ 0, %entry ], [ %n_next, %sign ]
  %more = icmp ult i64 %n, %group
  br i1 %more, label %one, label %done

one:
  %n_next = add i64 %n, 1
  %word = mul i64 %n, 4
  %slot = getelementptr i64, ptr %slots, i64 %word
  %value = call i64 @word(ptr %puts, i64 %n)
  %leave = icmp eq i64 %value, -1
  br i1 %leave, label %sign, label %put

put:
  store i64 %value, ptr %slot
  br label %sign

sign:
  %sign_at = getelementptr i64, ptr %slot, i64 1
  store i64 %signature, ptr %sign_at
  br label %next

done:
  ret void
}

declare i32 @sched_yield()
"""

LONGEST = 2_000_000
"""Nanoseconds of waiting after which Python looks at how the others are."""


def text() -> str:
    """LLVM IR of `hlo_exchange` for this system."""
    names = {
        "per_meeting": PER_MEETING, "descriptor": FIRST + 2, "clock": clock_text.MACOS if sys.platform == "darwin" else clock_text.LINUX, "longest": LONGEST,
        "receive": RECEIVE, "send": SEND, "test": TEST, "statuses": STATUSES, "python": PYTHON, "request_bytes": REQUEST_BYTES,
        "looks": LOOKS, "error": ERROR, "comm": COMM, "tag": TAG, "receives": RECEIVES, "messages": MESSAGES,
        "message_list": MESSAGE_LIST, "requests": REQUESTS, "puts": PUTS, "begun": BEGUN, "offset": OFFSET, "count": COUNT,
        "type": TYPE, "rank": RANK, "words_of_message": WORDS_OF_MESSAGE,
    }  # fmt: skip
    return Template(TEXT + clock_text.TEXT).substitute(names) + READ_WORDS
