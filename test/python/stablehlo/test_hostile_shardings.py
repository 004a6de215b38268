"""Shardings in strings (`mhlo.sharding`) that are none: each is refused with its place, whatever is wrong with it."""

import re

import pytest
from mlir import ir

import hlo
from hlo.dialect.attributes import I64Matrix
from hlo.dialect.process_grid import MOST_PROCESSES
from hlo.dialect.registration import make_context

DIGITS = "9" * 5_000
ONES = "1," * 70


def program(sharding):
    return f"""module attributes {{mhlo.num_partitions = 2 : i32}} {{
  func.func @main(%x: tensor<4x4xf32> {{mhlo.sharding = "{sharding}"}}) -> tensor<4x4xf32> {{
    %0 = stablehlo.add %x, %x : tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }}
}}"""


@pytest.mark.parametrize(
    ("sharding", "words"),
    [
        (f"{{devices=[2,1]{DIGITS},1}}", "devices must be 0 to 1, each once"),
        (f"{{devices=[2,1]<=[{DIGITS}]}}", "the 2 tiles must be as many as the devices"),
        (f"{{devices=[{DIGITS},1]<=[2]}}", "devices must be 1 to 131072"),
        (f"{{devices=[2,1]<=[2]T({DIGITS})}}", "T(...) must name each of 1 dimensions once"),
        ("{devices=[2,]0,1}", "expected numbers between commas, found '2,'"),
        ("{devices=[2,1]0,}", "expected numbers between commas, found '0,'"),
        ("{devices=[2,1]<=[2]T(,0)}", "expected numbers between commas, found ',0'"),
        (f"{{devices=[2,1,{ONES}1]0,1}}", "devices must be a grid of at most 64 dimensions"),
        (f"{{devices=[2,1]<=[{ONES}2]}}", "devices must be a grid of at most 64 dimensions"),
        ("{{devices=[2,1]0,1},{replicated}}", "one sharding expected for a tensor, found 2"),
        ("{{ }", "expected shardings in braces"),
    ],
    ids=lambda text: text[:40],
)
def test_what_is_no_sharding(sharding, words):
    with pytest.raises(hlo.CompileError, match=re.escape(f"mhlo.sharding: {words}")) as caught:
        hlo.compile(program(sharding), cache=False)
    assert caught.value.diagnostics[0].line == 2


def test_groups_of_all_processes_of_the_largest_grid():
    """And the pairs of as many: what partitioning makes is read again."""
    with make_context():
        for rows, columns in ((1, MOST_PROCESSES), (MOST_PROCESSES, 2)):
            assert I64Matrix.accepts(ir.Attribute.parse(f"dense<0> : tensor<{rows}x{columns}xi64>"))
