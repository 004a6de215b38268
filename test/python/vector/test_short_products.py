"""Matrices of short rows times a vector, or few of them, are kernels of regions, with what they read; the schedule of every other
contraction is one that the check accepts."""

import re

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest

import hlo
from hlo.lowering.target import host_name, names_of, target
from hlo.lowering.vector.contraction.plan import check_schedule, plan
from hlo.lowering.vector.contraction.problem import Dim, problem_of

ORDER = names_of("x86_64")[::-1]
PROCESSORS = ORDER[: ORDER.index(host_name()) + 1]
PRODUCTS = {
    "matrix vector": ("nk,k->n", (1003, 0), (0,)),
    "vector matrix": ("kn,k->n", (0, 1003), (0,)),
    "dots": ("nk,nk->n", (1003, 0), (1003, 0)),
    "batch": ("bnk,bk->bn", (37, 29, 0), (37, 0)),
    "batch of columns": ("bkn,bk->bn", (37, 0, 29), (37, 0)),
    "two rows": ("nk,mk->mn", (1003, 0), (2, 0)),
    "square": ("nk,mk->mn", (3, 0), (3, 0)),
}
DTYPES = {
    "f32": np.float32,
    "f64": np.float64,
    "i32": np.int32,
    "i8": np.int8,
    "bf16": ml_dtypes.bfloat16,
    "f16": np.float16,
}
TYPES = [
    ("f32", "f32"),
    ("f64", "f64"),
    ("i32", "i32"),
    ("bf16", "f32"),
    ("f16", "f32"),
    ("i8", "i32"),
    ("bf16", "bf16"),
]


@pytest.mark.parametrize("processor", PROCESSORS)
@pytest.mark.parametrize("types", TYPES, ids="-".join)
@pytest.mark.parametrize("case", PRODUCTS)
def test_short_rows(case: str, types: tuple[str, str], processor: str) -> None:
    spec, *shapes = PRODUCTS[case]
    element, wanted = (DTYPES[t] for t in types)
    random = np.random.default_rng(len(case))
    for k in (1, 2, 3, 4, 5, 8, 9, 16, 17):
        a, b = (random.integers(-9, 10, [n or k for n in shape]).astype(element) for shape in shapes)
        product = lambda a, b: jnp.einsum(spec, a, b, preferred_element_type=wanted)
        with jax.enable_x64(True):
            text = jax.jit(product).lower(a, b).as_text()
        (found,) = hlo.compile(text, cpu=processor)(a, b)
        exact = np.einsum(spec, a.astype(np.int64), b.astype(np.int64))
        np.testing.assert_array_equal(found.astype(np.float64), exact.astype(wanted).astype(np.float64))


def test_what_they_read_is_in_their_kernel() -> None:
    """A picture's brightness: no array of its bytes as floats is made."""
    weights = jnp.array([0.299, 0.587, 0.114])
    brightness = lambda x: jnp.round(x.astype(jnp.float32) @ weights).astype(jnp.uint8)
    image = np.random.default_rng(0).integers(0, 256, (48, 64, 3)).astype(np.uint8)
    text = jax.jit(brightness).lower(image).as_text()
    compiled = hlo.compile(text, keep_phases=True, cache=False)
    kernels = re.findall(r'-> (\S+) attributes {hlo.kernel = "(\w+)"', compiled.phases["kernels"])
    assert kernels == [("tensor<48x64xf32>", "region"), ("tensor<48x64xi8>", "region")]
    (found,) = compiled(image)
    exact = image @ np.array([0.299, 0.587, 0.114])
    assert np.abs(found - exact).max() <= 0.5 + 1e-4


ELEMENTS = [
    *(("f32",) * 3 + ("", ""), ("f64",) * 3 + ("", ""), ("i64",) * 3 + ("", "")),
    *(("bf16", "bf16", "f32", "arith.extf", "arith.extf"), ("f32", "bf16", "f32", "", "arith.extf")),
    ("i8", "i8", "i32", "arith.extui", "arith.extsi"),
]


@pytest.mark.parametrize("seed", range(8))
def test_schedules_of_any_sizes_are_accepted(seed: int) -> None:
    """Up to two loops of rows, columns and terms each, in any order, of one to two million iterations."""
    random = np.random.default_rng(seed)
    for _ in range(500):
        counts = {role: int(random.integers(0, 3)) for role in "mnk"}
        names = [f"{role}{n}" for role, count in counts.items() for n in range(count)] + ["b"] * int(random.integers(2))
        sizes = {name: int(2 ** random.uniform(0, random.choice([5, 11, 21]))) for name in names}
        strides = [_strides(random, sizes, roles) for roles in ("mkb", "nkb", "mnb")]
        elements = ELEMENTS[random.integers(len(ELEMENTS))]
        dims = [Dim(size, *(of.get(name, 0) for of in strides)) for name, size in sizes.items()]
        problem = problem_of(dims, elements[:3], elements[3:])
        machine = target(str(random.choice(ORDER)))._replace(threads=int(random.choice([1, 2, 3, 8, 64])))
        schedule = plan(problem, machine)
        if schedule is not None:
            check_schedule(schedule, machine)


def _strides(random: np.random.Generator, sizes: dict[str, int], roles: str) -> dict[str, int]:
    """Of an array whose dimensions are these loops in some order."""
    order = [str(name) for name in random.permutation([name for name in sizes if name[0] in roles])]
    return {
        name: int(np.prod([sizes[inner] for inner in order[at + 1 :]], dtype=object)) for at, name in enumerate(order)
    }
