"""Schedules as text: what is printed after the phase `kernels` is read again as the same code, edits change the code and not the
results, and schedules that do not fit are refused."""

import re

import numpy as np
import pytest

import hlo
from bench.object_hashes import EXAMPLES, object_hash
from hlo.dialect.printer import print_module
from hlo.pipelines.dump import phases_after, read_dump

MATMUL = """func.func @main(%x: tensor<61x77xf32>, %y: tensor<77x90xf32>) -> tensor<61x90xf32> {
  %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<61x77xf32>, tensor<77x90xf32>) -> tensor<61x90xf32>
  return %r : tensor<61x90xf32>
}"""
DOTS = """func.func @main(%x: tensor<3x5x701xf32>, %y: tensor<3x7x701xf32>) -> tensor<3x5x7xf32> {
  %r = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<3x5x701xf32>, tensor<3x7x701xf32>) -> tensor<3x5x7xf32>
  return %r : tensor<3x5x7xf32>
}"""


def kernels(text, cpu="avx2"):
    """The dump of the phase kernels."""
    module = hlo.parse(text)
    hlo.pipelines.run(module, hlo.pipelines.cpu(cpu), stop_after="kernels")
    return print_module(module)


def compiled(dump, cpu="avx2"):
    pipeline = phases_after(hlo.pipelines.cpu(cpu), "kernels")
    return hlo.compile(read_dump(dump, "dump.mlir"), pipeline=pipeline, cpu=cpu, threads=2)


def edited(dump, **fields):
    """The text with other values of some fields, given as they are spelled."""
    for name, value in fields.items():
        changed = re.sub(rf"\b{name} = (\"[^\"]*\"|[^,}}]*)", f"{name} = {value}", dump)
        assert changed != dump, f"{name} is {value} already, or not there"
        dump = changed
    return dump


def inputs(text):
    random = np.random.default_rng(0)
    shapes = [tuple(map(int, s.split("x")[:-1])) for s in re.findall(r"%\w+: tensor<([\dx]+f32)>", text)]
    return [random.standard_normal(shape).astype(np.float32) for shape in shapes]


@pytest.mark.parametrize("name", ["softmax", "mlp", "cnn", "jacobi"])
def test_text_is_the_code(name):
    text = (EXAMPLES / f"{name}.mlir").read_text()
    assert object_hash(text, through="kernels") == object_hash(text)


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.mlir")), ids=lambda path: path.stem)
@pytest.mark.parametrize("cpu", ["host", "avx2", "baseline"])
def test_text_is_the_code_of_all_examples(path, cpu):
    assert object_hash(path.read_text(), cpu, "kernels") == object_hash(path.read_text(), cpu)


EDITS = [
    (MATMUL, dict(unroll_m=3)),
    (MATMUL, dict(unroll_m=1, unroll_n=1)),
    (MATMUL, dict(vector=4)),
    (MATMUL, dict(vector=2, unroll_m=2)),
    (MATMUL, dict(threads=3, parallel='"m"')),
    (MATMUL, dict(threads=5, parallel='"n"')),
    (MATMUL, dict(block_k=16)),
    (MATMUL, dict(block_k=5, unroll_m=2, pack_a='"rows"')),
    (MATMUL, dict(pack_b='"lanes"')),
    (MATMUL, dict(pack_b='"whole"', prefetch_b=3)),
    (MATMUL, dict(pack_a='"rows"', pack_b='"lanes"', unroll_m=2, block_m=8, block_n=32, block_k=24, unroll_n=2)),
    (DOTS, dict(unroll_m=2)),
    (DOTS, dict(unroll_n=1, vector=4)),
    (DOTS, dict(threads=2, parallel='"outer 0"')),
    (DOTS, dict(vectorize='"n"', pack_b='"words"', unroll_n=1, unroll_m=2)),
]


@pytest.mark.parametrize(("text", "fields"), EDITS)
def test_edits_change_code_and_not_results(text, fields):
    dump, arrays = kernels(text), inputs(text)
    before, after = compiled(dump), compiled(edited(dump, **fields))
    assert before.program.objects != after.program.objects
    np.testing.assert_allclose(after(*arrays)[0], before(*arrays)[0], rtol=0, atol=2e-4)


WRONG = [
    (MATMUL, dict(unroll_m=99), "unroll_m: found 99, allowed: 1 to "),
    (MATMUL, dict(unroll_m=0), "unroll_m: found 0, allowed: 1 to "),
    (MATMUL, dict(unroll_n=8), "unroll_n: found 8, allowed: 1 to 7"),
    (MATMUL, dict(vector=16), "vector: found 16, allowed: 2, 4, 8"),
    (MATMUL, dict(vector='"8"'), 'vector: found "8", allowed: an integer'),
    (MATMUL, dict(vectorize='"k"'), 'vectorize: found "k", allowed: "n"'),
    (MATMUL, dict(pack_a='"lanes"'), 'pack_a: found "lanes", allowed: "none", "rows"'),
    (MATMUL, dict(pack_b='"place"'), 'pack_b: found "place", allowed: "none", "lanes", "whole"'),
    (MATMUL, dict(block_k=78), "block_k: found 78, allowed: 0, or a multiple of 1 up to 77"),
    (MATMUL, dict(block_k=-8), "block_k: found -8, allowed: 0, or"),
    (MATMUL, dict(unroll_m=4, block_m=6), "block_m: found 6, allowed: 0, or a multiple of 4"),
    (MATMUL, dict(threads=0), "threads: found 0, allowed: 1 to 1024"),
    (MATMUL, dict(threads=2), 'parallel: found "none", allowed: "m", "n"'),
    (MATMUL, dict(parallel='"m"'), 'parallel: found "m", allowed: "none"'),
    (MATMUL, dict(threads=2, parallel='"outer 0"'), 'parallel: found "outer 0", allowed: "m", "n"'),
    (MATMUL, dict(dot_product=4), "dot_product: found 4, allowed: 1"),
    (MATMUL, dict(keep_b="true"), "keep_b: found true, allowed: false"),
    (MATMUL, dict(swap_operands="1"), "swap_operands: found 1 : i64, allowed: true or false"),
    (MATMUL, dict(swap_operands="true"), 'vectorize: found "n", allowed: nothing'),
    (DOTS, dict(pack_b='"lanes"'), 'pack_b: found "lanes", allowed: "none"'),
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
    ("old", "new", "words"),
    [
        ("unroll_m = ", "unroll_q = 1 : i64, unroll_m = ", "unroll_q: found 1 : i64, allowed: the fields "),
        ("keep_b = false, ", "", "keep_b: found nothing, allowed: true or false"),
        (", hlo.schedule = {.*?}", "", "schedule: found nothing, allowed: what the pass schedule-kernels writes"),
    ],
)
def test_wrong_fields_are_refused(old, new, words):
    with pytest.raises(hlo.CompileError, match=re.escape(words)):
        compiled(re.sub(old, new, kernels(MATMUL), flags=re.DOTALL))


def test_programs_may_not_have_schedules():
    with pytest.raises(hlo.VerifyError, match=r"'hlo\.schedule' is the compiler's own"):
        hlo.parse("func.func @main() attributes {hlo.schedule = {}} { return }")
