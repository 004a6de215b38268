"""Ctrl-C ends work between its steps: as KeyboardInterrupt, with nothing half done."""

import _thread
import gc
import signal
import threading
import time
import weakref

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


def test_the_work_is_done_where_it_is_asked_for():
    assert uninterrupted(threading.get_ident) == threading.get_ident()


def test_handlers_are_called_at_once_and_given_back():
    """Of all signals; what one raises waits for the end of the work, and is raised once."""
    calls = []

    def handler(number, frame):
        calls.append(number)
        raise TimeoutError

    def work():
        for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGINT):
            signal.raise_signal(number)
        return list(calls)

    before = {number: signal.signal(number, handler) for number in (signal.SIGUSR1, signal.SIGUSR2)}
    try:
        with pytest.raises(TimeoutError):
            uninterrupted(work)
        assert calls == [signal.SIGUSR1, signal.SIGUSR2]
        assert all(signal.getsignal(number) is handler for number in before)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        for number, one in before.items():
            signal.signal(number, one)


def test_a_handler_that_is_set_meanwhile_stays():
    def handler(number, frame):
        pass

    uninterrupted(lambda: signal.signal(signal.SIGINT, handler))
    assert signal.getsignal(signal.SIGINT) is handler


def test_work_within_work_is_stopped_with_it():
    def inner():
        look_until_stopped(stop_if_asked)

    def work():
        try:
            uninterrupted(inner)
        except Stopped:
            steps.append("stops")
            raise

    steps = []
    with pytest.raises(KeyboardInterrupt):
        uninterrupted(work)
    assert steps == ["stops"]


def test_what_is_raised_holds_nothing_of_the_work():
    class Large:
        pass

    def work():
        large = Large()
        gone.append(weakref.ref(large))
        interrupt_main()
        stop_if_asked()

    gone = []
    with pytest.raises(KeyboardInterrupt):
        uninterrupted(work)
    assert gone[0]() is None


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
