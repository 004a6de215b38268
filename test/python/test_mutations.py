"""Thousands of programs with small mistakes: each is an error with words or a success; no abort, hang or traceback.

The normal run takes a few hundred; `MUTATIONS=5000 pytest test/python/test_mutations.py` more. They run in workers, so
that one that dies is named."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

COUNT = int(os.environ.get("MUTATIONS", "400"))
BATCH = 100
SECONDS = 300


def bugs(kind, start, stop):
    """What went wrong in a range of mutations; after a death the rest of the range goes on."""
    found = []
    while start < stop:
        command = [sys.executable, str(Path(__file__).with_name("mutations.py")), kind, str(start), str(stop)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=SECONDS)
            output, death = done.stdout, f"died with {done.returncode}: {done.stderr[-300:]}"
        except subprocess.TimeoutExpired as hang:
            output, death = (hang.stdout or b"").decode(errors="replace"), "hangs"
        results = dict(line.split(" ", 1) for line in output.splitlines() if not line.endswith(" starts"))
        found += [f"mutation {number}: {result}" for number, result in results.items() if result.startswith("BUG")]
        start += len(results)
        if start < stop:
            found.append(f"mutation {start}: {death}")
            start += 1
    return found


@pytest.mark.parametrize("start", range(0, COUNT, BATCH))
def test_reading_mutations(start):
    assert bugs("read", start, min(start + BATCH, COUNT)) == []


@pytest.mark.parametrize("start", range(0, COUNT // 10, BATCH))
def test_compiling_mutations(start):
    assert bugs("compile", start + 1_000_000, min(start + BATCH, COUNT // 10) + 1_000_000) == []
