"""How a process of a grid waits for the others of its group in machine code (meetings.py).

A process that waits looks at the generation for a while, then lets others have its processor for a while, then sleeps.
It wakes up at least 20 times a second and leaves when the grid has failed. Then the one that runs in the caller's
thread calls the watch, a function that looks for processes that wait in vain (grid_watch.py), with a number that it
gives back as long as nothing has ended it."""

from __future__ import annotations

import platform
import time

PAUSE = {"x86_64": 'llvm.call_intrinsic "llvm.x86.sse2.pause"() : () -> ()'}
"""What a processor is told between two looks."""

MOST_LOOKS, LEAST_LOOKS = 1000, 8
"""How often a process looks before it sleeps, where each can have a processor of its own: twice as often after it saw
the others come, half as often after it did not. A thousand are some ten microseconds. While programs of others run, two
processes may be left on one processor, where looking only keeps the other one off."""

CROWDED_LOOKS, YIELDS = 20, 16
"""The same where there are more processes than processors, and how often a process then lets others have its processor
before it sleeps. Where there are not, it never does: while programs of others run, each time costs the time slice that
one of these gets, milliseconds; who sleeps is woken in between."""

LONG_YIELD = 200_000
"""Nanoseconds: a process that has been without its processor for so long sleeps: programs of others have it, or what it
waits for takes longer than waking up."""


def text() -> str:
    """The function hlo_meet in the LLVM dialect, for this machine's processor, and those that it calls."""
    return TEXT.format(
        pause=PAUSE.get(platform.machine(), ""),
        least_looks=LEAST_LOOKS,
        long_yield=LONG_YIELD,
        clock=time.CLOCK_MONOTONIC,
    )


TEXT = """
llvm.func @sched_yield() -> i32
llvm.func @clock_gettime(i32, !llvm.ptr) -> i32
llvm.func internal @hlo_meeting_time() -> i64 {{
  %two = llvm.mlir.constant(2 : i64) : i64
  %clock = llvm.mlir.constant({clock} : i32) : i32
  %billion = llvm.mlir.constant(1000000000 : i64) : i64
  %time = llvm.alloca %two x i64 : (i64) -> !llvm.ptr
  %0 = llvm.call @clock_gettime(%clock, %time) : (i32, !llvm.ptr) -> i32
  %rest_at = llvm.getelementptr %time[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %seconds = llvm.load %time : !llvm.ptr -> i64
  %rest = llvm.load %rest_at : !llvm.ptr -> i64
  %whole = llvm.mul %seconds, %billion : i64
  %sum = llvm.add %whole, %rest : i64
  llvm.return %sum : i64
}}
llvm.func internal @hlo_word(%base: !llvm.ptr, %number: i64) -> i64 {{
  %slot = llvm.getelementptr %base[%number] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %word = llvm.load %slot : !llvm.ptr -> i64
  llvm.return %word : i64
}}
llvm.func internal @hlo_descriptor(%meeting: i64, %process: !llvm.ptr) -> !llvm.ptr {{
  %four = llvm.mlir.constant(4 : i64) : i64
  %eight = llvm.mlir.constant(8 : i64) : i64
  %0 = llvm.mul %meeting, %four : i64
  %1 = llvm.add %0, %eight : i64
  %2 = llvm.call @hlo_word(%process, %1) : (!llvm.ptr, i64) -> i64
  %3 = llvm.inttoptr %2 : i64 to !llvm.ptr
  llvm.return %3 : !llvm.ptr
}}
llvm.func internal @hlo_meet(%meeting: i64, %process: !llvm.ptr, %descriptor: !llvm.ptr) -> i1 {{
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %two = llvm.mlir.constant(2 : i64) : i64
  %three = llvm.mlir.constant(3 : i64) : i64
  %four = llvm.mlir.constant(4 : i64) : i64
  %five = llvm.mlir.constant(5 : i64) : i64
  %seven = llvm.mlir.constant(7 : i64) : i64
  %eight = llvm.mlir.constant(8 : i64) : i64
  %no = llvm.mlir.constant(false) : i1
  %yes = llvm.mlir.constant(true) : i1
  %failure_word = llvm.call @hlo_word(%process, %two) : (!llvm.ptr, i64) -> i64
  %failure = llvm.inttoptr %failure_word : i64 to !llvm.ptr
  %rendezvous_word = llvm.call @hlo_word(%descriptor, %zero) : (!llvm.ptr, i64) -> i64
  %rendezvous = llvm.inttoptr %rendezvous_word : i64 to !llvm.ptr
  %members = llvm.call @hlo_word(%descriptor, %one) : (!llvm.ptr, i64) -> i64
  %where = llvm.getelementptr %process[3] : (!llvm.ptr) -> !llvm.ptr, i64
  %awaited = llvm.getelementptr %process[4] : (!llvm.ptr) -> !llvm.ptr, i64
  %generation = llvm.getelementptr %rendezvous[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %sleepers = llvm.getelementptr %rendezvous[2] : (!llvm.ptr) -> !llvm.ptr, i64
  %patience = llvm.getelementptr %failure[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %looks = llvm.load %patience atomic monotonic {{alignment = 8 : i64}} : !llvm.ptr -> i64
  %failed = llvm.load %failure atomic acquire {{alignment = 8 : i64}} : !llvm.ptr -> i64
  %fine = llvm.icmp "eq" %failed, %zero : i64
  llvm.cond_br %fine, ^enter, ^leave(%no : i1)
^enter:
  %now = llvm.load %generation atomic acquire {{alignment = 8 : i64}} : !llvm.ptr -> i64
  %before = llvm.atomicrmw add %rendezvous, %one acq_rel : !llvm.ptr, i64
  %come = llvm.add %before, %one : i64
  %all = llvm.icmp "eq" %come, %members : i64
  llvm.cond_br %all, ^last, ^stay
^stay:
  %number_from_one = llvm.add %meeting, %one : i64
  llvm.store %now, %awaited atomic monotonic {{alignment = 8 : i64}} : i64, !llvm.ptr
  llvm.store %number_from_one, %where atomic release {{alignment = 8 : i64}} : i64, !llvm.ptr
  llvm.br ^look(%zero : i64)
^last:
  llvm.store %zero, %rendezvous atomic monotonic {{alignment = 8 : i64}} : i64, !llvm.ptr
  %next = llvm.add %now, %one : i64
  %old = llvm.atomicrmw xchg %generation, %next seq_cst : !llvm.ptr, i64
  %asleep = llvm.load %sleepers atomic seq_cst {{alignment = 8 : i64}} : !llvm.ptr -> i64
  %quiet = llvm.icmp "eq" %asleep, %zero : i64
  llvm.cond_br %quiet, ^done, ^wake
^wake:
  %wake_word = llvm.call @hlo_word(%failure, %four) : (!llvm.ptr, i64) -> i64
  %wake = llvm.inttoptr %wake_word : i64 to !llvm.ptr
  llvm.call %wake(%generation) : !llvm.ptr, (!llvm.ptr) -> ()
  llvm.br ^done
^look(%number: i64):
  %seen = llvm.load %generation atomic acquire {{alignment = 8 : i64}} : !llvm.ptr -> i64
  %same = llvm.icmp "eq" %seen, %now : i64
  llvm.cond_br %same, ^again, ^seen
^seen:
  %double = llvm.shl %looks, %one : i64
  %most_looks = llvm.call @hlo_word(%failure, %seven) : (!llvm.ptr, i64) -> i64
  %longer = llvm.intr.umin(%double, %most_looks) : (i64, i64) -> i64
  llvm.store %longer, %patience atomic monotonic {{alignment = 8 : i64}} : i64, !llvm.ptr
  llvm.br ^done
^again:
  {pause}
  %following = llvm.add %number, %one : i64
  %patient = llvm.icmp "ult" %following, %looks : i64
  llvm.cond_br %patient, ^look(%following : i64), ^seen_nothing
^seen_nothing:
  %half = llvm.lshr %looks, %one : i64
  %least_looks = llvm.mlir.constant({least_looks} : i64) : i64
  %shorter = llvm.intr.umax(%half, %least_looks) : (i64, i64) -> i64
  llvm.store %shorter, %patience atomic monotonic {{alignment = 8 : i64}} : i64, !llvm.ptr
  %looked = llvm.call @hlo_meeting_time() : () -> i64
  llvm.br ^let_others(%zero, %looked : i64, i64)
^let_others(%round: i64, %time: i64):
  %found = llvm.load %generation atomic acquire {{alignment = 8 : i64}} : !llvm.ptr -> i64
  %unchanged = llvm.icmp "eq" %found, %now : i64
  %yields = llvm.call @hlo_word(%failure, %eight) : (!llvm.ptr, i64) -> i64
  %more_rounds = llvm.icmp "ult" %round, %yields : i64
  llvm.cond_br %unchanged, ^still, ^done
^still:
  llvm.cond_br %more_rounds, ^yield, ^lie_down
^yield:
  %yielded = llvm.call @sched_yield() : () -> i32
  %time_now = llvm.call @hlo_meeting_time() : () -> i64
  %spent = llvm.sub %time_now, %time : i64
  %long = llvm.mlir.constant({long_yield} : i64) : i64
  %is_long = llvm.icmp "ugt" %spent, %long : i64
  %following_round = llvm.add %round, %one : i64
  %next_round = llvm.select %is_long, %yields, %following_round : i1, i64
  llvm.br ^let_others(%next_round, %time_now : i64, i64)
^lie_down:
  %others = llvm.atomicrmw add %sleepers, %one seq_cst : !llvm.ptr, i64
  llvm.br ^sleep
^sleep:
  %still = llvm.load %generation atomic seq_cst {{alignment = 8 : i64}} : !llvm.ptr -> i64
  %waiting = llvm.icmp "eq" %still, %now : i64
  llvm.cond_br %waiting, ^check, ^get_up
^check:
  %failed_now = llvm.load %failure atomic acquire {{alignment = 8 : i64}} : !llvm.ptr -> i64
  %healthy = llvm.icmp "eq" %failed_now, %zero : i64
  llvm.cond_br %healthy, ^nap, ^give_up
^nap:
  %wait_word = llvm.call @hlo_word(%failure, %three) : (!llvm.ptr, i64) -> i64
  %wait = llvm.inttoptr %wait_word : i64 to !llvm.ptr
  %short = llvm.trunc %now : i64 to i32
  %nanoseconds = llvm.mlir.constant(50000000 : i64) : i64
  llvm.call %wait(%generation, %short, %nanoseconds) : !llvm.ptr, (!llvm.ptr, i32, i64) -> ()
  %watch_word = llvm.call @hlo_word(%process, %five) : (!llvm.ptr, i64) -> i64
  %has_watch = llvm.icmp "ne" %watch_word, %zero : i64
  %later = llvm.load %generation atomic acquire {{alignment = 8 : i64}} : !llvm.ptr -> i64
  %in_vain = llvm.icmp "eq" %later, %now : i64
  %looks_around = llvm.and %has_watch, %in_vain : i1
  llvm.cond_br %looks_around, ^look_around, ^sleep
^look_around:
  %watch = llvm.inttoptr %watch_word : i64 to !llvm.ptr
  %asked = llvm.call_intrinsic "llvm.readcyclecounter"() : () -> i64
  %answer = llvm.call %watch(%asked) : !llvm.ptr, (i64) -> i64
  %goes_on = llvm.icmp "eq" %answer, %asked : i64
  llvm.cond_br %goes_on, ^sleep, ^end_all
^end_all:
  llvm.store %one, %failure atomic release {{alignment = 8 : i64}} : i64, !llvm.ptr
  llvm.br ^sleep
^give_up:
  %fewer = llvm.atomicrmw sub %sleepers, %one seq_cst : !llvm.ptr, i64
  llvm.br ^leave(%no : i1)
^get_up:
  %less = llvm.atomicrmw sub %sleepers, %one seq_cst : !llvm.ptr, i64
  llvm.br ^done
^done:
  llvm.store %zero, %where atomic release {{alignment = 8 : i64}} : i64, !llvm.ptr
  llvm.br ^leave(%yes : i1)
^leave(%met: i1):
  llvm.return %met : i1
}}
"""
