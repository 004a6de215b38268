"""Kernels of several reductions over a row and what lies between them, formed from separate linalg ops."""

import numpy as np
import pytest
from kernel_runner import Kernel
from mlir import ir

from hlo.lowering.kernels.form_kernels import FormKernels

rng = np.random.default_rng(2)

PRELUDE = """
#full = affine_map<(i,j)->(i,j)>
#row = affine_map<(i,j)->(i)>
#column = affine_map<(i,j)->(j)>
func.func @main({arguments}) -> ({results}) {{
  %e = tensor.empty() : tensor<{s}xf32>
  %er = tensor.empty() : tensor<{m}xf32>
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %f0 = linalg.fill ins(%zero : f32) outs(%er : tensor<{m}xf32>) -> tensor<{m}xf32>
  %fl = linalg.fill ins(%low : f32) outs(%er : tensor<{m}xf32>) -> tensor<{m}xf32>
"""


class Program:
    """Builds host code over [m, n] arrays."""

    def __init__(self, m, n):
        self.m, self.n, self.lines = m, n, []
        self.full, self.row = f"tensor<{m}x{n}xf32>", f"tensor<{m}xf32>"

    def generic(self, result, inputs, init, body, kinds):
        """`inputs`: names with a map, as "%a:full"."""
        types = {"full": self.full, "row": self.row, "column": f"tensor<{self.n}xf32>"}
        pairs = [i.split(":") for i in inputs]
        out = "full" if kinds == "pp" else "row"
        maps = ", ".join(f"#{m}" for _, m in [*pairs, (init, out)])
        iterators = '"parallel", "parallel"' if kinds == "pp" else '"parallel", "reduction"'
        names = ", ".join(f"%x{k}: f32" for k in range(len(pairs)))
        self.lines.append(
            f"{result} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{iterators}]}} "
            f"ins({', '.join(p[0] for p in pairs)} : {', '.join(types[p[1]] for p in pairs)}) "
            f"outs({init} : {types[out]}) {{\n^bb0({names}, %acc: f32):\n{body}\n}} -> {types[out]}"
        )

    def map(self, result, inputs, body):
        self.generic(result, inputs, "%e", body, "pp")

    def reduce(self, result, value, op, init):
        body = f"%s = {op} %x0, %acc : f32\nlinalg.yield %s : f32"
        self.generic(result, [value], init, body, "pr")

    def text(self, arguments, results):
        head = PRELUDE.format(
            arguments=", ".join(f"{n}: {t}" for n, t in arguments.items()),
            results=", ".join(results.values()),
            s=f"{self.m}x{self.n}",
            m=self.m,
        )
        end = f"return {', '.join(results)} : {', '.join(results.values())}\n}}"
        return head + "\n".join(self.lines) + "\n" + end


def kernels(text):
    """The kernel functions that form-kernels makes, each as text of a module."""
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        FormKernels().run(module)
        assert module.operation.verify()
        functions = [op for op in module.body.operations if "hlo.kernel" in op.operation.attributes]
        return [f.operation.get_asm(use_local_scope=True) for f in functions]


def softmax(m, n):
    p = Program(m, n)
    p.reduce("%max", "%a:full", "arith.maximumf", "%fl")
    p.map("%d", ["%a:full", "%max:row"], "%s = arith.subf %x0, %x1 : f32\nlinalg.yield %s : f32")
    p.map("%p", ["%d:full"], "%s = math.exp %x0 : f32\nlinalg.yield %s : f32")
    p.reduce("%sum", "%p:full", "arith.addf", "%f0")
    p.map("%r", ["%p:full", "%sum:row"], "%s = arith.divf %x0, %x1 : f32\nlinalg.yield %s : f32")
    return p.text({"%a": p.full}, {"%r": p.full})


@pytest.mark.parametrize("target", ["avx512", "avx2", "baseline"])
@pytest.mark.parametrize("m, n", [(37, 53), (5, 64), (3, 8), (4, 1000), (2, 15), (300, 700)])
def test_softmax_is_one_kernel(m, n, target):
    (text,) = kernels(softmax(m, n))
    a = rng.normal(size=(m, n)).astype(np.float32)
    e = np.exp(a - a.max(1, keepdims=True))
    np.testing.assert_allclose(Kernel(text, target)(a)[0], e / e.sum(1, keepdims=True), rtol=2e-6)


@pytest.mark.parametrize("target", ["avx512", "avx2"])
@pytest.mark.parametrize("m, n", [(37, 53), (6, 512)])
def test_normalisation(m, n, target):
    p = Program(m, n)
    p.reduce("%sum", "%a:full", "arith.addf", "%f0")
    mean = f"%c = arith.constant {1 / n} : f32\n%m = arith.mulf %x1, %c : f32\n%s = arith.subf %x0, %m : f32\n"
    p.map("%d", ["%a:full", "%sum:row"], mean + "linalg.yield %s : f32")
    p.map("%q", ["%d:full"], "%s = arith.mulf %x0, %x0 : f32\nlinalg.yield %s : f32")
    p.reduce("%v", "%q:full", "arith.addf", "%f0")
    root = f"%c = arith.constant {1 / n} : f32\n%w = arith.mulf %x1, %c : f32\n%t = math.sqrt %w : f32\n"
    p.map("%r", ["%d:full", "%v:row"], root + "%s = arith.divf %x0, %t : f32\nlinalg.yield %s : f32")
    (text,) = kernels(p.text({"%a": p.full}, {"%r": p.full}))
    a = rng.normal(size=(m, n)).astype(np.float32)
    np.testing.assert_allclose(Kernel(text, target)(a)[0], (a - a.mean(1)[:, None]) / a.std(1)[:, None], atol=1e-5)


def test_sum_and_centred_values_are_both_results():
    p = Program(9, 40)
    p.reduce("%sum", "%a:full", "arith.addf", "%f0")
    p.map("%d", ["%a:full", "%sum:row"], "%s = arith.subf %x0, %x1 : f32\nlinalg.yield %s : f32")
    (text,) = kernels(p.text({"%a": p.full}, {"%sum": p.row, "%d": p.full}))
    a = rng.normal(size=(9, 40)).astype(np.float32)
    total, centred = Kernel(text)(a)
    np.testing.assert_allclose(total, a.sum(1), rtol=1e-5)
    np.testing.assert_allclose(centred, a - a.sum(1)[:, None], rtol=1e-4, atol=1e-5)


def test_other_rows_are_not_joined():
    """A row sum that is read along columns needs all rows first: two kernels."""
    p = Program(24, 24)
    p.reduce("%sum", "%a:full", "arith.addf", "%f0")
    p.map("%d", ["%a:full", "%sum:column"], "%s = arith.subf %x0, %x1 : f32\nlinalg.yield %s : f32")
    assert len(kernels(p.text({"%a": p.full}, {"%d": p.full}))) == 2


def test_a_reshape_between_reduction_and_use_is_part_of_the_kernel():
    p = Program(20, 30)
    p.reduce("%max", "%a:full", "arith.maximumf", "%fl")
    p.lines.append("%k = tensor.expand_shape %max [[0, 1]] output_shape [20, 1] : tensor<20xf32> into tensor<20x1xf32>")
    p.lines.append(
        "%b = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,0)>, #full], "
        'iterator_types = ["parallel", "parallel"]} ins(%k : tensor<20x1xf32>) outs(%e : tensor<20x30xf32>) {\n'
        "^bb0(%x: f32, %o: f32):\nlinalg.yield %x : f32\n} -> tensor<20x30xf32>"
    )
    p.map("%r", ["%a:full", "%b:full"], "%s = arith.subf %x0, %x1 : f32\nlinalg.yield %s : f32")
    (text,) = kernels(p.text({"%a": p.full}, {"%r": p.full}))
    a = rng.normal(size=(20, 30)).astype(np.float32)
    np.testing.assert_array_equal(Kernel(text)(a)[0], a - a.max(1, keepdims=True))
