"""Search of schedules: a bad one is improved, candidates that are wrong are refused, what was found is kept and used."""

import logging
import os
import re
import signal
import threading
import time

import numpy as np
import pytest
from mlir import ir

import hlo
from hlo import pipelines
from hlo.dialect.printer import print_module
from hlo.errors import CompileError
from hlo.lowering.kernels.schedule import SCHEDULE
from hlo.pipelines.dump import phases_after, read_dump
from hlo.runtime.tuning import phase as tune_phase
from hlo.runtime.tuning import search, stored
from hlo.runtime.tuning.kernel_program import KernelProgram, Machine, kernel_program, why_not_alone
from hlo.runtime.tuning.neighbours import fields_of, neighbours
from hlo.runtime.tuning.phase import TuneKernels, with_tuning
from hlo.runtime.tuning.results import agree, same_order
from hlo.runtime.tuning.work import call_counts

MATMUL = """func.func @main(%x: tensor<192x192xf32>, %y: tensor<192x192xf32>) -> tensor<192x192xf32> {
  %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<192x192xf32>, tensor<192x192xf32>) -> tensor<192x192xf32>
  return %r : tensor<192x192xf32>
}"""
BAD = dict(
    unroll_m=1,
    unroll_n=1,
    vector=2,
    threads=1,
    parallel='"none"',
    block_m=0,
    block_n=0,
    pack_a='"none"',
    pack_b='"none"',
)
INPUTS = [np.random.default_rng(n).standard_normal((192, 192)).astype(np.float32) for n in (0, 1)]


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("HLO_CACHE_DIR", str(tmp_path))


def kernels(text, **fields):
    """The module after the phase kernels, with other values of some fields."""
    module = hlo.parse(text)
    pipelines.run(module, pipelines.cpu("avx2"), stop_after="kernels")
    dump = print_module(module)
    for name, value in fields.items():
        dump = re.sub(rf"\b{name} = (\"[^\"]*\"|[^,}}]*)", f"{name} = {value}", dump)
    return read_dump(dump, "dump.mlir")


def tuned(module, seconds):
    """What the phase says."""
    item = TuneKernels(float(seconds), "avx2", 1)
    pipelines.run_pass(module, item)
    return " ".join(remark.message for remark in item.remarks)


def schedule(module):
    return next(str(op.attributes[SCHEDULE]) for op in module.body.operations if SCHEDULE in op.operation.attributes)


def test_a_bad_schedule_is_improved():
    module = kernels(MATMUL, **BAD)
    bad = schedule(module)
    told = tuned(module, 2)
    gain = re.search(r"([\d.]+) times as fast: ", told)
    assert gain and float(gain[1]) > 2, told
    assert schedule(module) != bad
    code = hlo.compile(module, pipeline=phases_after(pipelines.cpu("avx2"), "kernels"), cpu="avx2", threads=1)
    np.testing.assert_allclose(code(*INPUTS)[0], INPUTS[0] @ INPUTS[1], rtol=1e-4, atol=1e-4)


ROWS = """func.func @main(%x: tensor<1024x16xf32>, %y: tensor<16x1024xf32>) -> tensor<1024x1024xf32> {
  %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<1024x16xf32>, tensor<16x1024xf32>) -> tensor<1024x1024xf32>
  %t = stablehlo.tanh %r : tensor<1024x1024xf32>
  return %t : tensor<1024x1024xf32>
}"""


def test_blocks_of_rows_are_searched_with_the_kernels_in_them():
    """Their stages are copied with the kernel, and have schedules of their own."""
    module = kernels(ROWS)
    bad = schedule(module).replace("unroll = 4", "unroll = 1")
    assert bad != schedule(module)
    kernel = next(op for op in module.body.operations if SCHEDULE in op.operation.attributes)
    assert kernel.attributes["hlo.kernel"].value == "rows"
    kernel.attributes[SCHEDULE] = ir.Attribute.parse(bad, module.context)
    found = fields_of(kernel.attributes[SCHEDULE])
    near = list(neighbours(found, 2))
    assert {one["threads"] for one in near} == {1, 2, found["threads"]} and all(
        one["block"] == found["block"] for one in near
    )
    told = tuned(module, 1)
    assert "schedules tried" in told and "refused" not in told
    code = hlo.compile(module, pipeline=phases_after(pipelines.cpu("avx2"), "kernels"), cpu="avx2", threads=1)
    x, y = (
        np.random.default_rng(n).standard_normal(shape).astype(np.float32)
        for n, shape in enumerate([(1024, 16), (16, 1024)])
    )
    np.testing.assert_allclose(code(x, y)[0], np.tanh(x @ y), rtol=1e-4, atol=1e-4)


def test_what_was_found_is_used_by_the_next_compilation(monkeypatch):
    first = kernels(MATMUL, **BAD)
    tuned(first, 1)
    monkeypatch.setattr(tune_phase, "Search", None)  # a search would fail
    again = kernels(MATMUL, **BAD)
    assert "an earlier search found" in tuned(again, 0)
    assert schedule(again) == schedule(first)


def test_a_finished_search_is_not_made_again(monkeypatch):
    module = kernels(MATMUL, **BAD)
    good = kernels(MATMUL)
    kernel = next(op for op in module.body.operations if SCHEDULE in op.operation.attributes)
    stored.keep(stored.key_of(kernel_program(kernel, Machine("avx2", 1))), _attribute(good), True)
    monkeypatch.setattr(tune_phase, "Search", None)
    tuned(module, 5)
    assert schedule(module) == schedule(good)


def _attribute(module):
    return next(op.attributes[SCHEDULE] for op in module.body.operations if SCHEDULE in op.operation.attributes)


def test_a_kept_schedule_that_is_not_allowed_is_told_and_not_used():
    module = kernels(MATMUL)
    kernel = next(op for op in module.body.operations if SCHEDULE in op.operation.attributes)
    untuned = schedule(module)
    stored.keep(
        stored.key_of(kernel_program(kernel, Machine("avx2", 1))), _attribute(kernels(MATMUL, unroll_m=99)), True
    )
    assert "is not allowed: unroll_m: found 99" in tuned(module, 0)
    assert schedule(module) == untuned


@pytest.mark.parametrize("wrong", [1.0, np.nan, np.inf])
def test_candidates_with_wrong_results_are_refused(monkeypatch, caplog, wrong):
    compile_it, made = KernelProgram.compile, []

    def planted(self, candidate):
        code = compile_it(self, candidate)
        made.append(code)
        if len(made) == 1:  # the untuned one
            return code

        def changed(*arguments):
            result = np.array(code(*arguments)[0])
            result[-1, -1] += wrong
            return [result]

        return changed

    monkeypatch.setattr(KernelProgram, "compile", planted)
    module = kernels(MATMUL, **BAD)
    bad = schedule(module)
    with caplog.at_level(logging.INFO, "hlo.tune"):
        told = tuned(module, 0.5)
    assert len(made) > 1 and "gives other results" in told and "none is faster" in told
    assert any(r.levelno == logging.WARNING and "refused" in r.message for r in caplog.records)
    assert schedule(module) == bad


def test_candidates_that_do_not_compile_are_refused(monkeypatch):
    compile_it, made = KernelProgram.compile, []

    def planted(self, candidate):
        made.append(candidate)
        if len(made) > 1:
            raise CompileError("no such instruction")
        return compile_it(self, candidate)

    monkeypatch.setattr(KernelProgram, "compile", planted)
    module = kernels(MATMUL, **BAD)
    bad = schedule(module)
    assert "does not compile: no such instruction" in tuned(module, 0.5)
    assert schedule(module) == bad


def test_slower_candidates_are_not_taken(monkeypatch):
    monkeypatch.setattr(search, "_ratio", lambda *_: 1.0)
    module = kernels(MATMUL, **BAD)
    bad = schedule(module)
    assert "none is faster" in tuned(module, 0.5)
    assert schedule(module) == bad


def test_ctrl_c_ends_the_search_and_nothing_of_it_is_kept(caplog):
    started = time.monotonic()
    with caplog.at_level(logging.INFO, "hlo.tune"), pytest.raises(KeyboardInterrupt):
        search_run = search.Search.run

        def run(self, *arguments):
            threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
            return search_run(self, *arguments)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(search.Search, "run", run)
            hlo.compile(MATMUL, tune=300)
    assert time.monotonic() - started < 60
    assert any("interrupted: the untuned code stays" in r.message for r in caplog.records)
    with caplog.at_level(logging.INFO, "hlo.tune"):
        hlo.compile(MATMUL, tune=0)
    assert "an earlier search found" not in caplog.text


def test_the_time_is_kept():
    started = time.monotonic()
    exe = hlo.compile(MATMUL, tune=0.5, threads=1)
    assert time.monotonic() - started < 30
    np.testing.assert_allclose(exe(*INPUTS)[0], INPUTS[0] @ INPUTS[1], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("bad", [-1, float("nan"), float("inf"), "5", True, [1]])
def test_bad_values(bad):
    with pytest.raises(hlo.ArgumentError, match="tune takes a number of seconds from 0, found"):
        hlo.compile(MATMUL, tune=bad)


@pytest.mark.parametrize("number", [np.float32(0.25), np.int64(0)])
def test_numbers_of_numpy(number):
    exe = hlo.compile(MATMUL, tune=number, threads=np.int64(1))
    np.testing.assert_allclose(exe(*INPUTS)[0], INPUTS[0] @ INPUTS[1], rtol=1e-4, atol=1e-4)


def test_other_targets_and_pipelines_are_refused():
    with pytest.raises(hlo.ArgumentError, match="unknown option 'tune'"):
        hlo.compile(MATMUL, target="reference", tune=1)
    with pytest.raises(hlo.ArgumentError, match="no phase 'kernels'"):
        with_tuning(phases_after(pipelines.cpu(), "kernels"), 1, Machine("host", 1))


def test_the_variable(monkeypatch, caplog):
    monkeypatch.setenv("HLO_TUNE", "x")
    with pytest.raises(hlo.ArgumentError, match=r"HLO_TUNE takes a number of seconds from 0.*, found 'x'"):
        hlo.compile(MATMUL)
    monkeypatch.setenv("HLO_TUNE", "1")
    with caplog.at_level(logging.INFO, "hlo.tune"):
        hlo.compile(MATMUL)
    assert "schedules tried" in caplog.text


def test_kernels_that_need_some_integers_are_not_run_alone():
    text = """func.func @main(%x: tensor<64xi32>, %y: tensor<64xi32>) -> tensor<64xi32> {
      %r = stablehlo.divide %x, %y : tensor<64xi32>
      return %r : tensor<64xi32>
    }"""
    module = kernels(text)
    reasons = [why_not_alone(op) for op in module.body.operations if SCHEDULE in op.operation.attributes]
    assert reasons == ["arith.divsi needs integers that its program sees to"]
    assert "not tuned" in tuned(module, 1)


def test_neighbours_differ_and_come_once():
    fields = fields_of(_attribute(kernels(MATMUL)))
    found = list(neighbours(fields, 2))
    assert fields not in found and len(found) == len({str(one) for one in found}) > 30
    assert found == list(neighbours(fields, 2))


def test_orders_of_reductions():
    fields = fields_of(_attribute(kernels(MATMUL)))
    assert same_order(fields, {**fields, "unroll_m": 1, "threads": 7, "pack_b": "lanes"}, 192)
    assert not same_order(fields, {**fields, "block_k": 64}, 192)
    assert not same_order(fields, {**fields, "vectorize": "k"}, 192)
    assert same_order(fields, {**fields, "vectorize": "k"}, 1)


def test_agreement():
    wanted = np.array([1.0, np.nan, np.inf, -2.0], np.float32)
    near = wanted * np.float32(1 + 2**-22)
    assert agree([near], [wanted], 64, bits=False) and not agree([near], [wanted], 64, bits=True)
    assert not agree([np.nan_to_num(wanted)], [wanted], 64, bits=False)
    assert not agree([wanted * np.float32(1.001)], [wanted], 64, bits=False)
    assert not agree([np.array([1, 2])], [np.array([1, 3])], 64, bits=False)


def test_calls_in_loops_count_more():
    module = ir.Module.parse(
        """func.func @main(%n: index) {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          scf.for %i = %c0 to %n step %c1 { func.call @body() : () -> () }
          func.call @k() : () -> ()
          return
        }
        func.func private @body() { call @k() : () -> () return }
        func.func private @k() { return }""",
        kernels(MATMUL).context,
    )
    assert call_counts(module) == {"body": 16, "k": 17}
