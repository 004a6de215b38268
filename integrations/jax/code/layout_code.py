"""Layouts as machine code. Arrays are row-major, so an array's number of dimensions is its layout; JAX holds it as that number plus one
(null is no layout) and asks for its text, `{1,0}` for a matrix.

jaxlib asks for the layout of a buffer at any time, also while a Python exception is pending, where no Python code may run."""

from __future__ import annotations

from itertools import accumulate

LARGEST_RANK = 128
"""The most dimensions that an argument or a result may have."""

RANKS = LARGEST_RANK + 1
TEXT_STARTS = RANKS + 1

_TEXTS = ["{" + ",".join(map(str, reversed(range(rank)))) + "}" for rank in range(RANKS)]
_STARTS = [0, *accumulate(map(len, _TEXTS))]
TEXT_BYTES = _STARTS[-1]

_DEFAULTS = ("Layouts_Client_GetDefaultLayout", "Layouts_Topology_GetDefaultLayout")

_DEFAULT = """
// Fields: client or topology, element type, sizes, their number, the layout.
llvm.func @{name}(%a: !llvm.ptr) -> !llvm.ptr {{
  %null = llvm.mlir.zero : !llvm.ptr
  %one = arith.constant 1 : i64
  %rank = get %a[5] : i64
  %layout = arith.addi %rank, %one : i64
  put %layout, %a[6] : i64
  llvm.return %null : !llvm.ptr
}}
"""

LAYOUT_CODE = (
    f"""
llvm.mlir.global internal constant @layout_texts("{"".join(_TEXTS)}") : !llvm.array<TEXT_BYTES x i8>
llvm.mlir.global internal constant @layout_starts(dense<{_STARTS}> : tensor<TEXT_STARTS x i64>) {{alignment = 8 : i64}} : !llvm.array<TEXT_STARTS x i64>
"""
    + """
// The text of more dimensions than there may be is empty, which is no layout: jaxlib says so.
llvm.func @Layouts_MemoryLayout_Serialize(%a: !llvm.ptr) -> !llvm.ptr {
  %null = llvm.mlir.zero : !llvm.ptr
  %one = arith.constant 1 : i64
  %last = arith.constant RANKS : i64
  %asked = get %a[2] : i64
  %layout = arith.minui %asked, %last : i64
  %rank = arith.subi %asked, %one : i64
  %starts = llvm.mlir.addressof @layout_starts : !llvm.ptr
  %texts = llvm.mlir.addressof @layout_texts : !llvm.ptr
  %first = arith.minui %rank, %last : i64
  %start = get %starts[%first] : i64
  %end = get %starts[%layout] : i64
  %text = llvm.getelementptr %texts[%start] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %size = arith.subi %end, %start : i64
  %nothing = llvm.mlir.addressof @Nothing : !llvm.ptr
  put %text, %a[3] : !llvm.ptr
  put %size, %a[4] : i64
  put %asked, %a[5] : i64
  put %nothing, %a[6] : !llvm.ptr
  llvm.return %null : !llvm.ptr
}

llvm.func @Layouts_Buffer_MemoryLayout(%a: !llvm.ptr) -> !llvm.ptr {
  %null = llvm.mlir.zero : !llvm.ptr
  %one = arith.constant 1 : i64
  %o = get %a[2] : !llvm.ptr
  %rank = get %o[DIMENSION_COUNT] : i64
  %layout = arith.addi %rank, %one : i64
  put %layout, %a[3] : i64
  llvm.return %null : !llvm.ptr
}
"""
    + "".join(_DEFAULT.format(name=name) for name in _DEFAULTS)
)

NAMES = ("Layouts_MemoryLayout_Serialize", "Layouts_Buffer_MemoryLayout", *_DEFAULTS)
"""The functions that others may call."""


def layout_number(rank: int) -> int:
    """How JAX holds the layout of arrays of this many dimensions. Raises NotImplementedError for more than there are texts for."""
    if rank > LARGEST_RANK:
        raise NotImplementedError(f"an argument or result of {rank} dimensions: at most {LARGEST_RANK} are allowed")
    return rank + 1
