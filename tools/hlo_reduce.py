"""hlo-reduce: the smallest program that still fails."""

from __future__ import annotations

import sys
from collections.abc import Callable

from hlo.errors import ArgumentError, ParseError
from hlo.program_text import shown
from hlo.tools.command_line import FINE, read_input, run_tool, write_output
from hlo.tools.tool_parser import ToolParser
from hlo.whole_files import check_writable

EPILOG = """\
A program fails when its compiled results differ from the reference's, or when compiling or running it ends in an error
or a crash. It is made smaller as long as it fails in the same way: results and functions are dropped, values take the
place of what computes them, branches of their choice, sizes and numbers shrink.

examples:
  hlo-reduce program.mlir                                      to standard output
  hlo-reduce program.mlir -o test/e2e/small.mlir -v            steps on standard error
  hlo-reduce program.mlir --test 'hlo-opt --target=cpu -o /dev/null'
                                                               fails: this command, with a file, exits other than 0
  hlo-reduce program.mlir --test ./still_wrong.sh

The result is a lit file: its RUN line fails now, and passes when the bug is gone. Arguments of the program become
constants (random ones, as hlo-run takes), unless --test is given. Exit code 1: the program does not fail."""


def main(argv: list[str] | None = None) -> int:
    return run_tool("hlo-reduce", _main, argv)


def make_parser() -> ToolParser:
    parser = ToolParser(
        prog="hlo-reduce",
        description="Prints the smallest program that fails as a given one does.",
        epilog=EPILOG,
    )
    add = parser.add_argument
    add("file", metavar="FILE", help="a StableHLO program, or - for standard input")
    add = parser.add_argument_group("what is reduced, and what it is to keep").add_argument
    add("--test", metavar="COMMAND", help="what a program fails: run with the file's name as its last word")
    add("--entry", default="main", metavar="NAME", help="the function to run (default main)")
    add("--seconds", type=float, default=60.0, metavar="S", help="the longest that a run may take (default 60)")
    add("-o", "--output", default="-", metavar="FILE", help="where the result goes (default standard output)")
    add("-v", "--verbose", action="store_true", help="tell each step on standard error")
    return parser


def _main(argv: list[str]) -> int:
    from hlo.tools.reduction.search import LONGEST, Worker, command_fails, reduce

    options = make_parser().parse_args(argv)
    if not 0 < options.seconds <= LONGEST:
        raise ArgumentError(f"--seconds takes a number above 0, up to {LONGEST}, found {options.seconds}")
    name = "<stdin>" if options.file == "-" else shown(options.file)
    if options.output != "-":
        check_writable(options.output)
    text = _text(read_input(options.file), name)
    worker = Worker(options.seconds)
    try:
        fails = command_fails(options.test, options.seconds) if options.test else worker.fails
        if options.test:
            _refuse_test_that_always_fails(fails, options.test)
        ready = worker.ask(action="prepared", text=text, entry=options.entry, inputs=bool(options.test), name=name)
        if ready is None:
            raise ArgumentError(f"{name}: {worker.death()} while it was read")
        if "error" in ready:
            raise ArgumentError(ready["error"])
        small = reduce(ready["text"], ready["cost"], worker, fails, _teller(options.verbose))
    finally:
        worker.close()
    write_output(options.output, f"// RUN: {_command(options.test)}\n\n{small.strip()}\n")
    return FINE


def _text(program: bytes, name: str) -> str:
    """The program's text, also where it is bytecode or an exported function. Raises ArgumentError for what cannot be read."""
    import hlo

    try:
        module = hlo.parse(program, file_name=name)
    except ParseError as error:
        raise ArgumentError(f"only programs that can be read are reduced: {error}") from None
    try:
        return program.decode()
    except UnicodeDecodeError:
        return hlo.print_module(module)


_NOTHING = "func.func @main() {\n  return\n}\n"
"""The smallest program."""


def _refuse_test_that_always_fails(fails: Callable[[str], str], test: str) -> None:
    """A test that no program passes, such as one of a misspelled command, would reduce every program to nothing."""
    if found := fails(_NOTHING):
        raise ArgumentError(
            f"--test {test!r} fails on an empty program too ({found}): expected a command whose exit status is 0 for programs without the mistake, "
            "and another for those that have it"
        )


def _command(test: str | None) -> str:
    return f"{test} %s" if test else "hlo-run %s --compare=reference"


def _teller(verbose: bool):
    return lambda line: print(f"hlo-reduce: {line}", file=sys.stderr, flush=True) if verbose else None


if __name__ == "__main__":
    sys.exit(main())
