"""Constants of many digits, which are taken out of a text while it is checked and rewritten."""

import numpy as np
import pytest

import hlo
from hlo.dialect import reader
from hlo.dialect.reader.constants import restored, shortened

COUNT = 3000
VALUES = np.random.default_rng(2).standard_normal(COUNT).astype(np.float32)


def program(digits, type=f"{COUNT}xf32", then="%a, %b"):
    return f"""func.func @main(%a: tensor<{type}>) -> tensor<{type}> {{ // "a comment
  %b = stablehlo.constant dense<"0x{digits}"> : tensor<{type}> %c = stablehlo.add {then} : tensor<{type}>
  return %c : tensor<{type}>
}}"""


def digits_of(array):
    return array.tobytes().hex().upper()


def test_they_are_taken_out_and_put_back():
    text = program(digits_of(VALUES)) + program(digits_of(VALUES + 1).lower())
    short, constants = shortened(text)
    assert constants == [digits_of(VALUES), digits_of(VALUES + 1).lower()] and len(short) < 1000
    assert restored(short, constants) == text


@pytest.mark.parametrize(
    "text",
    [
        program(digits_of(VALUES[:10]), "10xf32"),
        program(digits_of(np.ones(9000, np.int8)), "9000xi1", "%a, %b"),
        program(digits_of(VALUES)[:-1]),
        program(digits_of(VALUES)[:-1] + "g"),
        program(digits_of(VALUES)[:-1] + " "),
        program(digits_of(VALUES)) + "// 5EEDC0DE5EEDC0DE",
        program(digits_of(VALUES)).replace('">', '"'),
        program(digits_of(VALUES))[:9000],
        'dense<"0x',
        "",
    ],
)
def test_what_stays_as_it_is(text):
    assert shortened(text) == (text, [])


def test_their_values():
    executable = hlo.compile(program(digits_of(VALUES)))
    np.testing.assert_array_equal(executable(VALUES)[0], VALUES + VALUES)


def test_booleans():
    bits = np.random.default_rng(1).integers(0, 2, 9000).astype(np.uint8)
    executable = hlo.compile(program(digits_of(bits), "9000xi1"))
    np.testing.assert_array_equal(executable(np.zeros(9000, bool))[0], bits.astype(bool))


def test_locations_behind_them(monkeypatch):
    """They are those of the whole text, also on the line of a constant."""
    text = program(digits_of(VALUES))
    found = hlo.parse(text).operation.get_asm(enable_debug_info=True)
    monkeypatch.setattr(reader, "shortened", lambda text: (text, []))
    assert found == hlo.parse(text).operation.get_asm(enable_debug_info=True)


@pytest.mark.parametrize("wrong", ["%a, %d", "%a %b", "%a, %b, %c"])
def test_mistakes_behind_them(wrong):
    text = program(digits_of(VALUES), then=wrong)
    with pytest.raises(hlo.ParseError) as found:
        hlo.parse(text)
    plain = program("00" * 4, "1xf32", wrong)
    with pytest.raises(hlo.ParseError) as short:
        hlo.parse(plain)
    moved = len(digits_of(VALUES)) - 8 + len(f"{COUNT}xf32") - len("1xf32")
    assert [(d.line, d.column) for d in found.value.diagnostics] == [
        (d.line, d.column + moved if d.line == 2 else d.column) for d in short.value.diagnostics
    ]


def test_a_constant_of_the_wrong_size():
    with pytest.raises(hlo.HloError, match="hex data size is invalid"):
        hlo.parse(program(digits_of(VALUES), f"{COUNT + 1}xf32"))
