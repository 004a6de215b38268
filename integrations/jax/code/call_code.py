"""Calls of programs as machine code: no Python runs unless the program itself calls some, the interpreter's lock is not taken.

`LoadedExecutable_Execute` follows the plan (hlo.jax.code.plans) that an executable's record leads to. It takes a reference to each argument,
so that nobody frees it meanwhile, makes buffers for the results, takes the donated arguments from JAX, and runs the program. What it
cannot do it leaves as it was and to the Python function of the same name (hlo.jax.calls): so all calls of programs for several devices,
whose records lead to no plan, and for which Python makes a call of machine code for each device."""

from __future__ import annotations

PLAN_SLOT = 3
"""The word of an executable's record with the address of its slot (hlo.jax.code.plans.PlanSlot); null where Python makes its calls."""

PLAN, ASK = range(2)
"""Words of a slot: the address of the plan; whether Python is to be asked before a call."""

(
    ENTRY, WORDS, IMAGE, ARENA, ARENA_POSITION, ARGUMENT_POSITIONS, RESULTS, RESULT_POSITIONS, FORMS, SOURCES,
    DONATED_COUNT, DONATED, READY,
) = range(13)  # fmt: skip
"""Words of a plan. `IMAGE`: what the entry gets, WORDS long, but for the addresses of arguments, results and
temporaries, whose positions are in `ARGUMENT_POSITIONS`, `RESULT_POSITIONS`, `ARENA_POSITION`; ARENA is the size of the
temporaries. `FORMS`: the records of the results, to copy. `SOURCES`: for each result the number of the argument in
whose memory it is, or -1. `DONATED`: numbers of arguments. `READY`: what the call's event is."""

DONE, NOT_POSSIBLE, FAILED = range(3)
"""What a call came to: it may not be possible for want of memory, or for its arguments (deleted, or donated but shared); a Python
function that the program calls may have raised an exception."""

OPTIONS, LISTS, COUNT_OF_ARGUMENTS, RESULT_LISTS, EVENTS = 3, 4, 6, 7, 8
"""Words of the arguments of LoadedExecutable_Execute."""

CALL_CODE = """
// Takes a reference to each argument and stores its address. Returns how many of them are deleted.
llvm.func internal @borrow(%plan: !llvm.ptr, %list: !llvm.ptr, %n: i64, %addresses: !llvm.ptr) -> i64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %positions = get %plan[ARGUMENT_POSITIONS] : !llvm.ptr
  %all = scf.for %i = %zero to %n step %one iter_args(%sum = %zero) -> (i64) : i64 {
    %o = get %list[%i] : !llvm.ptr
    %deleted = llvm.call @Borrow(%o) : (!llvm.ptr) -> i64
    %address = get %o[ADDRESS] : i64
    %position = get %positions[%i] : i64
    put %address, %addresses[%position] : i64
    %next = arith.addi %sum, %deleted : i64
    scf.yield %next : i64
  }
  llvm.return %all : i64
}

llvm.func internal @give_back(%list: !llvm.ptr, %n: i64) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  scf.for %i = %zero to %n step %one : i64 {
    %o = get %list[%i] : !llvm.ptr
    llvm.call @Release(%o) : (!llvm.ptr) -> ()
  }
  llvm.return
}

// The buffers of the results but for those in donated memory: %outs gets their handles, %addresses their memory's addresses. Returns
// whether there was memory for all.
llvm.func internal @make_results(%plan: !llvm.ptr, %outs: !llvm.ptr, %addresses: !llvm.ptr) -> i1 {
  %null = llvm.mlir.zero : !llvm.ptr
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %true = arith.constant true
  %words = arith.constant RECORD_WORDS : i64
  %n = get %plan[RESULTS] : i64
  %forms = get %plan[FORMS] : !llvm.ptr
  %sources = get %plan[SOURCES] : !llvm.ptr
  %positions = get %plan[RESULT_POSITIONS] : !llvm.ptr
  %all = scf.for %i = %zero to %n step %one iter_args(%so_far = %true) -> (i1) : i64 {
    put %null, %outs[%i] : !llvm.ptr
    %source = get %sources[%i] : i64
    %fresh = arith.cmpi slt, %source, %zero : i64
    %there = scf.if %fresh -> (i1) {
      %offset = arith.muli %i, %words : i64
      %form = word %forms[%offset]
      %o = llvm.call @NewBuffer(%form) : (!llvm.ptr) -> !llvm.ptr
      put %o, %outs[%i] : !llvm.ptr
      %made = llvm.icmp "ne" %o, %null : !llvm.ptr
      scf.if %made {
        %address = get %o[ADDRESS] : i64
        %position = get %positions[%i] : i64
        put %address, %addresses[%position] : i64
      }
      scf.yield %made : i1
    } else {
      scf.yield %true : i1
    }
    %both = arith.andi %so_far, %there : i1
    scf.yield %both : i1
  }
  llvm.return %all : i1
}

llvm.func internal @drop_results(%plan: !llvm.ptr, %outs: !llvm.ptr) {
  %null = llvm.mlir.zero : !llvm.ptr
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = get %plan[RESULTS] : i64
  scf.for %i = %zero to %n step %one : i64 {
    %o = get %outs[%i] : !llvm.ptr
    %made = llvm.icmp "ne" %o, %null : !llvm.ptr
    scf.if %made {
      llvm.call @Release(%o) : (!llvm.ptr) -> ()
    }
  }
  llvm.return
}

// Says of all donated arguments whether JAX may use them. Returns whether each has memory of its own that nobody sees but its buffer
// and this call.
llvm.func internal @mark_donated(%plan: !llvm.ptr, %list: !llvm.ptr, %deleted: i64) -> i1 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %true = arith.constant true
  %n = get %plan[DONATED_COUNT] : i64
  %numbers = get %plan[DONATED] : !llvm.ptr
  %all = scf.for %i = %zero to %n step %one iter_args(%so_far = %true) -> (i1) : i64 {
    %number = get %numbers[%i] : i64
    %o = get %list[%number] : !llvm.ptr
    %pd = word %o[DELETED]
    %before = llvm.atomicrmw xchg %pd, %deleted seq_cst : !llvm.ptr, i64
    %pc = word %o[COUNT]
    %owners = llvm.load %pc atomic seq_cst {alignment = 8 : i64} : !llvm.ptr -> i64
    %private = arith.cmpi eq, %owners, %two : i64
    %block = get %o[BLOCK] : i64
    %own = arith.cmpi ne, %block, %zero : i64
    %good = arith.andi %private, %own : i1
    %both = arith.andi %so_far, %good : i1
    scf.yield %both : i1
  }
  llvm.return %all : i1
}

// Takes the donated arguments from JAX if it can be done; the options of a call may name some to be kept.
llvm.func internal @donate(%plan: !llvm.ptr, %list: !llvm.ptr, %options: !llvm.ptr) -> i1 {
  %null = llvm.mlir.zero : !llvm.ptr
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %true = arith.constant true
  %n = get %plan[DONATED_COUNT] : i64
  %nothing = arith.cmpi eq, %n, %zero : i64
  %may = scf.if %nothing -> (i1) {
    scf.yield %true : i1
  } else {
    %plain = llvm.icmp "eq" %options, %null : !llvm.ptr
    %kept = scf.if %plain -> (i64) {
      scf.yield %zero : i64
    } else {
      %named = get %options[KEPT_COUNT] : i64
      scf.yield %named : i64
    }
    %private = llvm.call @mark_donated(%plan, %list, %one) : (!llvm.ptr, !llvm.ptr, i64) -> i1
    %none_kept = arith.cmpi eq, %kept, %zero : i64
    %good = arith.andi %private, %none_kept : i1
    %bad = arith.xori %good, %true : i1
    scf.if %bad {
      %ignored = llvm.call @mark_donated(%plan, %list, %zero) : (!llvm.ptr, !llvm.ptr, i64) -> i1
    }
    scf.yield %good : i1
  }
  llvm.return %may : i1
}

// The buffers of the results in donated memory, which their arguments lose.
llvm.func internal @inherit(%plan: !llvm.ptr, %list: !llvm.ptr, %outs: !llvm.ptr, %addresses: !llvm.ptr) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %words = arith.constant RECORD_WORDS : i64
  %n = get %plan[RESULTS] : i64
  %forms = get %plan[FORMS] : !llvm.ptr
  %sources = get %plan[SOURCES] : !llvm.ptr
  %positions = get %plan[RESULT_POSITIONS] : !llvm.ptr
  scf.for %i = %zero to %n step %one : i64 {
    %source = get %sources[%i] : i64
    %heir = arith.cmpi sge, %source, %zero : i64
    scf.if %heir {
      %giver = get %list[%source] : !llvm.ptr
      %block = get %giver[BLOCK] : !llvm.ptr
      put %zero, %giver[BLOCK] : i64
      %offset = arith.muli %i, %words : i64
      %form = word %forms[%offset]
      %o = llvm.call @new_record(%form, %block) : (!llvm.ptr, !llvm.ptr) -> !llvm.ptr
      put %o, %outs[%i] : !llvm.ptr
      %position = get %positions[%i] : i64
      put %block, %addresses[%position] : !llvm.ptr
    }
  }
  llvm.return
}

// The end of donated memory that no result is in.
llvm.func internal @drop_donated(%plan: !llvm.ptr, %list: !llvm.ptr) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = get %plan[DONATED_COUNT] : i64
  %numbers = get %plan[DONATED] : !llvm.ptr
  scf.for %i = %zero to %n step %one : i64 {
    %number = get %numbers[%i] : i64
    %o = get %list[%number] : !llvm.ptr
    llvm.call @drop_block(%o) : (!llvm.ptr) -> ()
  }
  llvm.return
}

// Runs the program on arguments and results that are there.
llvm.func internal @run(%plan: !llvm.ptr, %list: !llvm.ptr, %outs: !llvm.ptr, %addresses: !llvm.ptr) -> i64 {
  %zero = arith.constant 0 : i64
  %done = arith.constant DONE : i64
  llvm.call @inherit(%plan, %list, %outs, %addresses) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
  %entry = get %plan[ENTRY] : !llvm.ptr
  %failures = llvm.call %entry(%addresses) : !llvm.ptr, (!llvm.ptr) -> i64
  llvm.call @drop_donated(%plan, %list) : (!llvm.ptr, !llvm.ptr) -> ()
  %failed = arith.constant FAILED : i64
  %some = arith.cmpi ne, %failures, %zero : i64
  %status = arith.select %some, %failed, %done : i64
  llvm.return %status : i64
}

// A call whose arguments are borrowed.
llvm.func internal @call_borrowed(%a: !llvm.ptr, %plan: !llvm.ptr, %list: !llvm.ptr, %addresses: !llvm.ptr) -> i64 {
  %null = llvm.mlir.zero : !llvm.ptr
  %zero = arith.constant 0 : i64
  %impossible = arith.constant NOT_POSSIBLE : i64
  %outlists = get %a[RESULT_LISTS] : !llvm.ptr
  %outs = get %outlists[0] : !llvm.ptr
  %size = get %plan[ARENA] : i64
  %arena = llvm.call @take_memory(%size) : (i64) -> !llvm.ptr
  %position = get %plan[ARENA_POSITION] : i64
  put %arena, %addresses[%position] : !llvm.ptr
  %made = llvm.call @make_results(%plan, %outs, %addresses) : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i1
  %there = llvm.icmp "ne" %arena, %null : !llvm.ptr
  %enough = arith.andi %made, %there : i1
  %ready = scf.if %enough -> (i1) {
    %options = get %a[OPTIONS] : !llvm.ptr
    %may = llvm.call @donate(%plan, %list, %options) : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i1
    scf.yield %may : i1
  } else {
    scf.yield %enough : i1
  }
  %status = scf.if %ready -> (i64) {
    %found = llvm.call @run(%plan, %list, %outs, %addresses) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i64
    scf.yield %found : i64
  } else {
    scf.yield %impossible : i64
  }
  %bad = arith.cmpi ne, %status, %zero : i64
  scf.if %bad {
    llvm.call @drop_results(%plan, %outs) : (!llvm.ptr, !llvm.ptr) -> ()
  }
  llvm.call @give_memory(%arena, %size) : (!llvm.ptr, i64) -> ()
  llvm.return %status : i64
}

// A call: DONE, or what went wrong.
llvm.func @Call(%a: !llvm.ptr) -> i64 {
  %null = llvm.mlir.zero : !llvm.ptr
  %zero = arith.constant 0 : i64
  %eight = arith.constant 8 : i64
  %impossible = arith.constant NOT_POSSIBLE : i64
  %executable = get %a[2] : !llvm.ptr
  %at = get %executable[PLAN_SLOT] : !llvm.ptr
  %plan = get %at[PLAN] : !llvm.ptr
  %lists = get %a[LISTS] : !llvm.ptr
  %list = get %lists[0] : !llvm.ptr
  %count = get %a[COUNT_OF_ARGUMENTS] : i64
  %words = get %plan[WORDS] : i64
  %image = get %plan[IMAGE] : !llvm.ptr
  %addresses = llvm.alloca %words x i64 : (i64) -> !llvm.ptr
  %bytes = arith.muli %words, %eight : i64
  "llvm.intr.memcpy"(%addresses, %image, %bytes) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
  %deleted = llvm.call @borrow(%plan, %list, %count, %addresses) : (!llvm.ptr, !llvm.ptr, i64, !llvm.ptr) -> i64
  %whole = arith.cmpi eq, %deleted, %zero : i64
  %status = scf.if %whole -> (i64) {
    %found = llvm.call @call_borrowed(%a, %plan, %list, %addresses) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i64
    scf.yield %found : i64
  } else {
    scf.yield %impossible : i64
  }
  llvm.call @give_back(%list, %count) : (!llvm.ptr, i64) -> ()
  %events = get %a[EVENTS] : !llvm.ptr
  %asked = llvm.icmp "ne" %events, %null : !llvm.ptr
  scf.if %asked {
    %ready = get %plan[READY] : i64
    put %ready, %events[0] : i64
  }
  llvm.return %status : i64
}

llvm.func @LoadedExecutable_Execute(%a: !llvm.ptr) -> !llvm.ptr {
  %null = llvm.mlir.zero : !llvm.ptr
  %zero = arith.constant 0 : i64
  %done = arith.constant DONE : i64
  %failed = arith.constant FAILED : i64
  %slowly = arith.constant EXECUTE : i64
  %raise = arith.constant RAISE_FAILURE : i64
  %collect = arith.constant COLLECT : i64
  %waiting = llvm.mlir.addressof @released : !llvm.ptr
  %first = llvm.load %waiting atomic monotonic {alignment = 8 : i64} : !llvm.ptr -> i64
  %dirty = arith.cmpi ne, %first, %zero : i64
  %interrupted = scf.if %dirty -> (!llvm.ptr) {
    %found = llvm.call @call_python(%collect, %a) : (i64, !llvm.ptr) -> !llvm.ptr
    scf.yield %found : !llvm.ptr
  } else {
    scf.yield %null : !llvm.ptr
  }
  %free = llvm.icmp "eq" %interrupted, %null : !llvm.ptr
  %error = scf.if %free -> (!llvm.ptr) {
    %executable = get %a[2] : !llvm.ptr
    %at = get %executable[PLAN_SLOT] : !llvm.ptr
    %one_device = llvm.icmp "ne" %at, %null : !llvm.ptr
    %impossible = arith.constant NOT_POSSIBLE : i64
    %status = scf.if %one_device -> (i64) {
      %ask = get %at[ASK] : i64
      %at_once = arith.cmpi eq, %ask, %zero : i64
      %reached = scf.if %at_once -> (i64) {
        %found = llvm.call @Call(%a) : (!llvm.ptr) -> i64
        scf.yield %found : i64
      } else {
        scf.yield %impossible : i64
      }
      scf.yield %reached : i64
    } else {
      scf.yield %impossible : i64
    }
    %bad = arith.cmpi ne, %status, %done : i64
    %told = scf.if %bad -> (!llvm.ptr) {
      %has_failed = arith.cmpi eq, %status, %failed : i64
      %function = arith.select %has_failed, %raise, %slowly : i64
      %found = llvm.call @call_python(%function, %a) : (i64, !llvm.ptr) -> !llvm.ptr
      scf.yield %found : !llvm.ptr
    } else {
      scf.yield %null : !llvm.ptr
    }
    scf.yield %told : !llvm.ptr
  } else {
    scf.yield %interrupted : !llvm.ptr
  }
  llvm.return %error : !llvm.ptr
}
"""

NAMES = ("LoadedExecutable_Execute", "Call")
"""The functions that others may call."""
