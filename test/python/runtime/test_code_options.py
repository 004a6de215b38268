"""Options of LLVM's code generator belong to the process: code for the CPU and for GPUs is never generated with each other's."""

import threading

import pytest

import hlo
from hlo.runtime.compile import code_options
from hlo.runtime.compile.code_options import FOR_GPUS, OURS, THEIRS

SECONDS = 20
"""Until a thread that does not get on is a failure."""


@pytest.fixture
def settings(monkeypatch) -> list:
    """What was set, in order; LLVM's own stay as they are."""
    found: list = []
    monkeypatch.setattr(code_options, "_set", found.append)
    monkeypatch.setattr(code_options, "_section", code_options._Section())
    return found


class User(threading.Thread):
    """Enters with some options and stays until it is told to leave."""

    def __init__(self, enter):
        super().__init__(daemon=True)
        self.enter, self.is_inside, self.may_leave = enter, threading.Event(), threading.Event()
        self.start()

    def run(self):
        with self.enter():
            self.is_inside.set()
            self.may_leave.wait(SECONDS)

    def leave(self):
        self.may_leave.set()
        self.join(SECONDS)
        assert not self.is_alive()


def queued(enter) -> User:
    before = len(code_options._section.queue)
    user = User(enter)
    for _ in range(SECONDS * 100):
        if len(code_options._section.queue) > before:
            return user
        user.join(0.01)
    raise AssertionError("the thread does not wait")


def test_one_kind_at_a_time_in_the_order_of_coming(settings) -> None:
    first, second = User(code_options.code_options), User(code_options.code_options)
    assert first.is_inside.wait(SECONDS) and second.is_inside.wait(SECONDS)
    gpu = queued(code_options.gpu_code_options)
    late = queued(code_options.code_options)
    first.leave()
    assert not gpu.is_inside.wait(0.05) and not late.is_inside.is_set() and settings == [OURS]
    second.leave()
    assert gpu.is_inside.wait(SECONDS) and not late.is_inside.wait(0.05)
    assert settings == [OURS, THEIRS, FOR_GPUS]
    gpu.leave()
    assert late.is_inside.wait(SECONDS)
    late.leave()
    assert settings == [OURS, THEIRS, FOR_GPUS, THEIRS, OURS, THEIRS]


def test_a_failure_inside_lets_others_in(settings) -> None:
    with pytest.raises(KeyError), code_options.gpu_code_options():
        raise KeyError
    with code_options.code_options(), code_options.code_options():
        assert settings[-1] == OURS
    assert settings == [FOR_GPUS, THEIRS, OURS, THEIRS]


PROGRAM = """func.func @main(%x: tensor<64x{n}xf32>) -> tensor<64xf32> {{
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %e = stablehlo.exponential %x : tensor<64x{n}xf32>
  %r = stablehlo.reduce(%e init: %z) applies stablehlo.add across dimensions = [1] : (tensor<64x{n}xf32>, tensor<f32>) -> tensor<64xf32>
  return %r : tensor<64xf32> }}"""


def test_compiling_for_both_at_once(monkeypatch) -> None:
    """Every call of the code generator finds the options of its kind, before and after."""
    from hlo.runtime.compile import llvm_engine
    from hlo.runtime.gpu import loader

    current, wrong = [THEIRS], []
    real = code_options._set
    monkeypatch.setattr(code_options, "_set", lambda options: (current.__setitem__(0, options), real(options)))

    def checked(function, wanted):
        def call(*arguments, **named):
            found = [current[0]]
            result = function(*arguments, **named)
            wrong.extend(o for o in (*found, current[0]) if o != wanted)
            return result

        return call

    monkeypatch.setattr(llvm_engine, "object_file", checked(llvm_engine.object_file, OURS))
    monkeypatch.setattr(loader, "ptx_of", checked(loader.ptx_of, FOR_GPUS))
    alone = [hlo.compile(PROGRAM.format(n=n), target="gpu", cache=False).program.code for n in (64, 96)]
    found: dict = {}

    def compile_all(target: str) -> None:
        found[target] = [hlo.compile(PROGRAM.format(n=n), target=target, cache=False) for n in (64, 96)]

    threads = [threading.Thread(target=compile_all, args=(target,)) for target in ("cpu", "gpu")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS * 3)
    assert [exe.program.code for exe in found["gpu"]] == alone
    assert len(found["cpu"]) == 2 and not wrong
