"""Attention that goes through its keys section by section, against the same in f64 by numpy; masks whose hidden sections are left out."""

import re
from itertools import product

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hlo
from bench.object_hashes import object_hash
from hlo.dialect.printer import print_module
from hlo.lowering import target as targets
from hlo.pipelines.dump import phases_after, read_dump

f32 = np.float32
INFINITY = float("inf")


@pytest.fixture(autouse=True)
def machine(monkeypatch):
    """Caches that hold few rows of scores, with the vectors that HLO_CPU allows."""
    small = targets.target()._replace(l1=1 << 15, l2=1 << 19, l3=1 << 20, threads=2)
    monkeypatch.delenv("HLO_CPU", raising=False)
    monkeypatch.setattr(targets, "host", lambda: small)
    return small


def normal(*shape, seed=0, dtype=f32):
    return np.random.default_rng([seed, *shape]).standard_normal(shape).astype(dtype)


def attention(is_seen=None, hidden=-INFINITY, safe=False, inside=False):
    """`is_seen`: of positions of queries and keys. `safe`: rows that see nothing have the result 0. `inside`: heads are behind the positions."""
    scores, values = ("bqhd,bkhd->bhqk", "bhqk,bkhd->bqhd") if inside else ("bhqd,bhkd->bhqk", "bhqk,bhkd->bhqd")

    def function(q, k, v):
        s = jnp.einsum(scores, q, k) * 0.25
        if is_seen is not None:
            row, key = (jax.lax.broadcasted_iota(jnp.int32, s.shape, d) for d in (2, 3))
            s = jnp.where(is_seen(row, key), s, hidden)
        if not safe:
            return jnp.einsum(values, jax.nn.softmax(s, axis=-1), v)
        m = s.max(-1, keepdims=True)
        p = jnp.exp(s - jnp.where(m == -INFINITY, 0.0, m))
        return jnp.einsum(values, p / jnp.where(m == -INFINITY, 1.0, p.sum(-1, keepdims=True)), v)

    def expected(q, k, v):
        q, k, v = (a.astype(np.float64) for a in (q, k, v))
        s = np.einsum(scores, q, k) * 0.25
        if is_seen is not None:
            row, key = (
                np.arange(n).reshape([-1 if d == i else 1 for d in range(4)]) for i, n in zip((2, 3), s.shape[2:])
            )
            s = np.where(is_seen(row, key), s, hidden)
        m = s.max(-1, keepdims=True)
        with np.errstate(invalid="ignore"):
            p = np.exp(s - (np.where(m == -INFINITY, 0.0, m) if safe else m))
            w = p / (np.where(m == -INFINITY, 1.0, p.sum(-1, keepdims=True)) if safe else p.sum(-1, keepdims=True))
            return np.einsum(values, w, v)

    return function, expected


def arrays(queries=640, keys=640, heads=2, size=16, batch=1, dtype=f32, inside=False):
    shapes = [(batch, heads, n, size) for n in (queries, keys, keys)]
    return [
        normal(*((b, n, h, d) if inside else (b, h, n, d)), seed=i, dtype=dtype)
        for i, (b, h, n, d) in enumerate(shapes)
    ]


def causal(row, key):
    return row >= key


CASES = {
    "causal": (attention(causal), arrays()),
    "causal in f64": (attention(causal), arrays(dtype=np.float64)),
    "one head": (attention(causal), arrays(heads=1, queries=1024, keys=1024)),
    "batches": (attention(causal), arrays(batch=2, heads=3, queries=512, keys=512)),
    "keys left over": (attention(causal), arrays(queries=611, keys=611)),
    "queries left over": (attention(lambda row, key: row + 100 >= key), arrays(queries=333, keys=768)),
    "strictly before": (attention(lambda row, key: row > key), arrays()),
    "strictly before, 0 for the first": (attention(lambda row, key: key < row, safe=True), arrays()),
    "later": (attention(lambda row, key: row <= key), arrays()),
    "a window": (attention(lambda row, key: (row >= key) & (row - key < 100)), arrays()),
    "a window on both sides": (
        attention(lambda row, key: (key - row < 50) & (row - 30 <= key)),
        arrays(queries=700, keys=700),
    ),
    "a window far away": (attention(lambda row, key: (row - key > 500) & (row - key < 3000), safe=True), arrays()),
    "nothing seen but by late rows": (attention(lambda row, key: row - 400 >= key, -1e9), arrays()),
    "hidden by the least number": (attention(causal, float(np.finfo(f32).min)), arrays()),
    "hidden by what scores come near to": (attention(causal, -1.2e4), [1e2 * a for a in arrays()[:2]] + arrays()[2:]),
    "heads inside": (attention(causal, inside=True), arrays(inside=True)),
    "heads inside, keys left over": (attention(causal, inside=True), arrays(queries=530, keys=530, inside=True)),
    "odd heads": (attention(causal), arrays(size=19)),
}


def compiled(function, inputs, **options):
    with jax.enable_x64(True):
        return hlo.compile(jax.jit(function).lower(*inputs).as_text(), keep_phases=True, cache=False, **options)


def sections(executable):
    return [int(n) for n in re.findall(r"section = (\d+)", str(executable.phases["kernels"]))]


@pytest.mark.parametrize("name", CASES)
def test_case(name):
    (function, expected), inputs = CASES[name]
    executable = compiled(function, inputs)
    assert any(sections(executable))
    found, right = executable(*inputs)[0], expected(*inputs)
    tolerance = 1e-12 if inputs[0].dtype == np.float64 else 2e-5
    np.testing.assert_allclose(found, right, rtol=0, atol=tolerance * np.nanmax(np.abs(right)))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("which", [0, 1, 2])
def test_what_is_no_number(value, which):
    """In queries and keys it makes rows NaN that see it; in values, whose weights may be 0, all rows: 0 times infinity."""
    (function, expected), inputs = attention(causal), arrays()
    inputs[which] = inputs[which].copy()
    inputs[which][0, 1, 500, 3] = value
    executable = compiled(function, inputs)
    assert any(sections(executable))
    with np.errstate(invalid="ignore", over="ignore"):
        right = expected(*inputs)
    found = executable(*inputs)[0]
    np.testing.assert_array_equal(np.isnan(found), np.isnan(right))
    finite = np.isfinite(right)
    np.testing.assert_allclose(found[finite], right[finite], atol=1e-4)


def test_infinite_values_that_are_seen():
    """Where a row's weights are all above 0 an infinity is the result, in f32 as in f64."""
    (function, expected), inputs = attention(lambda row, key: row + 639 >= key - 1), arrays()
    inputs[2] = inputs[2].copy()
    inputs[2][0, 0, 5, 2] = np.inf
    np.testing.assert_allclose(compiled(function, inputs)(*inputs)[0], expected(*inputs), atol=1e-4)


@pytest.mark.parametrize("hidden", [-1e9, -1e30, 0.7 * float(np.finfo(f32).min), float(np.finfo(f32).min)])
@pytest.mark.parametrize("outer", ["padding", "mask", "both"])
def test_padding_and_a_mask(outer, hidden):
    """Keys that are padded are hidden by a number, those that the mask hides by -inf: with padding outside, the first row, whose only key is padded, sees all
    padded keys. With one number for both it sees all keys."""
    inputs = arrays(keys=768)
    present = np.ones(768, bool)
    present[[0, 300, 700, 701]] = False

    def scores(module, s, row, key, present):
        if outer == "padding":
            return module.where(present, module.where(row >= key, s, -INFINITY), hidden)
        if outer == "both":
            return module.where(present & (row >= key), s, hidden)
        return module.where(row >= key, module.where(present, s, hidden), -INFINITY)

    def function(q, k, v, present):
        s = jnp.einsum("bhqd,bhkd->bhqk", q, k)
        row, key = (jax.lax.broadcasted_iota(jnp.int32, s.shape, d) for d in (2, 3))
        return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(scores(jnp, s, row, key, present), axis=-1), v)

    executable = compiled(function, [*inputs, present])
    assert any(sections(executable))
    q, k, v = (a.astype(np.float64) for a in inputs)
    s = scores(np, np.einsum("bhqd,bhkd->bhqk", q, k), np.arange(640)[:, None], np.arange(768), present)
    p = np.exp(s - s.max(-1, keepdims=True))
    right = np.einsum("bhqk,bhkd->bhqd", p / p.sum(-1, keepdims=True), v)
    np.testing.assert_allclose(executable(*inputs, present)[0], right, atol=2e-5)


def test_hidden_sections_take_no_time():
    """A window of 64 keys of 4096 compared with all of them: a tenth or less of the work."""
    from time import perf_counter

    inputs = arrays(queries=4096, keys=4096, heads=1, size=64)
    narrow = compiled(attention(lambda row, key: (row >= key) & (row - key < 64))[0], inputs, threads=1)
    whole = compiled(attention()[0], inputs, threads=1)

    def seconds(executable):
        start = perf_counter()
        executable(*inputs)
        return perf_counter() - start

    ratios = [seconds(whole) / seconds(narrow) for _ in range(5)]
    assert max(ratios) > 3


@pytest.mark.parametrize("name", ["causal", "one head", "keys left over", "heads inside"])
def test_same_bits_whatever_the_threads(name, machine, monkeypatch):
    (function, _), inputs = CASES[name]
    found = []
    for threads in (1, 2, 3, 5):
        monkeypatch.setattr(targets, "host", lambda threads=threads: machine._replace(threads=threads))
        found.append(compiled(function, inputs, threads=threads)(*inputs)[0])
    assert all(np.array_equal(one, found[0], equal_nan=True) for one in found)


def test_random_windows():
    """Whatever the window, queries and keys."""
    random = np.random.default_rng(16)
    for _ in range(12):
        queries, keys, before, behind = (int(n) for n in random.integers([1, 512, -200, -200], [700, 900, 600, 600]))
        seen = lambda row, key, a=before, b=behind: (row - key <= a) & (key - row <= b)
        function, expected = attention(
            seen, random.choice([-INFINITY, -1e9, -1e30, -3e38]), safe=bool(random.integers(2))
        )
        inputs = arrays(queries=queries, keys=keys, heads=int(random.integers(1, 4)))
        found, right = compiled(function, inputs)(*inputs)[0], expected(*inputs)
        np.testing.assert_allclose(found, right, atol=3e-5, err_msg=f"{queries} {keys} {before} {behind}")


# Schedules


def text():
    (function, _), inputs = CASES["causal"]
    return jax.jit(function).lower(*inputs).as_text()


def kernels():
    """The dump of the phase kernels."""
    module = hlo.parse(text())
    hlo.pipelines.run(module, hlo.pipelines.cpu(), stop_after="kernels")
    return print_module(module)


def from_dump(dump):
    return hlo.compile(read_dump(dump, "dump.mlir"), pipeline=phases_after(hlo.pipelines.cpu(), "kernels"), threads=2)


def test_text_is_the_code():
    assert object_hash(text(), through="kernels") == object_hash(text())


@pytest.mark.parametrize(
    ("old", "new"),
    [(r"section = \d+", "section = 96"), (r"block = \d+", "block = 64"), (r"(.*)threads = \d+", r"\1threads = 5")],
)
def test_edits_change_code_and_not_results(old, new):
    dump, ((_, expected), inputs) = kernels(), CASES["causal"]
    changed = re.sub(old, new, dump, count=1) if "threads" in new else re.sub(old, new, dump)
    if "section" in new:  # the loops of its stages become shorter, too
        changed = changed.replace("128, 160]", "128, 96]")
    if "block" in new:
        changed = re.sub(r"loops = \[128", "loops = [64", changed).replace("loops = [2048]", "loops = [1024]")
    before, after = from_dump(dump), from_dump(changed)
    assert before.program.objects != after.program.objects
    np.testing.assert_allclose(after(*inputs)[0], expected(*inputs), atol=2e-5)


WRONG = [
    (r"section = \d+", "section = 641", "section: found 641, allowed: 0 to 640"),
    (r"section = \d+", "section = 0", "stages: found 8 stages, allowed: 3"),
    (r"rows = \[1, 2, 640\]", "rows = [1, 2]", "rows: found [1, 2], allowed: [1, 2, 640]"),
    (r"section = \d+ : i64, ", "", "section: found nothing, allowed: an integer"),
    (r"stages = \[", "stages = [{}, ", "stages: found 9 stages, allowed: 8"),
]


@pytest.mark.parametrize(("old", "new", "words"), WRONG)
def test_wrong_schedules_are_refused(old, new, words):
    dump = kernels()
    changed = re.sub(old, new, dump, count=1)
    assert changed != dump
    with pytest.raises(hlo.CompileError, match=re.escape(words)) as error:
        from_dump(changed)
    (found,) = error.value.diagnostics
    assert (found.file, found.line > 0) == ("dump.mlir", True)


def test_masks_that_hide_little_stay_whole():
    """Sections cost more than they leave out."""
    inputs = arrays(queries=512, keys=1024)
    assert not any(sections(compiled(attention(lambda row, key: row + 900 >= key)[0], inputs)))


@pytest.mark.parametrize(("cpu", "dtype"), list(product(["avx2", "baseline"], [f32, np.float64])))
def test_other_processors(cpu, dtype):
    (function, expected), inputs = attention(causal), arrays(queries=520, keys=520, dtype=dtype)
    executable = compiled(function, inputs, cpu=cpu)
    right = expected(*inputs)
    np.testing.assert_allclose(executable(*inputs)[0], right, atol=1e-12 if dtype == np.float64 else 2e-5)
