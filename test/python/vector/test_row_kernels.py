"""Kernels joined by rows, against JAX: attention, epilogues, operands of every kind; on small caches, so that they are cut."""

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hlo
from bench.object_hashes import object_hash
from hlo.dialect.printer import print_module
from hlo.lowering import target as targets
from hlo.lowering.kernel_calls import kind
from hlo.lowering.merging import watch_merges
from hlo.lowering.vector.rows import chains
from hlo.pipelines.dump import phases_after, read_dump

f32 = np.float32


@pytest.fixture
def tiny(monkeypatch):
    """A machine whose caches hold next to nothing, with the vectors that HLO_CPU allows."""
    small = targets.target()._replace(l1=1 << 12, l2=1 << 14, l3=1 << 15)
    monkeypatch.delenv("HLO_CPU", raising=False)
    monkeypatch.setattr(targets, "host", lambda: small)
    monkeypatch.setattr(chains, "LEAST_ROWS", 2)
    monkeypatch.setattr(chains, "MEMORY", 1 << 10)  # joined whatever all blocks read again
    return small


def normal(*shape, seed=0):
    return np.random.default_rng([seed, *shape]).standard_normal(shape).astype(f32)


def attention(q, k, v):
    scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) * (q.shape[-1] ** -0.5)
    return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(scores, axis=-1), v)


def masked(q, k, v, mask):
    scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) + jnp.where(mask, 0.0, -1e9)[None, None]
    return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(scores, axis=-1), v)


def seen(is_seen, hidden=-jnp.inf):
    """Attention of which a rule of positions hides scores."""

    def function(q, k, v):
        scores = jnp.einsum("bhqd,bhkd->bhqk", q, k)
        row, key = (jax.lax.broadcasted_iota(jnp.int32, scores.shape, d) for d in (2, 3))
        scores = jnp.where(is_seen(row, key), scores, hidden)
        return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(scores, axis=-1), v)

    return function


def shared_positions(q, k, v):
    """Rows and keys are counted by one array."""
    position = jnp.arange(q.shape[0])
    scores = jnp.where(position[:, None] >= position, q @ k.T, -jnp.inf)
    return jax.nn.softmax(scores, axis=-1) @ v


def numbered_heads(q, k, v):
    """A slope for each head, which is a row dimension too, and a slope for each distance."""
    scores = jnp.einsum("bhqd,bhkd->bhqk", q, k)
    head, row, key = (jax.lax.broadcasted_iota(scores.dtype, scores.shape, d) for d in (1, 2, 3))
    return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(scores - jnp.abs(row - key) / (head + 1), axis=-1), v)


def heads_inside(q, k, v):
    scores = jax.nn.softmax(jnp.einsum("bqhd,bkhd->bhqk", q, k), axis=-1)
    return jnp.einsum("bhqk,bkhd->bqhd", scores, v)


def values_first(q, k, v):
    """The second operand of the second contraction is a block of each head, and new in each."""
    weights = jnp.tanh(jnp.einsum("bqhd,bkhd->bhqk", q, k))
    return jnp.einsum("bkhe,bhqk->bheq", v, weights)


def both_kept(x, w):
    y = x @ w
    return y, jnp.tanh(y)


def convolution(x, w, b):
    y = jax.lax.conv_general_dilated(x, w, (1, 1), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    return jax.nn.relu(y + b)


def norm_and_layers(x, *weights):
    """Three products whose tiles are equal functions."""
    for w in weights:
        y = x @ w
        x = jnp.tanh((y - y.mean(-1, keepdims=True)) * jax.lax.rsqrt(y.var(-1, keepdims=True) + 1e-5))
    return x


PROGRAMS = {
    "attention": (attention, [normal(2, 3, 96, 16, seed=s) for s in range(3)]),
    "attention, odd": (attention, [normal(1, 3, 97, 20), normal(1, 3, 61, 20), normal(1, 3, 61, 11)]),
    "attention, masked": (masked, [*(normal(1, 2, 80, 16, seed=s) for s in range(3)), np.tri(80, dtype=bool)]),
    "attention, heads inside": (heads_inside, [normal(2, 96, 3, 16, seed=s) for s in range(3)]),
    "values first": (values_first, [normal(2, 14, 3, 22), normal(2, 118, 3, 22), normal(2, 118, 3, 54)]),
    "attention, causal": (seen(lambda row, key: row >= key), [normal(2, 3, 90, 16, seed=s) for s in range(3)]),
    "attention, causal, more keys": (
        seen(lambda row, key: row + 40 >= key, -1e9),
        [normal(1, 2, 67, 16), normal(1, 2, 107, 16), normal(1, 2, 107, 24)],
    ),
    "attention, in a window": (
        seen(lambda row, key: (row >= key) & (row - key < 7)),
        [normal(1, 2, 97, 16, seed=s) for s in range(3)],
    ),
    "attention, positions shared": (shared_positions, [normal(97, 16, seed=s) for s in range(3)]),
    "attention, heads numbered": (numbered_heads, [normal(2, 3, 80, 16, seed=s) for s in range(3)]),
    "positions": (
        lambda x, w: x @ w + jax.lax.broadcasted_iota(x.dtype, (130, 96), 0),
        [normal(130, 40), normal(40, 96)],
    ),
    "bias": (lambda x, w, b: jax.nn.relu(x @ w + b), [normal(130, 40), normal(40, 96), normal(96)]),
    "bias of rows": (lambda x, w, b: jnp.exp(x @ w * b), [normal(130, 40), normal(40, 96), normal(130, 1)]),
    "residual": (lambda x, w, y: x @ w + y, [normal(128, 64), normal(64, 128), normal(128, 128)]),
    "wide sums": (lambda x, w: jnp.tanh(x @ w / 64), [normal(200, 700), normal(700, 150)]),
    "transposed": (lambda x, w, b: jnp.tanh(x @ w.T) + b, [normal(150, 90), normal(130, 90), normal(130)]),
    "softmax of rows": (lambda x, w: jax.nn.softmax(x @ w, -1), [normal(130, 40), normal(40, 96)]),
    "norm and layers": (norm_and_layers, [normal(130, 64), *(normal(64, 64, seed=s) for s in range(3))]),
    "complex result": (
        lambda x, w, b: jax.lax.complex(x @ w, b) * 2j,
        [normal(130, 40), normal(40, 96), normal(130, 96)],
    ),
    "both kept": (both_kept, [normal(130, 40), normal(40, 96)]),
    "batched": (lambda x, w, b: jax.nn.gelu(x @ w + b[:, None]), [normal(3, 65, 40), normal(3, 40, 70), normal(3, 70)]),
    "convolution": (convolution, [normal(2, 20, 20, 8), normal(3, 3, 8, 40), normal(40)]),
}
FLOATS = {"f32": (f32, 3e-6), "f64": (np.float64, 1e-13)}


def compiled(function, arrays, cpu="host"):
    with jax.enable_x64(True):
        return hlo.compile(jax.jit(function).lower(*arrays).as_text(), cpu=cpu, keep_phases=True, cache=False)


def has_rows(executable) -> bool:
    return ".blocks" in str(executable.phases["memory"])


@pytest.mark.parametrize("kind", FLOATS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name, kind, tiny):
    function, arrays = PROGRAMS[name]
    dtype, tolerance = FLOATS[kind]
    arrays = [a if a.dtype == bool else a.astype(dtype) for a in arrays]
    executable = compiled(function, arrays)
    assert has_rows(executable)
    found = executable(*arrays)
    with jax.enable_x64(True):
        expected = jax.tree.leaves(jax.jit(function)(*arrays))
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=tolerance * 10 * np.abs(other).max())


@pytest.mark.parametrize("cpu", ["host", "avx2", "baseline"])
@pytest.mark.parametrize("queries, keys, width", [(300, 100, 100), (600, 40, 200)])
def test_what_a_block_makes_is_packed_in_each(queries, keys, width, cpu):
    """Sizes of which some processor packs the weights, which are B of the second contraction."""
    arrays = [normal(2, queries, 3, 32), normal(2, keys, 3, 32), normal(2, keys, 3, width)]
    (found,) = compiled(values_first, arrays, cpu)(*arrays)
    q, k, v = (a.astype(np.float64) for a in arrays)
    expected = np.einsum("bkhe,bhqk->bheq", v, np.tanh(np.einsum("bqhd,bkhd->bhqk", q, k)))
    np.testing.assert_allclose(found, expected, rtol=0, atol=3e-5 * np.abs(expected).max())


@pytest.mark.parametrize("threads", [1, 3])
def test_bytes_whatever_the_threads(threads, tiny, monkeypatch):
    """Integers: exact, and cut in another way with other threads."""
    monkeypatch.setattr(targets, "host", lambda: tiny._replace(threads=threads))
    x, w, b = (
        np.random.default_rng(s).integers(-128, 128, n).astype(np.int8)
        for s, n in enumerate([(131, 77), (77, 90), (90,)])
    )

    def function(x, w, b):
        y = jax.lax.dot(x, w, preferred_element_type=jnp.int32)
        return jnp.clip((y + b.astype(jnp.int32)) >> 7, -128, 127).astype(jnp.int8)

    executable = compiled(function, (x, w, b))
    assert has_rows(executable)
    y = x.astype(np.int32) @ w.astype(np.int32) + b
    np.testing.assert_array_equal(executable(x, w, b)[0], np.clip(y >> 7, -128, 127).astype(np.int8))


def test_threads_write_no_rows_that_another_reads(tiny):
    """65 rows in blocks of 29: the last one has rows of the one before. Calls enough for two threads to meet there."""
    function, arrays = PROGRAMS["batched"]
    executable = compiled(function, arrays)
    first = executable(*arrays)[0]
    assert all(np.array_equal(executable(*arrays)[0], first) for _ in range(20_000))


def test_rows_that_mix_stay_apart(tiny):
    """A sum over rows is no epilogue."""
    x, w = normal(130, 40), normal(40, 96)
    executable = compiled(lambda x, w: (x @ w).sum(0), (x, w))
    assert not has_rows(executable)
    np.testing.assert_allclose(executable(x, w)[0], (x.astype(np.float64) @ w).sum(0), atol=1e-3)


@pytest.mark.parametrize("cpu", ["host", "avx2", "baseline"])
def test_scores_are_never_whole(cpu):
    """On any machine: 8 heads of 1024 x 1024 scores are 32 MiB."""
    arrays = [normal(1, 8, 1024, 64, seed=s) for s in range(3)]
    executable = compiled(attention, arrays, cpu)
    assert has_rows(executable)
    assert executable.memory.temporaries < 16 << 20


# Schedules


def text_of(name):
    function, arrays = PROGRAMS[name]
    return jax.jit(function).lower(*arrays).as_text()


def kernels(name):
    """The dump of the phase kernels."""
    module = hlo.parse(text_of(name))
    hlo.pipelines.run(module, hlo.pipelines.cpu(), stop_after="kernels")
    return print_module(module)


def from_dump(dump):
    pipeline = phases_after(hlo.pipelines.cpu(), "kernels")
    return hlo.compile(read_dump(dump, "dump.mlir"), pipeline=pipeline, threads=2)


@pytest.mark.parametrize("name", PROGRAMS)
def test_text_is_the_code(name, tiny):
    assert 'hlo.kernel = "rows"' in kernels(name)
    assert object_hash(text_of(name), through="kernels") == object_hash(text_of(name))


def schedule_in(dump):
    """The text of a rows kernel's schedule."""
    return re.search(r'hlo\.kernel = "rows", hlo\.schedule = (\{.*\})\} \{', dump)[1]


EDITS = [
    ("bias", r"(.*)threads = \d+", r"\1threads = 5"),
    ("bias", r"unroll_m = \d+", "unroll_m = 1"),
    ("bias", r"vector = \d+ : i64, vectorize = \"n\"", 'vector = 2 : i64, vectorize = "n"'),
    ("bias", r"unroll = \d+", "unroll = 2"),
    ("attention", r"(.*)unroll = \d+", r"\1unroll = 3"),
    ("batched", r"(.*)threads = \d+", r"\1threads = 1"),
]


@pytest.mark.parametrize(("name", "old", "new"), EDITS)
def test_edits_change_code_and_not_results(name, old, new, tiny):
    dump, arrays = kernels(name), PROGRAMS[name][1]
    schedule = schedule_in(dump)
    changed = re.sub(old, new, schedule, count=1)
    assert changed != schedule
    before, after = from_dump(dump), from_dump(dump.replace(schedule, changed))
    assert before.program.objects != after.program.objects
    np.testing.assert_allclose(after(*arrays)[0], before(*arrays)[0], rtol=0, atol=2e-4)


WRONG = [
    ("bias", r"block = \d+", "block = 0", "block: found 0, allowed: 1 to 130"),
    ("bias", r"block = \d+", "block = 131", "block: found 131, allowed: 1 to 130"),
    ("bias", r"block = \d+", "block = 1", "stages[0].unroll_m: found "),
    ("bias", r"block = \d+", "block = 100", "stages[1].stages[0].loops: found ["),
    ("bias", r"rows = \[130\]", "rows = [65]", "rows: found [65], allowed: [130]"),
    ("batched", r"rows = \[3, 65\]", "rows = [3, 65, 70]", "rows: found [3, 65, 70], allowed: [3], [3, 65]"),
    ("bias", r"(.*)threads = \d+", r"\1threads = 0", "threads: found 0, allowed: 1 to 1024"),
    ("bias", r"threads = 1\b", "threads = 2", 'stages[0].parallel: found "none", allowed: "m", "n"'),
    (
        "bias",
        r"(.*)threads = 1\b",
        r"\1threads = 2",
        "stages[1].stages[0].threads: found 2, allowed: 1 (blocks are shared)",
    ),
    ("bias", r"unroll_m = \d+", "unroll_m = 99", "stages[0].unroll_m: found 99, allowed: 1 to "),
    ("bias", "swap_operands = false", "swap_operands = true", "stages[0].swap_operands: found true, allowed: false"),
    ("bias", r"stages = \[", "stages = [{}, ", "stages: found 3 stages, allowed: 2"),
    ("bias", r"block = \d+ : i64, ", "", "block: found nothing, allowed: an integer"),
    (
        "values first",
        r"(.*)block_n = \d+(.*?)keep_b = false",
        r"\1block_n = 0\2keep_b = true",
        "stages[2].keep_b: found true, allowed: false",
    ),
    ("bias", "interleave = 1", "interleave = 2", "stages[1].stages[0].interleave: found 2, allowed: 1"),
]


@pytest.mark.parametrize(("name", "old", "new", "words"), WRONG)
def test_wrong_schedules_are_refused(name, old, new, words, tiny):
    dump = kernels(name)
    schedule = schedule_in(dump)
    changed = re.sub(old, new, schedule, count=1)
    assert changed != schedule
    with pytest.raises(hlo.CompileError, match=re.escape(words)) as error:
        from_dump(dump.replace(schedule, changed))
    (found,) = error.value.diagnostics
    assert (found.file, found.line > 0) == ("dump.mlir", True)


def feed_forward(x, w1, w2):
    return jnp.tanh(x @ w1) @ w2


@pytest.mark.parametrize("rows, width, joined", [(1024, 128, True), (256, 512, False)])
def test_weights_that_all_blocks_read_again(monkeypatch, rows, width, joined):
    """Weights of 256 KiB stay in the second cache; those of 4 MiB would come from the last one for each block, more bytes than the blocks keep."""
    machine = targets.target()._replace(l2=1 << 20, l3=32 << 20, threads=2)
    monkeypatch.setattr(targets, "host", lambda: machine)
    arguments = [normal(rows, width), normal(width, 4 * width), normal(4 * width, width)]
    executable = hlo.compile(jax.jit(feed_forward).lower(*arguments).as_text(), keep_phases=True)
    assert has_rows(executable) == joined


def test_equal_kernels_are_told_of(tiny) -> None:
    """Whoever follows ops by their locations hears of each kernel that is dropped for an equal one."""
    arrays = [normal(64, 32), normal(32, 128)]
    both = jax.jit(lambda x, y, a, b: (jnp.tanh(x @ y), jnp.tanh(a @ b)))
    told: list[str] = []
    with watch_merges(lambda kept, dropped: told.append(kind(dropped))):
        hlo.pipelines.run(hlo.parse(both.lower(*arrays, *arrays).as_text()), hlo.pipelines.cpu(), stop_after="kernels")
    assert told.count("rows") == 1
