"""What other programs write as StableHLO, read by hlo: each is installed into an environment of its own, its programs
are compiled from their text, and the results compared with its own.

    python -m integrations.ecosystem.writers --only torch-mlir"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from .. import environments
from ..errors import EcosystemError

INDEX = ("--extra-index-url", "https://download.pytorch.org/whl/cpu")
"""PyTorch's builds for CPUs, without gigabytes of GPU libraries."""
WRITERS = {
    "torch-mlir": ("torch_mlir_models", ("torch-mlir==20261001", "torch==2.13.0", *INDEX)),
    "tensorflow": ("tensorflow_gradient", ("tensorflow-cpu==2.21.0",)),
}
"""The program of this folder and what it needs, in exact versions."""


def main(argv: list[str] | None = None) -> int:
    options = _options(argv)
    failed = []
    for name in options.only:
        print(name, file=sys.stderr, flush=True)
        program, requirements = WRITERS[name]
        try:
            python = environments.python_with(name, requirements, options.folder.absolute())
        except EcosystemError as error:
            print(f"error: {error}", file=sys.stderr)
            failed.append(name)
            continue
        if subprocess.run([python, Path(__file__).with_name("check.py"), program]).returncode:
            failed.append(name)
    return 1 if failed else 0


def _options(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m integrations.ecosystem.writers", description=__doc__)
    parser.add_argument(
        "--only", nargs="+", metavar="NAME", choices=WRITERS, default=list(WRITERS), help=f"of {', '.join(WRITERS)}"
    )
    parser.add_argument("--folder", type=Path, default=Path("build/ecosystem"), help="where the environments are kept")
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())
