"""Windows of bf16 whose elements are multiplied in pairs: sums over several loops, of which A is read where it is and B is packed from tables."""

import numpy as np
import pytest
from mlir import ir
from test_contraction import TINY_CACHES, WITH_DOTS, expected, kernel_text, operands, run

from hlo.lowering.vector.contraction.emit import contraction_op, contraction_plan
from hlo.lowering.vector.contraction.plan import check_schedule

pytestmark = pytest.mark.skipif("bf16" not in WITH_DOTS.dots, reason="the processor multiplies no pairs of bf16")

TYPES = "bf16", "bf16", "f32"
LAST, FIRST = ("n y+p x+q i", "p q i o", "n y x o"), ("n i y+p x+q", "o i p q", "n o y x")
SPACED = "n y+2p x+3q i", "p q i o", "n y x o"
CASES = {
    "even walks": (LAST, dict(n=2, y=7, x=9, o=40, p=3, q=3, i=16)),
    "odd walks of a row of the window": (LAST, dict(n=1, y=5, x=19, o=33, p=3, q=3, i=17)),
    "odd walks, each of a position": (SPACED, dict(n=1, y=5, x=19, o=33, p=3, q=3, i=5)),
    "walks of one element and a half": (SPACED, dict(n=1, y=5, x=19, o=64, p=2, q=2, i=3)),
    "one odd walk": (FIRST, dict(n=2, y=6, x=21, o=40, p=3, q=3, i=7)),
    "strides": (("n i 2y+p 2x+q", "o i p q", "n o y x"), dict(n=2, y=6, x=9, o=40, p=3, q=2, i=6)),
    "kernel transposed": (("n y+p x+q i", "p q o i", "n y x o"), dict(n=2, y=5, x=19, o=40, p=3, q=3, i=24)),
    "kernel transposed, odd": (("n y+2p x+2q i", "p q o i", "n y x o"), dict(n=2, y=5, x=19, o=40, p=2, q=3, i=37)),
    "groups": (("n y+p x+q g i", "p q g i o", "n y x g o"), dict(n=1, y=5, x=17, g=3, o=24, p=3, q=3, i=9)),
    "blocks of one whole walk, odd": (("q c t+i", "q o i", "o c t"), dict(q=2, c=62, t=3, o=118, i=281)),
    "blocks of one whole walk, groups": (("q g c t+i", "q g o i", "g o c t"), dict(q=2, g=2, c=95, t=1, o=84, i=285)),
    "many blocks": (LAST, dict(n=1, y=9, x=40, o=70, p=3, q=3, i=301)),
    "many blocks of one walk": (FIRST, dict(n=1, y=9, x=13, o=70, p=3, q=3, i=57)),
}


def plan_of(spec, sizes, machine):
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(kernel_text(spec, sizes, TYPES)[0])
        return contraction_plan(contraction_op(module.body.operations[0])[0], machine)


@pytest.mark.parametrize("caches", ["small", "own"])
@pytest.mark.parametrize("name", CASES)
def test_values(name, caches):
    spec, sizes = CASES[name]
    machine = WITH_DOTS._replace(threads=2, **(TINY_CACHES if caches == "small" else {}))
    plan = plan_of(spec, sizes, machine)
    assert (plan.pack_b, plan.dot_product) == ("gather", 2)
    check_schedule(plan, machine)
    arrays = operands(spec, sizes, TYPES)
    found, exact = run(spec, sizes, TYPES, machine, arrays), expected(spec, sizes, *arrays, np.float64)
    scale = expected(spec, sizes, *(abs(a) for a in arrays), np.float64)
    terms = np.prod([sizes.get(v, 1) for v in "pqi"])
    assert np.all(abs(found - exact) <= np.finfo(np.float32).eps * terms**0.5 * scale)


@pytest.mark.parametrize("name", CASES)
def test_special_values(name):
    """What fills words up meets neither NaN nor infinities of neighbours."""
    spec, sizes = CASES[name]
    arrays = operands(spec, sizes, TYPES)
    for array, values in zip(arrays, ((np.inf, np.nan), (-np.inf, np.nan))):
        array.flat[-1], array.flat[array.size // 2] = values
    found = run(spec, sizes, TYPES, WITH_DOTS._replace(threads=1, **TINY_CACHES), arrays)
    with np.errstate(invalid="ignore"):
        exact = expected(spec, sizes, *arrays, np.float32)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(exact))
    np.testing.assert_array_equal(np.isinf(found), np.isinf(exact))


def test_few_rows_do_not_pay_for_words():
    sizes = dict(n=1, y=2, x=3, o=64, p=3, q=3, i=16)
    assert plan_of(LAST, sizes, WITH_DOTS).dot_product == 1
