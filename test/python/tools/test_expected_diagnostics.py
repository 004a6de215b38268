"""Comments of --verify-diagnostics that are mistakes themselves (hlo.tools.opt.expected_diagnostics)."""

import pytest

from hlo.errors import ArgumentError, Diagnostic
from hlo.tools.opt.expected_diagnostics import expectations, mismatches

FOUND = [Diagnostic("a mistake", "x.mlir", 1, 1)]


@pytest.mark.parametrize("pattern", ["{{(}}", "{{[}}", "{{a**}}"])
def test_what_is_no_regular_expression(pattern):
    with pytest.raises(ArgumentError, match=r"line 1: expected-error-re: .* has no regular expressions in {{...}}: "):
        mismatches(f"// expected-error-re {{{{a {pattern} b}}}}", FOUND, "x.mlir")


@pytest.mark.parametrize("number", ["9" * 5_000, "1000000000"])
@pytest.mark.parametrize("place", ["", "@+", "@-"])
def test_numbers_that_are_too_large(number, place):
    """A count of a thousand million would be as many messages."""
    with pytest.raises(ArgumentError, match=r"line 2: expected-\.\.\.: a number of at most 6 digits expected, found "):
        expectations(f"\n// expected-error{place or ' '}{number} {{{{a mistake}}}}")


def test_distances():
    text = "//\n//\n// expected-error@-2 {{a}} // expected-error@+12 {{b}} // expected-error {{c}}"
    assert [e.line for e in expectations(text)] == [1, 15, 3]


def test_counts():
    (missing,) = mismatches("// expected-error 2 {{a mistake}}", FOUND, "x.mlir")
    assert "was not produced" in missing.message
