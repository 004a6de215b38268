"""The programs of examples/deploy: built by their makefile, they say what the same programs say in this process."""

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import hlo

FOLDER = Path(__file__).parents[3] / "examples" / "deploy"
pytestmark = pytest.mark.skipif(not all(map(shutil.which, ("make", "cc", "c++"))), reason="no make or C compiler")


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("deploy") / "deploy"
    shutil.copytree(FOLDER, folder)
    command = ["make", "-C", str(folder), f"HLO_COMPILE={sys.executable} -m hlo.tools.hlo_compile", "objects", "all"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0 and "warning" not in done.stderr, done.stderr
    return folder


def said(built, *words):
    return subprocess.run([built / words[0], *words[1:]], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("colour", ["red", "green", "blue"])
def test_the_classifier_names_the_colour(built, colour):
    number = ["red", "green", "blue"].index(colour)
    pixels = np.random.default_rng(number).integers(0, 120, (32, 32, 3), np.uint8)
    pixels[:, :, number] += 60
    (built / "picture.ppm").write_bytes(b"P6\n32 32\n255\n" + pixels.tobytes())
    words = said(built, "classifier", str(built / "picture.ppm")).replace("(", "").replace(")", "").split()
    scores, best = hlo.compile(FOLDER / "classifier.mlir", entry="classify")(pixels)
    assert words[0] == colour and best == number
    np.testing.assert_allclose([float(w) for w in words[1:]], scores, atol=1e-4)


def test_tokens_follow_each_other(built):
    exe = hlo.compile(FOLDER / "token.mlir", entry="step")
    keys, values = (np.zeros((24, 16), np.float32) for _ in range(2))
    token, expected = np.int32(5), []
    for position in range(24):
        token, _, keys, values = exe(np.asarray(token), np.int32(position), keys, values)
        expected.append(int(token))
    assert len(set(expected)) > 1
    assert [int(w) for w in said(built, "token", "5").split()] == expected


def test_the_filter_finds_position_and_velocity(built):
    words = said(built, "kalman").replace(",", "").split()
    assert abs(float(words[1]) - 30) < 0.3 and abs(float(words[4]) - 1.5) < 0.2
    symbols = subprocess.run(["nm", "-u", built / "kalman.o"], capture_output=True, text=True).stdout
    assert not symbols.strip()
