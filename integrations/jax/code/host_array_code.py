"""Host arrays become buffers as machine code: Python's scalars and numpy's arrays that a call has as arguments, and
what `device_put` takes.

A buffer gets a copy of a row-major array, or is in the array's memory where JAX lets hlo borrow it. Python
(hlo.jax.objects.buffers) makes copies of the others: of arrays with other strides, and of element types whose bytes can hold
more than an element. A buffer's record is followed by its dimensions."""

from __future__ import annotations

from hlo.jax.code.header import DTYPE_OF_CODE as _DTYPES
from hlo.jax.code.header import ELEMENT_CODES
from hlo.runtime.calls.arguments import LARGEST_BYTE

LEAST_BORROWED = 1 << 14
"""Bytes from which a host array is used where it lies, if hlo may borrow it; below, a copy costs less."""

BOOLEAN = ELEMENT_CODES["i1"]

CODES_OF_TYPES = 1 + max(_DTYPES)

DATA, TYPE, SIZES, RANK, STRIDES, STRIDE_COUNT, SEMANTICS, TARGET, TARGET_MEMORY, LAYOUT, END, BUFFER = range(3, 15)
"""Words of the arguments of Client_BufferFromHostBuffer. `TARGET`: a device, `TARGET_MEMORY`: one of its memories, or
null; `END`: the event when the array is no longer needed."""

_BYTES = [0] * CODES_OF_TYPES
for _code, _dtype in _DTYPES.items():
    _BYTES[_code] = _dtype.itemsize if _code == BOOLEAN or _dtype not in LARGEST_BYTE else 0

HOST_ARRAY_CODE = (
    f"""
// By the number of an element type: its bytes, 0 for those that are left to Python.
llvm.mlir.global internal constant @element_bytes(dense<{_BYTES}> : tensor<CODES_OF_TYPES x i64>) {{alignment = 8 : i64}} : !llvm.array<CODES_OF_TYPES x i64>
"""
    + """
// A record of an event that has happened.
llvm.mlir.global internal @happened(dense<[0, 1, 0, 0]> : tensor<4xi64>) {alignment = 8 : i64} : !llvm.array<4 x i64>

llvm.func @Happened(%a: !llvm.ptr) -> !llvm.ptr {
  %p = llvm.mlir.addressof @happened : !llvm.ptr
  llvm.return %p : !llvm.ptr
}

// The bytes of an array whose elements have %bytes each; -1 if it is not row-major. Dimensions of 1 may have any stride.
llvm.func internal @row_major_size(%a: !llvm.ptr, %bytes: i64) -> i64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %no = arith.constant -1 : i64
  %true = arith.constant true
  %false = arith.constant false
  %sizes = get %a[SIZES] : !llvm.ptr
  %rank = get %a[RANK] : i64
  %strides = get %a[STRIDES] : !llvm.ptr
  %given = get %a[STRIDE_COUNT] : i64
  %any = arith.cmpi ne, %given, %zero : i64
  %last = arith.subi %rank, %one : i64
  %all:2 = scf.for %i = %zero to %rank step %one iter_args(%size = %bytes, %good = %true) -> (i64, i1) : i64 {
    %axis = arith.subi %last, %i : i64
    %n = get %sizes[%axis] : i64
    %fits = scf.if %any -> (i1) {
      %stride = get %strides[%axis] : i64
      %same = arith.cmpi eq, %stride, %size : i64
      %single = arith.cmpi eq, %n, %one : i64
      %either = arith.ori %same, %single : i1
      scf.yield %either : i1
    } else {
      scf.yield %true : i1
    }
    %next = arith.muli %size, %n : i64
    %both = arith.andi %good, %fits : i1
    scf.yield %next, %both : i64, i1
  }
  %found = arith.select %all#1, %all#0, %no : i64
  llvm.return %found : i64
}

// Whether each byte is 0 or 1, as booleans are.
llvm.func internal @are_bits(%data: !llvm.ptr, %size: i64) -> i1 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %none = arith.constant 0 : i8
  %most = arith.constant 1 : i8
  %all = scf.for %i = %zero to %size step %one iter_args(%so_far = %none) -> (i8) : i64 {
    %source = llvm.getelementptr %data[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i8
    %byte = llvm.load %source : !llvm.ptr -> i8
    %both = arith.ori %so_far, %byte : i8
    scf.yield %both : i8
  }
  %bits = arith.cmpi ule, %all, %most : i8
  llvm.return %bits : i1
}

// Whether an array is to be used where it lies.
llvm.func internal @may_borrow(%a: !llvm.ptr, %size: i64) -> i1 {
  %zero = arith.constant 0 : i64
  %least = arith.constant LEAST_BORROWED : i64
  %line = arith.constant ALIGNMENT : i64
  %immutable = arith.constant IMMUTABLE_ZERO_COPY : i32
  %mutable = arith.constant MUTABLE_ZERO_COPY : i32
  %data = get %a[DATA] : i64
  %semantics = get %a[SEMANTICS] : i32
  %large = arith.cmpi uge, %size, %least : i64
  %over = arith.remui %data, %line : i64
  %aligned = arith.cmpi eq, %over, %zero : i64
  %one_kind = arith.cmpi eq, %semantics, %immutable : i32
  %other_kind = arith.cmpi eq, %semantics, %mutable : i32
  %either = arith.ori %one_kind, %other_kind : i1
  %usable = arith.andi %large, %aligned : i1
  %both = arith.andi %either, %usable : i1
  %boolean = arith.constant BOOLEAN : i32
  %type = get %a[TYPE] : i32
  %tests = arith.cmpi eq, %type, %boolean : i32
  %checked = arith.andi %both, %tests : i1
  %borrowed = scf.if %checked -> (i1) {
    %start = get %a[DATA] : !llvm.ptr
    %bits = llvm.call @are_bits(%start, %size) : (!llvm.ptr, i64) -> i1
    scf.yield %bits : i1
  } else {
    scf.yield %both : i1
  }
  llvm.return %borrowed : i1
}

// Copies elements; every boolean that is not 0 is true.
llvm.func internal @copy_elements(%to: !llvm.ptr, %from: !llvm.ptr, %size: i64, %type: i32) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %none = arith.constant 0 : i8
  %boolean = arith.constant BOOLEAN : i32
  %tests = arith.cmpi eq, %type, %boolean : i32
  scf.if %tests {
    scf.for %i = %zero to %size step %one : i64 {
      %source = llvm.getelementptr %from[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i8
      %byte = llvm.load %source : !llvm.ptr -> i8
      %set = arith.cmpi ne, %byte, %none : i8
      %element = arith.extui %set : i1 to i8
      %target = llvm.getelementptr %to[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i8
      llvm.store %element, %target : i8, !llvm.ptr
    }
  } else {
    "llvm.intr.memcpy"(%to, %from, %size) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
  }
  llvm.return
}

// A record of a buffer where the arguments say, and behind it the dimensions. Its memory is at %address.
llvm.func internal @host_record(%a: !llvm.ptr, %size: i64, %address: !llvm.ptr) -> !llvm.ptr {
  %null = llvm.mlir.zero : !llvm.ptr
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %word = arith.constant 8 : i64
  %rank = get %a[RANK] : i64
  %own = arith.constant RECORD_BYTES : i64
  %more = arith.muli %rank, %word : i64
  %bytes = arith.addi %own, %more : i64
  %o = llvm.call @malloc(%bytes) : (i64) -> !llvm.ptr
  %none = arith.constant 0 : i8
  "llvm.intr.memset"(%o, %none, %own) <{isVolatile = false}> : (!llvm.ptr, i8, i64) -> ()
  %dimensions = word %o[RECORD_WORDS]
  %sizes = get %a[SIZES] : !llvm.ptr
  "llvm.intr.memcpy"(%dimensions, %sizes, %more) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
  %type = get %a[TYPE] : i32
  %code = arith.extui %type : i32 to i64
  %memory = get %a[TARGET_MEMORY] : !llvm.ptr
  %named = llvm.icmp "ne" %memory, %null : !llvm.ptr
  %device_memory:2 = scf.if %named -> (!llvm.ptr, !llvm.ptr) {
    %devices = get %memory[MEMORY_DEVICES] : !llvm.ptr
    %device = get %devices[0] : !llvm.ptr
    scf.yield %device, %memory : !llvm.ptr, !llvm.ptr
  } else {
    %device = get %a[TARGET] : !llvm.ptr
    %usual = get %device[DEFAULT_MEMORY] : !llvm.ptr
    scf.yield %device, %usual : !llvm.ptr, !llvm.ptr
  }
  %event = llvm.mlir.addressof @happened : !llvm.ptr
  put %code, %o[CODE_WORD] : i64
  put %dimensions, %o[DIMENSIONS] : !llvm.ptr
  put %rank, %o[DIMENSION_COUNT] : i64
  put %device_memory#0, %o[DEVICE] : !llvm.ptr
  put %device_memory#1, %o[MEMORY] : !llvm.ptr
  put %size, %o[SIZE] : i64
  put %event, %o[EVENT] : !llvm.ptr
  put %address, %o[ADDRESS] : !llvm.ptr
  put %one, %o[COUNT] : i64
  put %one, %o[NATIVE] : i64
  llvm.return %o : !llvm.ptr
}

// A buffer with a copy of an array of %size bytes; whether there was memory for it.
llvm.func internal @copy_host_array(%a: !llvm.ptr, %size: i64) -> i1 {
  %null = llvm.mlir.zero : !llvm.ptr
  %block = llvm.call @take_memory(%size) : (i64) -> !llvm.ptr
  %there = llvm.icmp "ne" %block, %null : !llvm.ptr
  scf.if %there {
    llvm.call @count(%size) : (i64) -> ()
    %data = get %a[DATA] : !llvm.ptr
    %type = get %a[TYPE] : i32
    llvm.call @copy_elements(%block, %data, %size, %type) : (!llvm.ptr, !llvm.ptr, i64, i32) -> ()
    %o = llvm.call @host_record(%a, %size, %block) : (!llvm.ptr, i64, !llvm.ptr) -> !llvm.ptr
    put %block, %o[BLOCK] : !llvm.ptr
    put %o, %a[BUFFER] : !llvm.ptr
    %event = llvm.mlir.addressof @happened : !llvm.ptr
    put %event, %a[END] : !llvm.ptr
  }
  llvm.return %there : i1
}

// A buffer in the memory of an array. JAX says what is to be called at the end of the borrow (Event_OnReady) before it gives the buffer away.
llvm.func internal @borrow_host_array(%a: !llvm.ptr, %size: i64) {
  %one = arith.constant 1 : i64
  %data = get %a[DATA] : !llvm.ptr
  %o = llvm.call @host_record(%a, %size, %data) : (!llvm.ptr, i64, !llvm.ptr) -> !llvm.ptr
  put %one, %o[BORROWED] : i64
  %s = llvm.mlir.addressof @statistics : !llvm.ptr
  %counter = word %s[BORROWED_BYTES]
  %before = llvm.atomicrmw add %counter, %size monotonic : !llvm.ptr, i64
  %end = word %o[BORROWED]
  put %end, %a[END] : !llvm.ptr
  put %o, %a[BUFFER] : !llvm.ptr
  llvm.return
}

// The bytes of an array that is taken as it lies; -1 for one that is left to Python.
llvm.func internal @plain_size(%a: !llvm.ptr) -> i64 {
  %null = llvm.mlir.zero : !llvm.ptr
  %zero = arith.constant 0 : i64
  %no = arith.constant -1 : i64
  %codes = arith.constant CODES_OF_TYPES : i64
  %type = get %a[TYPE] : i32
  %code = arith.extui %type : i32 to i64
  %known = arith.cmpi ult, %code, %codes : i64
  %index = arith.select %known, %code, %zero : i64
  %table = llvm.mlir.addressof @element_bytes : !llvm.ptr
  %bytes = get %table[%index] : i64
  %has_code = arith.cmpi ne, %bytes, %zero : i64
  %layout = get %a[LAYOUT] : !llvm.ptr
  %usual = llvm.icmp "eq" %layout, %null : !llvm.ptr
  %plain = arith.andi %has_code, %usual : i1
  %size = scf.if %plain -> (i64) {
    %found = llvm.call @row_major_size(%a, %bytes) : (!llvm.ptr, i64) -> i64
    scf.yield %found : i64
  } else {
    scf.yield %no : i64
  }
  llvm.return %size : i64
}

llvm.func @Client_BufferFromHostBuffer(%a: !llvm.ptr) -> !llvm.ptr {
  %null = llvm.mlir.zero : !llvm.ptr
  %zero = arith.constant 0 : i64
  %true = arith.constant true
  %false = arith.constant false
  %slowly = arith.constant HOST_ARRAY : i64
  %size = llvm.call @plain_size(%a) : (!llvm.ptr) -> i64
  %plain = arith.cmpi sge, %size, %zero : i64
  %done = scf.if %plain -> (i1) {
    %borrowed = llvm.call @may_borrow(%a, %size) : (!llvm.ptr, i64) -> i1
    %there = scf.if %borrowed -> (i1) {
      llvm.call @borrow_host_array(%a, %size) : (!llvm.ptr, i64) -> ()
      scf.yield %true : i1
    } else {
      %copied = llvm.call @copy_host_array(%a, %size) : (!llvm.ptr, i64) -> i1
      scf.yield %copied : i1
    }
    scf.yield %there : i1
  } else {
    scf.yield %false : i1
  }
  %error = scf.if %done -> (!llvm.ptr) {
    scf.yield %null : !llvm.ptr
  } else {
    %found = llvm.call @call_python(%slowly, %a) : (i64, !llvm.ptr) -> !llvm.ptr
    scf.yield %found : !llvm.ptr
  }
  llvm.return %error : !llvm.ptr
}
"""
)

NAMES = ("Happened", "Client_BufferFromHostBuffer")
"""The functions that others may call."""
