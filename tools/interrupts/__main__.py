"""python -m hlo.tools.interrupts: starts the processes that interrupt themselves, and counts."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter

from hlo.errors import ArgumentError
from hlo.python_process import module_command
from hlo.tools.command_line import FINE, INPUT_AT_FAULT, run_tool
from hlo.tools.interrupts.child import ACTIONS
from hlo.tools.tool_parser import ToolParser

EXPECTED = {"raised", "late"}


def main(argv: list[str] | None = None) -> int:
    return run_tool("hlo.tools.interrupts", _main, argv)


def _main(argv: list[str]) -> int:
    options = _options(argv)
    total: Counter[str] = Counter()
    for seed, first in enumerate(range(0, options.count, options.each)):
        for action in options.actions.split(","):
            found = run_child(action, min(options.each, options.count - first), options.seed + seed)
            print(f"{action}, seed {options.seed + seed}: {dict(found)}", flush=True)
            total += found
    print(f"all: {dict(total)}")
    return INPUT_AT_FAULT if set(total) - EXPECTED else FINE


def _options(argv: list[str]) -> argparse.Namespace:
    parser = ToolParser(prog="hlo.tools.interrupts", description=__doc__)
    parser.add_argument("--count", type=int, default=500, metavar="N", help="interrupts of each action (default 500)")
    parser.add_argument("--each", type=int, default=50, metavar="N", help="interrupts of a process (default 50)")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="of the moments (default 0)")
    parser.add_argument("--actions", default=",".join(ACTIONS), metavar="A,B", help=f"of {', '.join(ACTIONS)}")
    options = parser.parse_args(argv)
    for name in options.actions.split(","):
        if name not in ACTIONS:
            raise ArgumentError(f"--actions: there is no {name!r}; actions: {', '.join(ACTIONS)}")
    if options.count < 1 or options.each < 1:
        raise ArgumentError("--count and --each take numbers from 1")
    return options


def run_child(action: str, count: int, seed: int) -> Counter[str]:
    """What became of the interrupts of one process, and its death if it died."""
    command = module_command("hlo.tools.interrupts.child", action, str(count), str(seed), flags=("-X", "faulthandler"))
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    if done.returncode or not done.stdout.strip():
        print(done.stderr[-3000:], file=sys.stderr)
        return Counter({f"the process ended with {done.returncode}": 1})
    found = Counter(json.loads(done.stdout))
    if found.keys() - EXPECTED:
        print(done.stderr[-3000:], file=sys.stderr)  # Python says there which exception it ignored, and where
    return found


if __name__ == "__main__":
    sys.exit(main())
