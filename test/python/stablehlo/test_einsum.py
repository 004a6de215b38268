"""Einstein summations, diagonals and ellipses among them, against numpy."""

from __future__ import annotations

import numpy as np
import pytest

import hlo
from hlo.errors import CompileError, HloError


def ramp(*shape):
    return (np.arange(np.prod(shape)) % 7).astype(np.float32).reshape(shape)


def run(config, *arrays, result):
    types = [f"tensor<{'x'.join(map(str, a.shape))}xf32>" for a in arrays]
    arguments = ", ".join(f"%{i}: {t}" for i, t in enumerate(types))
    op = "einsum" if len(arrays) == 2 else "unary_einsum"
    out = f"tensor<{''.join(f'{n}x' for n in result)}f32>"
    text = f"""func.func @main({arguments}) -> {out} {{
      %r = "stablehlo.{op}"({", ".join(f"%{i}" for i in range(len(arrays)))}) <{{einsum_config = "{config}"}}> : ({", ".join(types)}) -> {out}
      return %r : {out}
    }}"""
    (found,) = hlo.compile(text)(*arrays)
    return found


CASES = [
    ("ij->ji", [(3, 4)]),
    ("ii->i", [(4, 4)]),
    ("ii->", [(4, 4)]),
    ("iji->j", [(3, 2, 3)]),
    ("...ij->...ji", [(2, 3, 4)]),
    ("ij,jk->ik", [(3, 4), (4, 5)]),
    ("bij,bjk->ik", [(2, 3, 4), (2, 4, 5)]),
    ("ij,ij->", [(3, 4), (3, 4)]),
    ("ii,i->i", [(4, 4), (4,)]),
    ("...ij,...jk->...ik", [(2, 6, 3, 4), (2, 6, 4, 5)]),
    ("...ij,jk->...ik", [(2, 6, 3, 4), (4, 5)]),
    ("...i,...i->...", [(2, 3), (1, 3)]),
    ("i...,i...->...", [(3, 2, 4), (3, 2, 4)]),
]


@pytest.mark.parametrize("config, shapes", CASES)
def test_einsum(config, shapes):
    arrays = [ramp(*s) for s in shapes]
    expected = np.einsum(config, *arrays)
    np.testing.assert_array_equal(run(config, *arrays, result=expected.shape), expected)


def test_a_result_that_no_operand_has():
    with pytest.raises((CompileError, HloError), match="operand"):
        run("...i->...ik", ramp(2, 3), result=(2, 3, 4))
