"""The thread pool: every part once, whoever calls, forks or is in the process beside it."""

import ctypes
import glob
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from measured import measured

import hlo
from hlo.runtime.threads import count, pool

PATIENCE = 120
"""Seconds until a test that hangs fails."""

PART = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_void_p)
RUN = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)


def run_parts(function, parts: int, threads: int) -> None:
    """Calls `function(part)` for each part, in Python, by the pool."""
    callback = PART(lambda part, _: function(part))
    address = ctypes.cast(callback, ctypes.c_void_p).value
    work = (ctypes.c_int64 * 2)(address, parts)
    RUN(pool.run_parts())(ctypes.addressof(work), threads)


def meet(threads: int) -> list:
    """What `threading.get_ident` says in parts that each wait for all others: there must be so many threads. Where others are
    being started, a job finds too few: it is tried again."""
    end = time.monotonic() + PATIENCE
    while True:
        barrier, found = threading.Barrier(threads, timeout=1), []

        def part(_, barrier=barrier, found=found) -> None:
            try:
                barrier.wait()
                found.append(threading.get_ident())
            except threading.BrokenBarrierError:
                pass

        run_parts(part, threads, threads)
        if len(found) == threads:
            return found
        assert time.monotonic() < end


MATMUL = """func.func @main(%x: tensor<{m}x{k}xf32>, %y: tensor<{k}x{n}xf32>) -> tensor<{m}x{n}xf32> {{
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<{m}x{k}xf32>, tensor<{k}x{n}xf32>) -> tensor<{m}x{n}xf32>
  return %0 : tensor<{m}x{n}xf32> }}"""

SOFTMAX = """func.func @main(%x: tensor<600x700xf32>) -> (tensor<600x700xf32>, tensor<f32>, tensor<700xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %e = stablehlo.exponential %x : tensor<600x700xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<600x700xf32>, tensor<f32>) -> tensor<600xf32>
  %b = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<600xf32>) -> tensor<600x700xf32>
  %r = stablehlo.divide %e, %b : tensor<600x700xf32>
  %all = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<600x700xf32>, tensor<f32>) -> tensor<f32>
  %c = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<600x700xf32>, tensor<f32>) -> tensor<700xf32>
  return %r, %all, %c : tensor<600x700xf32>, tensor<f32>, tensor<700xf32> }"""


def _normal(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=shape).astype(np.float32)


@pytest.mark.parametrize("threads", [0, 1, 2, 3, 8, 33])
@pytest.mark.parametrize("parts", [0, 1, 2, 7, 64])
def test_every_part_once(parts, threads) -> None:
    found = []
    run_parts(found.append, parts, threads)
    assert sorted(found) == list(range(parts))


@pytest.mark.parametrize("threads", [2, 3, 6])
def test_parts_run_at_the_same_time(threads) -> None:
    assert len(set(meet(threads))) == threads


def test_parts_whose_parts_share_too() -> None:
    found = []
    run_parts(lambda a: run_parts(lambda b: run_parts(lambda c: found.append((a, b, c)), 3, 2), 3, 3), 4, 4)
    assert sorted(found) == [(a, b, c) for a in range(4) for b in range(3) for c in range(3)]


def test_a_failed_ticket_leaves_no_trace() -> None:
    """Jobs so short that callers take most tickets back, from several threads at once: no part is lost or run twice."""
    totals = [0] * 4

    def call(number: int) -> None:
        for turn in range(500):
            found: list = []
            run_parts(found.append, 2 + turn % 3, 2 + turn % 4)
            totals[number] += sorted(found) == list(range(2 + turn % 3))

    threads = [threading.Thread(target=call, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert totals == [500] * 4


@pytest.mark.parametrize("engine", ["llvm", "mlir"])
def test_the_same_bits_for_every_number_of_threads(engine) -> None:
    x, y = _normal(300, 500), _normal(500, 400)
    for text, arrays in ((MATMUL.format(m=300, k=500, n=400), (x, y)), (SOFTMAX, (_normal(600, 700),))):
        found = set()
        for threads in (1, 2, 3, 5, 8):
            exe = hlo.compile(text, threads=threads, engine=engine)
            assert exe.threads == threads and exe._code.threads
            found |= {tuple(r.tobytes() for r in exe(*arrays)) for _ in range(5)}
        assert len(found) == 1


def test_several_threads_call_executables_with_different_numbers() -> None:
    x = _normal(256, 256)
    executables = [hlo.compile(MATMUL.format(m=256, k=256, n=256), threads=n) for n in (1, 2, 3, 4, 5, 2, 8, 7)]
    expected = executables[0](x, x)[0]
    np.testing.assert_allclose(expected, x @ x, atol=1e-3)
    right = []
    calls = [
        threading.Thread(target=lambda e=e: right.extend((e(x, x)[0] == expected).all() for _ in range(40)))
        for e in executables
    ]
    for call in calls:
        call.start()
    for call in calls:
        call.join(PATIENCE)
    assert right == [True] * 320


def test_workers_compute_as_their_caller_does() -> None:
    """The rounding mode is the caller's."""
    libm = ctypes.CDLL(None)
    upward = {"x86_64": 0x800, "aarch64": 0x400000}.get(os.uname().machine)
    if upward is None:
        pytest.skip("the number of FE_UPWARD is not known here")
    found, one, three, end = {}, 1.0, 3.0, time.monotonic() + PATIENCE

    def part(_: int) -> None:
        found.setdefault(threading.get_ident(), set()).add(one / three)
        time.sleep(0.01)

    assert libm.fesetround(upward) == 0
    try:
        while found.keys() <= {threading.get_ident()} and time.monotonic() < end:
            run_parts(part, 2, 2)
    finally:
        libm.fesetround(0)
    assert found.keys() - {threading.get_ident()}
    assert set().union(*found.values()) == {np.nextafter(1 / 3, 1)}


def _in_process(code: str, **environment: str) -> str:
    """What a program in a process of its own prints; tests' functions are `t`."""
    folders = [str(Path(__file__).parent), str(Path(__file__).parents[2] / "support")]
    start = f"import sys; sys.path[:0] = {folders}; import test_threads as t, numpy as np, os, hlo\n"
    environment = {**os.environ, **environment}
    done = subprocess.run(
        [sys.executable, "-c", start + code], env=environment, capture_output=True, text=True, timeout=PATIENCE * 2
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


FORKS = """
import multiprocessing, warnings
warnings.simplefilter("ignore")                # that the process has threads: so it should
x = t._normal(256, 256)
exe = hlo.compile(t.MATMUL.format(m=256, k=256, n=256), threads=3)
want = exe(x, x)[0]
t.meet(3)

def child():
    first = bool((exe(x, x)[0] == want).all())  # alone: this is how the pool learns of the fork
    return first and len(set(t.meet(3))) == 3

for _ in range(3):
    number = os.fork()
    if not number:
        os._exit(0 if child() else 1)
    assert os.waitpid(number, 0)[1] == 0
with multiprocessing.get_context("fork").Pool(2) as pool:
    assert pool.starmap(child, [()] * 4) == [True] * 4
assert len(set(t.meet(3))) == 3
print("forked")
"""


def test_children_of_a_fork_have_threads_of_their_own() -> None:
    assert _in_process(FORKS) == "forked\n"


LARGE_RESULTS = """
import os
import numpy as np
import hlo
exe = hlo.compile("func.func @main(%x: tensor<1048576xf32>) -> tensor<1048576xf32> { %0 = stablehlo.negate %x : tensor<1048576xf32> return %0 : tensor<1048576xf32> }")
(kept,) = exe(np.ones(1 << 20, np.float32))
number = os.fork()
if not number:
    kept[:] = 7
    os._exit(0)
assert os.waitpid(number, 0)[1] == 0
print(set(kept.tolist()))
"""


def test_memory_of_large_results_is_not_shared_with_children() -> None:
    """Nor is that of temporaries, which is allocated in the same way."""
    assert _in_process(LARGE_RESULTS) == "{-1.0}\n"


FORKED_WHILE_ANOTHER_COMPILES = """
import os, sys, threading, time
import numpy as np
import hlo
TEXT = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { %0 = stablehlo.negate %x : tensor<4xf32> return %0 : tensor<4xf32> }"
def run():
    return hlo.compile(TEXT, cache=False)(np.ones(4, np.float32))[0].tolist() == [-1] * 4
other = threading.Thread(target=run)
other.start()
time.sleep(float(sys.argv[1]))
number = os.fork()
if not number:
    os._exit(0 if run() else 1)
print(os.waitpid(number, 0)[1])
other.join()
"""


@pytest.mark.parametrize("seconds", [0.01, 0.1, 0.2])
def test_a_fork_while_another_thread_compiles_for_the_first_time(seconds) -> None:
    """The child has no locks that the other thread held, neither Python's of modules nor LLVM's."""
    command = [sys.executable, "-c", FORKED_WHILE_ANOTHER_COMPILES, str(seconds)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        assert child.communicate(timeout=60)[0] == "0\n"
    finally:
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)


IDLE = """
import time
t.meet(4)
for _ in range(50):
    t.run_parts(lambda _: None, 4, 4)
time.sleep(0.05)
before = time.process_time()
time.sleep(0.5)
print(time.process_time() - before)
"""


@measured
def test_threads_without_work_sleep() -> None:
    """Three that spin would take 1.5 seconds of processor time."""
    assert float(_in_process(IDLE)) < 0.2


GUESTS = """
import time
def waiting(before):
    start = time.process_time()
    for _ in range(300):
        before()
        t.run_parts(lambda _: None, 2, 2)
        time.sleep(0.0005)
    return time.process_time() - start
t.meet(2)
alone = waiting(lambda: None)
print(waiting(t.ctypes.CFUNCTYPE(None)(t.pool.receive_guests())) / alone)
"""


@measured
def test_threads_do_not_look_for_work_beside_those_of_a_library() -> None:
    """With jobs half a millisecond apart they do otherwise, all the time."""
    assert float(_in_process(GUESTS)) < 0.6


PLACES = """
core = t.ctypes.CDLL(None).sched_getcpu
cores, found = os.sched_getaffinity(0), {}
def place(_):
    found[t.threading.get_native_id()] = core()
    barrier.wait(1)
def places():
    global barrier
    while True:
        found.clear()
        barrier = t.threading.Barrier(2)
        t.run_parts(place, 2, 2)
        if not barrier.broken and len(found) == 2:
            return [found.pop(t.threading.get_native_id()), *found.values()]
os.sched_setaffinity(0, {min(cores)})               # and the worker, which is made now
one_core = places()
worker, apart = next(iter(found)), []
for _ in range(5):
    t.time.sleep(0.05)                              # it sleeps
    os.sched_setaffinity(worker, cores)
    apart.append(places())
    kept = os.sched_getaffinity(worker) == cores
    os.sched_setaffinity(worker, {min(cores)})
    places()
print(one_core == [min(cores)] * 2, sum(own == min(cores) != other for own, other in apart) > 2, kept)
"""


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="asks the system for cores")
@pytest.mark.skipif(count.available_processors() < 2, reason="needs two cores")
@measured
def test_a_worker_wakes_on_another_core_than_its_caller() -> None:
    """Linux may wake it on its caller's, where it waits until that is done. Where a process has one core only, its threads run on that; afterwards
    a worker may run where it could before, so that on a busy machine the system may take it back."""
    assert _in_process(PLACES) == "True True True\n"


FEW = """
import resource
t.run_parts(lambda _: None, 2, 1)
size = int(open("/proc/self/statm").read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
resource.setrlimit(resource.RLIMIT_AS, (size + (20 << 20), resource.RLIM_INFINITY))   # stacks of two threads
found = []
for _ in range(20):
    t.run_parts(found.append, 32, 32)
print(sorted(found) == sorted(list(range(32)) * 20), len(os.listdir("/proc/self/task")) < 8)
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads /proc")
def test_a_system_that_gives_no_more_threads() -> None:
    assert _in_process(FEW, HLO_THREADS="1") == "True True\n"


def _other_runtimes() -> list[str]:
    """OpenMP runtimes of others on this machine, one each."""
    places = [Path(p) for p in sys.path if Path(p).is_dir()]
    patterns = ["/usr/lib/*/libgomp.so.1", "/usr/lib*/libgomp.so.1", "/usr/lib/*/libomp.so.5"]
    patterns += [f"{place}/{wheel}/libgomp*.so*" for place in places for wheel in ("scikit_learn.libs", "torch.libs")]
    return [path for pattern in patterns for path in sorted(glob.glob(pattern))[:1]]


BESIDE_OTHERS = """
x = t._normal(1024, 1024)
for threads in (2, 4):
    exe = hlo.compile(t.MATMUL.format(m=1024, k=1024, n=1024), threads=threads)
    for _ in range(3):
        np.testing.assert_allclose(exe(x, x)[0], x.astype(np.float64) @ x, atol=2e-3)
y = t._normal(600, 700)
e = np.exp(y.astype(np.float64))
softmax, total, columns = hlo.compile(t.SOFTMAX, threads=2)(y)
np.testing.assert_allclose(softmax, e / e.sum(1, keepdims=True), rtol=1e-4)
np.testing.assert_allclose(columns, y.astype(np.float64).sum(0), atol=1e-3)
print("right", "gomp" in open("/proc/self/maps").read())
"""


def test_beside_another_openmp_runtime() -> None:
    found = _other_runtimes()
    if not found:
        pytest.skip("no libgomp on this machine")
    for library in found:
        assert _in_process(BESIDE_OTHERS, LD_PRELOAD=library) == f"right {'gomp' in library}\n"


def test_a_saved_executable_needs_no_mlir_for_its_threads(tmp_path) -> None:
    path = tmp_path / "matmul.exe"
    exe = hlo.compile(MATMUL.format(m=256, k=256, n=256), threads=5)
    exe.save(path)
    code = f"""
exe = hlo.load_executable({str(path)!r})
x = t._normal(256, 256)
np.testing.assert_allclose(exe(x, x)[0], x @ x, atol=1e-3)
print(exe.threads, any(m.startswith("mlir") for m in sys.modules))
"""
    assert _in_process(code, HLO_THREADS="3", HLO_CACHE_DIR="") == "3 False\n"


LOOP_OF_MATMULS = """
func.func @main(%x: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<200> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<256x256xf32>
    cond {
      %c = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %n = stablehlo.add %i, %one : tensor<i32>
      %p = stablehlo.dot_general %y, %x, contracting_dims = [1] x [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
      stablehlo.return %n, %p : tensor<i32>, tensor<256x256xf32>
    }
  return %r#1 : tensor<256x256xf32>
}"""


@measured
def test_threads_beside_busy_processes() -> None:
    """Threads that wait for each other after each kernel take no longer than one thread, where others want each core."""
    x, times = np.eye(256, dtype=np.float32), {}
    spin = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2 * count.available_processors())
    ]
    try:
        for threads in (1, 2):
            executable, found = hlo.compile(LOOP_OF_MATMULS, threads=threads), []
            for _ in range(40):
                start = time.perf_counter()
                executable(x)
                found.append(time.perf_counter() - start)
            times[threads] = np.median(found[10:])
    finally:
        for process in spin:
            process.kill()
            process.wait()
    assert times[2] < 1.3 * times[1], times


def test_time_is_not_lost_on_a_full_machine() -> None:
    """More threads than cores, all of them busy in Python: jobs end."""
    stop = threading.Event()
    busy = [threading.Thread(target=lambda: [None for _ in iter(stop.is_set, True)]) for _ in range(4)]
    for thread in busy:
        thread.start()
    try:
        start = time.monotonic()
        for _ in range(20):
            run_parts(lambda _: None, 16, 16)
        assert time.monotonic() - start < PATIENCE
    finally:
        stop.set()
        for thread in busy:
            thread.join()
