"""Tests whose outcome depends on how long something takes, on a machine that others use too."""

import pytest

measured = pytest.mark.flaky(reruns=3, reruns_delay=1)
"""Passes if one of four runs does: another process that takes the processor away makes a run slow, nothing makes one fast. For tests that compare
times, and for no others: a result is right each time."""
