"""Programs with shardings: compiled for each process of their mesh, called with global arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from mlir import ir

from hlo.dialect.process_groups import grid_of
from hlo.dialect.sharding.checks import read_shardings
from hlo.errors import CompileError, VerifyError
from hlo.lowering.stablehlo.sharding.partitioning.partition_calls import CallPartitioner, partition_calls
from hlo.lowering.stablehlo.sharding.propagate_shardings import PropagateShardings
from hlo.pipelines.runner import run_pass
from hlo.runtime.calls.signature import ArrayType, Signature
from hlo.runtime.compile.entry_function import entry_only, function_named
from hlo.runtime.grid.global_arrays import Layout, cut_all, join_all, layouts_of
from hlo.runtime.profile.refusal import NotProfiled, NotSaved

PASSES = ("partition", "join-collectives", "eliminate-common-subexpressions")
"""From a program whose shardings are complete to the program of one process."""


class ShardedExecutable(NotProfiled, NotSaved):
    """`exe(*arrays)` takes global arrays and gives global results. `exe.run_grid(arguments)` takes one list of parts a
    process, which `exe.cut(arrays)` makes, and gives lists of parts, which `exe.join(results)` puts together.

    `arguments`, `results`: how the arrays are cut. All else is the executable's of the processes, `exe.process`."""

    NOT_PROFILED = "a program of several processes (HLO_PROFILE=FILE records their sums)"
    NOT_SAVED = "a program with shardings (its processes' program, `exe.process`, can be saved)"

    def __init__(self, process: Any, arguments: Sequence[Layout], results: Sequence[Layout]):
        self.process = process
        self.arguments, self.results = tuple(arguments), tuple(results)

    def __call__(self, *arrays: Any) -> list[np.ndarray]:
        return self.join(self.run_grid(self.cut(arrays)))

    def run_grid(self, arguments: Sequence[Sequence[Any]], timeout: float | None = None) -> list[list[np.ndarray]]:
        """The results of each process for one list of parts each. `timeout`: seconds for which one waits for others (None: 300)."""
        return self.process.run_grid(arguments, timeout)

    def cut(self, arrays: Sequence[Any]) -> list[list[np.ndarray]]:
        """For each process its parts of global arrays. Raises ArgumentError for arrays that do not fit."""
        return cut_all(arrays, self.arguments) or [[] for _ in range(self.grid.size)]

    def join(self, results: Sequence[Sequence[Any]]) -> list[np.ndarray]:
        """The global results of the parts of all processes."""
        return join_all(results, self.results)

    @property
    def signature(self) -> Signature:
        """Of the global arrays."""
        sides = ([ArrayType(layout.shape, layout.dtype) for layout in s] for s in (self.arguments, self.results))
        return Signature(*map(tuple, sides))

    @property
    def grid(self) -> Any:
        return self.process.grid

    @property
    def phases(self) -> dict[str, str]:
        return self.process.phases

    @property
    def memory(self) -> Any:
        """Of one process."""
        return self.process.memory


def compile_sharded(
    module: ir.Module, entry: str, sizes: tuple[Any, Any], compile: Callable[[ir.Module], Any]
) -> ShardedExecutable | Any:
    """The executable of a program with a mesh: partitioned, if it is not yet; for a mesh of one device, the program
    without its shardings. `compile` compiles what is left."""
    copy = partitioned(module, entry, sizes)
    layouts = layouts_of(copy, entry) if _is_partitioned(copy, entry) else None
    run_pass(copy, "remove-shardings")
    made = compile(copy)
    return made if layouts is None else ShardedExecutable(made, *layouts)


def partitioned(
    module: ir.Module,
    entry: str,
    sizes: tuple[Any, Any] = (None, None),
    even: bool = False,
    partitioners: Mapping[str, CallPartitioner] | None = None,
) -> ir.Module:
    """The program of one process of a program with a mesh, which tells how its arguments and results are cut
    (hlo.sharding); for a mesh of one device, the program. `even`: what the program leaves open about arguments and
    results is decided so that their parts are equal. `partitioners`: of custom calls, by target."""
    copy = entry_with_meshes(module, entry)
    if not _is_partitioned(copy, entry):
        run_pass(copy, "import-shardings")
        size = _mesh_size(copy)
        _check_sizes(size, sizes)
        if size > 1:
            _check_sizes(size, _said(module))
            run_pass(copy, PropagateShardings(even=even))
            partition_calls(copy, partitioners or {})
            for name in PASSES:
                run_pass(copy, name)
    return copy


def entry_with_meshes(module: ir.Module, entry: str) -> ir.Module:
    """A copy of what a function needs, with the meshes that its shardings name."""
    copy = entry_only(module, entry)
    with copy.context:
        at = ir.InsertionPoint.at_block_begin(copy.body)
        for op in module.body.operations:
            if op.operation.name == "sdy.mesh":
                op.operation.clone(ip=at)
    return copy


def _is_partitioned(module: ir.Module, entry: str) -> bool:
    attributes = function_named(module, entry).operation.attributes
    entries = [e for key in ("arg_attrs", "res_attrs") if key in attributes for e in ir.ArrayAttr(attributes[key])]
    return any("hlo.sharding" in ir.DictAttr(e) for e in entries)


def _mesh_size(module: ir.Module) -> int:
    """The devices that a program's shardings are for."""
    read = read_shardings(module)
    if read.findings:
        raise VerifyError(*read.findings)
    return max((mesh.size for mesh in read.meshes.values()), default=1)


def _said(module: ir.Module) -> tuple[Any, Any]:
    """The sizes of the grid that a program's attributes say; 1 says nothing."""
    said = grid_of(module, None, None)
    return tuple(None if n == 1 else n for n in (said.num_replicas, said.num_partitions))  # type: ignore[return-value]


def _check_sizes(size: int, sizes: tuple[Any, Any]) -> None:
    for name, given, wanted in zip(("num_replicas", "num_partitions"), sizes, (1, size)):
        if given is not None and given != wanted:
            raise CompileError(f"a program with shardings over {size} devices needs {name} {wanted}, found {given}")
