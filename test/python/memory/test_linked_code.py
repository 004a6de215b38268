"""Programs share one session of LLVM's linker: each has its own symbols, and what is gone makes room."""

import functools
import gc
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import hlo
from hlo.errors import CompileError
from hlo.runtime.code import linked_code

TEXT = "func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {{ %0 = stablehlo.{op} %x : tensor<8xf32> return %0 : tensor<8xf32> }}"
X = np.linspace(0.25, 2, 8, dtype=np.float32)


def _compiled(op: str):
    return hlo.compile(TEXT.format(op=op), cache=False)


def test_programs_keep_their_own_symbols():
    ops = {"negate": np.negative, "sqrt": np.sqrt, "abs": np.abs}
    programs = {op: _compiled(op) for op in ops}
    assert len({exe.entry for exe in programs.values()}) == len(ops)
    for op, exe in programs.items():
        np.testing.assert_allclose(exe(X)[0], ops[op](X), rtol=1e-6)


def test_libraries_of_programs_that_are_gone_serve_again():
    gc.collect()  # what other tests have left is emptied before
    kept = _compiled("negate")
    gone = _compiled("sqrt")
    objects, home = gone.program.objects, gone._code.keep.home
    del gone
    gc.collect()
    assert home in linked_code._empty
    code = linked_code.link(objects, "hlo_entry")  # the one that was emptied last
    assert code.keep.home == home and home not in linked_code._empty
    np.testing.assert_array_equal(kept(X)[0], -X)


def test_a_name_that_is_not_there():
    objects = _compiled("negate").program.objects
    with pytest.raises(CompileError, match="no_such_function"):
        linked_code.link(objects, "no_such_function")


def test_threads_that_come_first_share_the_session(monkeypatch):
    objects = _compiled("negate").program.objects
    made = []

    def make():
        made.append(None)
        time.sleep(0.05)  # others come meanwhile
        return session

    session = linked_code._session()
    monkeypatch.setattr(linked_code, "_make_session", functools.cache(make))
    with ThreadPoolExecutor(4) as pool:
        codes = list(pool.map(lambda _: linked_code.link(objects, "hlo_entry"), range(4)))
    assert len(made) == 1 and len({code.entry for code in codes}) == 4
