"""The processor's dot-product instructions: a word of a few products at once, added to a sum of 32 bits.

bf16: pairs, sums in f32 (the instruction rounds to nearest, takes subnormal numbers as zero and gives none). i8: fours, the
first operand unsigned; sums in i32, exact modulo 2^32. Two signed operands: the first one's sign bit is turned, which adds
128 to each element; 128 times the sums of the second one's columns are taken off again."""

from __future__ import annotations

from hlo.lowering.vector.contraction.function_text import FunctionText, byte_size
from hlo.lowering.vector.contraction.problem import Problem
from hlo.lowering.vector.target import DOTS, Target


def dot_product(f: FunctionText, lanes: int, element: str, total: str, x: str, y: str) -> str:
    """total + the sum of products in each word. i8: x is unsigned, y signed; exact modulo 2^32."""
    _, name, result = DOTS[element]
    words = f"vector<{512 // 8 // byte_size(element)}x{element}>"
    kind = f"vector<{lanes}x{result}>"
    return f.op(f'llvm.call_intrinsic "{name}"({total}, {x}, {y}) : ({kind}, {words}, {words}) -> {kind}')


def word_size(problem: Problem, target: Target) -> int:
    """Elements in a word when the target has the instruction for a problem, else 1."""
    element = problem.b_type
    if element not in target.dots or problem.a_type != element or problem.c_type != DOTS[element][2]:
        return 1
    if element == "i8" and problem.b_extend != "arith.extsi":
        return 1
    return 4 // byte_size(element)
