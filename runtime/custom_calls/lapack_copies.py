"""Copies and checks of arrays for plans of LAPACK calls (lapack_runner.py), as LLVM IR, one function for each size of an element:

transpose_{4,8,16}(source, target, rows, columns, stride)   target[column, row] = source[row, column], whose rows are `stride` elements apart
pair_{4,8}(imaginary, vectors, target, order)               eigenvectors of real matrices as complex ones
finite_{4,8}(source, count)                                 whether no number is NaN or infinite"""

from __future__ import annotations

BLOCKS = {4: 8, 8: 4, 16: 4}
"""Rows and columns that are transposed in vectors, by bytes of an element."""

LINE = 64
"""Bytes of a cache line. Blocks are transposed in tiles of one line by two, one below the other: whole lines are written while they are in
a cache, although lines of the target at distances that are a power of two (orders 256, 512, 1024) share few sets there."""

EDGE = """
; Rows from %first_row to %end_row, columns from %first_column on, element by element.
define internal void @edge_$bytes(ptr %source, ptr %target, i64 %rows, i64 %columns, i64 %stride, i64 %first_row, i64 %end_row, i64 %first_column) {
entry:
  br label %strips
strips:
  %first = phi i64 [ %first_row, %entry ], [ %end, %strip_done ]
  %more = icmp ult i64 %first, %end_row
  br i1 %more, label %strip, label %done
strip:
  %next = add i64 %first, 16
  %end = call i64 @llvm.umin.i64(i64 %next, i64 %end_row)
  br label %columns_of_strip
columns_of_strip:
  %j = phi i64 [ %first_column, %strip ], [ %j_next, %column_done ]
  %more_columns = icmp ult i64 %j, %columns
  br i1 %more_columns, label %column, label %strip_done
column:
  %into = mul i64 %j, %rows
  br label %element
element:
  %i = phi i64 [ %first, %column ], [ %i_next, %element ]
  %row = mul i64 %i, %stride
  %from_index = add i64 %row, %j
  %to_index = add i64 %into, %i
  %from = getelementptr $type, ptr %source, i64 %from_index
  %to = getelementptr $type, ptr %target, i64 %to_index
  %value = load $type, ptr %from, align 4
  store $type %value, ptr %to, align 4
  %i_next = add i64 %i, 1
  %more_elements = icmp ult i64 %i_next, %end
  br i1 %more_elements, label %element, label %column_done
column_done:
  %j_next = add i64 %j, 1
  br label %columns_of_strip
strip_done:
  br label %strips
done:
  ret void
}
"""

BLOCKWISE = """
define internal void @transpose_$bytes(ptr %source, ptr %target, i64 %rows, i64 %columns, i64 %stride) {
entry:
  %whole_rows = and i64 %rows, -$size
  %whole_columns = and i64 %columns, -$size
  br label %columns_of_tiles
columns_of_tiles:
  %first_column = phi i64 [ 0, %entry ], [ %next_column, %column_done ]
  %next_column = add i64 %first_column, $wide
  %end_column = call i64 @llvm.umin.i64(i64 %next_column, i64 %whole_columns)
  %more_tiles = icmp ult i64 %first_column, %whole_columns
  br i1 %more_tiles, label %tiles, label %edges
tiles:
  %first_row = phi i64 [ 0, %columns_of_tiles ], [ %next_row, %tile_done ]
  %next_row = add i64 %first_row, $tall
  %end_row = call i64 @llvm.umin.i64(i64 %next_row, i64 %whole_rows)
  %more_of_column = icmp ult i64 %first_row, %whole_rows
  br i1 %more_of_column, label %columns_of_blocks, label %column_done
columns_of_blocks:
  %j = phi i64 [ %first_column, %tiles ], [ %j_next, %blocks_done ]
  %more_columns = icmp ult i64 %j, %end_column
  br i1 %more_columns, label %blocks, label %tile_done
blocks:
  %i = phi i64 [ %first_row, %columns_of_blocks ], [ %i_next, %block ]
  %more_rows = icmp ult i64 %i, %end_row
  br i1 %more_rows, label %block, label %blocks_done
block:
$block
  %i_next = add i64 %i, $size
  br label %blocks
blocks_done:
  %j_next = add i64 %j, $size
  br label %columns_of_blocks
tile_done:
  br label %tiles
column_done:
  br label %columns_of_tiles
edges:
  call void @edge_$bytes(ptr %source, ptr %target, i64 %rows, i64 %columns, i64 %stride, i64 0, i64 %whole_rows, i64 %whole_columns)
  call void @edge_$bytes(ptr %source, ptr %target, i64 %rows, i64 %columns, i64 %stride, i64 %whole_rows, i64 %rows, i64 0)
  ret void
}
"""

PAIR = """
; Vectors are columns, the target's elements complex, by rows: strips of rows, so that lines of the target are written whole. Columns beyond the first and the last are not read,
; whatever the imaginary parts are.
define internal void @pair_$bytes(ptr %imaginary, ptr %vectors, ptr %target, i64 %order) {
entry:
  %last = sub i64 %order, 1
  br label %strip
strip:
  %first_row = phi i64 [ 0, %entry ], [ %next_row, %strip_done ]
  %next_row = add i64 %first_row, $rows
  %end_row = call i64 @llvm.umin.i64(i64 %next_row, i64 %order)
  br label %column
column:
  %j = phi i64 [ 0, %strip ], [ %j_next, %column_done ]
  %imaginary_at = getelementptr $type, ptr %imaginary, i64 %j
  %part = load $type, ptr %imaginary_at
  %is_first = fcmp ogt $type %part, 0.0
  %is_second = fcmp olt $type %part, 0.0
  %is_pair = or i1 %is_first, %is_second
  %j_next = add i64 %j, 1
  %after = call i64 @llvm.umin.i64(i64 %j_next, i64 %last)
  %before = call i64 @llvm.usub.sat.i64(i64 %j, i64 1)
  %real_column = select i1 %is_second, i64 %before, i64 %j
  %other_column = select i1 %is_first, i64 %after, i64 %j
  %real_start = mul i64 %real_column, %order
  %other_start = mul i64 %other_column, %order
  br label %element
element:
  %i = phi i64 [ %first_row, %column ], [ %i_next, %element ]
  %real_index = add i64 %real_start, %i
  %other_index = add i64 %other_start, %i
  %real_at = getelementptr $type, ptr %vectors, i64 %real_index
  %other_at = getelementptr $type, ptr %vectors, i64 %other_index
  %real = load $type, ptr %real_at
  %other = load $type, ptr %other_at
  %negative = fneg $type %other
  %signed = select i1 %is_second, $type %negative, $type %other
  %imaginary_part = select i1 %is_pair, $type %signed, $type 0.0
  %row = mul i64 %i, %order
  %index = add i64 %row, %j
  %to = getelementptr [2 x $type], ptr %target, i64 %index
  %to_imaginary = getelementptr $type, ptr %to, i64 1
  store $type %real, ptr %to
  store $type %imaginary_part, ptr %to_imaginary
  %i_next = add i64 %i, 1
  %more_elements = icmp ult i64 %i_next, %end_row
  br i1 %more_elements, label %element, label %column_done
column_done:
  %more_columns = icmp ult i64 %j_next, %order
  br i1 %more_columns, label %column, label %strip_done
strip_done:
  %more_strips = icmp ult i64 %next_row, %order
  br i1 %more_strips, label %strip, label %done
done:
  ret void
}
"""

FINITE = """
; Whether no number has an exponent of ones alone.
define internal i1 @finite_$bytes(ptr %source, i64 %count) {
entry:
  br label %number
number:
  %n = phi i64 [ 0, %entry ], [ %n_next, %number ]
  %found = phi i1 [ false, %entry ], [ %found_next, %number ]
  %at = getelementptr $integer, ptr %source, i64 %n
  %bits = load $integer, ptr %at
  %exponent = and $integer %bits, $exponent
  %is_special = icmp eq $integer %exponent, $exponent
  %found_next = or i1 %found, %is_special
  %n_next = add i64 %n, 1
  %more = icmp ult i64 %n_next, %count
  br i1 %more, label %number, label %done
done:
  %finite = xor i1 %found_next, true
  ret i1 %finite
}
"""

REAL = {
    4: {"$type": "float", "$integer": "i32", "$exponent": str(0xFF << 23)},
    8: {"$type": "double", "$integer": "i64", "$exponent": str(0x7FF << 52)},
}
"""LLVM IR of real numbers, by their bytes: the type, integers of as many bits, the bits of the exponent."""


def text() -> str:
    """LLVM IR of all of them. What declares llvm.umin.i64 and llvm.usub.sat.i64 is the caller's."""
    return "".join([*map(_transpose, (4, 8, 16)), *map(_of_real_numbers, REAL)])


def _of_real_numbers(size: int) -> str:
    """LLVM IR of what is done with real numbers of so many bytes."""
    filled = (PAIR + FINITE).replace("$bytes", str(size)).replace("$rows", str(LINE // size))
    for name, value in REAL[size].items():
        filled = filled.replace(name, value)
    return filled


def _transpose(size: int) -> str:
    """LLVM IR of the copies of elements of so many bytes."""
    kind, count = {4: "i32", 8: "i64", 16: "[2 x i64]"}[size], BLOCKS[size]
    filled = EDGE + BLOCKWISE.replace("$block", _block(kind, count, min(size, 8)))
    values = {"$bytes": size, "$type": kind, "$size": count, "$wide": LINE // size, "$tall": 2 * LINE // size}
    for name, value in values.items():
        filled = filled.replace(name, str(value))
    return filled


def _block(kind: str, count: int, word_bytes: int) -> str:
    """LLVM IR: `count` rows are read as vectors of words; single elements of two of them are exchanged, then pairs, and so on."""
    words = 2 if kind.startswith("[") else 1
    vector, lines, step = f"<{count * words} x i{8 * word_bytes}>", [], 1
    for n in range(count):
        lines += [
            f"  %row{n} = add i64 %i, {n}",
            f"  %start{n} = mul i64 %row{n}, %stride",
            f"  %index{n} = add i64 %start{n}, %j",
            f"  %from{n} = getelementptr {kind}, ptr %source, i64 %index{n}",
            f"  %v1_{n} = load {vector}, ptr %from{n}, align 4",
        ]
    while step < count:
        for n in range(count):
            first, second = n & ~step, n | step
            moved = [k - step + count if k & step else k for k in range(count)]
            lanes = [k + step for k in moved] if n & step else moved
            mask = ", ".join(f"i32 {k * words + w}" for k in lanes for w in range(words))
            operands = f"{vector} %v{step}_{first}, {vector} %v{step}_{second}"
            lines.append(f"  %v{2 * step}_{n} = shufflevector {operands}, <{count * words} x i32> <{mask}>")
        step *= 2
    for n in range(count):
        lines += [
            f"  %column{n} = add i64 %j, {n}",
            f"  %at{n} = mul i64 %column{n}, %rows",
            f"  %into{n} = add i64 %at{n}, %i",
            f"  %to{n} = getelementptr {kind}, ptr %target, i64 %into{n}",
            f"  store {vector} %v{count}_{n}, ptr %to{n}, align 4",
        ]
    return "\n".join(lines)
