"""Writes docs/command-lines.md from the parsers of the command lines: every option with what it takes and does.

python -m hlo.tools.pages.option_tables          writes the page; --check says whether it is up to date"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from hlo.tools import hlo_compile, hlo_reduce, hlo_view
from hlo.tools.opt import options as opt_options
from hlo.tools.opt.refused_options import REFUSED
from hlo.tools.pages.generated_page import write_or_check
from hlo.tools.run import options as run_options
from hlo.tools.tool_parser import ToolParser

PAGE = Path(__file__).resolve().parents[2] / "docs" / "command-lines.md"

HEAD = """# Command lines

Generated from the programs' own tables by `python -m hlo.tools.pages.option_tables`; a test fails when it is stale. `COMMAND --help` prints the same with
examples.

| to | |
|---|---|
| look at a program, run passes and phases on it | [`hlo-opt`](#hlo-opt) |
| run a program, compare or measure it | [`hlo-run`](#hlo-run) |
| make an object file and a C header of it | [`hlo-compile`](#hlo-compile) |
| find the smallest program that fails as a given one does | [`hlo-reduce`](#hlo-reduce) |
| see what the compiler does with a program, on one page | [`hlo-view`](#hlo-view) |

Exit codes: 0 fine; 1 the input or a value on the command line is at fault, or what was checked failed (told on standard error, no partial output); 2 the command line is none (an unknown option, a file too many, options that do nothing together).
A traceback is a bug of hlo. Files appear whole or not at all; `-` is standard input or output. Options are completed in bash, zsh and fish after
`eval "$(hlo-opt --print-completion=bash)"` (zsh: `=zsh`; fish: `hlo-opt --print-completion=fish | source`), in the same way for the others.
"""

PARSERS = {
    "hlo-opt": opt_options.make_parser,
    "hlo-run": run_options.make_parser,
    "hlo-compile": hlo_compile.make_parser,
    "hlo-reduce": hlo_reduce.make_parser,
    "hlo-view": hlo_view.make_parser,
}


def page() -> str:
    """The whole page."""
    sections = [line for make in PARSERS.values() for line in _section(make())]
    return "\n".join([HEAD, *sections, *_refused()]) + "\n"


def _section(parser: ToolParser) -> Iterator[str]:
    yield f"## {parser.prog}\n\n{' '.join((parser.description or '').split())}\n"
    for group in parser.groups():
        rows = [_row(action) for action in group._group_actions]
        if rows:
            title = _TITLES.get(group.title or "", group.title or "")
            yield f"**{title.capitalize()}**\n\n| | |\n|---|---|"
            yield from rows
            yield ""


_TITLES = {"positional arguments": "input", "options": "output"}
"""Of argparse's own groups."""


def _row(action: argparse.Action) -> str:
    takes = _takes(action).replace("|", "\\|")
    names = ", ".join(f"`{name}{takes}`" for name in action.option_strings) or f"`{takes}`"
    return f"| {names} | {_cell(action.help or '')} |"


def _takes(action: argparse.Action) -> str:
    if action.nargs == 0:
        return ""
    value = action.metavar or ("|".join(action.choices) if action.choices else action.dest.upper())
    if not action.option_strings:
        return str(value)
    if action.option_strings[-1] in opt_options.WITH_DEFAULT:
        return f"[={value}]"
    return f"={value}" if action.option_strings[-1].startswith("--") else f" {value}"


def _cell(text: str) -> str:
    return text.replace("%%", "%").replace("|", "\\|").replace("<", "&lt;")


def _refused() -> Iterator[str]:
    yield "## Options of mlir-opt that are not here\n\n| | why, and what does its work |\n|---|---|"
    for name, reason in REFUSED.items():
        yield f"| `{name}` | {_cell(reason)} |"


def main() -> int:
    return write_or_check("hlo.tools.pages.option_tables", PAGE, page)


if __name__ == "__main__":
    sys.exit(main())
