"""Calls of small programs as machine code: no Python runs, the interpreter's lock is not taken.

`LoadedExecutable_Execute` follows the plan (hlo.jax.plans) that an executable's record has in word 3. It lends itself the arguments,
so that nobody frees them meanwhile, runs the program on their memory, and makes buffers of its results. Where there is no plan, where an
argument is deleted, cannot be donated, or records wait for Python to collect them, the Python function does it all."""

from __future__ import annotations

PLAN = 3
"""The word of an executable's record with the address of its plan; 0 for none."""

ENTRY, ARENA, RESULTS, TAIL_SIZE, TAIL, FORMS, SOURCES, DONATED_COUNT, DONATED, READY = range(10)
"""Words of a plan. `TAIL`: what the entry gets behind the results. `FORMS`: the records of the results, to copy. `SOURCES`: for each
result the number of the argument in whose memory it is, or -1. `DONATED`: numbers of arguments. `READY`: what
the call's event is."""

CALL_CODE = """
llvm.mlir.global internal @python_execute(0 : i64) {alignment = 8 : i64} : i64

// Takes a share in each argument and stores its address. Returns how many there are before the first that is deleted.
llvm.func internal @borrow(%list: !llvm.ptr, %n: i64, %addresses: !llvm.ptr) -> i64 {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  llvm.br ^head(%zero : i64)
^head(%i: i64):
  %more = llvm.icmp "ult" %i, %n : i64
  llvm.cond_br %more, ^next, ^done(%i : i64)
^next:
  %po = llvm.getelementptr %list[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %o = llvm.load %po : !llvm.ptr -> !llvm.ptr
  %pc = llvm.getelementptr %o[COUNT] : (!llvm.ptr) -> !llvm.ptr, i64
  %owners = llvm.atomicrmw add %pc, %one seq_cst : !llvm.ptr, i64
  %pd = llvm.getelementptr %o[DELETED] : (!llvm.ptr) -> !llvm.ptr, i64
  %deleted = llvm.load %pd atomic seq_cst {alignment = 8 : i64} : !llvm.ptr -> i64
  %gone = llvm.icmp "ne" %deleted, %zero : i64
  %pa = llvm.getelementptr %o[ADDRESS] : (!llvm.ptr) -> !llvm.ptr, i64
  %address = llvm.load %pa : !llvm.ptr -> i64
  %place = llvm.getelementptr %addresses[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.store %address, %place : i64, !llvm.ptr
  %following = llvm.add %i, %one : i64
  llvm.cond_br %gone, ^undo(%o, %i : !llvm.ptr, i64), ^head(%following : i64)
^undo(%last: !llvm.ptr, %count: i64):
  llvm.call @release(%last) : (!llvm.ptr) -> ()
  llvm.br ^done(%count : i64)
^done(%found: i64):
  llvm.return %found : i64
}

llvm.func internal @give_back(%list: !llvm.ptr, %n: i64) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  llvm.br ^head(%zero : i64)
^head(%i: i64):
  %more = llvm.icmp "ult" %i, %n : i64
  llvm.cond_br %more, ^next, ^done
^next:
  %po = llvm.getelementptr %list[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %o = llvm.load %po : !llvm.ptr -> !llvm.ptr
  llvm.call @release(%o) : (!llvm.ptr) -> ()
  %following = llvm.add %i, %one : i64
  llvm.br ^head(%following : i64)
^done:
  llvm.return
}

// Says of all donated arguments whether JAX may use them.
llvm.func internal @mark_donated(%plan: !llvm.ptr, %list: !llvm.ptr, %deleted: i64) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %pn = llvm.getelementptr %plan[DONATED_COUNT] : (!llvm.ptr) -> !llvm.ptr, i64
  %n = llvm.load %pn : !llvm.ptr -> i64
  %pd = llvm.getelementptr %plan[DONATED] : (!llvm.ptr) -> !llvm.ptr, i64
  %donated = llvm.load %pd : !llvm.ptr -> !llvm.ptr
  llvm.br ^head(%zero : i64)
^head(%i: i64):
  %more = llvm.icmp "ult" %i, %n : i64
  llvm.cond_br %more, ^next, ^done
^next:
  %pa = llvm.getelementptr %donated[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %a = llvm.load %pa : !llvm.ptr -> i64
  %po = llvm.getelementptr %list[%a] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %o = llvm.load %po : !llvm.ptr -> !llvm.ptr
  %pdeleted = llvm.getelementptr %o[DELETED] : (!llvm.ptr) -> !llvm.ptr, i64
  %before = llvm.atomicrmw xchg %pdeleted, %deleted seq_cst : !llvm.ptr, i64
  %following = llvm.add %i, %one : i64
  llvm.br ^head(%following : i64)
^done:
  llvm.return
}

// Whether all donated arguments, marked already, have memory of their own that nobody sees but their buffer and this call.
llvm.func internal @are_private(%plan: !llvm.ptr, %list: !llvm.ptr) -> i1 {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %two = llvm.mlir.constant(2 : i64) : i64
  %yes = llvm.mlir.constant(true) : i1
  %no = llvm.mlir.constant(false) : i1
  %pn = llvm.getelementptr %plan[DONATED_COUNT] : (!llvm.ptr) -> !llvm.ptr, i64
  %n = llvm.load %pn : !llvm.ptr -> i64
  %pd = llvm.getelementptr %plan[DONATED] : (!llvm.ptr) -> !llvm.ptr, i64
  %donated = llvm.load %pd : !llvm.ptr -> !llvm.ptr
  llvm.br ^head(%zero : i64)
^head(%i: i64):
  %more = llvm.icmp "ult" %i, %n : i64
  llvm.cond_br %more, ^next, ^answer(%yes : i1)
^next:
  %pa = llvm.getelementptr %donated[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %a = llvm.load %pa : !llvm.ptr -> i64
  %po = llvm.getelementptr %list[%a] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %o = llvm.load %po : !llvm.ptr -> !llvm.ptr
  %pc = llvm.getelementptr %o[COUNT] : (!llvm.ptr) -> !llvm.ptr, i64
  %owners = llvm.load %pc atomic seq_cst {alignment = 8 : i64} : !llvm.ptr -> i64
  %private = llvm.icmp "eq" %owners, %two : i64
  %pb = llvm.getelementptr %o[BLOCK] : (!llvm.ptr) -> !llvm.ptr, i64
  %block = llvm.load %pb : !llvm.ptr -> i64
  %own = llvm.icmp "ne" %block, %zero : i64
  %good = llvm.and %private, %own : i1
  %following = llvm.add %i, %one : i64
  llvm.cond_br %good, ^head(%following : i64), ^answer(%no : i1)
^answer(%is: i1):
  llvm.return %is : i1
}

// Takes the donated arguments from JAX if it can be done; the options of a call may name some to be kept.
llvm.func internal @donate(%plan: !llvm.ptr, %list: !llvm.ptr, %options: !llvm.ptr) -> i1 {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %null = llvm.mlir.zero : !llvm.ptr
  %yes = llvm.mlir.constant(true) : i1
  %no = llvm.mlir.constant(false) : i1
  %pn = llvm.getelementptr %plan[DONATED_COUNT] : (!llvm.ptr) -> !llvm.ptr, i64
  %n = llvm.load %pn : !llvm.ptr -> i64
  %nothing = llvm.icmp "eq" %n, %zero : i64
  llvm.cond_br %nothing, ^answer(%yes : i1), ^some
^some:
  %plain = llvm.icmp "eq" %options, %null : !llvm.ptr
  llvm.cond_br %plain, ^mark, ^chosen
^chosen:
  %pk = llvm.getelementptr %options[KEPT_COUNT] : (!llvm.ptr) -> !llvm.ptr, i64
  %kept = llvm.load %pk : !llvm.ptr -> i64
  %none_kept = llvm.icmp "eq" %kept, %zero : i64
  llvm.cond_br %none_kept, ^mark, ^answer(%no : i1)
^mark:
  llvm.call @mark_donated(%plan, %list, %one) : (!llvm.ptr, !llvm.ptr, i64) -> ()
  %private = llvm.call @are_private(%plan, %list) : (!llvm.ptr, !llvm.ptr) -> i1
  llvm.cond_br %private, ^answer(%yes : i1), ^unmark
^unmark:
  llvm.call @mark_donated(%plan, %list, %zero) : (!llvm.ptr, !llvm.ptr, i64) -> ()
  llvm.br ^answer(%no : i1)
^answer(%is: i1):
  llvm.return %is : i1
}

// The buffers of the results: %outs gets their handles, %addresses their memory's addresses.
llvm.func internal @make_results(%plan: !llvm.ptr, %list: !llvm.ptr, %outs: !llvm.ptr, %addresses: !llvm.ptr) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %words = llvm.mlir.constant(RECORD_WORDS : i64) : i64
  %pn = llvm.getelementptr %plan[RESULTS] : (!llvm.ptr) -> !llvm.ptr, i64
  %n = llvm.load %pn : !llvm.ptr -> i64
  %pf = llvm.getelementptr %plan[FORMS] : (!llvm.ptr) -> !llvm.ptr, i64
  %forms = llvm.load %pf : !llvm.ptr -> !llvm.ptr
  %ps = llvm.getelementptr %plan[SOURCES] : (!llvm.ptr) -> !llvm.ptr, i64
  %sources = llvm.load %ps : !llvm.ptr -> !llvm.ptr
  llvm.br ^head(%zero : i64)
^head(%i: i64):
  %more = llvm.icmp "ult" %i, %n : i64
  llvm.cond_br %more, ^next, ^done
^next:
  %offset = llvm.mul %i, %words : i64
  %form = llvm.getelementptr %forms[%offset] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %psource = llvm.getelementptr %sources[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %source = llvm.load %psource : !llvm.ptr -> i64
  %fresh = llvm.icmp "slt" %source, %zero : i64
  llvm.cond_br %fresh, ^take, ^move
^take:
  %new = llvm.call @NewBuffer(%form) : (!llvm.ptr) -> !llvm.ptr
  llvm.br ^store(%new : !llvm.ptr)
^move:
  %pgiver = llvm.getelementptr %list[%source] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %giver = llvm.load %pgiver : !llvm.ptr -> !llvm.ptr
  %pgiven = llvm.getelementptr %giver[BLOCK] : (!llvm.ptr) -> !llvm.ptr, i64
  %given = llvm.load %pgiven : !llvm.ptr -> !llvm.ptr
  llvm.store %zero, %pgiven : i64, !llvm.ptr
  %heir = llvm.call @new_record(%form, %given) : (!llvm.ptr, !llvm.ptr) -> !llvm.ptr
  llvm.br ^store(%heir : !llvm.ptr)
^store(%o: !llvm.ptr):
  %pa = llvm.getelementptr %o[ADDRESS] : (!llvm.ptr) -> !llvm.ptr, i64
  %address = llvm.load %pa : !llvm.ptr -> i64
  %place = llvm.getelementptr %addresses[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.store %address, %place : i64, !llvm.ptr
  %out = llvm.getelementptr %outs[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.store %o, %out : !llvm.ptr, !llvm.ptr
  %following = llvm.add %i, %one : i64
  llvm.br ^head(%following : i64)
^done:
  llvm.return
}

// The program's code, with temporaries that live as long as the call.
llvm.func internal @run(%plan: !llvm.ptr, %addresses: !llvm.ptr, %behind: !llvm.ptr) {
  %eight = llvm.mlir.constant(8 : i64) : i64
  %pe = llvm.getelementptr %plan[ENTRY] : (!llvm.ptr) -> !llvm.ptr, i64
  %entry = llvm.load %pe : !llvm.ptr -> !llvm.ptr
  %pt = llvm.getelementptr %plan[TAIL] : (!llvm.ptr) -> !llvm.ptr, i64
  %tail = llvm.load %pt : !llvm.ptr -> !llvm.ptr
  %pn = llvm.getelementptr %plan[TAIL_SIZE] : (!llvm.ptr) -> !llvm.ptr, i64
  %n = llvm.load %pn : !llvm.ptr -> i64
  %bytes = llvm.mul %n, %eight : i64
  "llvm.intr.memcpy"(%behind, %tail, %bytes) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
  %pa = llvm.getelementptr %plan[ARENA] : (!llvm.ptr) -> !llvm.ptr, i64
  %size = llvm.load %pa : !llvm.ptr -> i64
  %arena = llvm.call @take_memory(%size) : (i64) -> !llvm.ptr
  %place = llvm.getelementptr %behind[%n] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.store %arena, %place : !llvm.ptr, !llvm.ptr
  llvm.call %entry(%addresses) : !llvm.ptr, (!llvm.ptr) -> ()
  llvm.call @free(%arena) : (!llvm.ptr) -> ()
  llvm.return
}

llvm.func @LoadedExecutable_Execute(%a: !llvm.ptr) -> !llvm.ptr {
  %null = llvm.mlir.zero : !llvm.ptr
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %po = llvm.getelementptr %a[2] : (!llvm.ptr) -> !llvm.ptr, i64
  %o = llvm.load %po : !llvm.ptr -> !llvm.ptr
  %pp = llvm.getelementptr %o[PLAN] : (!llvm.ptr) -> !llvm.ptr, i64
  %plan = llvm.load %pp : !llvm.ptr -> !llvm.ptr
  %planned = llvm.icmp "ne" %plan, %null : !llvm.ptr
  %waiting = llvm.mlir.addressof @released : !llvm.ptr
  %first = llvm.load %waiting atomic monotonic {alignment = 8 : i64} : !llvm.ptr -> i64
  %clean = llvm.icmp "eq" %first, %zero : i64
  %here = llvm.and %planned, %clean : i1
  llvm.cond_br %here, ^borrow, ^python
^borrow:
  %poptions = llvm.getelementptr %a[3] : (!llvm.ptr) -> !llvm.ptr, i64
  %options = llvm.load %poptions : !llvm.ptr -> !llvm.ptr
  %plists = llvm.getelementptr %a[4] : (!llvm.ptr) -> !llvm.ptr, i64
  %lists = llvm.load %plists : !llvm.ptr -> !llvm.ptr
  %list = llvm.load %lists : !llvm.ptr -> !llvm.ptr
  %pcount = llvm.getelementptr %a[6] : (!llvm.ptr) -> !llvm.ptr, i64
  %count = llvm.load %pcount : !llvm.ptr -> i64
  %presults = llvm.getelementptr %plan[RESULTS] : (!llvm.ptr) -> !llvm.ptr, i64
  %results = llvm.load %presults : !llvm.ptr -> i64
  %ptail = llvm.getelementptr %plan[TAIL_SIZE] : (!llvm.ptr) -> !llvm.ptr, i64
  %tail = llvm.load %ptail : !llvm.ptr -> i64
  %with_results = llvm.add %count, %results : i64
  %with_tail = llvm.add %with_results, %tail : i64
  %all = llvm.add %with_tail, %one : i64
  %addresses = llvm.alloca %all x i64 : (i64) -> !llvm.ptr
  %borrowed = llvm.call @borrow(%list, %count, %addresses) : (!llvm.ptr, i64, !llvm.ptr) -> i64
  %whole = llvm.icmp "eq" %borrowed, %count : i64
  llvm.cond_br %whole, ^donate, ^undo
^donate:
  %may = llvm.call @donate(%plan, %list, %options) : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i1
  llvm.cond_br %may, ^run, ^undo
^run:
  %pouts = llvm.getelementptr %a[7] : (!llvm.ptr) -> !llvm.ptr, i64
  %outlists = llvm.load %pouts : !llvm.ptr -> !llvm.ptr
  %outs = llvm.load %outlists : !llvm.ptr -> !llvm.ptr
  %made = llvm.getelementptr %addresses[%count] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.call @make_results(%plan, %list, %outs, %made) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
  %behind = llvm.getelementptr %addresses[%with_results] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.call @run(%plan, %addresses, %behind) : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
  llvm.call @give_back(%list, %count) : (!llvm.ptr, i64) -> ()
  %pevents = llvm.getelementptr %a[8] : (!llvm.ptr) -> !llvm.ptr, i64
  %events = llvm.load %pevents : !llvm.ptr -> !llvm.ptr
  %unasked = llvm.icmp "eq" %events, %null : !llvm.ptr
  llvm.cond_br %unasked, ^done, ^event
^event:
  %pready = llvm.getelementptr %plan[READY] : (!llvm.ptr) -> !llvm.ptr, i64
  %ready = llvm.load %pready : !llvm.ptr -> i64
  llvm.store %ready, %events : i64, !llvm.ptr
  llvm.br ^done
^done:
  llvm.return %null : !llvm.ptr
^undo:
  llvm.call @give_back(%list, %borrowed) : (!llvm.ptr, i64) -> ()
  llvm.br ^python
^python:
  %slow = llvm.mlir.addressof @python_execute : !llvm.ptr
  %function = llvm.load %slow : !llvm.ptr -> !llvm.ptr
  %error = llvm.call %function(%a) : !llvm.ptr, (!llvm.ptr) -> !llvm.ptr
  llvm.return %error : !llvm.ptr
}

// Where the Python function's address is kept.
llvm.func @PythonExecute(%a: !llvm.ptr) -> !llvm.ptr {
  %p = llvm.mlir.addressof @python_execute : !llvm.ptr
  llvm.return %p : !llvm.ptr
}
"""

NAMES = ("LoadedExecutable_Execute", "PythonExecute")
"""The functions that others may call."""
