"""send and recv between ranks of MPI (test/support/mpi_channels.py)."""

from __future__ import annotations

import re

import pytest
from test_mpi import child, needs_mpi

TO_ONE = r"channel 0 from process \(0, 0\) to process \(1, 0\)"
WAITS = r"process \(1, 0\) waits in stablehlo.recv at -:\d+:\d+ for a send to"
SENT = r"what process \(0, 0\) has sent in stablehlo.send at -:\d+:\d+"


@needs_mpi
def test_values_beside_numpy():
    """Rings of two processes in each rank, loops, channels without ends."""
    zero, one = child(2, "channels")
    assert zero == ["48 rings", "[3, 3]"] + ["[-1.0, -2.0]"] * 10
    assert one == ["48 rings", "[5, 6]"] + ["[3.0, 6.0]"] * 10


@needs_mpi
@pytest.mark.slow
def test_values_of_four_ranks():
    assert child(4, "channels") == [["48 rings"]] * 4


MISTAKES = {
    "another type": rf"process \(1, 0\): stablehlo.recv at -:\d+:\d+ takes 3xf32, but {SENT} to {TO_ONE} is 2xf32",
    "another channel": (
        r"no process can go on: " + WAITS + r" channel -2 from process \(0, 0\) to process \(1, 0\); process \(0, 0\) has finished; "
        rf"nobody has received {SENT} to {TO_ONE}"
    ),
    "another channel without ends": rf"no process can go on: {WAITS} channel 2; process \(0, 0\) has finished",
    "nobody receives": rf"nobody has received {SENT} to {TO_ONE}",
    "nobody receives without ends": rf"nobody has received {SENT} to channel 3",
    "nobody sends": rf"no process can go on: {WAITS} {TO_ONE}; process \(0, 0\) has finished",
    "both receive": (
        r"no process can go on: process \(0, 0\) waits in stablehlo.recv at -:\d+:\d+ for a send to channel 4; " rf"{WAITS} channel 4"
    ),
}  # fmt: skip


@needs_mpi
def test_mistakes_name_process_and_op():
    for lines in child(2, "channel_mistakes"):
        found = dict(zip(lines[: 2 * len(MISTAKES) : 2], lines[1 : 2 * len(MISTAKES) : 2]))
        assert list(found) == list(MISTAKES)
        for name, wanted in MISTAKES.items():
            assert re.match(rf"at once: (HloError|OtherRankFailed: rank \d has failed): .*{wanted}$", found[name]), (
                found[name]
            )
        assert "VerifyError" in lines[-3] and "source_target_pairs must hold replica ids in [0, 2)" in lines[-3]
        assert lines[-1] == "fine"


@needs_mpi
def test_a_send_that_comes_late():
    zero, one = child(2, "late_send")
    assert re.match(rf"at once: HloError: .*waited for 0.5 seconds: {WAITS} {TO_ONE}$", one[0])
    assert re.match(rf"at once: OtherRankFailed: rank 1 has failed: .*waited for 0.5 seconds: {WAITS}", zero[0])
    assert zero[1:] == one[1:] == ["fine"]


@needs_mpi
def test_a_sender_that_dies():
    _, one = child(2, "sender_dies", survives=True)
    assert re.match(rf"at once: HloError: .*{WAITS} {TO_ONE}: rank 0 has ended$", one[0]), one
