"""How many lines of program text a second are read: the rewriting and MLIR's parser, and both, in processor time.

python -m bench.read_speed [LINES]          the example programs over and over as functions of one module"""

from __future__ import annotations

import argparse
import re
import time
from pathlib import Path

from hlo.dialect.diagnostics import Source
from hlo.dialect.reader import read, to_generic
from hlo.dialect.registration import make_context

EXAMPLES = Path(__file__).parents[1] / "examples"
_FUNCTION = re.compile(r"func\.func (?:public |private )?@([\w.$-]+)")


def program(lines: int) -> str:
    """At least so many lines: every example's functions, renamed."""
    texts = [p.read_text() for p in sorted(EXAMPLES.glob("*.mlir"))]
    parts: list[str] = []
    while sum(part.count("\n") for part in parts) < lines:
        parts.append(_numbered(texts[len(parts) % len(texts)], len(parts)))
    return "module {\n" + "\n".join(parts) + "\n}\n"


def _numbered(text: str, number: int) -> str:
    body = text.split("\n", 1)[1].rsplit("}", 1)[0]
    own = set(_FUNCTION.findall(body))
    return re.sub(r"@([\w.$-]+)", lambda m: f"@{m[1]}__{number}" if m[1] in own else m[0], body)


def best(action, times: int = 5) -> float:
    seconds = []
    for _ in range(times):
        start = time.process_time()
        action()
        seconds.append(time.process_time() - start)
    return min(seconds)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="bench.read_speed", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("lines", nargs="?", type=int, default=50_000, metavar="LINES", help="at least; default 50000")
    text = program(parser.parse_args().lines)
    lines = text.count("\n")
    rewriting = best(lambda: to_generic(Source(text, "-")))
    whole = best(lambda: read(text, make_context()))
    print(f"{lines} lines: rewriting {lines / rewriting:,.0f} lines/s, with MLIR's parser {lines / whole:,.0f} lines/s")


if __name__ == "__main__":
    main()
