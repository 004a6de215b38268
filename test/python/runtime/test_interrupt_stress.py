"""Interrupts at random moments, a few; `python -m hlo.tools.interrupts` has thousands."""

import pytest

from hlo.tools.interrupts.__main__ import EXPECTED, main, run_child
from hlo.tools.interrupts.child import ACTIONS


@pytest.mark.parametrize("action", [name for name in ACTIONS if name != "isolated"])
def test_interrupts_are_raised_and_nothing_is_wrong_after(action):
    found = run_child(action, 6, 1)
    assert set(found) <= EXPECTED and found["raised"] + found["late"] >= 6, found


def test_a_mistake_is_found(monkeypatch, capsys):
    """A child that loses an interrupt, or dies, makes the tool fail."""
    import sys

    monkeypatch.setattr(sys, "executable", "/bin/false")
    assert main(["--count", "1", "--actions", "run"]) == 1
    assert "the process ended with 1" in capsys.readouterr().out
    assert main(["--actions", "nothing"]) == 1
