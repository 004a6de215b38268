"""Libraries that are written for JAX: each is installed into an environment of its own and runs a small program on JAX's CPU backend and on
hlo, alternately. Results are compared, and times.

    python -m integrations.ecosystem --only numpyro diffrax"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from . import environments, table, trial
from .errors import EcosystemError, MissingPython
from .libraries import LIBRARIES


def main(argv: list[str] | None = None) -> int:
    options = _options(argv)
    failed = []
    for number, library in enumerate(options.only, 1):
        print(f"[{number}/{len(options.only)}] {library.name}", file=sys.stderr, flush=True)
        try:
            python = environments.python_of(library, options.folder.absolute())
            outcome = trial.run(library, python, options.seconds)
        except MissingPython as error:
            print(f"{'left out' if options.skip_missing_python else 'error'}: {error}", file=sys.stderr)
            failed += [] if options.skip_missing_python else [library.name]
            continue
        except EcosystemError as error:
            print(f"error: {error}", file=sys.stderr)
            failed.append(library.name)
            continue
        line = table.row(library, outcome)
        print(line, flush=True)
        failed += [library.name] if outcome.differences else []
        if options.write:
            table.PAGE.write_text(table.put(table.PAGE.read_text(), line))
    if failed:
        print(f"not as on JAX's CPU backend: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def _options(argv: list[str] | None) -> argparse.Namespace:
    names = {library.name: library for library in LIBRARIES}
    parser = argparse.ArgumentParser(
        prog="python -m integrations.ecosystem", description=__doc__.replace("\n", " ") if __doc__ else ""
    )
    parser.add_argument(
        "--only", nargs="+", metavar="NAME", choices=names, default=list(names), help=f"of {', '.join(names)}"
    )
    parser.add_argument("--folder", type=Path, default=Path("build/ecosystem"), help="where the environments are kept")
    parser.add_argument("--seconds", type=float, default=10, help="how long the backends run alternately")
    parser.add_argument(
        "--skip-missing-python", action="store_true", help="leave out what needs a Python that is not on PATH"
    )
    parser.add_argument("--write", action="store_true", help="put the rows into docs/ecosystem.md")
    options = parser.parse_args(argv)
    options.only = [names[name] for name in options.only]
    return options


if __name__ == "__main__":
    sys.exit(main())
