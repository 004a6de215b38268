"""Python files of a user's (hlo.tools.user_files): whatever they raise is told with a line of theirs."""

import pytest

from hlo.errors import HloError
from hlo.tools.user_files import load_files


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        ("x = 1\0\n", 1, "null bytes"),
        ("x = 1\neval('(')\n", 2, "SyntaxError: '(' was never closed"),
        ("x = 1\ncompile('1\\0', 'x', 'exec')\n", 2, "null bytes"),
        ("import other_with_a_mistake\n", 1, "SyntaxError: invalid syntax"),
        ("class Stop(BaseException): pass\nraise Stop('here')\n", 2, "Stop: here"),
        ("raise GeneratorExit\n", 1, "GeneratorExit"),
        ("if 1:\nx\n", 2, "IndentationError: expected an indented block"),
        ("def f(): f()\nf()\n", 1, "RecursionError: maximum recursion depth exceeded"),
    ],
)
def test_what_a_file_raises(content, line, words, tmp_path, monkeypatch):
    (tmp_path / "other_with_a_mistake.py").write_text("def (\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    path = tmp_path / "broken.py"
    path.write_text(content)
    with pytest.raises(HloError, match=r"broken\.py") as caught:
        load_files([str(path)])
    (found,) = caught.value.diagnostics
    assert found.line == line
    assert words in found.message


@pytest.mark.parametrize("content", ["raise SystemExit(3)\n", "raise KeyboardInterrupt\n"])
def test_a_file_may_end_the_process(content, tmp_path):
    path = tmp_path / "ends.py"
    path.write_text(content)
    with pytest.raises((SystemExit, KeyboardInterrupt)):
        load_files([str(path)])
