"""Calls of Python functions as machine code. Each is made so that an exception cannot vanish in it: the function gets a word that no call
before had, and a slot for an error; it gives the word back at its end. If another word comes back, an exception has left the function
where it could not catch it, and the call has failed: JAX gets the error that was made for this case.

An interrupt is JAX's error too, and besides a word that Python sets: machine code, behind the function, sends the interrupt once more
(PyErr_SetInterrupt), where no step of Python can take it before JAX's call has come back.

Functions of the table are counted while they run, from before they wait for Python until they no longer need it: JAX compiles in threads
of its own, which an exception in the main thread leaves behind, and which must not be in Python when the interpreter is torn down."""

from __future__ import annotations

EXECUTE, RAISE_FAILURE, COLLECT, HOST_ARRAY, FIRST_SLOT = range(5)
"""Numbers of Python functions: those that machine code needs itself (hlo.jax.calls), then those of the table that are not machine code."""

PYTHON_CODE = """
llvm.mlir.global internal @python_functions(0 : i64) {alignment = 8 : i64} : i64
llvm.mlir.global internal @interrupted(0 : i64) {alignment = 8 : i64} : i64
llvm.mlir.global internal @interrupt_word(0 : i64) {alignment = 8 : i64} : i64
llvm.mlir.global internal @send_interrupt(0 : i64) {alignment = 8 : i64} : i64
llvm.mlir.global internal @running_word(0 : i64) {alignment = 8 : i64} : i64

// The addresses of the Python functions by number, in memory that stays, the error of calls that were interrupted, the word that says that an interrupt
// is to be sent again, the function that sends it, and the word that counts the functions of the table that run.
llvm.func @SetPython(%functions: !llvm.ptr, %error: !llvm.ptr, %word: !llvm.ptr, %send: !llvm.ptr, %running: !llvm.ptr) {
  %a = llvm.mlir.addressof @python_functions : !llvm.ptr
  put %functions, %a[0] : !llvm.ptr
  %b = llvm.mlir.addressof @interrupted : !llvm.ptr
  put %error, %b[0] : !llvm.ptr
  %c = llvm.mlir.addressof @interrupt_word : !llvm.ptr
  put %word, %c[0] : !llvm.ptr
  %d = llvm.mlir.addressof @send_interrupt : !llvm.ptr
  put %send, %d[0] : !llvm.ptr
  %e = llvm.mlir.addressof @running_word : !llvm.ptr
  put %running, %e[0] : !llvm.ptr
  llvm.return
}

llvm.func internal @interrupt_again() {
  %zero = arith.constant 0 : i64
  %global = llvm.mlir.addressof @interrupt_word : !llvm.ptr
  %word = get %global[0] : !llvm.ptr
  %was_set = llvm.atomicrmw xchg %word, %zero seq_cst : !llvm.ptr, i64
  %asked = arith.cmpi ne, %was_set, %zero : i64
  scf.if %asked {
    %other = llvm.mlir.addressof @send_interrupt : !llvm.ptr
    %send = get %other[0] : !llvm.ptr
    llvm.call %send() : !llvm.ptr, () -> ()
  }
  llvm.return
}

// Calls a Python function with the arguments of a function of the table; returns the error, or null.
llvm.func internal @call_python(%number: i64, %arguments: !llvm.ptr) -> !llvm.ptr {
  %null = llvm.mlir.zero : !llvm.ptr
  %one = arith.constant 1 : i64
  %global = llvm.mlir.addressof @python_functions : !llvm.ptr
  %functions = get %global[0] : !llvm.ptr
  %function = get %functions[%number] : !llvm.ptr
  %error = llvm.alloca %one x i64 : (i64) -> !llvm.ptr
  put %null, %error[0] : !llvm.ptr
  %word = llvm.call_intrinsic "llvm.readcyclecounter"() : () -> i64
  %answer = llvm.call %function(%arguments, %error, %word) : !llvm.ptr, (!llvm.ptr, !llvm.ptr, i64) -> i64
  llvm.call @interrupt_again() : () -> ()
  %done = arith.cmpi eq, %answer, %word : i64
  %found = scf.if %done -> (!llvm.ptr) {
    %told = get %error[0] : !llvm.ptr
    scf.yield %told : !llvm.ptr
  } else {
    %other = llvm.mlir.addressof @interrupted : !llvm.ptr
    %prepared = get %other[0] : !llvm.ptr
    scf.yield %prepared : !llvm.ptr
  }
  llvm.return %found : !llvm.ptr
}
"""

SLOT = """
llvm.func @{name}(%a: !llvm.ptr) -> !llvm.ptr {{
  %number = arith.constant {number} : i64
  %one = arith.constant 1 : i64
  %global = llvm.mlir.addressof @running_word : !llvm.ptr
  %running = get %global[0] : !llvm.ptr
  %before = llvm.atomicrmw add %running, %one seq_cst : !llvm.ptr, i64
  %error = llvm.call @call_python(%number, %a) : (i64, !llvm.ptr) -> !llvm.ptr
  %behind = llvm.atomicrmw sub %running, %one seq_cst : !llvm.ptr, i64
  llvm.return %error : !llvm.ptr
}}
"""

NAMES = ("SetPython",)
"""The functions that others may call."""


def slots_code(names: list[str]) -> str:
    """The functions of the table that are Python functions."""
    return "".join(SLOT.format(name=name, number=number) for number, name in enumerate(names, FIRST_SLOT))
