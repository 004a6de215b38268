"""`python -m bench.gpu_files FOLDER`: makes a folder that `python -m bench.gpu` runs on a machine with a card.

The folder holds all that is needed there but numpy, ml_dtypes and cuda-bindings: this package's runtime (no MLIR), the
benchmark, and compiled programs: those of test/e2e and random ones as checks/NAME.hlo, with fresh random arguments and the
results of the reference (and of moved runs of it, which say how far rounding may go) in checks/NAME.npz, and the
benchmark's in programs/."""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench.gpu_programs import PROGRAMS, GpuProgram, dtype_of
from bench.open_programs import Opened, opened

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = {"hlo": "hlo", "runtime": "hlo/runtime"}
FILES = {
    "dialect/__init__.py": "hlo/dialect/__init__.py",
    "dialect/numpy_types.py": "hlo/dialect/numpy_types.py",
    "dialect/process_grid.py": "hlo/dialect/process_grid.py",
    "tools/__init__.py": "hlo/tools/__init__.py",
    "tools/differential/__init__.py": "hlo/tools/differential/__init__.py",
    "tools/differential/comparison.py": "hlo/tools/differential/comparison.py",
    **{
        f"bench/{name}.py": f"bench/{name}.py"
        for name in ("__init__", "gpu", "gpu_checks", "gpu_programs", "gpu_report", "gpu_timing", "gpu_workers")
    },
}
END_TO_END = sorted((ROOT / "test" / "e2e").glob("*.mlir"))
MOVED_RUNS = 3


def main() -> int:
    options = _options()
    folder: Path = options.folder
    for name in ("checks", "programs"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    _copy_sources(folder)
    chosen: dict[str, Any] = {"device": options.device, "arch": options.arch}
    left_out = _make_checks(folder / "checks", options.only, options.every, options.seed, chosen)
    left_out |= _make_random_checks(folder / "checks", options.random, options.seed, chosen)
    for program in PROGRAMS:
        if not options.only or any(o in program.name for o in options.only):
            _compile(program, options.device == "model", chosen).save(folder / "programs" / f"{program.file}.hlo")
            print(f"programs/{program.file}.hlo", flush=True)
    (folder / "about.json").write_text(json.dumps({**chosen, "seed": options.seed, "left_out": left_out}, indent=1))
    size = sum(p.stat().st_size for p in folder.rglob("*") if p.is_file())
    print(f"{len(list((folder / 'checks').glob('*.hlo')))} checks, {len(left_out)} left out, {size / 2**20:.1f} MiB")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench.gpu_files", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--arch", default="sm_90a", help="the oldest architecture that the code runs on")
    parser.add_argument(
        "--device", default="cuda", choices=["cuda", "model"], help="model: for the numpy model of a card"
    )
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="what has this in its name")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="each N-th function of test/e2e")
    parser.add_argument("--random", type=int, default=0, metavar="N", help="random programs besides (default: none)")
    parser.add_argument("--seed", type=int, default=0, help="of the arguments and of random programs")
    return parser.parse_args()


def _copy_sources(folder: Path) -> None:
    for source, target in PACKAGES.items():
        shutil.copytree(
            ROOT / source, folder / target, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__")
        )
    for source, target in FILES.items():
        (folder / target).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / source, folder / target)


def _make_checks(folder: Path, only: Sequence[str], every: int, seed: int, chosen: dict[str, Any]) -> dict[str, str]:
    """Returns why functions were left out."""
    from hlo.errors import HloError

    left_out = {}
    files = [file for file in END_TO_END if not only or any(o in file.stem for o in only)]
    for number, (name, module, entry) in enumerate(functions(files)):
        if number % every:
            continue
        try:
            _make_check(folder / name, opened(module, entry), seed, chosen)
            print(f"checks/{name}.hlo", flush=True)
        except HloError as error:
            left_out[name] = str(error).splitlines()[0]
    return left_out


def _make_random_checks(folder: Path, count: int, seed: int, chosen: dict[str, Any]) -> dict[str, str]:
    """The first programs of a seed of hlo.tools.differential. Returns why some were left out."""
    from hlo.errors import HloError
    from hlo.tools.differential.batch import make_batch

    left_out = {}
    for number in range(count):
        name = f"random.{seed}.{number}"
        batch = make_batch(seed, [number])
        (program,) = batch.programs
        if program.unchecked:
            left_out[name] = "its random numbers are the implementation's choice"
            continue
        made = Opened(batch.module([program]), "main", tuple(batch.inputs), is_free=False)
        try:
            _make_check(folder / name, made, seed, chosen)
            print(f"checks/{name}.hlo", flush=True)
        except HloError as error:
            left_out[name] = str(error).splitlines()[0]
    return left_out


def functions(files: Sequence[Path]) -> Iterator[tuple[str, Any, str]]:
    """Of self-checking files: FILE.PART.FUNCTION, module, function."""
    import hlo
    from hlo.tools.run.check import parts_of
    from hlo.tools.run.check_worker import _entries

    for file in files:
        for position, part in enumerate(parts_of(str(file), "gpu", {})):
            module = hlo.parse(part.text, file_name=file.name)
            for entry in _entries(module):
                yield f"{file.stem}.{position}.{entry}", module, entry


def _make_check(path: Path, program: Opened, seed: int, chosen: dict[str, Any]) -> None:
    import hlo
    from hlo.errors import CompileError
    from hlo.tools.differential.moved import MovedReference

    exe = hlo.compile(program.module, target="gpu", entry=program.entry, **chosen)
    if any(call.target.startswith("lapack_") for call in exe.program.custom_calls):
        raise CompileError("calls LAPACK on the host, which needs SciPy there")
    if re.search(r"\bstablehlo\.rng\b", str(program.module)):
        raise CompileError("its random numbers are the implementation's choice")
    arguments = program.arguments(seed)
    runs = [hlo.compile(program.module, target="reference", entry=program.entry)(*arguments)]
    if any(r.shape != kind.shape for r, kind in zip(runs[0], exe.signature.results)):
        raise CompileError("the sizes of its results depend on its arguments")
    runs += [MovedReference(program.module, program.entry, seed)(*arguments) for seed in range(MOVED_RUNS)]
    arrays = {f"argument_{n}": a for n, a in enumerate(arguments)}
    arrays |= {f"run_{i}_{n}": r for i, run in enumerate(runs) for n, r in enumerate(run)}
    exe.save(path.with_name(f"{path.name}.hlo"))
    np.savez_compressed(path.with_name(f"{path.name}.npz"), **{name: _plain(a) for name, a in arrays.items()})


def _plain(array: np.ndarray) -> np.ndarray:
    """Elements of types that numpy's files do not know as integers of their size, in a last dimension of one."""
    if array.dtype.isbuiltin == 1:
        return array
    return array.copy("C")[..., None].view(f"u{array.dtype.itemsize}")


def _compile(program: GpuProgram, is_small: bool, chosen: dict[str, Any]) -> Any:
    import jax
    import jax.numpy as jnp

    import hlo

    shapes = program.small if is_small else program.shapes
    types = [jax.ShapeDtypeStruct(shape, dtype_of(name)) for shape, name in zip(shapes, program.dtypes)]
    with jax.enable_x64("float64" in program.dtypes):
        traced = jax.jit(lambda *arrays: program.function(jnp, *arrays)).trace(*types)
        text = traced.lower(lowering_platforms=(program.platform,)).as_text()
    return hlo.compile(text, target="gpu", **chosen)


if __name__ == "__main__":
    sys.exit(main())
