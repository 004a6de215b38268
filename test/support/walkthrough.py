"""Pages whose programs are files and whose commands are run: what a reader would do, step by step, in an empty folder.

    ```python title="train.py"      a file of the folder
    ```console                      lines with `$ ` are commands, the others what they print; `...` is any text, and as a line any number of lines

Blocks of other kinds are for reading only."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r'^```(\w*)(?: title="([^"]+)")?[^\n]*\n(.*?)^```', re.MULTILINE | re.DOTALL)


def follow(page: Path, folder: Path, without: tuple[str, ...] = ()) -> None:
    """Does what the page says. Raises AssertionError for a command that fails or prints something else. `without`: commands that have one of
    these words are left out."""
    environment = environment_of(folder)
    shutil.copytree(ROOT / "examples", folder / "examples")
    for kind, title, text in BLOCK.findall(page.read_text()):
        if title:
            (folder / title).write_text(text)
        elif kind == "console":
            run_console(text, folder, environment, without)


def environment_of(folder: Path) -> dict[str, str]:
    """Of commands that run in the folder: this Python's programs first, a cache of its own."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return dict(os.environ, PATH=path, HLO_CACHE_DIR=str(folder / "cache"))


def run_console(text: str, folder: Path, environment: dict[str, str], without: tuple[str, ...] = ()) -> None:
    """The commands of one console block, each compared with what stands below it."""
    for command, expected in commands(text):
        if not any(word in command for word in without):
            _run(command, expected, folder, environment)


def commands(text: str) -> list[tuple[str, str]]:
    """Commands of a console block, each with what stands below it."""
    parts = re.split(r"^\$ ", text, flags=re.MULTILINE)
    assert not parts[0].strip(), f"console block without a command: {text}"
    return [tuple(part.partition("\n")[::2]) for part in parts[1:]]


def _run(command: str, expected: str, folder: Path, environment: dict[str, str]) -> None:
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode == 0 or "error" in expected, f"{command}: exit code {done.returncode}\n{done.stdout}"
    assert re.fullmatch(_pattern(expected), (done.stdout.strip("\n") + "\n").lstrip("\n")), (
        f"$ {command}\nprints\n{done.stdout}\nand not\n{expected}"
    )


def _pattern(expected: str) -> str:
    """`...` inside a line is any text of the line; as a line, any number of lines."""
    lines = [r"(?:[^\n]*\n)*?" if line == "..." else _line(line) + r"\n" for line in expected.strip("\n").splitlines()]
    return "".join(lines)


def _line(line: str) -> str:
    return "[^\\n]*".join(re.escape(part) for part in line.split("..."))
