"""Programs with mistakes through the compiler: each is an error with words or a success; no abort, hang or other exception.

The normal run takes a few hundred; docs/testing.md tells of longer ones. They run in workers, so that one that dies is named."""

from collections import Counter

import pytest

from hlo.tools.fuzz import __main__ as command
from hlo.tools.fuzz import stages, texts, upstream
from hlo.tools.fuzz.stages import STAGES, make
from hlo.tools.fuzz.workers import Report, run_range

COUNTS = {"parse": 200, "hlo": 200, "bytecode": 60, "compile": 20, "run": 40, "verify": 150}


@pytest.mark.parametrize("stage", STAGES)
def test_no_mutant_ends_otherwise_than_it_should(stage):
    report = run_range(stage, 1, 0, COUNTS[stage])
    assert report.findings == []
    assert sum(report.counts.values()) == COUNTS[stage]


@pytest.mark.parametrize("stage", STAGES)
def test_a_mutant_is_the_same_each_time(stage):
    assert make(stage, 3, 5) == make(stage, 3, 5) != make(stage, 3, 6)


def test_of_those_that_shall_run_many_do():
    """About a third, so that `--runs` is not a matter of days."""
    counts = run_range("run", 2, 0, 60).counts
    assert counts["ran"] >= 12, counts


def test_runs_are_counted(capsys, monkeypatch):
    """Mutants are taken until so many have run, a batch more at most."""
    taken = []

    def run_all(stage, seed, ranges, jobs):
        for part in ranges:
            taken.append(part)
            yield Report(Counter(ran=300, refused=700))

    monkeypatch.setattr(command, "run_all", run_all)
    assert command.main(["--stage", "run", "--runs", "700", "--first", "5"]) == 0
    assert taken == [range(5, 1005), range(1005, 2005), range(2005, 3005)]
    assert "3000 mutants of seed 0" in (printed := capsys.readouterr().out) and "900 ran" in printed


@pytest.mark.parametrize("given", ["--runs 0 --stage run", "--runs 5", "--runs 5 --stage run --only 3"])
def test_runs_are_of_stage_run(given, capsys):
    assert command.main(given.split()) == 1
    assert "--runs" in capsys.readouterr().err


ENDLESS = """func.func @main(%a: tensor<i32>) -> tensor<i32> {
  %r = stablehlo.while(%i = %a) : tensor<i32>
   cond {
    %c = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %c : tensor<i1>
   } do {
    %j = stablehlo.add %i, %i : tensor<i32>
    stablehlo.return %j : tensor<i32>
   }
  return %r : tensor<i32>
}"""


def test_an_endless_loop_is_no_finding(tmp_path, monkeypatch):
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\n"
        "if 'fuzz' in ' '.join(sys.orig_argv):\n"
        "    import hlo.tools.fuzz.stages as stages\n"
        f"    stages.make = lambda *_: {ENDLESS!r}\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    report = run_range("run", 1, 0, 2)
    assert report.findings == [] and report.counts == {"endless loop": 2}


SHARDED = """
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}"""
REPLICAS = """
module attributes {mhlo.num_replicas = 3 : i32} {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "stablehlo.collective_permute"(%a) {source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}"""


@pytest.mark.parametrize("text", [SHARDED, REPLICAS])
def test_grids_run(text, monkeypatch):
    monkeypatch.setattr(stages, "make", lambda *_: text)
    assert stages.outcome("run", 0, 0) == "ran"


@pytest.mark.parametrize(
    "code, kind",
    [("os.abort()", "abort"), ("signal.raise_signal(signal.SIGPROF)", "hang"), ("raise ValueError('x')", "exception")],
)
def test_what_goes_wrong_is_found(code, kind, tmp_path, monkeypatch):
    """A worker whose third mutant goes wrong."""
    (tmp_path / "sitecustomize.py").write_text(
        "import os, signal, sys\n"
        "if sys.argv == ['-m'] or 'fuzz' in ' '.join(sys.orig_argv):\n"
        "    import hlo.tools.fuzz.stages as stages\n"
        "    def outcome(stage, seed, number, reached):\n"
        f"        if number == 2: {code}\n"
        "        return 'parsed'\n"
        "    stages.outcome = outcome\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    report = run_range("parse", 1, 0, 5)
    assert [(f.number, f.kind) for f in report.findings] == [(2, kind)]
    assert report.counts == {"parsed": 4, kind: 1}


def test_differences_from_upstream_have_their_rows():
    """Each reason that the tool takes for one is told in docs/specification.md."""
    page = (texts.ROOT / "docs/specification.md").read_text().partition("## Compared with upstream's verifier")[2]
    rows = {
        line.split(" | ")[0].removeprefix("| ") for line in page.partition("\n## ")[0].splitlines() if line[:2] == "| "
    }
    assert {d.reason for d in upstream.DIFFERENCES} == rows - {"where"}


def test_verdicts():
    assert upstream.verdict(None, None) == "both accept"
    assert upstream.verdict("wrong", "wrong too") == "both refuse"
    assert upstream.verdict("'stablehlo.einsum' op einsum_config: ...", None) == "stricter: einsum"
    unranked = "'stablehlo.custom_call' op inputs[0] must be tensor, token or tuple, found tensor<*xf32>"
    assert upstream.verdict(unranked, None) == "stricter: tensors without a rank"
    for ours, theirs, side in (("'stablehlo.add' op no", None, "stricter"), (None, "no", "looser")):
        with pytest.raises(AssertionError, match=f"{side} than upstream"):
            upstream.verdict(ours, theirs)
