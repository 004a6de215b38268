"""What the printer writes, jaxlib's own parser reads back to the module that JAX made."""

import importlib

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax._src.interpreters import mlir as jax_mlir
from jaxlib.mlir import ir as upstream

from hlo.dialect.definition import OPS
from hlo.dialect.printer import print_module
from hlo.dialect.reader import read
from hlo.dialect.registration import make_context

x = jnp.ones((4, 6))
k = jax.random.key(0)
im = jnp.ones((2, 8, 8, 3))
w = jnp.ones((3, 3, 3, 5))
PROGRAMS = {
    "mlp": (lambda x, w: jnp.tanh(x @ w), x, x.T),
    "grad": (jax.grad(lambda x: jnp.sum(jax.nn.softmax(x @ x.T))), x),
    "scan": (lambda x: lax.scan(lambda c, a: (c + a, c * a), x[0], x), x),
    "while": (lambda x: lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * 2), (0, x)), x),
    "cond": (lambda x: lax.cond(x[0, 0] > 0, jnp.sin, jnp.cos, x), x),
    "switch": (lambda i, x: lax.switch(i, [jnp.sin, jnp.cos, jnp.exp], x), 1, x),
    "conv": (
        lambda a, b: lax.conv_general_dilated(a, b, (2, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")),
        im,
        w,
    ),
    "convgrad": (
        jax.grad(
            lambda a, b: lax.conv_general_dilated(
                a, b, (2, 1), "SAME", rhs_dilation=(2, 1), dimension_numbers=("NHWC", "HWIO", "NHWC")
            ).sum(),
            (0, 1),
        ),
        im,
        w,
    ),
    "gather": (lambda x, i: x[i], x, jnp.array([1, 2])),
    "gathergrad": (jax.grad(lambda x, i: (x[i] ** 2).sum()), x, jnp.array([1, 2])),
    "scatter": (lambda x, i: x.at[i, 1].add(2.0), x, jnp.array([1, 2])),
    "sort": (lambda x: jnp.sort(x, 0), x),
    "argsort": (lambda x: jnp.argsort(x), x),
    "normal": (lambda k: jax.random.normal(k, (3, 4)), k),
    "perm": (lambda k: jax.random.permutation(k, 10), k),
    "bits": (lambda k: lax.rng_bit_generator(jnp.zeros(4, jnp.uint32), (4,)), k),
    "fft": (lambda x: jnp.fft.rfft(x), x),
    "ifft": (lambda x: jnp.fft.ifft(x + 0j), x),
    "chol": (lambda x: jnp.linalg.cholesky(x @ x.T), x),
    "solve": (lambda x: jnp.linalg.solve(x[:, :4], x), x),
    "qr": (lambda x: jnp.linalg.qr(x), x),
    "svd": (lambda x: jnp.linalg.svd(x), x),
    "argmax": (lambda x: jnp.argmax(x, 1), x),
    "any": (lambda x: (x > 0).any(0), x),
    "cumsum": (lambda x: jnp.cumsum(x, 1), x),
    "pool": (lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"), im),
    "poolgrad": (
        jax.grad(lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID").sum()),
        im,
    ),
    "pad": (lambda x: jnp.pad(x, 1), x),
    "slice": (lambda x: x[1:3, ::2], x),
    "dslice": (lambda x, i: lax.dynamic_slice(x, (i, 0), (2, 2)), x, 1),
    "dus": (lambda x, i: lax.dynamic_update_slice(x, x[:2, :2], (i, 0)), x, 1),
    "erf": (
        lambda x: (
            lax.erf(x)
            + lax.erf_inv(x)
            + lax.lgamma(x)
            + lax.digamma(x)
            + jnp.arcsin(x)
            + jnp.sinh(x)
            + lax.square(x)
            + lax.bessel_i1e(x)
            + lax.polygamma(x, x)
            + lax.zeta(x, x)
            + jnp.nextafter(x, x)
        ),
        x,
    ),
    "topk": (lambda x: lax.top_k(x, 2), x),
    "complex": (lambda x: lax.complex(x, x) * 1j, x),
    "bool": (lambda x: jnp.where(jnp.array([True, False, True, True, False, True]), x, 0), x),
    "bigconst": (lambda x: x.sum() + jnp.array(np.random.rand(100, 3).astype("f")), x),
    "boolconst": (lambda x: (x.sum() > 0) & jnp.array(np.random.rand(10, 21) > 0.5), x),
    "convert": (
        lambda x: (
            x.astype(jnp.bfloat16),
            x.astype(jnp.float8_e4m3fn),
            x.astype(jnp.int4),
            x.astype(jnp.uint8),
        ),
        x,
    ),
    "bitcast": (lambda x: lax.bitcast_convert_type(x, jnp.int32), x),
    "rprec": (lambda x: lax.reduce_precision(x, 5, 10), x),
    "rev": (lambda x: x[::-1], x),
    "concat": (lambda x: jnp.concatenate([x, x], 1), x),
    "clip": (lambda x: jnp.clip(x, 0, 1), x),
    "eye": (lambda x: x @ jnp.eye(6), x),
    "vmapdot": (jax.vmap(lambda a, b: a @ b), jnp.ones((3, 4, 5)), jnp.ones((3, 5, 2))),
    "precision": (lambda x: jnp.dot(x, x.T, precision="highest"), x),
    "algo": (
        lambda x: lax.dot_general(x, x, (((1,), (1,)), ((), ())), precision=lax.DotAlgorithmPreset.BF16_BF16_F32),
        x,
    ),
    "barrier": (lambda x: lax.optimization_barrier((x, x + 1)), x),
    "shift": (lambda i: (i << 2) >> 1, jnp.arange(4)),
    "callback": (lambda x: jax.named_call(jnp.sin, name="foo")(x), x),
    "checkpoint": (jax.grad(lambda x: jax.checkpoint(lambda y: jnp.sin(jnp.sin(y)))(x).sum()), x),
    "accuracy": (lambda x: lax.exp(x, accuracy=lax.Tolerance(1e-5, 0.0, 1)), x),
    "ragged": (
        lambda a, b, g: lax.ragged_dot(a, b, g),
        jnp.ones((6, 4)),
        jnp.ones((2, 4, 3)),
        jnp.array([2, 4]),
    ),
    "isfin": (lambda x: jnp.isfinite(x) & jnp.isinf(x), x),
    "psum": (lambda x: jax.vmap(lambda y: lax.psum(y, "i"), axis_name="i")(x), x),
    "select_scatter": (lambda x: lax.select_n(jnp.array([0, 1]), x[0, :2], x[1, :2]), x),
}


@pytest.fixture(scope="module")
def context():
    return make_context()


def upstream_generic(text):
    with jax_mlir.make_ir_context():
        return upstream.Module.parse(text).operation.get_asm(print_generic_op_form=True)


@pytest.mark.parametrize("generic", [False, True], ids=["short", "generic"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_upstream_reads_the_same_module(name, generic, context):
    function, *arguments = PROGRAMS[name]
    text = jax.jit(function).lower(*arguments).as_text()
    printed = print_module(read(text, context), generic=generic)
    assert upstream_generic(printed) == upstream_generic(text)


def test_every_op_of_jaxlibs_dialects_is_known():
    for dialect in ("stablehlo", "chlo"):
        generated = importlib.import_module(f"jaxlib.mlir.dialects._{dialect}_ops_gen")
        names = {op.OPERATION_NAME for op in vars(generated).values() if hasattr(op, "OPERATION_NAME")}
        assert len(names) > 40 and names - set(OPS) == set()
