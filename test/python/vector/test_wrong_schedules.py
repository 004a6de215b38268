"""Schedules that do not fit a kernel are refused, with what is allowed."""

import re

import pytest
from schedule_programs import (
    DEPTHWISE,
    DOTS,
    MATMUL,
    ONE_ROW,
    POOL,
    ROWS,
    SHORT,
    SHORT_SPECTRUM,
    SOFTMAX,
    SORT,
    SPECTRUM,
    SPREAD,
    TRANSPOSE,
    WEIGHTS,
    compiled,
    edited,
    kernels,
)

import hlo

WRONG = [
    (MATMUL, dict(unroll_m=99), "unroll_m: found 99, allowed: 1 to "),
    (MATMUL, dict(unroll_m=0), "unroll_m: found 0, allowed: 1 to "),
    (MATMUL, dict(unroll_n=8), "unroll_n: found 8, allowed: 1 to 7"),
    (MATMUL, dict(vector=16), "vector: found 16, allowed: 2, 4, 8"),
    (MATMUL, dict(vector='"8"'), 'vector: found "8", allowed: an integer'),
    (MATMUL, dict(vectorize='"batch"'), 'vectorize: found "batch", allowed: "n", "k"'),
    (MATMUL, dict(pack_a='"lanes"'), 'pack_a: found "lanes", allowed: "none", "rows"'),
    (MATMUL, dict(pack_b='"place"'), 'pack_b: found "place", allowed: "none", "lanes", "gather"'),
    (MATMUL, dict(block_k=78), "block_k: found 78, allowed: 0, or a multiple of 1 up to 77"),
    (MATMUL, dict(block_k=-8), "block_k: found -8, allowed: 0, or"),
    (MATMUL, dict(unroll_m=4, block_m=6), "block_m: found 6, allowed: 0, or a multiple of 4"),
    (MATMUL, dict(threads=0), "threads: found 0, allowed: 1 to 1024"),
    (MATMUL, dict(threads=2), 'parallel: found "none", allowed: "m", "n"'),
    (MATMUL, dict(parallel='"m"'), 'parallel: found "m", allowed: "none"'),
    (MATMUL, dict(threads=2, parallel='"outer 0"'), 'parallel: found "outer 0", allowed: "m", "n"'),
    (MATMUL, dict(dot_product=4), "dot_product: found 4, allowed: 1"),
    (MATMUL, dict(k_outside="true"), "k_outside: found true, allowed: false"),
    (
        WEIGHTS,
        dict(block_k=40),
        "block_k: found 40, allowed: 0, or whole iterations of one of the loops 3 x 9 x 13",
    ),
    (
        WEIGHTS,
        dict(pack_b='"gather"', block_k=118),
        "block_k: found 118, allowed: 0, or whole iterations of one of the loops 3 x 117",
    ),
    (MATMUL, dict(keep_b="true"), "keep_b: found true, allowed: false"),
    (MATMUL, dict(swap_operands="1"), "swap_operands: found 1 : i64, allowed: true or false"),
    (MATMUL, dict(swap_operands="true"), 'vectorize: found "n", allowed: nothing'),
    (DOTS, dict(pack_b='"lanes"'), 'pack_b: found "lanes", allowed: "none"'),
    (DEPTHWISE, dict(pack_b='"gather"'), 'pack_b: found "gather", allowed: "none"'),
    (SOFTMAX, dict(vectorize='"d0"'), 'stages[0].vectorize: found "d0", allowed: "none", "d1"'),
    (SOFTMAX, dict(loops="[9, 204]"), "stages[0].loops: found [9, 204], allowed: [9, 203]"),
    (SOFTMAX, dict(unroll=17), "stages[0].unroll: found 17, allowed: 1 to 16"),
    (SOFTMAX, dict(vector=3), "stages[0].vector: found 3, allowed: 2, 4, 8"),
    (SOFTMAX, dict(threads=2000), "stages[0].threads: found 2000, allowed: 1 to 1024"),
    (ONE_ROW, dict(threads=2), "stages[0].threads: found 2, allowed: 1"),
    (TRANSPOSE, dict(unroll=3), "stages[0].unroll: found 3, allowed: 8"),
    (ROWS, dict(interleave=2), "stages[0].interleave: found 2, allowed: 1, 3"),
    (TRANSPOSE, dict(interleave=37), "stages[0].interleave: found 37, allowed: 1"),
    (SHORT, dict(unroll=3), "stages[0].unroll: found 3, allowed: 7 (d1 as a whole)"),
    (POOL, dict(peel="[1, 1, 1, 0, 0, 0]"), "stages[0].peel[0]: found 1, allowed: 0"),
    (POOL, dict(peel="[1]"), "stages[0].peel: found [1], allowed: 6 numbers"),
    (
        POOL,
        dict(phases="[1, 2, 1, 1, 1, 1]"),
        "stages[0].phases: found [1, 2, 1, 1, 1, 1], allowed: [1, 1, 1, 1, 1, 1]",
    ),
    (SPREAD, dict(phases="[1, 1, 1]"), "stages[0].phases: found [1, 1, 1], allowed: [1, 2, 1]"),
    (SORT, dict(threads=0), "threads: found 0, allowed: 1 to 1024"),
    (SORT, dict(vector_bytes=64), "vector_bytes: found 64, allowed: 0"),
    (SPECTRUM, dict(length=512), "passes[0].length: found 512, allowed: 1024"),
    (SPECTRUM, dict(vector=16), "passes[0].vector: found 16, allowed: 2, 4, 8"),
    (SPECTRUM, dict(factors="[16, 2]"), "passes[0].factors[0]: found 16, allowed: 2, 4, 8, 3, 5, 7, 11, 13"),
    (SPECTRUM, dict(factors="[]"), "passes[0].factors[0]: found 0, allowed: 2, 4, 8, 3, 5, 7, 11, 13"),
    (
        SPECTRUM,
        dict(factors="[2, 8]", columns="[2]"),
        "passes[0].factors: found 32 together, allowed: 512, or at least 1023",
    ),
    (SPECTRUM, dict(vectorize='"batch"'), "passes[0].columns: found ["),
    (SPECTRUM, dict(vectorize='"n"'), 'passes[0].vectorize: found "n", allowed: "batch", "signal"'),
    (SPECTRUM, dict(prefetch="true"), "passes[0].prefetch: found true, allowed: false"),
    (SPECTRUM, dict(threads=2000), "passes[0].threads: found 2000, allowed: 1 to 1024"),
    (SHORT_SPECTRUM, dict(columns="[2]"), "passes[0].columns: found [2], allowed: []"),
    (SHORT_SPECTRUM, dict(factors="[1]"), "passes[0].factors: found 1 together, allowed: 30, or at least 59"),
    (DOTS, dict(unroll_n=6), "unroll_n: found 6, allowed: 1 to 4"),
    (DOTS, dict(block_m=4), "block_m: found 4, allowed: 0"),
]


@pytest.mark.parametrize(("text", "fields", "words"), WRONG)
def test_wrong_schedules_are_refused(text, fields, words):
    with pytest.raises(hlo.CompileError, match=re.escape(words)) as error:
        compiled(edited(kernels(text), **fields))
    (found,) = error.value.diagnostics
    assert (found.file, found.line > 0) == ("dump.mlir", True)


@pytest.mark.parametrize(
    ("text", "old", "new", "words"),
    [
        (MATMUL, "unroll_m = ", "unroll_q = 1 : i64, unroll_m = ", "unroll_q: found 1 : i64, allowed: the fields "),
        (MATMUL, "keep_b = false, ", "", "keep_b: found nothing, allowed: true or false"),
        (
            MATMUL,
            r", hlo\.schedule = {.*?}",
            "",
            "schedule: found nothing, allowed: what the pass schedule-kernels writes",
        ),
        (SOFTMAX, r"stages = \[", "stages = [{}, ", "stages: found 2 stages, allowed: 1"),
        (SOFTMAX, r"stages = \[", "stages = [7, ", "stages: found 2 stages, allowed: 1"),
        (SOFTMAX, "unroll = ", "unrolled = ", "stages[0].unrolled: found "),
        (
            SOFTMAX,
            r"stages = \[.*?\}\]",
            "stages = [7]",
            "stages[0].schedule: found 7, allowed: a dictionary of loops, ",
        ),
    ],
)
def test_wrong_fields_are_refused(text, old, new, words):
    with pytest.raises(hlo.CompileError, match=re.escape(words)):
        compiled(re.sub(old, new, kernels(text), count=1, flags=re.DOTALL))


def test_programs_may_not_have_schedules():
    with pytest.raises(hlo.VerifyError, match=r"'hlo\.schedule' is the compiler's own"):
        hlo.parse("func.func @main() attributes {hlo.schedule = {}} { return }")
