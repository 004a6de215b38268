"""Compiling in a worker process: the same programs and errors, and a worker that dies, hangs or is interrupted is no harm."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import hlo
from hlo.runtime import custom_calls
from hlo.runtime.isolated import process

ADD = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n %0 = stablehlo.add %x, %x : tensor<4xf32>\n return %0 : tensor<4xf32> }"
X = np.arange(4, dtype=np.float32)


@pytest.fixture(autouse=True)
def interrupts():
    """As in a terminal: background jobs of a shell, and test runners' workers, ignore SIGINT."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def fresh_worker():
    process.drop_worker()
    yield
    process.drop_worker()


@pytest.fixture
def broken(tmp_path, monkeypatch, fresh_worker):
    """`broken(code)`: what a worker that is started now runs instead of the pass that forms kernels."""

    def install(code):
        (tmp_path / "sitecustomize.py").write_text(
            "import os, signal, time\n"
            "from hlo.lowering.kernels.form_kernels import FormKernels\n"
            f"def run(self, module):\n    {code}\n"
            "FormKernels.run = run\n"
        )
        monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    return install


def test_programs_errors_and_attributes_are_the_same():
    here, there = hlo.compile(ADD, keep_phases=True), hlo.compile(ADD, keep_phases=True, isolate=True)
    np.testing.assert_array_equal(there(X)[0], X + X)
    assert (there.signature, there.memory, there.phases) == (here.signature, here.memory, here.phases)
    for program in (ADD.replace("%x, %x", "%x, %y"), ADD.replace("4xf32>\n", "5xf32>\n"), "func.func @main("):
        found = []
        for isolate in (False, True):
            with pytest.raises(hlo.HloError) as raised:
                hlo.compile(program, isolate=isolate)
            found.append((type(raised.value), raised.value.diagnostics))
        assert found[0] == found[1]


def test_modules_dynamic_shapes_donation_and_custom_calls():
    np.testing.assert_array_equal(hlo.compile(hlo.parse(ADD), isolate=True)(X)[0], X + X)
    dynamic = hlo.compile(ADD.replace("<4x", "<?x"), isolate=True)
    for n in (2, 3):
        np.testing.assert_array_equal(dynamic(X[:n])[0], 2 * X[:n])
    assert len(dynamic.specializations) == 2 and str(dynamic.signature) == "(?xf32) -> (?xf32)"
    given = X.copy()
    (result,) = hlo.compile(ADD, isolate=True, donate=(0,))(given)
    assert np.shares_memory(result, given)
    custom_calls.register("test.here_only")(lambda x: x - 1)
    program = ADD.replace("stablehlo.add %x, %x : tensor<4xf32>", "stablehlo.custom_call @test.here_only(%x) : (tensor<4xf32>) -> tensor<4xf32>")  # fmt: skip
    np.testing.assert_array_equal(hlo.compile(program, isolate=True)(X)[0], X - 1)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"pipeline": hlo.pipelines.cpu()}, "pipeline="),
        ({"target": "reference"}, "reference"),
        ({"engine": "mlir"}, "engine='llvm'"),
        ({"isolate": 5}, "isolate takes"),
        ({"isolate": hlo.Limits(seconds=-1)}, "seconds takes"),
        ({"donate": {1}}, "cannot be sent"),
    ],
)
def test_what_is_refused(options, message):
    with pytest.raises(hlo.ArgumentError, match=message):
        hlo.compile(ADD, **{"isolate": True, "cache": False, **options})


@pytest.mark.parametrize(
    "code, death",
    [("os.abort()", "died of SIGABRT"), ("os.kill(os.getpid(), signal.SIGKILL)", "died of SIGKILL"), ("os._exit(3)", "ended with exit code 3")],
)  # fmt: skip
def test_a_worker_that_dies(broken, tmp_path, monkeypatch, code, death):
    broken(code)
    with pytest.raises(hlo.CompileError, match=f"{death} in phase kernels, pass form-kernels.*the program is in ") as raised:  # fmt: skip
        hlo.compile(ADD, isolate=True)
    text = Path(str(raised.value).rpartition(" ")[2]).read_text()
    assert ADD in text and hlo.parse(text)
    monkeypatch.delenv("PYTHONPATH")
    np.testing.assert_array_equal(hlo.compile(ADD, isolate=True)(X)[0], X + X)


def test_a_worker_that_hangs(broken):
    broken("time.sleep(10_000)")
    with pytest.raises(hlo.CompileError, match=r"needed more than 2 seconds in phase .*the program is in"):
        hlo.compile(ADD, isolate=hlo.Limits(seconds=2))


def test_a_worker_that_takes_too_much_memory(broken):
    broken("bytearray(1 << 45)")
    with pytest.raises(hlo.CompileError, match=r"needed more than 8589934592 bytes of memory in phase kernels"):
        hlo.compile(ADD, isolate=hlo.Limits(bytes=8 << 30))


def test_a_worker_that_is_killed_while_it_compiles(broken):
    """The signal comes from outside when the pass has begun."""
    broken("time.sleep(10_000)")
    killed = []

    def kill(worker):
        plain = worker.answer

        def answer(*arguments):
            message = plain(*arguments)
            if message[0].get("phase") == "kernels" and not killed:
                killed.append(os.kill(worker.process.pid, signal.SIGKILL))
            return message

        worker.answer = answer
        return worker

    with process.LOCK:
        kill(process.worker())
    with pytest.raises(hlo.CompileError, match="died of SIGKILL in phase kernels"):
        hlo.compile(ADD, isolate=True)


def test_an_interrupt_ends_the_wait(broken):
    broken("time.sleep(10_000)")
    main = threading.main_thread().ident
    with process.LOCK:
        worker = process.worker()
        plain = worker.answer

        def answer(*arguments):
            message = plain(*arguments)
            if message[0].get("phase") == "kernels":
                signal.pthread_kill(main, signal.SIGINT)
            return message

        worker.answer = answer
    with pytest.raises(KeyboardInterrupt):
        hlo.compile(ADD, isolate=True)
    assert worker.process.poll() is not None


def test_several_threads_and_a_forked_process():
    programs = [ADD.replace("add", name) for name in ("add", "multiply", "subtract", "maximum")]
    found = {}
    threads = [
        threading.Thread(target=lambda p=p: found.update({p: hlo.compile(p, isolate=True)(X)[0]})) for p in programs
    ]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    for program, expected in zip(programs, (X + X, X * X, X - X, X)):
        np.testing.assert_array_equal(found[program], expected)


CHILD = f"""
import os, sys, numpy as np, hlo
from hlo.runtime.isolated import process
ADD = {ADD!r}
x = np.ones(4, np.float32)
hlo.compile(ADD)(x)
mine = process._workers[0].process.pid
child = os.fork()
if not child:
    hlo.compile(ADD, keep_phases=True)(x)
    print(process._workers[0].process.pid != mine, flush=True)
    process.drop_worker()
    os._exit(0)
os.waitpid(child, 0)
print(hlo.compile(ADD)(x)[0].tolist(), process._workers[0].process.pid == mine, mine, flush=True)
"""


def test_the_environment_variable_a_fork_and_the_end_of_the_process():
    environment = {**os.environ, "HLO_ISOLATE": "1"}
    done = subprocess.run([sys.executable, "-c", CHILD], env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    first, second = done.stdout.splitlines()
    *rest, pid = second.split(" ")
    assert first == "True" and " ".join(rest) == "[2.0, 2.0, 2.0, 2.0] True"
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid), 0)
