"""The words of hlo-opt's command line, as mlir-opt takes them: options with one dash or two, values that may be left
out, and passes by name."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterable

from hlo.errors import ArgumentError
from hlo.tools.opt.options import WITH_DEFAULT, make_parser
from hlo.tools.opt.refused_options import REFUSED
from hlo.tools.tool_parser import ToolParser
from hlo.tools.user_files import load_files

SWITCH = {"true": True, "1": True, "false": False, "0": False}

_PASS = re.compile(r"--?([a-z][\w-]*)(?:=(.*))?", re.DOTALL)
_LONG = re.compile(r"-([a-zA-Z][\w-]+)(=.*)?", re.DOTALL)


def parse_arguments(argv: list[str]) -> tuple[argparse.Namespace, list[str]]:
    """Known options, and the passes among the rest in order. Other words are a usage error (exit code 2)."""
    parser = make_parser()
    parser.complete(_names_of_passes())
    options, rest = parser.parse_known_args(list(_in_full(parser, argv)))
    passes = []
    for word in rest:
        match = _PASS.fullmatch(word)
        if not match:
            parser.unknown_option(word)
        passes.append(f"{match[1]}{{{match[2].strip('{}')}}}" if match[2] else match[1])
    _refuse_contradictions(parser, options, passes)
    load_files(options.load_pass)
    if options.target:
        parser.check_target(options.target)
    _refuse_unknown(parser, options, passes)
    return options, passes


_WRITTEN = (
    "output",
    "reproducer",
    "dump_phases",
    "mlir_print_ir_tree_dir",
    "mlir_pass_pipeline_crash_reproducer",
)


_WRITTEN_BY_PASS = re.compile(r"snapshot-op-locations\b[^}]*?\bfilename=([^\s}]+)")
"""The file that an upstream pass writes, by its option."""


def written_by(argv: list[str]) -> str | None:
    """The first file or folder that these words say is written, if it is none of the system's ('-', /dev/null)."""
    parser = make_parser()
    options, _ = parser.parse_known_args(list(_in_full(parser, argv)))
    by_passes = (path for word in argv for path in _WRITTEN_BY_PASS.findall(word))
    named = (*(getattr(options, name) for name in _WRITTEN), *by_passes)
    return next((path for path in named if path not in (None, "-", os.devnull)), None)


def _in_full(parser: ToolParser, argv: list[str]) -> Iterable[str]:
    """Words as argparse takes them: two dashes in front of every long option, the values that were left out, and
    switches without values."""
    known = parser.option_strings
    switches = {text for action in parser._actions if action.nargs == 0 for text in action.option_strings}
    for word in argv:
        long = _LONG.fullmatch(word)
        if long and (f"--{long[1]}" in known or f"--{long[1]}" in REFUSED):
            word = f"-{word}"
        name, has_value, value = word.partition("=")
        if name in REFUSED:
            parser.error(f"{name} of mlir-opt is not here: {REFUSED[name]}")
        if name in switches and has_value:
            if value not in SWITCH:
                parser.error(f"{name} takes one of {', '.join(SWITCH)}, found {value!r}")
            if SWITCH[value]:
                yield name
        else:
            yield f"{word}={WITH_DEFAULT[word]}" if word in WITH_DEFAULT else word


def _names_of_passes() -> Iterable[str]:
    """Read when a shell asks."""
    from hlo.lowering.passes import load_all_passes
    from hlo.pipelines.upstream_passes import NAMES

    yield from (*load_all_passes(), *NAMES)


def _refuse_contradictions(parser: argparse.ArgumentParser, options: argparse.Namespace, passes: list[str]) -> None:
    if passes and options.pass_pipeline:
        parser.error(f"give passes either by --pass-pipeline or by name, not both (found --{passes[0]})")
    if not options.split_input_file and options.split_input_file is not None:
        parser.error("--split-input-file= takes the line that separates the parts, found nothing")
    if options.verify_each is not None and options.verify_each not in SWITCH:
        parser.error(f"--verify-each takes one of {', '.join(SWITCH)}, found {options.verify_each!r}")
    most = options.mlir_elide_elementsattrs_if_larger
    if most is not None and not 0 <= most < 1 << 63:
        parser.error(
            f"--mlir-elide-elementsattrs-if-larger takes a number of elements from 0 to 2^63 - 1, found {most}"
        )
    _refuse_binary_contradictions(parser, options)


def _refuse_binary_contradictions(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    if options.emit_bytecode and options.serialize is not None:
        parser.error("give --emit-bytecode or --serialize, not both: each says what is written")
    flag = "--serialize" if options.serialize is not None else "--emit-bytecode" if options.emit_bytecode else None
    if flag and (options.split_input_file or options.verify_diagnostics):
        parser.error(f"{flag} writes one module: it goes with neither --split-input-file nor --verify-diagnostics")
    if flag and options.compile_to == "ptx":
        parser.error(f"{flag}: --compile-to=ptx leaves no module")


def _refuse_unknown(parser: ToolParser, options: argparse.Namespace, passes: list[str]) -> None:
    """A word that is neither an option nor a pass is called just that, with what is closest to it."""
    for text in passes:
        name = text.partition("{")[0]
        if not _is_pass(name):
            parser.unknown_option(f"--{name}", (f"--{n}" for n in _names_of_passes()))
    for option in ("mlir_print_ir_before", "mlir_print_ir_after"):
        names = [name for listed in getattr(options, option) for name in listed.split(",")]
        for name in names:
            if not _is_pass(name):
                raise ArgumentError(f"--{option.replace('_', '-')}: unknown pass {name!r}; see hlo-opt --list-passes")
        setattr(options, option, names)


def _is_pass(name: str) -> bool:
    from hlo.lowering.passes import find_pass
    from hlo.pipelines.parser import upstream_pass_exists

    return find_pass(name) is not None or upstream_pass_exists(name)
