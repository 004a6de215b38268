"""The command lines' options: the page of all of them, help, examples, completion in shells."""

import contextlib
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from hlo.pipelines.parser import upstream_pass_exists
from hlo.pipelines.upstream_passes import NAMES
from hlo.tools.hlo_opt import main as hlo_opt
from hlo.tools.opt.arguments import parse_arguments
from hlo.tools.opt.refused_options import REFUSED
from hlo.tools.pages.option_tables import PAGE, PARSERS, page

BIN = Path(sys.executable).parent


def test_the_page_is_what_its_program_writes():
    assert PAGE.read_text() == page(), "run python -m hlo.tools.pages.option_tables"


@pytest.mark.parametrize("tool", PARSERS)
def test_every_option_is_on_the_page_and_in_help(tool):
    """Read from argparse, not by what writes the page."""
    (section,) = [part for part in PAGE.read_text().split("\n## ") if part.startswith(f"{tool}\n")]
    parser = PARSERS[tool]()
    told = parser.format_help()
    for action in parser._actions:
        assert action.help, action
        for name in action.option_strings:
            assert re.search(rf"`{re.escape(name)}[`=\[ ]", section), name
            assert name in told
    on_page = set(re.findall(r"^\|[^|]*?`(--[\w-]+)", section, re.MULTILINE))
    assert on_page <= set(parser.option_strings)


EXAMPLE = re.compile(r"^  (?:mpirun -n 4 )?(hlo-[a-z]+ \S.*?)(?:   .*|  [a-z].*)?$", re.MULTILINE)


@pytest.mark.parametrize("tool", PARSERS)
def test_examples_of_help_are_command_lines(tool, monkeypatch):
    monkeypatch.setattr("hlo.tools.opt.arguments.load_files", lambda files: None)
    monkeypatch.setattr(
        "hlo.tools.opt.arguments._is_pass", lambda name: name == "own" or upstream_pass_exists(name) or "-" in name
    )
    examples = EXAMPLE.findall(PARSERS[tool]().epilog)
    assert len(examples) >= 3
    for example in examples:
        name, *words = shlex.split(example)
        assert name == tool or name == "hlo-opt"
        parse_arguments(words) if name == "hlo-opt" else PARSERS[tool]().parse_args(words)


def test_refused_options_are_no_options(capfd):
    assert not set(REFUSED) & set(PARSERS["hlo-opt"]().option_strings)
    for name in REFUSED:
        with contextlib.suppress(SystemExit):
            hlo_opt(["-", f"{name}=1"])
        assert f"{name} of mlir-opt is not here: {REFUSED[name]}" in capfd.readouterr().err


def test_names_of_upstream_passes_are_those_of_this_mlir():
    assert len(NAMES) > 200 and [name for name in NAMES if not upstream_pass_exists(name)] == []


def completed(tool, line, shell="bash"):
    """What a shell is answered, by the protocol of its script."""
    pytest.importorskip("argcomplete")
    read, write = os.pipe()
    variables = {
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_SHELL": shell,
        "_ARGCOMPLETE_IFS": "\n",
        "COMP_LINE": line,
        "COMP_POINT": str(len(line)),
    }
    script = f'exec 8>&{write} 9>/dev/null; exec "$0" </dev/null >/dev/null 2>&1'
    subprocess.run(
        ["bash", "-c", script, str(BIN / tool)], env={**os.environ, **variables}, pass_fds=[write], timeout=120
    )
    os.close(write)
    with os.fdopen(read) as answers:
        return {re.split("[\t:]", word)[0].strip() for word in answers.read().split("\n")}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_of_options_and_passes(shell):
    assert completed("hlo-opt", "hlo-opt --mlir-print-ir-af", shell) == {
        "--mlir-print-ir-after", "--mlir-print-ir-after-all", "--mlir-print-ir-after-change", "--mlir-print-ir-after-failure",
    }  # fmt: skip
    assert completed("hlo-opt", "hlo-opt x.mlir --eliminate-dead", shell) == {"--eliminate-dead-code"}
    assert completed("hlo-opt", "hlo-opt --canonicaliz", shell) == {"--canonicalize"}


def test_completion_of_values_and_files(tmp_path, monkeypatch):
    assert completed("hlo-run", "hlo-run --compare ") == {"reference"}
    assert completed("hlo-compile", "hlo-compile --pk") == {"--pkg-config"}
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.mlir").write_text("")
    assert "model.mlir" in completed("hlo-reduce", "hlo-reduce mod")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell(shell):
    pytest.importorskip("argcomplete")
    done = subprocess.run([BIN / "hlo-run", f"--print-completion={shell}"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and "hlo-run" in done.stdout and not done.stderr
    if shell == "bash":
        check = f"{done.stdout}\ncomplete -p hlo-run"
        assert (
            "_python_argcomplete hlo-run"
            in subprocess.run(["bash", "-c", check], capture_output=True, text=True).stdout
        )


def test_another_shell_is_refused():
    done = subprocess.run([BIN / "hlo-run", "--print-completion=tcl"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 2 and "bash" in done.stderr and "fish" in done.stderr
