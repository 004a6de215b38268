"""Ctrl-C ends work between its steps: as KeyboardInterrupt, with nothing half done."""

import _thread
import gc
import signal
import threading
import time

import numpy as np
import pytest

import hlo
from hlo.interruption import Stopped, stop_if_asked, uninterrupted

ADD = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { %0 = stablehlo.add %x, %x : tensor<4xf32> return %0 : tensor<4xf32> }"


@pytest.fixture(autouse=True)
def interrupts():
    """As in a terminal: background jobs of a shell, and test runners' workers, ignore SIGINT. Without garbage collection: Python drops an
    interrupt that meets a callback of that, of which JAX has one."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    gc.disable()
    yield
    gc.enable()
    signal.signal(signal.SIGINT, before)


def interrupt_main():
    signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)


def test_results_and_exceptions_come_through():
    assert uninterrupted(lambda: 5) == 5
    with pytest.raises(ZeroDivisionError):
        uninterrupted(lambda: 1 // 0)


def look_until_stopped(look, interrupt=interrupt_main):
    """Interrupts the main thread, and looks for a minute at most."""
    interrupt()
    end = time.monotonic() + 60
    while time.monotonic() < end:
        look()


@pytest.mark.parametrize("interrupt", [interrupt_main, _thread.interrupt_main], ids=["wakes", "does not wake"])
def test_work_is_not_interrupted_but_stopped(interrupt):
    """The interrupt comes while the work is between two looks; it is raised when the work has stopped, and not before. Also an interrupt that
    does not wake the thread that waits, as it is when it comes just before that falls asleep."""
    steps = []

    def work():
        steps.append("goes on")
        try:
            look_until_stopped(stop_if_asked, interrupt)
        except Stopped:
            steps.append("stops")
            raise

    with pytest.raises(KeyboardInterrupt):
        uninterrupted(work)
    assert steps == ["goes on", "stops"]


def test_work_that_never_looks_ends_before_the_interrupt_is_raised():
    done = []

    def work():
        interrupt_main()
        done.append(sum(range(100_000)))

    with pytest.raises(KeyboardInterrupt):
        uninterrupted(work)
    assert done


def test_another_thread_works_in_place():
    found = []
    thread = threading.Thread(target=lambda: found.append(uninterrupted(threading.get_ident)))
    thread.start()
    thread.join()
    assert found == [thread.ident]


@pytest.mark.parametrize("compiles", [lambda: hlo.compile(ADD), lambda: hlo.compile(hlo.parse(ADD))])
def test_the_compilation_after_an_interrupted_one(monkeypatch, tmp_path, compiles):
    from hlo.pipelines import runner

    monkeypatch.setenv("HLO_CACHE_DIR", str(tmp_path))
    plain = runner.stop_if_asked
    with monkeypatch.context() as patch:
        patch.setattr(runner, "stop_if_asked", lambda: look_until_stopped(plain))
        with pytest.raises(KeyboardInterrupt):
            compiles()
    assert not list(tmp_path.iterdir())
    np.testing.assert_array_equal(compiles()(np.ones(4, np.float32))[0], np.full(4, 2, np.float32))
