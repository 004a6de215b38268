"""Checks of the lowering to linalg: programs are lowered, run through upstream passes only (linalg_oracle.py) and
compared with numpy's or JAX's results."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import jax
import numpy as np
from linalg_oracle import run_linalg

from hlo.dialect.reader import read
from hlo.dialect.registration import make_context
from hlo.lowering.linalg.stablehlo_to_linalg import StablehloToLinalg


def lower(text: str, many_threads: bool = False):
    """The linalg module of a program; its context lives as long as the module."""
    module = read(text, make_context(), "test.mlir")
    with module.context:
        StablehloToLinalg(target="sm_80" if many_threads else "").run(module)
    module.operation.verify()
    return module


def check_text(
    text: str,
    arrays: Sequence[np.ndarray],
    expected: Sequence[np.ndarray],
    tolerance: float = 1e-5,
    many_threads: bool = False,
) -> None:
    """Compares the results of a program with the expected arrays: floats relative to the largest, integers exactly."""
    results = run_linalg(lower(text, many_threads), *arrays)
    assert len(results) == len(expected)
    for found, wanted in zip(results, expected):
        assert_close(found, np.asarray(wanted), tolerance)


def check_jax(function: Callable, *arrays: np.ndarray, tolerance: float = 1e-5) -> None:
    """Compares what JAX prints for a function, lowered and run, with JAX's own results."""
    jitted = jax.jit(function)
    check_text(jitted.lower(*arrays).as_text(), arrays, jax.tree.leaves(jitted(*arrays)), tolerance)


def assert_close(found: np.ndarray, wanted: np.ndarray, tolerance: float) -> None:
    assert found.shape == wanted.shape
    if wanted.dtype.kind in "biu":
        np.testing.assert_array_equal(found.view(wanted.dtype), wanted)
        return
    assert found.dtype == wanted.dtype
    wide = np.complex128 if wanted.dtype.kind == "c" else np.float64
    wanted = wanted.astype(wide)
    finite = np.abs(wanted[np.isfinite(wanted)])
    np.testing.assert_allclose(found.astype(wide), wanted, rtol=0, atol=tolerance * max(finite.max(initial=0), 1e-30))


def tensor_type(array: np.ndarray) -> str:
    """The StableHLO type of an array."""
    elements = {"bool": "i1", "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64"}
    elements |= {"complex64": "complex<f32>", "complex128": "complex<f64>"}
    name = array.dtype.name
    element = elements.get(name) or name.replace("uint", "ui").replace("int", "i")
    return f"tensor<{''.join(f'{n}x' for n in array.shape)}{element}>"


def function_text(body: str, arrays: Sequence[np.ndarray], expected: Sequence[np.ndarray]) -> str:
    """A program: main of %0, %1, ... of the arrays' types that returns what `body` names %result, or %result#0, ...
    for several."""
    arguments = ", ".join(f"%{i}: {tensor_type(a)}" for i, a in enumerate(arrays))
    types = ", ".join(tensor_type(a) for a in expected)
    names = ["%result"] if len(expected) == 1 else [f"%result#{i}" for i in range(len(expected))]
    return f"func.func @main({arguments}) -> ({types}) {{\n{body}\nreturn {', '.join(names)} : {types}\n}}"


def check_op(
    body: str,
    arrays: Sequence[np.ndarray],
    expected: Sequence[np.ndarray],
    tolerance: float = 1e-5,
    many_threads: bool = False,
) -> None:
    """`check_text` of a main whose body defines %result; `%T` in it stands for the function type of its op."""
    inputs = ", ".join(tensor_type(a) for a in arrays)
    outputs = ", ".join(tensor_type(a) for a in expected)
    body = body.replace("%T", f"({inputs}) -> ({outputs})")
    check_text(function_text(body, arrays, expected), arrays, expected, tolerance, many_threads)
