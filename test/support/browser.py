"""A real browser for tests of pages: Chromium as the system has it, or Playwright's own; tests are skipped where there is none."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")


@contextmanager
def chromium() -> Iterator[Any]:
    """A running browser (of `playwright.sync_api`)."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with api.sync_playwright() as playwright:
        program = next(filter(None, map(shutil.which, NAMES)), None)
        if program is None and not Path(playwright.chromium.executable_path).exists():
            pytest.skip("no Chromium: install Debian's package chromium, or run `playwright install chromium`")
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


class Page:
    """A page from a file, which must not write to the console or ask for anything else."""

    def __init__(self, browser: Any, path: Path, **how: Any):
        self.messages: list[str] = []
        self.page = browser.new_page(viewport={"width": 1440, "height": 860}, **how)
        self.page.on("console", lambda message: self.messages.append(message.text))
        self.page.on("pageerror", lambda error: self.messages.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.messages.append(f"dialog {dialog.message}"), dialog.dismiss()))
        self.page.on("request", lambda request: self._requested(request.url, path))
        self.page.goto(path.as_uri())
        self.page.wait_for_selector("html[data-ready]")

    def _requested(self, url: str, path: Path) -> None:
        if url.partition("#")[0] != path.as_uri():
            self.messages.append(f"request of {url}")

    def go(self, place: str) -> None:
        """A place as the address has it: program/3, kernels/NAME, memory, profile."""
        self.page.evaluate("place => { location.hash = place; return fromAddress(); }", place)

    def ask(self, script: str, argument: Any = None) -> Any:
        return self.page.evaluate(script, argument)

    def until(self, script: str, argument: Any = None) -> None:
        """Waits for an expression to hold; Playwright's own way needs `eval`, which the page forbids."""
        for _ in range(400):
            if self.page.evaluate(script, argument):
                return
            self.page.wait_for_timeout(25)
        raise AssertionError(f"never true: {script}")

    def check(self) -> None:
        assert self.messages == []
        self.page.close()
