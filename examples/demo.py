"""The main job, shown: a transformer block exported by JAX, compiled and run by hlo-run, its result beside JAX's own.

python examples/demo.py [NAME]          any program of this folder; default transformer"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parent


def main(name: str = "transformer") -> int:
    program = FOLDER / f"{name}.mlir"
    print("\n".join(program.read_text().splitlines()[:12]), "\n  ...\n")
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "results.npz"
        tool = [str(Path(sys.executable).parent / "hlo-run"), str(program)]
        options = ["--input", str(FOLDER / f"{name}.inputs.npz"), "--output", str(output), "--repeat", "20"]
        print(f"$ hlo-run examples/{name}.mlir --input examples/{name}.inputs.npz --repeat 20", flush=True)
        code = subprocess.run([*tool, *options]).returncode
        if code:
            return code
        return compare(dict(np.load(output)), dict(np.load(FOLDER / f"{name}.expected.npz")))


def compare(found: dict[str, np.ndarray], expected: dict[str, np.ndarray]) -> int:
    """Prints each result beside JAX's; 1 when one is further away than 1e-4 of its largest value."""
    worst = 0.0
    for number, (ours, theirs) in enumerate(zip(found.values(), expected.values(), strict=True)):
        scale = float(np.abs(theirs.astype(np.float64)).max(initial=0)) or 1.0
        error = float(np.abs(ours.astype(np.float64) - theirs).max(initial=0)) / scale
        worst = max(worst, error)
        print(f"result {number}: {ours.dtype}{list(ours.shape)}  first values {ours.reshape(-1)[:4]}")
        print(
            f"          JAX's first values {theirs.reshape(-1)[:4]}, largest difference {error:.1e} of the largest value"
        )
    return int(worst > 1e-4)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
