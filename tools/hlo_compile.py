"""hlo-compile: compiles a program to an object file with a C header; no Python runs it (docs/deploy.md)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hlo.errors import ArgumentError
from hlo.tools.command_line import FINE, read_input, run_tool
from hlo.tools.tool_parser import ToolParser

DESCRIPTION = """\
Compiles a program to an object file and a C header that any C compiler links: it needs neither Python nor hlo where it runs (docs/deploy.md)."""

EPILOG = """\
examples:
  hlo-compile model.mlir -o out/model                          out/model.o and out/model.h, with `int model_main(...)`
  hlo-compile model.mlir -o out/model --main --archive         also an example main and libmodel.a
  hlo-compile model.mlir -o out/model --cpu=baseline,avx2,avx512  three versions of the code; the processor's best one runs
  hlo-compile model.mlir -o out/model --triple=aarch64-linux-gnu  for another processor
  hlo-compile dynamic.mlir -o out/model --shapes=8x128,128     the sizes of arguments of dynamic shapes"""

ALSO = {
    "archive": "libNAME.a",
    "shared": "libNAME.so",
    "main": "NAME_main.c, an example of a program",
    "pkg-config": "NAME.pc",
    "cmake": "NAME-config.cmake",
}


def main(argv: list[str] | None = None) -> int:
    return run_tool("hlo-compile", _main, argv)


def _main(argv: list[str]) -> int:
    options = make_parser().parse_args(argv)
    import hlo

    program: Any = hlo.parse(read_input("-"), file_name="<stdin>") if options.file == "-" else Path(options.file)
    also = [kind for kind in ALSO if getattr(options, kind.replace("-", "_"))]
    written = hlo.aot.compile(
        program,
        options.output,
        triple=options.triple,
        cpu=options.cpu,
        features=options.features,
        threads=options.threads,
        entries=options.entry,
        shapes=_shapes(options.shapes),
        workspace=options.workspace,
        constants=options.constants,
        lapack=options.lapack,
        also=also,
    )
    if options.print_symbols:
        print(written.symbols)
    return FINE


def make_parser() -> ToolParser:
    parser = ToolParser("hlo-compile", description=DESCRIPTION, epilog=EPILOG)
    parser.add_argument("file", metavar="FILE", help="an .mlir file; '-' is standard input")
    for title, add_to in _GROUPS.items():
        add_to(parser.add_argument_group(title).add_argument)
    return parser


def _add_output(add: Any) -> None:
    add(
        "-o",
        "--output",
        required=True,
        metavar="DIR/NAME",
        help="writes NAME.o and NAME.h; C functions begin with NAME_",
    )
    for kind, what in ALSO.items():
        add(f"--{kind}", action="store_true", help=f"also write {what}")
    add("--print-symbols", action="store_true", help="print what the object defines and needs")


def _add_machine(add: Any) -> None:
    add(
        "--triple",
        metavar="TRIPLE",
        help="x86_64-linux-gnu, aarch64-linux-gnu, armv7-linux-gnueabihf, x86_64-apple-macos, arm64-apple-macos",
    )
    add(
        "--cpu",
        default="baseline",
        metavar="CPU",
        help="what code may use: baseline (default), host, or avx2, ...; several with commas",
    )
    add("--features", default="", metavar="LIST", help="in addition to those of the cpu: +dotprod,-fma")
    add(
        "--threads",
        default="none",
        metavar="KIND",
        help="none (default): the caller's; pool: our own threads, in the object",
    )


def _add_functions(add: Any) -> None:
    add("--entry", action="append", metavar="NAME", help="a function (default: all public ones)")
    add("--shapes", metavar="LIST", help="of arguments of dynamic shapes: 2x3,4 (a scalar is empty)")
    add(
        "--workspace",
        default="caller",
        metavar="WHERE",
        help="caller (default): an argument of each call; static: in the object",
    )
    add(
        "--constants",
        default="object",
        metavar="WHERE",
        help="object (default), or file: NAME.bin, which the program maps",
    )
    add(
        "--lapack",
        default="own",
        metavar="KIND",
        help="own (default): our own code for getrf, potrf, trsm, geqrf and orgqr; openblas: LAPACK's symbols, which the program is linked with",
    )


_GROUPS = {
    "what is written": _add_output,
    "the machine that it is for": _add_machine,
    "functions and their memory": _add_functions,
}


def _shapes(text: str | None) -> list[list[int]] | None:
    if text is None:
        return None
    try:
        return [[int(n) for n in shape.split("x") if n] for shape in text.split(",")]
    except ValueError:
        raise ArgumentError(f"--shapes takes sizes such as 2x3,4, found {text!r}") from None


__all__ = ["main"]

if __name__ == "__main__":
    sys.exit(main())
