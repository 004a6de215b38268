"""Processes of a grid as threads of machine code: they all run, whoever waits in vain is found, interrupts end them, runs do not disturb each other."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from grid_programs import CASES, all_reduce

import hlo
from hlo.runtime.grid.grid_run import GridRunner
from hlo.runtime.threads.together import WATCH, Together
from hlo.runtime.threads.together_text import DONE, LEFT, RUNNING

CALL = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)


def together(functions, has_caller=True, watch=lambda number: number):
    """Python functions as calls; the callbacks, and the object that runs them."""
    callbacks = [CALL(f) for f in functions]
    calls = [(ctypes.cast(c, ctypes.c_void_p).value, n) for n, c in enumerate(callbacks)]
    kept = WATCH(watch)
    return (callbacks, kept), Together(calls, kept, has_caller)


@pytest.mark.parametrize("has_caller", [True, False])
@pytest.mark.parametrize("count", [1, 2, 3, 9])
def test_calls_run_at_the_same_time(count, has_caller):
    barrier, seen = threading.Barrier(count), []

    def meet(number):
        barrier.wait(60)
        seen.append(threading.get_ident())
        return 10 + (number or 0)

    kept, calls = together([meet] * count, has_caller)
    for _ in range(20):
        seen.clear()
        assert calls.run() == DONE
        assert calls.given == [10 + n for n in range(count)]
        assert len(set(seen)) == count
        assert (threading.get_ident() in seen) == has_caller
    assert kept


def test_several_callers_at_the_same_time():
    def one(_):
        barrier = threading.Barrier(3)
        kept, calls = together([lambda n: barrier.wait(60) * 0 + (n or 0)] * 3)
        found = [(calls.run(), calls.given) for _ in range(10)]
        return kept and found == [(DONE, [0, 1, 2])] * 10

    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(5) as threads:
        assert all(threads.map(one, range(5)))


def test_a_watch_that_has_had_enough():
    go_on, looks = threading.Event(), []

    def watch(number):
        looks.append(number)
        return number if len(looks) < 3 else 0

    kept, calls = together([lambda _: 7, lambda _: go_on.wait(60) and 8], watch=watch)
    assert calls.run() == LEFT and len(looks) == 3
    assert calls.given == [7, RUNNING]
    go_on.set()
    end = time.monotonic() + 60
    while RUNNING in calls.given and time.monotonic() < end:
        time.sleep(0.01)
    assert calls.given == [7, 8] and kept


def test_calls_one_by_one():
    kept, calls = together([lambda n: threading.get_ident() % 1000 + (n or 0)] * 4)
    calls.run_one_by_one()
    assert calls.given == [threading.get_ident() % 1000 + n for n in range(4)] and kept


NO_THREADS_LEFT = """
import resource, sys, threading
import numpy as np
import hlo
from grid_programs import all_reduce
case = all_reduce("replica", [list(range(16))], (16, 1))
exe = hlo.compile(case.program, num_replicas=16)
from hlo.runtime.threads.together_text import DONE, NO_THREADS
from hlo.runtime.grid.grid_run import Run
ends = []
run = Run.go
def go(self, *rest):
    ends.append(run(self, *rest))
    return ends[-1]
Run.go = go
threading.stack_size(1 << 16)
resource.setrlimit(resource.RLIMIT_AS, (used := int(open("/proc/self/statm").read().split()[0]) * 4096 + (6 << 20), used))
found = exe.run_grid(case.inputs)
assert ends[0].given == [], ends
print(all(np.array_equal(a, b) for one, want in zip(found, case.expected) for a, b in zip(one, want)))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")
def test_too_few_threads_in_the_pool():
    """Where the pool gets none (its stacks are large), threads of Python's run the processes."""
    done = subprocess.run(
        [sys.executable, "-c", NO_THREADS_LEFT],
        capture_output=True,
        text=True,
        cwd=os.path.dirname(__file__),
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "support")},
    )
    assert done.stdout.strip() == "True", done.stderr[-2000:]


def waits_for(first, second):
    """A grid of two different programs."""
    compiled = [hlo.compile(text, num_replicas=2, cache=False) for text in (first, second)]
    return GridRunner(compiled)


GATHER = """
func.func @main(%x: tensor<2xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}
    : (tensor<2xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}"""
LEAVE = """
func.func @main(%x: tensor<2xf32>) -> tensor<4xf32> {
  %0 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}"""
ENDLESS = """
func.func @main(%x: tensor<2xf32>) -> tensor<4xf32> {
  %true = stablehlo.constant dense<true> : tensor<i1>
  %0 = stablehlo.while(%v = %x) : tensor<2xf32>
    cond { stablehlo.return %true : tensor<i1> }
    do {
      %w = stablehlo.sine %v : tensor<2xf32>
      stablehlo.return %w : tensor<2xf32>
    }
  %1 = stablehlo.concatenate %0, %0, dim = 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}"""
INPUTS = [[np.float32([1, 2])], [np.float32([3, 4])]]


@pytest.mark.parametrize("first, second, waits, ended", [(GATHER, LEAVE, 0, 1), (LEAVE, GATHER, 1, 0)])
def test_the_caller_finds_who_waits_in_vain(first, second, waits, ended):
    """Whether the caller's process waits, or has come to its end."""
    runner = waits_for(first, second)
    wanted = rf"no process can go on: process \({waits}, 0\) waits in stablehlo.all_gather at -:3:8 for process \({ended}, 0\); process \({ended}, 0\) has"
    for _ in range(3):
        start = time.monotonic()
        with pytest.raises(hlo.HloError, match=wanted):
            runner.run(INPUTS)
        assert time.monotonic() - start < 30


LEFT_BEHIND = """
import os
import numpy as np
import hlo
from test_grid_threads import ENDLESS, GATHER, INPUTS, waits_for
from hlo.runtime.grid import grid_run
grid_run.LEAVE_WITHIN = 0.3
for condition in ("true", "false"):
    try:
        waits_for(ENDLESS.replace("dense<true>", f"dense<{condition}>"), GATHER).run(INPUTS, timeout=0.2)
    except hlo.HloError as error:
        print(error, flush=True)
os._exit(0)
"""


def test_an_endless_loop_is_left():
    """Its thread goes on; the run is over after a while, and the next one works."""
    done = subprocess.run(
        [sys.executable, "-c", LEFT_BEHIND],
        capture_output=True,
        text=True,
        cwd=os.path.dirname(__file__),
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "support")},
        timeout=90,
    )
    one, two = done.stdout.splitlines()
    assert "waited for 0.2 seconds: process (1, 0) waits in stablehlo.all_gather" in one, done.stderr[-2000:]
    assert one.endswith("for process (0, 0); process (0, 0) computes")
    assert "no process can go on" in two and two.endswith("process (0, 0) has finished")


INTERRUPTED = """
import gc, os, signal, threading, time
import numpy as np
import hlo
from test_grid_threads import ENDLESS, GATHER, INPUTS, LEAVE, waits_for
for first, second in 4 * ((GATHER, LEAVE), (LEAVE, GATHER)) + ((ENDLESS, GATHER),):
    runner = waits_for(first, second)
    if first is not ENDLESS:
        import hlo.runtime.grid.grid_watch as watch
        watch.GridWatch.look = lambda *_: None
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    start = time.monotonic()
    try:
        runner.run(INPUTS)
    except KeyboardInterrupt:
        print("interrupted" if time.monotonic() - start < 30 else "late", flush=True)
    del runner
    gc.collect()
    time.sleep(0.2)  # processes that look at where they wait, 20 times a second
"""


def test_interrupts():
    """Ctrl-C ends a run at once: where the caller's process waits, where the caller waits for others, where a process
    never ends. Processes that go on keep their code, when nobody else has the program any more and at the end of Python."""
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, cwd=os.path.dirname(__file__), env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "support")}, timeout=90,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    assert (done.returncode, done.stdout.split()) == (0, ["interrupted"] * 9), done.stderr[-2000:]


def test_an_interrupt_as_a_run_ends_is_not_lost():
    runner = waits_for(LEAVE, LEAVE)
    run = runner._runs.take()
    run.keep_escaped(KeyboardInterrupt())  # as the hook does for a callback
    runner._runs.give(run)
    with pytest.raises(KeyboardInterrupt):
        runner.run(INPUTS)
    for found in runner.run(INPUTS):
        assert len(found[0]) == 4


def test_results_are_not_those_of_another_run():
    """Memory of runs is used again; results of earlier runs stay as they are."""
    case = all_reduce("replica", [[0, 1]], (2, 1))
    exe = hlo.compile(case.program, num_replicas=2)
    first = exe.run_grid(case.inputs)
    copies = [[a.copy() for a in one] for one in first]
    for _ in range(10):
        exe.run_grid([[a + 1 for a in one] for one in case.inputs])
    for one, copy in zip(first, copies):
        assert all(map(np.array_equal, one, copy))


def test_saved_programs_bring_what_they_need(tmp_path):
    case = CASES["reduce replicas"]
    hlo.compile(case.program, **case.sizes).save(tmp_path / "x.exe")
    found = hlo.load_executable(tmp_path / "x.exe").run_grid(case.inputs)
    for one, want in zip(found, case.expected):
        assert all(map(np.array_equal, one, want))
