"""The progress line of long compilations: on terminals only, gone in the end."""

import io
import os
import pty
import subprocess
import sys
import threading
import time

import pytest

import hlo
from hlo.runtime.compile import progress
from hlo.runtime.compile.progress import CODE, ERASE, Progress


class Terminal(io.StringIO):
    """`shown`: something was written."""

    def __init__(self):
        super().__init__()
        self.shown = threading.Event()

    def isatty(self):
        return True

    def write(self, text):
        self.shown.set()
        return super().write(text)


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0.01)
    monkeypatch.setattr(progress, "INTERVAL", 0.005)


def test_phases_and_shares():
    shown = Progress(["stablehlo", "linalg", "kernels", "memory", "llvm", CODE], io.StringIO())
    lines = [shown.line()]
    for step in list(shown.steps):
        shown.done(step)
        lines.append(shown.line())
    assert lines[0] == "hlo: stablehlo, 0% done"
    assert (
        lines[4] == "hlo: llvm, 44% done"
        and lines[5] == "hlo: machine code, 59% done"
        and lines[6].endswith("100% done")
    )


def test_a_terminal_sees_the_line_and_loses_it(impatient):
    terminal = Terminal()
    with Progress(["linalg", "own phase", CODE], terminal) as shown:
        shown.done("linalg")
        while "own phase" not in terminal.getvalue():
            time.sleep(0.01)
    text = terminal.getvalue()
    assert ERASE + "hlo: own phase, 7% done" in text and text.endswith(ERASE)


def test_nothing_for_short_compilations_and_files(impatient, monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(progress, "PATIENCE", 10)
    with Progress(["linalg"], terminal):
        pass
    assert terminal.getvalue() == ""
    monkeypatch.setattr(progress, "PATIENCE", 0)
    file = io.StringIO()
    with Progress(["linalg"], file):
        time.sleep(0.05)
    assert file.getvalue() == ""


def test_compilations_show_it_and_errors_end_it(impatient, monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    done = Progress.done
    monkeypatch.setattr(Progress, "done", lambda self, name: (terminal.shown.wait(), done(self, name)))
    hlo.compile(
        "func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> { %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>\n return %0 : tensor<64x64xf32> }"
    )
    text = terminal.getvalue()
    assert "hlo: " in text and text.endswith(ERASE)
    with pytest.raises(hlo.CompileError):
        hlo.compile(
            'func.func @main() { "stablehlo.custom_call"() {call_target_name = "nobody", has_side_effect = true} : () -> ()\n return }'
        )
    assert terminal.getvalue().endswith(ERASE)


TOOLS = {
    "hlo_opt": ["--compile-to=llvm", "-o", os.devnull],
    "hlo_run": ["--input=2xf32=1,2"],
}


@pytest.mark.parametrize("tool", TOOLS)
def test_a_tool_on_a_terminal_shows_the_line_and_leaves_none(tool: str, tmp_path):
    program = tmp_path / "program.mlir"
    program.write_text(
        "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { %0 = stablehlo.tanh %x : tensor<2xf32> return %0 : tensor<2xf32> }"
    )
    code = f"""if True:
        import sys
        from hlo.runtime.compile import progress
        from hlo.tools import {tool}
        from threading import Event
        shown, Progress = Event(), progress.Progress
        line, done = Progress.line, Progress.done
        Progress.line = lambda self: (line(self), shown.set())[0]
        Progress.done = lambda self, name: (shown.wait(), done(self, name))
        progress.PATIENCE, progress.INTERVAL = 0, 0.001
        sys.exit({tool}.main({[str(program), *TOOLS[tool]]}))"""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "HLO_CACHE_DIR": ""}
    with subprocess.Popen(
        [sys.executable, "-c", code], stderr=theirs, stdout=subprocess.DEVNULL, env=environment
    ) as child:
        os.close(theirs)
        text = _everything_from(ours)
    os.close(ours)
    assert child.returncode == 0, text
    assert ERASE + "hlo: " in text and text.endswith(ERASE)


def _everything_from(terminal: int) -> str:
    """Reading fails when nobody holds the other end any more."""
    parts = []
    try:
        while part := os.read(terminal, 4096):
            parts.append(part)
    except OSError:
        pass
    return b"".join(parts).decode()
