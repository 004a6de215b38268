"""Traces of jax.profiler: what ran on hlo is in them, and calls outside them are as if there were none."""

import json
import statistics

import pytest
from measured import measured
from test_jax_backend import run

pytest.importorskip("jax")

START = """
import glob, gzip, json, os, tempfile, threading, time
import numpy as np, jax, jax.numpy as jnp
from jax.profiler import ProfileData, trace

def in_protobuf(folder):
    (path,) = glob.glob(folder + "/**/*.xplane.pb", recursive=True)
    found, names = [], []
    for plane in ProfileData.from_file(path).planes:
        if plane.name == "/device:CUSTOM:hlo":
            names += [line.name for line in plane.lines]
            found += [(e.name, e.start_ns, e.duration_ns) for line in plane.lines for e in line.events]
    return sorted(found), names

def in_json(folder):
    (path,) = glob.glob(folder + "/**/*.trace.json.gz", recursive=True)
    events = json.load(gzip.open(path))["traceEvents"]
    process = [e["pid"] for e in events if e.get("name") == "process_name" and e["args"]["name"] == "/device:CUSTOM:hlo"]
    found = [e for e in events if e.get("pid") in process and e.get("ph") == "X"]
    host = [e for e in events if e.get("pid") not in process and e.get("ph") == "X"]
    return found, host

def calls(events, name):
    return [e for e in events if e["name"] == name and e["args"]["hlo_category"] == "call"]

def traced(work):
    with tempfile.TemporaryDirectory() as folder:
        with trace(folder):
            work()
        return *in_json(folder), in_protobuf(folder)
"""


def told(code, **environment):
    """What a program prints as JSON."""
    done = run(START + code, **environment)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


TRAINING = """
def loss(p, x):
    return jnp.mean(jnp.tanh(jnp.tanh(x @ p[0]) @ p[1]) ** 2)
@jax.jit
def step(p, x):
    return [a - 0.1 * g for a, g in zip(p, jax.grad(loss)(p, x))]
p, x = [jnp.full((512, 512), 0.01), jnp.full((512, 512), 0.02)], jnp.ones((512, 512))
jax.block_until_ready(step(p, x))
seconds = []
def work():
    global p
    for number in range(21):
        start = time.perf_counter()
        with jax.profiler.TraceAnnotation("measured"):
            p = jax.block_until_ready(step(p, x))
        seconds.append(time.perf_counter() - start)
found, host, (protobuf, lines) = traced(work)
print(json.dumps([found, [e for e in host if e["name"] == "measured"], protobuf, lines, seconds[1:]]))
"""


@pytest.fixture(scope="module")
def training():
    return told(TRAINING)


def within(event, other):
    return other["ts"] <= event["ts"] and event["ts"] + event["dur"] <= other["ts"] + other["dur"] + 0.01


def kernels_of(events, call):
    """The microseconds of kernels and copies in a call."""
    inner = [e for e in events if e["args"]["hlo_category"] not in ("call", "part", "loop", "layer")]
    return sum(e["dur"] for e in inner if e["tid"] == call["tid"] and within(e, call))


@measured
def test_kernels_of_a_training_step_add_up_to_the_measured_call():
    events, _, _, _, seconds = told(TRAINING)
    calls = [e for e in events if e["name"] == "jit_step"]
    assert len(calls) == 21
    shares = [kernels_of(events, call) / 1e6 / taken for call, taken in zip(calls[1:], seconds)]
    assert 0.95 <= statistics.median(shares) <= 1, shares


def test_events_say_what_kernels_do(training):
    events, _, _, _, _ = training
    products = [e for e in events if e["args"]["hlo_category"] == "contraction"]
    assert sum(int(e["args"]["model_flops"]) for e in products) == 21 * 5 * 2 * 512**3
    assert {e["args"]["hlo_module"] for e in products} == {"jit_step"}
    assert all("dot_general" in e["args"]["tf_op"] and e["args"]["source"] for e in products)


def test_calls_lie_within_the_host_times_of_jax(training):
    events, host, _, _, _ = training
    calls = [e for e in events if e["name"] == "jit_step"]
    assert len(host) == 21
    assert all(within(call, measured) for call, measured in zip(calls, sorted(host, key=lambda e: e["ts"])))


def test_both_files_have_the_same_events(training):
    events, _, protobuf, lines, _ = training
    assert "MainThread" in lines
    assert sorted(e["name"] for e in events) == [name for name, _, _ in protobuf]
    total = sum(length for _, _, length in protobuf) / 1e3
    assert total == pytest.approx(sum(e["dur"] for e in events), rel=1e-3)


PROGRAMS = """
from functools import partial
@jax.jit
def loop(x): return jax.lax.fori_loop(0, 5, lambda i, y: jnp.tanh(y @ x) + i, x)
@partial(jax.jit, donate_argnums=0)
def donated(x): return x * 2 + 1
@jax.jit
def called(x): return jax.pure_callback(lambda y: np.asarray(y) + 1, x, x) * 2
x = jnp.arange(16.0).reshape(4, 4)
expected = [np.asarray(f(jnp.array(x))) for f in (loop, donated, called)]
results = []
found, _, _ = traced(lambda: results.extend(f(jnp.array(x)) for f in (loop, donated, called)))
assert all(np.array_equal(a, b) for a, b in zip(results, expected))
print(json.dumps([[e["name"], e["args"]["hlo_category"], e["args"].get("hlo_module", "")] for e in found]))
"""


def test_loops_donated_arguments_and_callbacks():
    found = told(PROGRAMS)
    kinds = {(module or name, kind) for name, kind, module in found}
    assert {("jit_loop", "call"), ("jit_loop", "loop"), ("jit_donated", "call"), ("jit_called", "custom call")} <= kinds


AGAIN = """
@jax.jit
def f(x): return jnp.tanh(x @ x)
@jax.jit
def g(x): return x + 1
x = jnp.ones((64, 64)); f(x); g(x)
counts = []
for number in (1, 3, 0):
    found, _, _ = traced(lambda: [jax.block_until_ready(f(x)) for _ in range(number)])
    counts.append([len(calls(found, "jit_f")), len(calls(found, "jit_g"))])
    f(x), g(x)
from hlo.jax.profiler import traces
own = [p for p in traces._PROGRAMS if p.program.facts.name == "jit_f"]
print(json.dumps([counts, [p.called is p for p in own], [p.plan_slot.asks for p in own]]))
"""


@pytest.mark.parametrize("environment", [{}, {"HLO_PROFILE": "/dev/null"}, {"HLO_AS_CPU": "1", "JAX_PLATFORMS": "cpu"}])
def test_a_trace_has_its_own_calls_and_leaves_programs_as_they_were(environment):
    counts, plain, asks = told(AGAIN, **environment)
    assert counts == [[1, 0], [3, 0], [0, 0]]
    assert plain == [True] and asks == [False]


FAILING = """
def refuse(x): raise ValueError("no <b>'\\"\\\\ number")
@jax.jit
def failing(x): return jax.pure_callback(refuse, x, x) + 1
@jax.jit
def f(x):
    with jax.named_scope("<script>\\"quoted\\"</script> \\u00e4\\n"):
        return x + 1
messages = []
def work():
    try: jax.block_until_ready(failing(jnp.ones(3)))
    except Exception as error: messages.append(str(error))
    jax.block_until_ready(f(jnp.ones(3)))
found, _, _ = traced(work)
print(json.dumps([messages, [e["name"] for e in found], [e["args"].get("tf_op", "") for e in found]]))
"""


def test_programs_that_fail_and_names_with_markup():
    messages, names, operations = told(FAILING)
    assert len(messages) == 1 and "no <b>'\"\\ number" in messages[0]
    assert {"jit_failing", "jit_f"} <= set(names)
    assert any('<script>"quoted"</script> ä' in name for name in operations)


SEVERAL = """
from jax.sharding import Mesh, NamedSharding, PartitionSpec
mesh = Mesh(np.array(jax.devices()), ("d",))
x = jax.device_put(jnp.ones((64, 64)), NamedSharding(mesh, PartitionSpec("d")))
@jax.jit
def f(x): return jnp.sum(jnp.tanh(x))
expected = float(f(x))
results = []
found, _, _ = traced(lambda: results.extend(float(f(x)) for _ in range(4)))
assert results == [expected] * 4
print(json.dumps([len(calls(found, "jit_f")), sorted({e["args"]["hlo_category"] for e in found})]))
"""


def test_several_devices():
    count, kinds = told(SEVERAL, HLO_DEVICES="2")
    assert count == 2 * 4 and "collective" in kinds


THREADS = """
functions = [jax.jit(lambda x, n=n: jnp.tanh(x @ x) + n) for n in range(4)]
x = jnp.ones((32, 32)); expected = [np.asarray(f(x)) for f in functions]
stop, wrong = threading.Event(), []
def call(number):
    while not stop.is_set():
        if not np.array_equal(functions[number](x), expected[number]): wrong.append(number)
threads = [threading.Thread(target=call, args=(n % 4,), name=f"caller {n}") for n in range(6)]
for one in threads: one.start()
lines = set()
for _ in range(3):
    found, _, (_, names) = traced(lambda: time.sleep(0.7))
    lines |= set(names)
    assert all(e["dur"] < 60e6 for e in found)
stop.set()
for one in threads: one.join()
print(json.dumps([wrong, sorted(lines)]))
"""


def test_traces_begin_and_end_while_threads_call():
    wrong, lines = told(THREADS)
    assert not wrong and {f"caller {n}" for n in range(6)} <= set(lines)


PIPELINE = """
import hlo, hlo.jax
hlo.jax.use_pipeline(lambda: hlo.pipelines.cpu())
@jax.jit
def f(x): return x + 1
f(jnp.ones(3))
with tempfile.TemporaryDirectory() as folder:
    with trace(folder):
        jax.block_until_ready(f(jnp.ones(3)))
    (path,) = glob.glob(folder + "/**/*.xplane.pb", recursive=True)
    stats = [list(p.stats) for p in ProfileData.from_file(path).planes if "hlo" in p.name]
print(json.dumps([[str(s) for s in one] for one in stats]))
"""


def test_programs_that_cannot_have_timers_are_named():
    (stats,) = told(PIPELINE)
    assert any("not timed: jit_f" in one and "edited pipeline" in one for one in stats)


def test_two_clocks_are_read_at_one_moment():
    """The thread is stopped between readings in all tries but one: the other clock then is a thousand too late, or too early."""
    done = run("""
from hlo.jax.profiler.traces import read_together
now, tries = 0, 0
def beside():
    global now
    now += 1
    return now
def clock():
    global now, tries
    tries += 1
    found = 5 * now
    if tries != 7: now += 1000
    return found
found, middle = read_together(clock, beside)
assert tries > 7 and abs(found - 5 * middle) <= 5, (found, middle)
""")
    assert done.returncode == 0, done.stderr[-3000:]
