"""The documents that describe StableHLO and XLA's builder. They are not part of the project: tests that read them are skipped
where they are absent."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

BESIDE = Path(__file__).resolve().parents[3] / "shared" / "seeds"
"""Beside a checkout, where they may be."""


def document(variable: str, pattern: str) -> str:
    """The text of the document that an environment variable names, or of the one file beside the checkout that a pattern
    finds; else the test is skipped."""
    named = os.environ.get(variable)
    found = [Path(named)] if named else sorted(BESIDE.glob(pattern))
    if not found or not found[0].is_file():
        pytest.skip(f"the document is not here: {variable} can name its file")
    return found[0].read_text(encoding="utf-8")
