"""Profiles: what they count, that they add up, and that programs without them are the same code."""

import json
import os
import subprocess
import sys
import threading

import numpy as np
import pytest
from measured import measured

import hlo
from hlo.runtime import custom_calls
from hlo.runtime.profile import layout, machine_rates
from hlo.runtime.profile.machine_rates import Rates
from hlo.runtime.profile.profile import AROUND, BETWEEN, entries_of
from hlo.runtime.profile.record import Record
from hlo.runtime.profile.rows import Row
from hlo.runtime.profile.trace import trace

N, TURNS = 192, 5
LOOP = f"""
func.func @main(%a: tensor<{N}x{N}xf32>, %b: tensor<{N}x{N}xf32>) -> tensor<{N}x{N}xf32> {{
  %i = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%it = %i, %x = %a) : tensor<i32>, tensor<{N}x{N}xf32>
  cond {{
    %n = stablehlo.constant dense<{TURNS}> : tensor<i32>
    %c = stablehlo.compare LT, %it, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }} do {{
    %one = stablehlo.constant dense<1> : tensor<i32>
    %n = stablehlo.add %it, %one : tensor<i32>
    %y = stablehlo.dot %x, %b : (tensor<{N}x{N}xf32>, tensor<{N}x{N}xf32>) -> tensor<{N}x{N}xf32>
    %z = stablehlo.tanh %y : tensor<{N}x{N}xf32>
    stablehlo.return %n, %z : tensor<i32>, tensor<{N}x{N}xf32>
  }}
  return %r#1 : tensor<{N}x{N}xf32>
}}
"""
ARRAYS = [np.full((N, N), 0.01, np.float32)] * 2


@pytest.fixture(autouse=True)
def no_measuring(monkeypatch):
    """The machine's rates are not what most tests are about."""
    known = Rates(2, 1e11, 5e10, ((1 << 15, 1e11), (1 << 27, 2e10)))
    monkeypatch.setattr("hlo.runtime.profile.measure.rates", lambda threads: known)


def _rows(profile, kind):
    return [e for e in profile.entries if e.row.kind == kind]


def test_counts_of_a_loop():
    profile = hlo.compile(LOOP).profile(*ARRAYS, repeat=4)
    (product,) = _rows(profile, "contraction")
    assert product.calls == TURNS and profile.runs == 4
    assert product.row.operations == 2 * N**3
    assert (product.row.read, product.row.written) == (2 * N * N * 4, N * N * 4)
    assert product.row.sources[0].endswith(":12:10")
    (tanh,) = [e for e in _rows(profile, "region") if e.row.transcendentals]
    assert tanh.row.transcendentals == N * N and tanh.calls == TURNS
    (condition,) = [e for e in _rows(profile, "region") if e.row.name.startswith("cmp")]
    assert condition.calls == TURNS + 1
    (loop,) = profile.spans
    assert loop.calls == 1 and loop.seconds >= product.seconds + tanh.seconds


@measured
def test_rows_add_up_to_the_call():
    profile = hlo.compile(LOOP).profile(*ARRAYS, repeat=20)
    assert sum(e.seconds for e in profile.entries) == pytest.approx(profile.seconds, rel=1e-9)
    between = next(e for e in profile.entries if e.row.name == BETWEEN)
    assert between.seconds < 0.05 * profile.inside
    assert profile.entries[-1].row.name == AROUND
    assert profile.inside <= profile.seconds == pytest.approx(np.mean(profile.calls))


@measured
def test_parts_and_threads():
    profile = hlo.compile(LOOP, threads=2).profile(*ARRAYS, repeat=20)
    (product,) = _rows(profile, "contraction")
    assert product.parts > product.calls and 1 <= product.threads <= 2
    assert 0 < product.busy <= 2.01 * product.seconds
    assert 0 <= product.waited <= product.seconds
    alone = _rows(hlo.compile(LOOP, threads=1).profile(*ARRAYS, repeat=5), "contraction")[0]
    assert alone.threads == 1 and alone.waited < 0.2 * alone.seconds


def test_results_are_the_same_bits():
    timed = hlo.compile(LOOP, profile=True)
    assert np.array_equal(timed(*ARRAYS)[0], hlo.compile(LOOP)(*ARRAYS)[0])


def test_without_profiles_there_are_no_timers(tmp_path, monkeypatch):
    monkeypatch.setenv("HLO_CACHE_DIR", str(tmp_path / "cache"))
    for timed in (True, False, True, False):  # the second time from the disk cache
        executable = hlo.compile(LOOP, profile=timed)
        assert (executable.record is not None) == timed
        program = executable.program
        assert any(b"hlo_profile" in one for one in (*program.objects, program.library)) == timed
    names = [getattr(p, "name", p) for phase in hlo.pipelines.cpu() for p in phase.passes]
    assert not {"describe-kernels", "time-calls"} & set(names)


def test_saved_programs_keep_their_timers(tmp_path):
    path = tmp_path / "loop.exe"
    hlo.compile(LOOP, profile=True).save(path)
    profile = hlo.load_executable(path).profile(*ARRAYS, repeat=2)
    assert _rows(profile, "contraction")[0].calls == TURNS
    hlo.compile(LOOP).save(path)
    with pytest.raises(hlo.HloError, match="profile=True"):
        hlo.load_executable(path).profile(*ARRAYS)


def test_a_module_that_is_changed_later():
    module = hlo.parse(LOOP)
    executable = hlo.compile(module)
    module.body.operations[0].operation.erase()
    assert executable.profile(*ARRAYS, repeat=1).runs == 1


def test_layers_are_spans():
    layer = """
      %d{n} = stablehlo.dot %{n}, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %{next} = stablehlo.tanh %d{n} : tensor<64x64xf32>"""
    chain = "".join(layer.format(n=n, next=n + 1) for n in range(4))
    text = f"""func.func @main(%w: tensor<64x64xf32>) -> tensor<64x64xf32> {{
      %0 = stablehlo.negate %w : tensor<64x64xf32>
      {chain}
      return %4 : tensor<64x64xf32> }}"""
    profile = hlo.compile(text).profile(np.eye(64, dtype=np.float32), repeat=3)
    (layer,) = profile.spans
    (product,) = _rows(profile, "contraction")
    assert layer.row.kind == "layer" and layer.calls == product.calls == 4


def test_programs_that_fail_midway():
    calls = []

    @custom_calls.register("profile_test_fails")
    def fails(x):
        calls.append(1)
        if len(calls) == 3:
            raise ValueError("no more")
        return x

    text = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = stablehlo.custom_call @profile_test_fails(%x) : (tensor<4xf32>) -> tensor<4xf32>
      %1 = stablehlo.add %0, %0 : tensor<4xf32>
      return %1 : tensor<4xf32> }"""
    executable = hlo.compile(text)
    with pytest.raises(hlo.HloError, match="ValueError: no more"):
        executable.profile(np.zeros(4, np.float32), repeat=5)
    profile = executable.profile(np.zeros(4, np.float32), repeat=5)
    (call,) = _rows(profile, "custom call")
    assert call.row.name == "profile_test_fails" and call.calls == 1


def test_an_empty_program():
    profile = hlo.compile("func.func @main() { return }").profile(repeat=3)
    assert [e.row.kind for e in profile.entries] == ["other", "other"]
    assert profile.seconds > 0 and "arguments and results" in str(profile)


@pytest.mark.parametrize("count", [3, layout.MOST_THREADS + 20])
def test_calls_of_many_threads_are_all_counted(count):
    """The threads for which a record has no rows of their own share some."""
    executable, calls = hlo.compile(LOOP, profile=True, cache=False), 5
    executable.profile(*ARRAYS, repeat=1)
    executable.record.clear()
    barrier = threading.Barrier(count)

    def work():
        barrier.wait()
        for _ in range(calls):
            executable(*ARRAYS)
        barrier.wait()  # a thread that ends leaves its number to the next

    threads = [threading.Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    counts = dict(zip((row.kind for row in executable.program.profile), executable.record.counts()))
    assert executable.record.runs == count * calls
    assert counts["contraction"].calls == count * calls * TURNS
    assert len(executable.record.threads()) >= min(count, layout.MOST_THREADS)
    assert counts["contraction"].parts % counts["contraction"].calls == 0


def test_donated_arguments_are_copied():
    text = """func.func @main(%x: tensor<1000xf32>) -> tensor<1000xf32> {
      %0 = stablehlo.add %x, %x : tensor<1000xf32>
      return %0 : tensor<1000xf32> }"""
    given = np.ones(1000, np.float32)
    hlo.compile(text, donate=(0,)).profile(given, repeat=3)
    assert (given == 1).all()


def test_a_table_of_ten_thousand_rows():
    rows = tuple(Row(f"kernel_{n}", "region", 1, 0, 4, 4, "f32", (f"f.py:{n}:1",)) for n in range(10_000))
    record = Record(len(rows))
    record.words[:3] = 1, 10_000_000, 10_000_000
    record.words[layout.THREADS] = 1
    table = record.words[layout.FIRST_ROW :][: len(rows) * layout.ROW_WORDS].reshape(len(rows), -1)
    table[:, 0], table[:, 1] = 1, np.arange(len(rows))
    entries, spans = entries_of(rows, record, 0.1, 1, None)
    assert len(entries) == 10_002 and entries[0].row.name == "kernel_9999"
    from hlo.runtime.profile.profile import Profile

    profile = Profile("main", "p", 1, 1, 0.1, 0.01, {}, entries, spans, rows=rows)
    lines = str(profile).splitlines()
    assert len(lines) < 60 and any("9960 more rows" in line for line in lines)
    assert len(profile.as_json()["rows"]) == 10_002


def test_json_says_what_the_page_documents(tmp_path):
    hlo.compile(LOOP).profile(*ARRAYS, repeat=2).write(tmp_path / "p.json")
    found = json.loads((tmp_path / "p.json").read_text())
    page = os.path.join(os.path.dirname(__file__), "..", "..", "..", "docs", "profiling.md")
    with open(page) as file:
        text = file.read()
    assert all(f"`{key}`" in text for key in (*found, *found["rows"][0], *found["rows"][0]["sources"][0]))
    assert sum(row["seconds"] for row in found["rows"]) == pytest.approx(found["seconds"])


def _nanoseconds(microseconds: float) -> int:
    """As readers of traces do, of a start and of a duration."""
    return round(microseconds * 1000)


def test_traces_have_kernels_on_threads(tmp_path):
    profile = hlo.compile(LOOP, cache=False, profile=True).profile(*ARRAYS, repeat=2)
    profile.write(tmp_path / "p.trace.json")
    events = json.loads((tmp_path / "p.trace.json").read_text())["traceEvents"]
    kernels = [e for e in events if e.get("cat") == "kernel" and e["name"].startswith("mul_add_reduce")]
    assert len(kernels) == TURNS  # of the last call
    (run,) = [e for e in events if e.get("cat") == "call"]
    kernels.sort(key=lambda e: e["ts"])
    ends = [_nanoseconds(e["ts"]) + _nanoseconds(e["dur"]) for e in (*kernels, run)]
    starts = [_nanoseconds(e["ts"]) for e in kernels]
    assert _nanoseconds(run["ts"]) <= starts[0]
    assert all(end <= after for end, after in zip(ends, (*starts[1:], ends[-1])))
    assert {"linalg", "kernels", "llvm"} <= {e["name"] for e in events if e.get("cat") == "compilation"}


def test_tracks_of_a_trace_are_those_of_one_thread_of_one_program():
    """Perfetto takes threads of one number for one thread, and 0 and the number of a process for its first thread."""
    profile = hlo.compile(LOOP).profile(*ARRAYS, repeat=1)
    events = [e for e in trace([profile, profile])["traceEvents"] if "ts" in e]
    tracks = {e["tid"]: e["pid"] for e in events}
    assert all(tracks[e["tid"]] == e["pid"] for e in events)
    assert {0, 1, 2}.isdisjoint(tracks) and set(tracks.values()) == {1, 2}


def test_mistakes(tmp_path):
    executable = hlo.compile(LOOP)
    with pytest.raises(hlo.ArgumentError, match="repeat takes a number from 1"):
        executable.profile(*ARRAYS, repeat=0)
    with pytest.raises(hlo.ArgumentError, match="2 arguments expected"):
        executable.profile(repeat=1)
    with pytest.raises(hlo.ArgumentError, match="cannot write"):
        executable.profile(*ARRAYS, repeat=1).write(tmp_path / "none" / "p.json")
    with pytest.raises(hlo.ArgumentError, match="profile takes True or False"):
        hlo.compile(LOOP, profile="yes")
    with pytest.raises(hlo.HloError, match="'reference'"):
        hlo.compile(LOOP, target="reference").profile(*ARRAYS)
    with pytest.raises(hlo.HloError, match="'gpu'"):
        hlo.compile(LOOP, target="gpu", device="model").profile(*ARRAYS)
    with pytest.raises(hlo.CompileError, match="edited pipeline"):
        hlo.compile(LOOP, profile=True, pipeline=hlo.pipelines.cpu())
    with pytest.raises(hlo.CompileError, match="engine='llvm'"):
        hlo.compile(LOOP, profile=True, engine="mlir")


def test_an_edited_pipeline_with_timers():
    executable = hlo.compile(LOOP, pipeline=hlo.pipelines.cpu(profile=True))
    assert executable.profile(*ARRAYS, repeat=1).runs == 1


def test_dynamic_shapes():
    text = """func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
      %0 = stablehlo.add %x, %x : tensor<?xf32>
      return %0 : tensor<?xf32> }"""
    profile = hlo.compile(text, profile=True).profile(np.ones(10, np.float32), repeat=2)
    assert _rows(profile, "region")[0].row.operations == 10


def test_rates_of_this_machine():
    found = machine_rates.measure(1, (1 << 15,))
    assert 1e8 < found.f32 < 1e13 and found.f64 < 1.2 * found.f32
    assert found.bytes_rate(1) == found.bytes_rate(1 << 40) == found.bytes[0][1] > 1e8


def test_a_file_for_all_programs_of_a_process(tmp_path):
    path = tmp_path / "all.json"
    script = f"""
import numpy as np, hlo
text = {LOOP!r}
a = np.full(({N}, {N}), 0.01, np.float32)
exe = hlo.compile(text)
for _ in range(3): exe(a, a)
hlo.compile("func.func @main() {{ return }}")
"""
    done = _run(script, HLO_PROFILE=str(path))
    assert done.returncode == 0, done.stderr
    found = json.loads(path.read_text())
    assert found["runs"] == 3 and found["call_seconds"] is None


def test_a_file_that_cannot_be_written(tmp_path):
    done = _run("import hlo; hlo.compile('func.func @main() { return }')", HLO_PROFILE=str(tmp_path / "no" / "p.json"))
    assert done.returncode == 1 and "HLO_PROFILE takes the path of a file that may be written" in done.stderr


@pytest.mark.parametrize(
    "end, message",
    [("os.rmdir('{0}')", "no profile is written: HLO_PROFILE takes the path of a file that may be written, found '{0}/p'"),
     ("os.environ['HLO_PROFILE'] = '/dev/full'", "no profile is written: cannot write '/dev/full': No space left"),
     ("os.environ['HLO_PROFILE'] = 'x'; os.chdir('{0}'); os.rmdir('{0}')", "no profile is written: "),
     ("os.environ['HLO_PROFILE'] = ''", ""),
     ("os.environ['HLO_PROFILE'] = '-'; os.close(2)", "")],
)  # fmt: skip
def test_a_file_that_cannot_be_written_any_more(tmp_path, end, message):
    """Is said when the process ends, in one line, and changes nothing about how it does."""
    folder = tmp_path / "gone"
    folder.mkdir()
    script = f"import os, hlo; hlo.compile('func.func @main() {{ return }}')(); {end.format(folder)}"
    done = _run(script, HLO_PROFILE=str(folder / "p"))
    assert done.returncode == 0 and len(done.stderr.splitlines()) == bool(message), done.stderr
    assert message.format(folder) in done.stderr


def _run(script, **environment):
    return subprocess.run(
        [sys.executable, "-c", script], env={**os.environ, **environment}, capture_output=True, text=True, timeout=120
    )


@measured
def test_the_clock_of_other_processors(monkeypatch):
    """Without a counter of the processor the system's clock is read."""
    from hlo.runtime.compile import llvm_engine
    from hlo.runtime.profile import timers

    monkeypatch.setattr(timers, "host_architecture", lambda: "aarch64")
    llvm_engine._from_dialect.cache_clear()
    profile = hlo.compile(LOOP, profile=True, cache=False).profile(*ARRAYS, repeat=3)
    llvm_engine._from_dialect.cache_clear()
    assert "readcyclecounter" not in timers.text()
    between = next(e for e in profile.entries if e.row.name == BETWEEN)
    assert between.seconds < 0.05 * profile.inside
