"""Where processes of a grid meet in machine code: a process exposes the address of an array and waits for the others of
its group (hlo_borrow), reads what they have exposed, and waits until nobody reads any more (hlo_release). Or it has
made a part of an array that all are to have (hlo_spread): it exposes its result, copies the part into the results of
all, piece by piece, so that the part is read from memory once, and waits until all have done so.

The first two take the number of a meeting and an array of addresses: of the process's words and of what it exposes (for a release, what
was made of what was borrowed comes before), then room for the addresses that it borrows; a borrow is told where this begins, and which
of the meeting's borrows it is. Words have 64 bits; process_words.py lays them out:

    grid       failure (0: none), how often a process looks before it sleeps, address of the transport (0: none),
               addresses of hlo_wait and hlo_wake (threads/systems.py), of hlo_run_parts, threads of a process, how
               often a process looks at most, how often it yields
    process    replica, partition, address of the grid's words, meeting where it waits (+ 1; 0: none), generation awaited,
               address of the watch that it calls while it waits (0: another process does), then for each meeting:
               position, size, address of the descriptor, of what the transport knows of it
    descriptor      address of the rendezvous, processes that meet there, the process's position in its group, signature, borrowed arrays,
               the size of the group, how others' arrays come (HERE, FETCHED, FETCHES),
               then for each borrowed array the position of its owner (-1: the process's own array)
    rendezvous       processes that have come, generation (counts the times that all had come), sleepers, unused,
               then for each process of the group: the address of what it exposes, its signature; and both again

Two borrows in a row may have no release between them: a fast process exposes its second array while a slow one still reads the
addresses of the first ones. So there are two slots, for even and odd generations; nobody is two generations ahead.

A group may have processes that are not in this process of the operating system. Then those of the group that are here
meet, one of them calls the transport (runtime/mpi), a function that puts the addresses of copies of the others' arrays
in their slots, and they meet again.

How a process waits waiting_text.py tells."""

from __future__ import annotations

from hlo.runtime.grid import waiting_text

NAMES = ("hlo_borrow", "hlo_release", "hlo_spread")

PIECE = 1 << 17
"""Bytes of a part that are copied to all processes before the next ones: so much stays in a cache."""

OTHERS_FAILED, DIFFERENT_OPS = 1, 2
"""Values of the grid's failure."""

HERE, FETCHED, FETCHES = 0, 1, 2
"""How a process gets arrays: all are of processes here; another process fetches those of others; this process does."""


def text() -> str:
    """The functions in the LLVM dialect, for this machine's processor."""
    return waiting_text.text() + TEXT.format(piece=PIECE)


TEXT = """
llvm.func @hlo_borrow(%meeting: i64, %step: i64, %addresses: !llvm.ptr, %room: i64) {{
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %two = llvm.mlir.constant(2 : i64) : i64
  %three = llvm.mlir.constant(3 : i64) : i64
  %four = llvm.mlir.constant(4 : i64) : i64
  %five = llvm.mlir.constant(5 : i64) : i64
  %six = llvm.mlir.constant(6 : i64) : i64
  %seven = llvm.mlir.constant(7 : i64) : i64
  %process_word = llvm.call @hlo_word(%addresses, %zero) : (!llvm.ptr, i64) -> i64
  %process = llvm.inttoptr %process_word : i64 to !llvm.ptr
  %own = llvm.call @hlo_word(%addresses, %one) : (!llvm.ptr, i64) -> i64
  %descriptor = llvm.call @hlo_descriptor(%meeting, %process) : (i64, !llvm.ptr) -> !llvm.ptr
  %rendezvous_word = llvm.call @hlo_word(%descriptor, %zero) : (!llvm.ptr, i64) -> i64
  %rendezvous = llvm.inttoptr %rendezvous_word : i64 to !llvm.ptr
  %members = llvm.call @hlo_word(%descriptor, %one) : (!llvm.ptr, i64) -> i64
  %me = llvm.call @hlo_word(%descriptor, %two) : (!llvm.ptr, i64) -> i64
  %signature = llvm.call @hlo_word(%descriptor, %three) : (!llvm.ptr, i64) -> i64
  %count = llvm.call @hlo_word(%descriptor, %four) : (!llvm.ptr, i64) -> i64
  %group = llvm.call @hlo_word(%descriptor, %five) : (!llvm.ptr, i64) -> i64
  %how = llvm.call @hlo_word(%descriptor, %six) : (!llvm.ptr, i64) -> i64
  %has_others = llvm.icmp "ne" %how, %zero : i64
  %twice = llvm.zext %has_others : i1 to i64
  %generation = llvm.getelementptr %rendezvous[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %now = llvm.load %generation atomic monotonic {{alignment = 8 : i64}} : !llvm.ptr -> i64
  %borrows = llvm.lshr %now, %twice : i64
  %odd = llvm.and %borrows, %one : i64
  %doubled = llvm.shl %odd, %one : i64
  %bank = llvm.add %doubled, %four : i64
  %alone = llvm.icmp "eq" %members, %zero : i64
  llvm.cond_br %alone, ^each(%zero, %zero : i64, i64), ^expose
^expose:
  %fourfold = llvm.mul %me, %four : i64
  %first = llvm.add %fourfold, %bank : i64
  %mine = llvm.getelementptr %rendezvous[%first] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %sign = llvm.getelementptr %mine[1] : (!llvm.ptr) -> !llvm.ptr, i64
  llvm.store %own, %mine : i64, !llvm.ptr
  llvm.store %signature, %sign : i64, !llvm.ptr
  %met = llvm.call @hlo_meet(%meeting, %process, %descriptor) : (i64, !llvm.ptr, !llvm.ptr) -> i1
  llvm.cond_br %met, ^gather, ^each(%zero, %zero : i64, i64)
^gather:
  llvm.cond_br %has_others, ^others, ^compare(%zero : i64)
^others:
  %fetches = llvm.icmp "eq" %how, %two : i64
  llvm.cond_br %fetches, ^fetch, ^meet_again
^fetch:
  %grid_word = llvm.call @hlo_word(%process, %two) : (!llvm.ptr, i64) -> i64
  %grid = llvm.inttoptr %grid_word : i64 to !llvm.ptr
  %transport_word = llvm.call @hlo_word(%grid, %two) : (!llvm.ptr, i64) -> i64
  %transport = llvm.inttoptr %transport_word : i64 to !llvm.ptr
  %sent = llvm.call_intrinsic "llvm.readcyclecounter"() : () -> i64
  %answer = llvm.call %transport(%process, %meeting, %step, %bank, %sent) : !llvm.ptr, (!llvm.ptr, i64, i64, i64, i64) -> i64
  %is_done = llvm.icmp "eq" %answer, %sent : i64
  llvm.cond_br %is_done, ^meet_again, ^lost
^lost:
  llvm.store %one, %grid atomic release {{alignment = 8 : i64}} : i64, !llvm.ptr
  llvm.br ^each(%zero, %zero : i64, i64)
^meet_again:
  %met_again = llvm.call @hlo_meet(%meeting, %process, %descriptor) : (i64, !llvm.ptr, !llvm.ptr) -> i1
  llvm.cond_br %met_again, ^compare(%zero : i64), ^each(%zero, %zero : i64, i64)
^compare(%member: i64):
  %more = llvm.icmp "ult" %member, %group : i64
  llvm.cond_br %more, ^one, ^each(%zero, %one : i64, i64)
^one:
  %before = llvm.mul %member, %four : i64
  %pair = llvm.add %before, %bank : i64
  %sign_number = llvm.add %pair, %one : i64
  %theirs = llvm.call @hlo_word(%rendezvous, %sign_number) : (!llvm.ptr, i64) -> i64
  %next_member = llvm.add %member, %one : i64
  %equal = llvm.icmp "eq" %theirs, %signature : i64
  llvm.cond_br %equal, ^compare(%next_member : i64), ^differ
^differ:
  %failure_word = llvm.call @hlo_word(%process, %two) : (!llvm.ptr, i64) -> i64
  %failure = llvm.inttoptr %failure_word : i64 to !llvm.ptr
  %where = llvm.getelementptr %process[3] : (!llvm.ptr) -> !llvm.ptr, i64
  %number_from_one = llvm.add %meeting, %one : i64
  llvm.store %number_from_one, %where atomic release {{alignment = 8 : i64}} : i64, !llvm.ptr
  llvm.store %two, %failure atomic release {{alignment = 8 : i64}} : i64, !llvm.ptr
  llvm.br ^each(%zero, %zero : i64, i64)
^each(%number: i64, %has_met: i64):
  %left = llvm.icmp "ult" %number, %count : i64
  llvm.cond_br %left, ^take, ^end
^take:
  %source_number = llvm.add %number, %seven : i64
  %source = llvm.call @hlo_word(%descriptor, %source_number) : (!llvm.ptr, i64) -> i64
  %has_source = llvm.icmp "sge" %source, %zero : i64
  %is_there = llvm.icmp "ne" %has_met, %zero : i64
  %takes = llvm.and %has_source, %is_there : i1
  %safe = llvm.select %takes, %source, %me : i1, i64
  %offset = llvm.mul %safe, %four : i64
  %address_number = llvm.add %offset, %bank : i64
  llvm.cond_br %takes, ^theirs, ^put(%own : i64)
^theirs:
  %address = llvm.call @hlo_word(%rendezvous, %address_number) : (!llvm.ptr, i64) -> i64
  llvm.br ^put(%address : i64)
^put(%found: i64):
  %slot_number = llvm.add %room, %number : i64
  %slot = llvm.getelementptr %addresses[%slot_number] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.store %found, %slot : i64, !llvm.ptr
  %next = llvm.add %number, %one : i64
  llvm.br ^each(%next, %has_met : i64, i64)
^end:
  llvm.return
}}
llvm.func @hlo_release(%meeting: i64, %addresses: !llvm.ptr) {{
  %one = llvm.mlir.constant(1 : i64) : i64
  %zero = llvm.mlir.constant(0 : i64) : i64
  %process_word = llvm.call @hlo_word(%addresses, %one) : (!llvm.ptr, i64) -> i64
  %process = llvm.inttoptr %process_word : i64 to !llvm.ptr
  %descriptor = llvm.call @hlo_descriptor(%meeting, %process) : (i64, !llvm.ptr) -> !llvm.ptr
  %members = llvm.call @hlo_word(%descriptor, %one) : (!llvm.ptr, i64) -> i64
  %alone = llvm.icmp "eq" %members, %zero : i64
  llvm.cond_br %alone, ^done, ^meet
^meet:
  %met = llvm.call @hlo_meet(%meeting, %process, %descriptor) : (i64, !llvm.ptr, !llvm.ptr) -> i1
  llvm.br ^done
^done:
  llvm.return
}}
llvm.func internal @hlo_put(%number: i64, %work: !llvm.ptr) {{
  %zero = llvm.mlir.constant(0 : i64) : i64
  %two = llvm.mlir.constant(2 : i64) : i64
  %three = llvm.mlir.constant(3 : i64) : i64
  %four = llvm.mlir.constant(4 : i64) : i64
  %five = llvm.mlir.constant(5 : i64) : i64
  %six = llvm.mlir.constant(6 : i64) : i64
  %most = llvm.mlir.constant({piece} : i64) : i64
  %targets_word = llvm.call @hlo_word(%work, %two) : (!llvm.ptr, i64) -> i64
  %targets = llvm.inttoptr %targets_word : i64 to !llvm.ptr
  %count = llvm.call @hlo_word(%work, %three) : (!llvm.ptr, i64) -> i64
  %source_word = llvm.call @hlo_word(%work, %four) : (!llvm.ptr, i64) -> i64
  %offset = llvm.call @hlo_word(%work, %five) : (!llvm.ptr, i64) -> i64
  %bytes = llvm.call @hlo_word(%work, %six) : (!llvm.ptr, i64) -> i64
  %piece = llvm.udiv %number, %count : i64
  %target = llvm.urem %number, %count : i64
  %start = llvm.mul %piece, %most : i64
  %left = llvm.sub %bytes, %start : i64
  %size = llvm.intr.umin(%left, %most) : (i64, i64) -> i64
  %from_word = llvm.add %source_word, %start : i64
  %from = llvm.inttoptr %from_word : i64 to !llvm.ptr
  %behind = llvm.add %offset, %start : i64
  %array = llvm.call @hlo_word(%targets, %target) : (!llvm.ptr, i64) -> i64
  %is_here = llvm.icmp "ne" %array, %zero : i64
  llvm.cond_br %is_here, ^copy, ^done
^copy:
  %to_word = llvm.add %array, %behind : i64
  %to = llvm.inttoptr %to_word : i64 to !llvm.ptr
  "llvm.intr.memcpy"(%to, %from, %size) <{{isVolatile = false}}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
  llvm.br ^done
^done:
  llvm.return
}}
llvm.func @hlo_spread(%meeting: i64, %step: i64, %part: i64, %total: i64, %addresses: !llvm.ptr, %result: i64) {{
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %two = llvm.mlir.constant(2 : i64) : i64
  %four = llvm.mlir.constant(4 : i64) : i64
  %five = llvm.mlir.constant(5 : i64) : i64
  %six = llvm.mlir.constant(6 : i64) : i64
  %seven = llvm.mlir.constant(7 : i64) : i64
  %process_word = llvm.call @hlo_word(%addresses, %zero) : (!llvm.ptr, i64) -> i64
  %process = llvm.inttoptr %process_word : i64 to !llvm.ptr
  %share = llvm.call @hlo_word(%addresses, %one) : (!llvm.ptr, i64) -> i64
  %own = llvm.call @hlo_word(%addresses, %result) : (!llvm.ptr, i64) -> i64
  %descriptor = llvm.call @hlo_descriptor(%meeting, %process) : (i64, !llvm.ptr) -> !llvm.ptr
  %me = llvm.call @hlo_word(%descriptor, %two) : (!llvm.ptr, i64) -> i64
  %count = llvm.call @hlo_word(%descriptor, %four) : (!llvm.ptr, i64) -> i64
  %wanted = llvm.mul %me, %part : i64
  %first = llvm.intr.umin(%wanted, %total) : (i64, i64) -> i64
  %last_start = llvm.sub %total, %part : i64
  %made_start = llvm.intr.umin(%first, %last_start) : (i64, i64) -> i64
  %skipped = llvm.sub %first, %made_start : i64
  %bytes = llvm.sub %part, %skipped : i64
  %source_word = llvm.add %share, %skipped : i64
  %source = llvm.inttoptr %source_word : i64 to !llvm.ptr
  %address_word = llvm.add %own, %first : i64
  %destination = llvm.inttoptr %address_word : i64 to !llvm.ptr
  %how = llvm.call @hlo_word(%descriptor, %six) : (!llvm.ptr, i64) -> i64
  %all_here = llvm.icmp "eq" %how, %zero : i64
  llvm.cond_br %all_here, ^expose, ^own
^own:
  "llvm.intr.memcpy"(%destination, %source, %bytes) <{{isVolatile = false}}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
  llvm.br ^expose
^expose:
  %rooms = llvm.add %count, %two : i64
  %exposed = llvm.alloca %rooms x i64 : (i64) -> !llvm.ptr
  %exposed_array = llvm.getelementptr %exposed[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %targets = llvm.getelementptr %exposed[2] : (!llvm.ptr) -> !llvm.ptr, i64
  llvm.store %process_word, %exposed : i64, !llvm.ptr
  llvm.store %own, %exposed_array : i64, !llvm.ptr
  llvm.call @hlo_borrow(%meeting, %step, %exposed, %two) : (i64, i64, !llvm.ptr, i64) -> ()
  %mine = llvm.getelementptr %targets[%me] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %left = llvm.select %all_here, %own, %zero : i1, i64
  llvm.store %left, %mine : i64, !llvm.ptr
  %work = llvm.alloca %seven x i64 : (i64) -> !llvm.ptr
  %work1 = llvm.getelementptr %work[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %work2 = llvm.getelementptr %work[2] : (!llvm.ptr) -> !llvm.ptr, i64
  %work3 = llvm.getelementptr %work[3] : (!llvm.ptr) -> !llvm.ptr, i64
  %work4 = llvm.getelementptr %work[4] : (!llvm.ptr) -> !llvm.ptr, i64
  %work5 = llvm.getelementptr %work[5] : (!llvm.ptr) -> !llvm.ptr, i64
  %work6 = llvm.getelementptr %work[6] : (!llvm.ptr) -> !llvm.ptr, i64
  %put = llvm.mlir.addressof @hlo_put : !llvm.ptr
  %most = llvm.mlir.constant({piece} : i64) : i64
  %less_one = llvm.sub %most, %one : i64
  %padded = llvm.add %bytes, %less_one : i64
  %pieces = llvm.udiv %padded, %most : i64
  llvm.store %put, %work : !llvm.ptr, !llvm.ptr
  %copies = llvm.mul %pieces, %count : i64
  llvm.store %copies, %work1 : i64, !llvm.ptr
  llvm.store %targets, %work2 : !llvm.ptr, !llvm.ptr
  llvm.store %count, %work3 : i64, !llvm.ptr
  llvm.store %source_word, %work4 : i64, !llvm.ptr
  llvm.store %first, %work5 : i64, !llvm.ptr
  llvm.store %bytes, %work6 : i64, !llvm.ptr
  %grid_word = llvm.call @hlo_word(%process, %two) : (!llvm.ptr, i64) -> i64
  %grid = llvm.inttoptr %grid_word : i64 to !llvm.ptr
  %run_word = llvm.call @hlo_word(%grid, %five) : (!llvm.ptr, i64) -> i64
  %run = llvm.inttoptr %run_word : i64 to !llvm.ptr
  %threads = llvm.call @hlo_word(%grid, %six) : (!llvm.ptr, i64) -> i64
  llvm.call %run(%work, %threads) : !llvm.ptr, (!llvm.ptr, i64) -> ()
  llvm.store %process_word, %exposed_array : i64, !llvm.ptr
  llvm.call @hlo_release(%meeting, %exposed) : (i64, !llvm.ptr) -> ()
  llvm.return
}}
"""
