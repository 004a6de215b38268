"""Perfetto's own trace processor loads the traces of profiles, and SQL finds in them what the profiles say."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from perfetto_queries import by_module, by_page, by_program

import hlo

LAYER = """%{1} = stablehlo.dot %{0}, %x : (tensor<200x200xf32>, tensor<200x200xf32>) -> tensor<200x200xf32>
  %{2} = stablehlo.tanh %{1} : tensor<200x200xf32>"""
LAYERS = f"""func.func @main(%x: tensor<200x200xf32>) -> tensor<200x200xf32> {{
  %0 = stablehlo.negate %x : tensor<200x200xf32>
  {"".join(LAYER.format(2 * n, 2 * n + 1, 2 * n + 2) for n in range(40))}
  return %80 : tensor<200x200xf32> }}"""


def _program(folder: Path, text: str, arrays: Any) -> tuple[Path, list[dict[str, Any]]]:
    """The trace of one call, and the rows of its profile as JSON."""
    profile = hlo.compile(text).profile(*arrays, repeat=1)
    trace = folder / "program.trace.json"
    profile.write(trace)
    return trace, profile.as_json()["rows"]


def layers(folder: Path) -> tuple[Path, list[dict[str, Any]]]:
    return _program(folder, LAYERS, [np.ones((200, 200), np.float32)])


def gradient_of_a_transformer(folder: Path) -> tuple[Path, list[dict[str, Any]]]:
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    from bench.programs import PROGRAMS

    program = PROGRAMS["transformer 1 layer gradient"]
    inputs = program.inputs()
    return _program(folder, jax.jit(program.function).lower(*inputs).as_text(debug_info=True), inputs)


TRAINING = """
import json, sys
import jax, jax.numpy as jnp
def loss(p, x):
    return jnp.mean(jnp.tanh(jnp.tanh(x @ p[0]) @ p[1]) ** 2)
@jax.jit
def step(p, x):
    return [a - 0.1 * g for a, g in zip(p, jax.grad(loss)(p, x))]
p, x = [jnp.full((384, 384), 0.01), jnp.full((384, 384), 0.02)], jnp.ones((384, 384))
for _ in range(10):
    p = jax.block_until_ready(step(p, x))

from hlo.runtime.profile import at_exit, measure
profiles = [measure.profile_of(*one).as_json() for one in at_exit._programs.values()]  # the trace is written when the process ends
json.dump([{**row, "calls": row["calls"] * p["runs"], "seconds": row["seconds"] * p["runs"]} for p in profiles for row in p["rows"]], open(sys.argv[1], "w"))
"""


def training_step_of_jax(folder: Path) -> tuple[Path, list[dict[str, Any]]]:
    """The trace of a process, and the rows of all its programs, over all calls."""
    pytest.importorskip("jax", reason="JAX is not installed")
    script, trace, rows = folder / "train.py", folder / "train.trace.json", folder / "rows.json"
    script.write_text(TRAINING)
    environment = {**os.environ, "JAX_PLATFORMS": "hlo", "HLO_PROFILE": str(trace)}
    command = [sys.executable, str(script), str(rows)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr[-2000:]
    return trace, json.loads(rows.read_text())


@pytest.mark.parametrize(
    ("profiled", "opened"),
    [
        (layers, by_module),
        (training_step_of_jax, by_module),
        (gradient_of_a_transformer, by_module),
        (layers, by_page),
        (layers, by_program),
    ],
)
def test_queries_find_what_the_profile_says(tmp_path, profiled, opened):
    """The calls of each kernel and their time, to the nanosecond that a trace is written in; nothing was dropped or repaired in loading."""
    trace, rows = profiled(tmp_path)
    sums = "select name, {} as value from slice where category not in ('call', 'part', 'compilation', 'loop', 'layer') group by name"
    with opened(trace) as ask:
        calls = dict(ask(sums.format("count(*)"), "name", "value"))
        nanoseconds = dict(ask(sums.format("sum(dur)"), "name", "value"))
        ignored = ask("select name, value from stats where severity != 'info' and value > 0", "name", "value")
        inside = (
            "select 'kernels' as name, count(*) as value from slice where category = 'kernel' and parent_id is null"
        )
        assert ask(inside, "name", "value") == [("kernels", 0)]  # each kernel lies in the call of its program
    assert ignored == []
    expected: dict[str, list[float]] = {}
    for row in rows:
        if row["kind"] != "other":
            known = expected.setdefault(row["name"], [0.0, 0.0])
            known[0] += row["calls"]
            known[1] += row["seconds"] * 1e9
    assert calls == pytest.approx({name: count for name, (count, _) in expected.items()}) and sum(calls.values()) >= 10
    assert all(abs(nanoseconds[name] - time) <= 1 + count for name, (count, time) in expected.items())


def test_the_documented_query(tmp_path):
    page = (Path(__file__).parents[3] / "docs" / "profiling.md").read_text()
    (query,) = re.findall(r'^longest = "(.*)"$', page, re.MULTILINE)
    trace, rows = layers(tmp_path)
    with by_module(trace) as ask:
        names = [name for name, _ in ask(query, "name", "calls")]
    assert set(names) == {row["name"] for row in rows if row["kind"] not in ("other", "copy")}
