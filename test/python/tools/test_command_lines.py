"""hlo-opt and hlo-run: wrong command lines and files give one message on stderr, the right exit code, no traceback and
no partial file."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from hlo.tools import hlo_opt, hlo_run

ROOT = Path(__file__).resolve().parents[3]

PROGRAM = """func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.add %a, %a : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("files")
    (path / "ok.mlir").write_text(PROGRAM)
    (path / "other.mlir").write_text(PROGRAM.replace("@main", "@other"))
    (path / "empty.mlir").write_text("")
    (path / "parts.mlir").write_text(PROGRAM.replace("%a, ", "") + "// -----\n" + PROGRAM.replace("add", "ad"))
    zeros = np.zeros((2, 3), np.float32)
    np.savez(path / "two.npz", a=zeros, b=zeros)
    np.save(path / "f64.npy", zeros.astype(np.float64))
    np.save(path / "object.npy", np.array([{}]), allow_pickle=True)
    np.savez(path / "object.npz", a=np.array([{}]))
    for name in ("junk.npy", "junk.npz"):
        (path / name).write_bytes(b"junk")
    (path / "empty.npy").write_bytes(b"")
    (path / "backslash.mlir").write_text(f"// RUN: hlo-opt %s \\\n{PROGRAM}")
    block = b'{-# external_resources: { mlir_reproducer: { pipeline: "builtin.module(\xff)" } } #-}'
    (path / "bytes.mlir").write_bytes(PROGRAM.encode() + block)
    writes = {
        "o": "-o",
        "dumps": "--dump-phases",
        "tree": "-mlir-print-ir-tree-dir",
        "crash": "--mlir-pass-pipeline-crash-reproducer",
    }
    with open(path / "sparse.mlir", "wb") as file:
        file.truncate(1 << 40)
    (path / "snapshot.mlir").write_text(
        f"// RUN: hlo-opt %s --pass-pipeline='builtin.module(cse,snapshot-op-locations{{tag=x filename=none/x}})'\n{PROGRAM}"
    )
    for name, option in writes.items():
        (path / f"{name}.mlir").write_text(f"// RUN: hlo-opt %s --cse {option} none/x\n{PROGRAM}")
    return path


def run(folder, tool, *words, **options):
    command = [sys.executable, "-m", f"hlo.tools.{tool}", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, **options)


RUN = [
    (1, "cannot read 'missing.mlir': No such file", "missing.mlir"),
    (1, "cannot read '.': Is a directory", "."),
    (1, "the file is empty", "empty.mlir"),
    (1, "no function 'main' to compile; functions: other (entry=..., --entry chooses one)", "other.mlir"),
    (1, "no function 'foo' to compile; functions: main", "ok.mlir", "--entry=foo"),
    (1, "'abc' is no f32", "ok.mlir", "--input=2x3xf32=abc"),
    (1, "'0x10' is no f32", "ok.mlir", "--input=2x3xf32=0x10"),
    (1, "'1k' is no complex<f32>", "ok.mlir", "--input=2xcomplex<f32>=1k"),
    (1, "'1.5' is no ui8: whole numbers from 0 to 255 are", "ok.mlir", "--input=2xui8=1.5"),
    (1, "'256' is no ui8: whole numbers from 0 to 255 are", "ok.mlir", "--input=2xui8=256"),
    (2, "--device does nothing for --target=cpu: give --target=gpu", "ok.mlir", "--device=model"),
    (2, "--gpu-arch does nothing for --target=reference", "ok.mlir", "--target=reference", "--gpu-arch=sm_90"),
    (2, "--compile-from does nothing with --check", "--check", "ok.mlir", "--compile-from=linalg"),
    (1, "cannot write 'none/p.json': No such file", "ok.mlir", "--profile-output=none/p.json"),
    (1, "--input '-1xf32=0': expected", "ok.mlir", "--input=-1xf32=0"),
    (1, "--input '999999999999999xf32=1'", "ok.mlir", "--input=999999999999999xf32=1"),
    (1, "--input '99999999999999999999xf32=1'", "ok.mlir", "--input=99999999999999999999xf32=1"),
    (1, "shape (2, 3) expected (2x3xf32), found (3, 2)", "ok.mlir", "--input=3x2xf32=1"),
    (1, "2x3xf32 expected, found 2x3xf64", "ok.mlir", "--input=2x3xf64=1"),
    (1, "no element type 'foo'", "ok.mlir", "--input=2x3xfoo=1"),
    (1, "found 0", "ok.mlir", "--input=2x3xf32="),
    (1, "found 2", "ok.mlir", "--input=2x3xf32=1,2"),
    (1, "expected, found 2", "ok.mlir", "--input=two.npz"),
    (1, "not a .npy file of plain numbers", "ok.mlir", "--input=object.npy"),
    (1, "not a .npz file of plain numbers", "ok.mlir", "--input=object.npz"),
    (1, "not a .npy file of plain numbers", "ok.mlir", "--input=junk.npy"),
    (1, "not a .npz file of plain numbers", "ok.mlir", "--input=junk.npz"),
    (1, "not a .npy file of plain numbers", "ok.mlir", "--input=empty.npy"),
    (1, "cannot read 'none.npy': No such file", "ok.mlir", "--input=none.npy"),
    (1, "2x3xf32 expected, found 2x3xf64", "ok.mlir", "--input=f64.npy"),
    (1, "only 1 argument", "ok.mlir", "--input=random", "--input=random"),
    (1, "--repeat takes a number from 1, found 0", "ok.mlir", "--repeat=0"),
    (1, "is left after phase 'linalg'; allowed: func", "ok.mlir", "--compile-from=linalg"),
    (1, "--compile-from=memory: ", "ok.mlir", "--compile-from=memory"),
    (1, "phases that can be run from: stablehlo, linalg, kernels", "ok.mlir", "--compile-from=llvm"),
    (1, "--seed takes a number from 0, found -1", "ok.mlir", "--seed=-1"),
    (1, "cannot write 'none/x.npy': No such file", "ok.mlir", "--output=none/x.npy"),
    (1, "one result: .npy or .npz", "ok.mlir", "--output=x.txt"),
    (1, "-j takes a number from 1, found 0", "--check", "ok.mlir", "-j", "0"),
    (1, "cannot read 'missing.mlir'", "--check", "missing.mlir"),
    (2, "usage", "ok.mlir", "--repeat=x"),
    (2, "usage", "ok.mlir", "--target=tpu"),
    (2, "several files need --check", "ok.mlir", "ok.mlir"),
    (2, "inputs are given as --input=x.npy", "ok.mlir", "x.npy", "y.npy"),
    (2, "--input does nothing with --check", "--check", "ok.mlir", "--input=random"),
    (2, "--compare does nothing with --check", "--check", "ok.mlir", "--compare=reference"),
    (2, "--output does nothing with --compare", "ok.mlir", "--compare=reference", "--output=x.npy"),
    (2, "-j needs --check", "ok.mlir", "-j2"),
    (2, "usage"),
    (2, "usage", "ok.mlir", "--no-such-option"),
]
OPT = [
    (1, "cannot read 'missing.mlir': No such file", "missing.mlir"),
    (1, "cannot read 'sparse.mlir': it has 1099511627776 bytes, more than the", "sparse.mlir"),
    (1, "names 'none/x' to write: take that out", "snapshot.mlir", "--run-reproducer"),
    (1, "the file is empty", "empty.mlir"),
    (1, "cannot write 'none/x': No such file", "ok.mlir", "-o", "none/x"),
    (1, "cannot write '.': Is a directory", "ok.mlir", "-o", "."),
    (1, "cannot write 'ok.mlir/': Not a directory", "ok.mlir", "-o", "ok.mlir/"),
    (1, "cannot write 'missing/': No such file or directory", "ok.mlir", "-o", "missing/"),
    (2, "unknown option --no-such-pass: it is no pass either", "ok.mlir", "--no-such-pass"),
    (2, "did you mean --mlir-timing?", "ok.mlir", "--mlir-timin"),
    (2, "did you mean --fold-constants?", "ok.mlir", "--fold-constant"),
    (2, "--verify-each takes one of true, 1, false, 0, found '7'", "ok.mlir", "--verify-each=7"),
    (2, "--emit-bytecode writes one module", "ok.mlir", "--emit-bytecode", "--split-input-file"),
    (2, "takes a number of elements from 0", "ok.mlir", "--mlir-elide-elementsattrs-if-larger=-1"),
    (2, f"from 0 to 2^63 - 1, found {2**63}", "ok.mlir", f"--mlir-elide-elementsattrs-if-larger={2**63}"),
    (1, "--load-pass takes a Python file (NAME.py), found 'ok.mlir'", "ok.mlir", "--load-pass=ok.mlir"),
    (1, "--load-pass: cannot read 'none.py': No such file", "ok.mlir", "--load-pass=none.py"),
    (1, "ok.mlir names no pipeline", "ok.mlir", "--run-reproducer"),
    (1, "is no command: No escaped character", "backslash.mlir", "--run-reproducer"),
    (1, "pass pipeline: expected a pass name", "bytes.mlir", "--run-reproducer"),
    *(
        (1, "names 'none/x' to write: take that out", f"{name}.mlir", "--run-reproducer")
        for name in ("o", "dumps", "tree", "crash")
    ),
    (1, "cannot write 'none/x': No such file", "ok.mlir", "--mlir-pass-pipeline-crash-reproducer=none/x", "--cse"),
    (
        1,
        "cannot make folder 'ok.mlir/",
        "ok.mlir",
        "--mlir-print-ir-tree-dir=ok.mlir",
        "--mlir-print-ir-after-all",
        "--cse",
    ),
    (1, "expected ')'", "ok.mlir", "--pass-pipeline=builtin.module("),
    (1, "anchored on builtin.module", "ok.mlir", "--pass-pipeline=foo(bar)"),
    (1, "builtin.module", "ok.mlir", "--pass-pipeline="),
    (1, "no phase 'foo'; phases: stablehlo", "ok.mlir", "--compile-to=foo"),
    (1, "no phase 'foo'; phases: stablehlo", "ok.mlir", "--compile-from=foo"),
    (1, "is left after phase 'linalg'; allowed: func", "ok.mlir", "--compile-from=linalg"),
    (1, "does not come after", "ok.mlir", "--compile-from=llvm", "--compile-to=linalg"),
    (1, "cannot make folder 'ok.mlir'", "ok.mlir", "--dump-phases=ok.mlir"),
    (1, "option limit takes int, found 'x'", "ok.mlir", "--fold-constants=limit=x"),
    (1, "has no option 'foo'", "ok.mlir", "--fold-constants=foo=1"),
    (1, "no such option foo", "ok.mlir", "--canonicalize=foo=1"),
    (1, "cannot write 'none/x': No such file", "ok.mlir", "--reproducer=none/x"),
    (1, "unknown op 'stablehlo.ad'", "parts.mlir", "--split-input-file"),
    (1, "unexpected error: ", "parts.mlir", "--split-input-file", "--verify-diagnostics"),
    (
        2,
        "--target is one of cpu, gpu, reference (or what --load-pass registers), found 'foo'",
        "ok.mlir",
        "--target=foo",
    ),
    (2, "usage", "ok.mlir", "x", "y"),
    (2, "not both", "ok.mlir", "--cse", "--pass-pipeline=builtin.module(cse)"),
]


@pytest.mark.parametrize("code, message, words", [(c, m, w) for c, m, *w in RUN])
def test_hlo_run(folder, code, message, words, monkeypatch, capfd):
    monkeypatch.chdir(folder)
    check(hlo_run.main, words, code, message, capfd)


@pytest.mark.parametrize("code, message, words", [(c, m, w) for c, m, *w in OPT])
def test_hlo_opt(folder, code, message, words, monkeypatch, capfd):
    monkeypatch.chdir(folder)
    check(hlo_opt.main, words, code, message, capfd)


def check(main, words, code, message, capfd):
    """In this process: an exception would leave `main`."""
    try:
        found = main(words)
    except SystemExit as leaving:  # argparse
        found = leaving.code
    output, errors = capfd.readouterr()
    assert found == code, errors
    assert message in errors and output == ""


def test_prints_of_passes_stay_in_their_folder(folder, monkeypatch, capfd):
    """Whatever the module is called."""
    monkeypatch.chdir(folder)
    for name in ("/../../outside", "a\\00b", "..", "x" * 3000):
        (folder / "named.mlir").write_text(f'module @"{name}" {{\n{PROGRAM}\n}}')
        words = ["--mlir-print-ir-after-all", "--mlir-print-ir-tree-dir=prints/here", "--cse", "-o", "/dev/null"]
        assert hlo_opt.main(["named.mlir", *words]) == 0
    assert not (folder / "outside").exists()
    assert os.listdir(folder / "prints") == ["here"]
    assert len(os.listdir(folder / "prints" / "here")) == 4


def test_a_reproducer_does_not_name_what_this_run_writes(folder, monkeypatch, capfd):
    monkeypatch.chdir(folder)
    words = [
        "--cse",
        "--dump-phases=dumped",
        "-mlir-print-ir-tree-dir",
        "printed",
        "--mlir-print-ir-after-all",
        "--target=cpu",
    ]
    assert hlo_opt.main(["ok.mlir", *words, "--reproducer=again.mlir", "-o", "/dev/null"]) == 0
    assert (
        (folder / "again.mlir")
        .read_text()
        .startswith("// RUN: hlo-opt %s --cse --mlir-print-ir-after-all --target=cpu\n")
    )
    assert hlo_opt.main(["again.mlir", "--run-reproducer", "-o", "/dev/null"]) == 0


def test_errors_of_every_part_have_lines_of_the_file(folder):
    done = run(folder, "hlo_opt", "parts.mlir", "--split-input-file")
    assert "parts.mlir:2:8: error: " in done.stderr
    assert "parts.mlir:7:8: error: unknown op 'stablehlo.ad'" in done.stderr


def test_no_partial_output(folder):
    run(folder, "hlo_opt", "parts.mlir", "--split-input-file", "-o", "result.mlir")
    assert not [p.name for p in folder.iterdir() if "result" in p.name]


def test_lit_runs_one_program_that_is_named():
    def shown(path):
        command = [sys.executable, "-c", "from lit.main import main; main()", "--show-tests", str(ROOT / path)]
        return subprocess.run(command, capture_output=True, text=True, timeout=120).stdout

    assert "e2e/abs.mlir" in shown("test/e2e/abs.mlir")
    assert "e2e/a_to_c.test" in shown("test/e2e") and ".mlir" not in shown("test/e2e")


CHECKED = """func.func @main() {
  %c = stablehlo.constant dense<1> : tensor<i32>
  check.expect_eq_const %c, dense<1> : tensor<i32>
  return
}
"""


@pytest.mark.parametrize("name", ["-", "/dev/stdin"])
@pytest.mark.parametrize("words", [[], ["--compare=reference"], ["--asm"], ["--check"]])
def test_programs_that_come_through_a_pipe(folder, name, words):
    """Whatever is done with the program, it can be read once only."""
    text = CHECKED if words == ["--check"] else (folder / "ok.mlir").read_text()
    command = [sys.executable, "-m", "hlo.tools.hlo_run", name, *words]
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and done.stdout and not done.stderr


@pytest.mark.parametrize("tool, words", [("hlo_opt", ["--show-dialect"]), ("hlo_run", ["ok.mlir"])])
def test_standard_output_that_is_full_or_closed(folder, tool, words):
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", f"hlo.tools.{tool}", *words]
        done = subprocess.run(command, cwd=folder, stdout=full, stderr=subprocess.PIPE, text=True, timeout=300)
    assert done.returncode == 1 and "No space left" in done.stderr and "Traceback" not in done.stderr
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(command, cwd=folder, stdout=write, stderr=subprocess.PIPE, text=True, timeout=300)
    os.close(write)
    assert "Traceback" not in done.stderr and "Exception ignored" not in done.stderr


def test_interrupt(folder):
    pipe = folder / "pipe.mlir"
    os.mkfifo(pipe)
    command = [sys.executable, "-m", "hlo.tools.hlo_opt", str(pipe)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    with open(pipe, "w"):  # waits until the program opens its input
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=120)
    assert process.returncode == 130 and errors == ""


def shell(folder, line):
    return subprocess.run(
        ["bash", "-c", line], cwd=folder, capture_output=True, text=True, errors="replace", timeout=120
    )


TOOLS = {"opt": "-m hlo.tools.hlo_opt", "run": "-m hlo.tools.hlo_run", "reduce": "-m hlo.tools.hlo_reduce",
         "differential": "-m hlo.tools.differential"}  # fmt: skip


@pytest.mark.parametrize(
    "tool, words, message",
    [
        ("run", "ok.mlir >&-", "cannot write to standard output: it is closed"),
        ("opt", "ok.mlir >&-", "cannot write to standard output: it is closed"),
        ("opt", "- <&-", "cannot read standard input: it is closed"),
        ("run", "- <&-", "cannot read standard input: it is closed"),
        ("reduce", "- <&-", "cannot read standard input: it is closed"),
        *((tool, "--help >/dev/full", "cannot write to standard output: No space left on device") for tool in TOOLS),
        *((tool, "--help >&-", "cannot write to standard output: it is closed") for tool in ("opt", "run")),
    ],
)
def test_streams_that_are_closed_or_full(folder, tool, words, message):
    done = shell(folder, f"{sys.executable} {TOOLS[tool]} {words}")
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1 and message in done.stderr


def test_standard_error_that_is_closed(folder):
    """A file that is opened next must not get its number."""
    done = shell(folder, f"{sys.executable} -m hlo.tools.hlo_opt none.mlir 2>&-")
    assert done.returncode == 1 and done.stdout == ""


def test_a_file_name_that_is_no_text(folder):
    name = os.fsdecode(b"na\xffme.mlir")
    (folder / name).write_text((folder / "ok.mlir").read_text())
    for tool, words in (("hlo_opt", ["--mlir-print-debuginfo"]), ("hlo_run", []), ("hlo_run", ["--check"])):
        command = [sys.executable, "-m", f"hlo.tools.{tool}", name, *words]
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=120)
        assert b"Traceback" not in done.stderr and done.stdout


def test_pipelines_that_are_nested_too_deeply(folder):
    text = "builtin.module(" + "func.func(" * 3000 + ")" * 3001
    done = run(folder, "hlo_opt", "ok.mlir", f"--pass-pipeline={text}")
    assert done.returncode == 1 and "at most 100 pipelines may be nested" in done.stderr


NOBODY = """module { func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @nobody(%x) : (tensor<4xf32>) -> tensor<4xf32>{PLACE}
  return %0 : tensor<4xf32>
} }
"""
"""What only compiling finds."""


def _told(path, capsys):
    assert hlo_run.main([str(path)]) == 1
    return capsys.readouterr().err.splitlines()


def test_errors_of_compiling_show_the_line(tmp_path, capsys):
    path = tmp_path / "nobody.mlir"
    path.write_text(NOBODY.replace("{PLACE}", ""))
    first, line, caret = _told(path, capsys)
    assert first.startswith(f"{path}:2:8: error: custom call target 'nobody'")
    assert line == NOBODY.splitlines()[1].replace("{PLACE}", "") and caret == " " * 7 + "^"


def test_files_that_a_program_names_are_not_shown(tmp_path, capsys):
    """A location may name any file: what is not an argument is not read."""
    secret, path = tmp_path / "secret.txt", tmp_path / "nobody.mlir"
    secret.write_text("first\nsecond\n")
    path.write_text(NOBODY.replace("{PLACE}", f' loc("{secret}":2:1)'))
    (only,) = _told(path, capsys)
    assert only.startswith(f"{secret}:2:1: error: custom call target 'nobody'")


def test_no_garbage_is_looked_for_at_the_end_of_a_tool(folder):
    """A fifth of the time of a small program; a caller that passes arguments goes on, so its objects stay in view."""
    script = "import gc, sys; from hlo.tools.hlo_run import main; {}; print(gc.get_freeze_count() > 1000)"
    for call, frozen in (("main()", "True"), ("main(sys.argv[1:])", "False")):
        command = [sys.executable, "-c", script.format(call), "ok.mlir"]
        assert subprocess.check_output(command, cwd=folder, text=True).splitlines()[-1] == frozen
