"""Programs that write a page of docs/: what --check says, and that --help and mistakes write nothing."""

import pytest

from hlo.tools.pages.generated_page import write_or_check


def test_a_page_is_written_and_checked(tmp_path, capsys):
    path = tmp_path / "page.md"
    assert write_or_check("some.tool", path, lambda: "new", ["--check"]) == 1 and not path.exists()
    assert write_or_check("some.tool", path, lambda: "new", []) == 0 and path.read_text() == "new"
    assert write_or_check("some.tool", path, lambda: "new", ["--check"]) == 0
    assert write_or_check("some.tool", path, lambda: "newer", ["--check"]) == 1 and path.read_text() == "new"
    assert capsys.readouterr().err == "docs/page.md is not up to date: run python -m some.tool\n" * 2


@pytest.mark.parametrize(("word", "code"), [("--help", 0), ("--chek-all", 2)])
def test_other_words_write_nothing(tmp_path, word, code):
    with pytest.raises(SystemExit) as left:
        write_or_check("some.tool", tmp_path / "page.md", lambda: "new", [word])
    assert left.value.code == code and not list(tmp_path.iterdir())
