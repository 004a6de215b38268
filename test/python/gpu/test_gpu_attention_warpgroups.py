"""Attention by warpgroups of sm_90a, on the model of a card: what it computes (against JAX in f32), which problems it takes, and that
mistakes are found."""

import functools
import re
from dataclasses import replace

import jax.numpy as jnp
import numpy as np
import pytest
from gpu_products import change_target
from mlir import ir
from test_gpu_attention import EACH, PROGRAMS, btnh, expected, heads, is_near, jax_attention, lowered, normal, plain

import hlo
from hlo import pipelines
from hlo.dialect.registration import make_context
from hlo.errors import HloError
from hlo.lowering.gpu.attention.plan import Cut
from hlo.pipelines.gpu import gpu
from hlo.runtime.gpu.executable import GpuExecutable
from hlo.runtime.gpu.model.driver import ModelDriver
from hlo.runtime.gpu.model.read_code import code_of

PLAN = "hlo.lowering.gpu.attention.plan"


@pytest.fixture
def few_tiles(monkeypatch):
    """Are enough, and two blocks take them in turns."""
    change_target(monkeypatch, "sm_90a", multiprocessors=2)


def compiled(text: str):
    return hlo.compile(text, target="gpu", device="model", arch="sm_90a", cache=False).program


def found_by_warpgroups(function, arrays):
    program = compiled(lowered(function, arrays))
    assert "wgmma" in program.code
    return GpuExecutable(program, ModelDriver())(*arrays)[0]


def windowed(q, k, v):
    """A key is seen by the rows from it on, up to 20 later."""
    rows, keys = jnp.arange(q.shape[1])[:, None], jnp.arange(k.shape[1])[None]
    return plain(EACH, q, k, v, lambda s: jnp.where((keys <= rows) & (keys > rows - 20), s, -1e30))


MORE = {
    "heads of 64, longer than a tile, f16": (
        functools.partial(plain, EACH), heads((1, 300, 64), (1, 300, 64), (1, 300, 64), kind=np.float16)),
    "heads of 128": (functools.partial(plain, EACH), heads((1, 136, 128), (1, 400, 128), (1, 400, 128))),
    "heads of 256": (functools.partial(jax_attention, is_causal=True), [a[:1] for a in btnh(150, 150, 1, size=256)]),
    "windowed": (windowed, heads((1, 200, 64), (1, 200, 64), (1, 200, 64))),
    "result the other way round": (
        functools.partial(plain, "bhqd,bhkd->bhqk bhqk,bhkd->bdhq"), heads(*[(2, 2, 72, 64)] * 3)),
}  # fmt: skip

TAKEN = [
    "lengths that are no tiles",
    "causal, grouped queries",
    "causal, rows without keys",
    "causal without keys, -inf",
    "bias and mask",
    "rows of 80 and 112, without a batch",
    "keys and values the other way round",
    "batch and heads as one",
    "rows without keys, finite",
    "factors and sums after it",
]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", [*TAKEN, *MORE])
def test_programs(name: str, few_tiles) -> None:
    function, arrays = {**PROGRAMS, **MORE}[name]
    assert is_near(found_by_warpgroups(function, arrays), expected(function, arrays))


def test_three_consumers(few_tiles, monkeypatch) -> None:
    monkeypatch.setattr(f"{PLAN}.BY_WARPGROUPS", {64: (Cut(12, 1, 128),)})
    function, arrays = functools.partial(plain, EACH), heads((1, 400, 64), (1, 270, 64), (1, 270, 64))
    assert is_near(found_by_warpgroups(function, arrays), expected(function, arrays))


def test_infinities_and_nans(few_tiles) -> None:
    """A row with an infinite or undefined score is undefined, others are not."""
    q, k, v = heads((1, 16, 32), (1, 40, 32), (1, 40, 32))
    q[0, 3, 5], q[0, 9, 0] = np.nan, np.inf
    function = functools.partial(plain, EACH)
    right = expected(function, [q, k, v])
    assert np.isnan(right).all(-1).sum() == 2
    assert is_near(found_by_warpgroups(function, [q, k, v]), right)


@pytest.mark.parametrize(
    "kind, size, scale, far",
    [
        (jnp.bfloat16, 3e3, 0.125, None),
        (np.float16, 30, 7.0, None),
        (np.float16, 300, 1e4, None),
        (jnp.bfloat16, 100, -1.0, -1e9),
        (jnp.bfloat16, 1, 1.0, float(np.finfo(np.float32).min)),
    ],
)
def test_large_scores(kind, size: float, scale: float, far: float | None, few_tiles) -> None:
    """Shifts of up to 1e12, and those of masks in rows without keys, which take another way than others."""

    def then(scores):
        scores = scores * scale
        seen = jnp.arange(100)[:, None] > jnp.arange(150)[None]
        return scores if far is None else jnp.where(seen, scores, far)

    q, k = (normal(1, count, 64, kind=kind, scale=size, seed=count) for count in (100, 150))
    arrays = [q, k, normal(1, 150, 64, kind=kind)]
    function = functools.partial(plain, EACH, then=then)
    assert is_near(found_by_warpgroups(function, arrays), expected(function, arrays))


def test_more_blocks_than_multiprocessors_are_not_made() -> None:
    """Tiles of 128 queries in turns; with few tiles, and where TMA has no aligned strides, mma.sync."""
    for size, wanted in (
        (4096, "tiles of 128 queries"),
        (128, "not wgmma: less than 64 tiles"),
        (0, "TMA does not bring"),
    ):
        shapes = [(16, size, 128)] * 3 if size else [(16, 1024, 68)] * 3
        module = hlo.parse(lowered(functools.partial(plain, EACH), [np.zeros(s, jnp.bfloat16) for s in shapes]))
        pipelines.run(module, gpu("sm_90a"), stop_after="memory")
        (decision,) = re.findall(r'hlo.decision = "(attention[^"]*)"', str(module))
        assert wanted in decision
        assert size != 4096 or "(%c132, %c1, %c1)" in str(module)


@functools.cache
def causal():
    """Of a program: its code in front of the model, arguments, the program, the result."""
    function, arrays = PROGRAMS["causal, rows without keys"]
    text = lowered(function, arrays)
    module = hlo.parse(text)
    pipelines.run(module, gpu("sm_90a", "model"))
    return str(module), arrays, compiled(text), expected(function, arrays)


@pytest.mark.parametrize(
    "old, new, message",
    [
        ("(?s)(.*)nvvm.wgmma.fence.aligned", r"\g<1>", "without wgmma.fence"),
        ("nvvm.wgmma.wait.group.sync.aligned 1", "nvvm.wgmma.wait.group.sync.aligned 2", "under way"),
        ("(?s)(.*)nvvm.wgmma.wait.group.sync.aligned 0", r"\g<1>", "under way"),
        (r"(0;\\0Awgmma[^{]*\{[^}]*\}, \{)(\$\d+), (\$\d+)", r"\1\3, \2", None),
        (r"p, 1, 1, 1;", "p, 1, 1, 0;", None),
        (r"(?s)(increase.*?)nvgpu.mbarrier.try_wait.parity [^\n]*", r"\1", None),
        (r"(?s)(wait.group.sync.aligned 0.*?)nvgpu.mbarrier.try_wait.parity [^\n]*", r"\1", None),
        (r"(?s)(commit.*commit.*)nvgpu.mbarrier.try_wait.parity [^\n]*(.*inline_asm.*wgmma)", r"\1\2", None),
        (r"(nvgpu.mbarrier.try_wait.parity %\d+\[%c1\], )%\d+", r"%wrong = arith.constant false\n\1%wrong", None),
        (r"%\w+ = nvgpu.mbarrier.arrive %.*", "", "every warp waits"),
        (r"(?s)(.*)%\w+ = nvgpu.mbarrier.arrive %[^\n]*", r"\1", "every warp waits"),
        (r"(expect_tx .*, )%c8192", r"\1%c16384", "every warp waits"),
        (r"nvgpu.mbarrier.try_wait.parity %\d+\[%c18\][^\n]*", "", "no barrier in between"),
        (r"(mbarrier.init %\d+\[%c18\], )%c8", r"\1%c4", None),
    ],
)  # fmt: skip
def test_planted_mistakes_are_found(old: str, new: str, message: str | None, few_tiles) -> None:
    """Fences and waits that are missing or too short, registers and a matrix that are swapped, mbarriers that nobody waits for
    (of queries, keys, values, decisions), wrong phases, arrivals, bytes and counts."""
    text, arrays, program, right = causal()
    wrong, count = re.subn(old, new, text, count=1)
    assert count == 1
    with make_context(), ir.Location.unknown():
        changed = replace(program, code=code_of(ir.Module.parse(wrong)))
    try:
        (found,) = GpuExecutable(changed, ModelDriver())(*arrays)
    except HloError as error:
        assert message is None or message in str(error)
        return
    assert message is None and not is_near(found, right)
