"""rng_bit_generator, written out by decompose, against the bits that JAX gives."""

from __future__ import annotations

import numpy as np
import pytest
from mlir import ir
from stablehlo_interpreter import evaluate

from hlo.dialect.registration import make_context
from hlo.lowering.stablehlo.decompositions.decompose import Decompose

jax = pytest.importorskip("jax")
STATE = [0x0123456789ABCDEF, 0xFFFFFFFFFFFFFFFE]


def expected_bits(algorithm: str, shape: tuple[int, ...], dtype: type) -> list[np.ndarray]:
    with jax.enable_x64(True):
        kind = getattr(jax.lax.RandomAlgorithm, f"RNG_{algorithm}")
        state = jax.numpy.asarray(np.array(STATE, np.uint64))
        results = jax.jit(lambda s: jax.lax.rng_bit_generator(s, shape, dtype, algorithm=kind))(state)
        return [np.asarray(r) for r in results]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("algorithm", ["THREE_FRY", "PHILOX", "DEFAULT"])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32, np.uint64])
@pytest.mark.parametrize("shape", [(7,), (3, 4), ()])
def test_bits(algorithm, dtype, shape):
    element = np.dtype(dtype).name.replace("uint", "ui")
    result = f"tensor<{''.join(f'{s}x' for s in shape)}{element}>"
    state = "tensor<2xui64>"
    text = f"""func.func @main(%s: {state}) -> ({state}, {result}) {{
      %0:2 = "stablehlo.rng_bit_generator"(%s) {{rng_algorithm = "{algorithm}"}} : ({state}) -> ({state}, {result})
      return %0#0, %0#1 : {state}, {result}
    }}"""
    with make_context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        Decompose().run(module)
        assert module.operation.verify()
        actual = evaluate(module, np.array(STATE, np.uint64))
    for a, b in zip(actual, expected_bits(algorithm, shape, dtype), strict=True):
        np.testing.assert_array_equal(a, b)
