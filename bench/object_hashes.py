"""Whether a change of the compiler changed code: `python -m bench.object_hashes -o BEFORE`, then `... --compare BEFORE`.

Compiles the programs of the benchmark, the examples and random programs, and prints a line for each with the hash of its object
files. `--compare` names the programs whose hashes differ from those of a file; exit code 1 if there are any. `--through PHASE`
prints the module after that phase and goes on with what is read from the text: the hashes must be the same."""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
SEED = 16
"""Of the random programs."""

Programs = Iterator[tuple[str, Callable[[], str]]]


def main() -> int:
    options = _options()
    os.environ["JAX_PLATFORMS"] = "cpu"
    before = dict(_read(options.compare)) if options.compare else {}
    different = 0
    with open(options.output or os.devnull, "w") as file:
        for name, text in _programs(options.programs):
            if options.only and not any(o in name for o in options.only):
                continue
            found = object_hash(text(), options.cpu, options.through)
            print(f"{found} {name}", file=file, flush=True)
            changed = options.compare and before.get(name) != found
            different += bool(changed)
            if changed or not (options.compare or options.output):
                print(f"{found} {name}", flush=True)
    if options.compare:
        print(f"{different} programs differ from {options.compare}")
    return 1 if different else 0


def object_hash(text: str, cpu: str = "host", through: str | None = None) -> str:
    """The hash of the object files of a program, without its constants' elements. `through`: a phase whose module is printed and
    read again. A program that does not compile has the hash of what is said about it."""
    import hlo
    from hlo import pipelines
    from hlo.dialect.printer import print_module
    from hlo.errors import HloError
    from hlo.lowering.stablehlo.shapes.specialize_shapes import resolve_shapes
    from hlo.pipelines.dump import read_dump
    from hlo.runtime.compile.deep_recursion import DEEP_RECURSION
    from hlo.runtime.compile.entry_function import entry_only
    from hlo.runtime.compile.llvm_engine import generate

    phases = pipelines.cpu(cpu)
    try:
        with DEEP_RECURSION:
            module = entry_only(hlo.parse(text), "main")
            resolve_shapes(module)
            pipelines.run(module, phases, stop_after=through)
            if through:
                module = read_dump(print_module(module), "dump")
                pipelines.run(module, phases, start_from=through)
            for op in [op for op in module.body.operations if op.operation.name == "hlo.constant"]:
                op.operation.erase()
            objects = generate(module, cpu)
    except HloError as error:
        objects = [str(error).encode()]
    return hashlib.sha256(b"".join(objects)).hexdigest()[:16]


def _programs(random: int) -> Programs:
    yield from _benchmark()
    for path in sorted(EXAMPLES.glob("*.mlir")):
        yield f"example {path.stem}", path.read_text
    for number in range(random):
        yield f"random {SEED}:{number}", lambda number=number: _random(number)


def _benchmark() -> Programs:
    import jax

    from bench.programs import PROGRAMS

    for name, program in PROGRAMS.items():
        yield (
            f"benchmark {name}",
            lambda program=program: jax.jit(program.function).lower(*program.inputs()).as_text(),
        )


def _random(number: int) -> str:
    from hlo.dialect.printer import print_module
    from hlo.tools.differential.batch import make_batch

    batch = make_batch(SEED, [number])
    return print_module(batch.module(batch.programs))


def _read(path: Path) -> Iterator[tuple[str, str]]:
    for line in path.read_text().splitlines():
        found, _, name = line.partition(" ")
        yield name, found


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench.object_hashes", description=__doc__)
    parser.add_argument("--programs", type=int, default=200, metavar="N", help="random programs (default 200)")
    parser.add_argument("--only", action="append", metavar="NAME", help="programs whose name contains this")
    parser.add_argument("--cpu", default="host", help="processor that code is for: host, amx, avx512, avx2, baseline")
    parser.add_argument("--through", metavar="PHASE", help="print and read the module after this phase")
    parser.add_argument("--compare", type=Path, metavar="FILE", help="hashes of another version")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="where hashes are written")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
