"""The processor's dot-product instructions: a word of a few products at once, added to a sum of 32 bits.

bf16: pairs, sums in f32 (the instruction rounds to nearest, takes subnormal numbers as zero and gives none). i8: fours, the
first operand unsigned; sums in i32, exact modulo 2^32. Two signed operands: the first one's sign bit is turned, which adds
128 to each element; 128 times the sums of the second one's columns are taken off again."""

from __future__ import annotations

from hlo.lowering.vector.contraction.function_text import FunctionText, byte_size
from hlo.lowering.vector.contraction.problem import Problem
from hlo.lowering.vector.target import Target

INTRINSICS = {"bf16": ("llvm.x86.avx512bf16.dpbf16ps.512", "f32"), "i8": ("llvm.x86.avx512.vpdpbusd.512", "i32")}
"""By element type: the instruction, and the element type of its sums."""


def dot_product(f: FunctionText, lanes: int, element: str, total: str, x: str, y: str) -> str:
    """total + the sum of products in each word. i8: x is unsigned, y signed; exact modulo 2^32."""
    name, result = INTRINSICS[element]
    words = f"vector<{512 // 8 // byte_size(element)}x{element}>"
    kind = f"vector<{lanes}x{result}>"
    return f.op(f'llvm.call_intrinsic "{name}"({total}, {x}, {y}) : ({kind}, {words}, {words}) -> {kind}')


def word_size(problem: Problem, target: Target) -> int:
    """Elements in a word when the target has the instruction for a problem, else 1."""
    element, result = problem.b_type, INTRINSICS.get(problem.b_type, ("", ""))[1]
    if problem.a_type != element or problem.c_type != result or element not in target.dots:
        return 1
    if element == "i8" and problem.b_extend != "arith.extsi":
        return 1
    return 4 // byte_size(element)
