"""A kernel function as stages, in the order they run.

A stage computes some values over common loop dimensions and stores them: `MapStage` for values whose elements are
independent, `ReduceStage` for linalg.generics with reduction dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from mlir import ir

from hlo.errors import CompileError
from hlo.lowering.linalg.structured import loop_sizes
from hlo.lowering.vector.region.index import ZERO, Affine, Dim, Index, apply_map, flatten

DYNAMIC = -(2**63)


@dataclass(eq=False)
class Store:
    """Stores a value in the buffer of result number `to`, of type `type`, at `index` (of the stage's dims)."""

    value: ir.Value
    to: int
    type: Any
    index: Index


@dataclass(eq=False)
class Stage:
    """`dims` in loop order as written; `reduction` those that are reduced; `generics` the reductions (empty: a map).

    A chain has its reductions by `levels`, and `kept` values that are stored for later sweeps over a row."""

    dims: list[Dim]
    stores: list[Store]
    reduction: list[Dim] = field(default_factory=list)
    generics: list[ir.Operation] = field(default_factory=list)
    levels: list[list[ir.Operation]] = field(default_factory=list)
    kept: list[ir.Value] = field(default_factory=list)
    row_shape: list[int] = field(default_factory=list)
    row_position: Affine = ZERO

    @property
    def parallel(self) -> list[Dim]:
        return [d for d in self.dims if d not in self.reduction]


def is_reduction(op: Any) -> bool:
    """Whether an op is a linalg.generic with a reduction dimension."""
    if isinstance(op, ir.Block) or op.name != "linalg.generic":
        return False
    return "reduction" in str(op.attributes["iterator_types"])


def reads_windows(op: ir.Operation) -> bool:
    """Whether a reduction reads an array at sums of its loops: a pool."""
    maps = [attribute.value for attribute in op.attributes["indexing_maps"]][: -len(op.results)]
    return is_reduction(op) and any(isinstance(e, ir.AffineAddExpr) for m in maps for e in m.results)


def inputs_of(op: ir.Operation) -> list[ir.Value]:
    """The inputs of a linalg.generic on tensors, which has an output for each result."""
    return list(op.operands)[: -len(op.results)]


def read_stages(function: Any) -> list[Stage]:
    """The stages of a kernel function, which leave every result in its buffer."""
    stages: list[Stage] = []
    tied = tied_arguments(function)
    for number, value in enumerate(returned_values(function)):
        _materialise(value, number, tied.get(number), stages)
    return _merged(stages)


def returned_values(function: Any) -> list[ir.Value]:
    return list(list(function.regions[0].blocks[0].operations)[-1].operands)


def tied_arguments(function: Any) -> dict[int, ir.Value]:
    """The argument that is the storage of a result, by the result's number."""
    found: dict[int, ir.Value] = {}
    operation = function.operation
    if "arg_attrs" not in operation.attributes:
        return found
    arguments = operation.regions[0].blocks[0].arguments
    for argument, attributes in zip(arguments, ir.ArrayAttr(operation.attributes["arg_attrs"])):
        attributes = ir.DictAttr(attributes)
        if "hlo.tied" in attributes:
            found[ir.IntegerAttr(attributes["hlo.tied"]).value] = argument
    return found


def _materialise(value: ir.Value, number: int, storage: ir.Value | None, stages: list[Stage]) -> None:
    """Appends the stages that put `value` in the buffer of a result (`storage`: the argument it is in already)."""
    owner = value.owner
    name = "" if isinstance(owner, ir.Block) else owner.name
    if name == "tensor.empty" or (storage is not None and value == storage):
        return
    if name == "tensor.insert_slice":
        _materialise(owner.operands[1], number, storage, stages)
        stages.append(_insertion(owner, number))
    elif is_reduction(owner):
        stages.append(_reduction(owner, value, number))
    else:
        dims = [Dim(n) for n in value.type.shape]
        stages.append(Stage(dims, [Store(value, number, value.type, tuple(map(Affine.of, dims)))]))


def _insertion(op: ir.Operation, number: int) -> Stage:
    source, whole = op.operands[0], op.results[0].type
    dims = [Dim(n) for n in source.type.shape]
    index = tuple(map(Affine.of, dims))
    return Stage(dims, [Store(source, number, whole, offset_index(op, source.type, whole, index))])


def _reduction(op: ir.Operation, value: ir.Value, number: int) -> Stage:
    dims = [Dim(n) for n in loop_sizes(op)]
    kinds = [str(t) for t in op.attributes["iterator_types"]]
    output_map = op.attributes["indexing_maps"][len(inputs_of(op)) + value.result_number].value
    index = apply_map(output_map, [Affine.of(d) for d in dims])
    reduction = [d for d, kind in zip(dims, kinds) if "reduction" in kind]
    return Stage(dims, [Store(value, number, value.type, index)], reduction, [op])


def _merged(stages: list[Stage]) -> list[Stage]:
    """Neighbouring stages over equal dimensions become one, when their order does not matter: whole results that are
    not stored twice."""
    merged: list[Stage] = []
    for stage in stages:
        if merged and _mergeable(merged[-1], stage):
            _merge(merged[-1], stage)
        else:
            merged.append(stage)
    return merged


def _mergeable(a: Stage, b: Stage) -> bool:
    kinds = [[d in s.reduction for d in s.dims] for s in (a, b)]
    shapes = [[d.size for d in s.dims] for s in (a, b)]
    targets = {s.to for s in a.stores} & {s.to for s in b.stores}
    return kinds[0] == kinds[1] and shapes[0] == shapes[1] and not targets


def _merge(a: Stage, b: Stage) -> None:
    renamed = dict(zip(b.dims, map(Affine.of, a.dims)))
    for store in b.stores:
        index = tuple(one.substituted(renamed) for one in store.index)
        a.stores.append(Store(store.value, store.to, store.type, index))
    a.generics += [g for g in b.generics if g not in a.generics]


# ---- positions through slices and reshapes


def offset_index(op: ir.Operation, small: Any, large: Any, index: Index) -> Index:
    """The index in the large array of an element of a slice (extract_slice or insert_slice), whose dropped dimensions
    have size 1."""
    view = op.opview
    dynamic = iter(view.offsets)
    offsets = [Affine.of(Dim(1, next(dynamic))) if o == DYNAMIC else Affine((), o) for o in view.static_offsets]
    kept = _kept_dimensions(list(view.static_sizes), list(small.shape))
    inner = iter(index)
    strides = list(view.static_strides)
    return tuple(o + (next(inner) * s if k else ZERO) for o, s, k in zip(offsets, strides, kept))


def _kept_dimensions(sizes: Sequence[int], shape: Sequence[int]) -> list[bool]:
    """Which dimensions of the large array a rank-reduced slice keeps: as many 1s as needed are dropped, first ones
    first."""
    surplus, kept, position = len(sizes) - len(shape), [], 0
    for size in sizes:
        drop = surplus > 0 and size == 1 and (position >= len(shape) or shape[position] != 1)
        kept.append(not drop)
        surplus -= drop
        position += not drop
    for d in range(len(sizes) - 1, -1, -1):
        if surplus and kept[d] and sizes[d] == 1:
            kept[d], surplus = False, surplus - 1
    return kept


def reshape_source_index(op: ir.Operation, index: Index) -> Index:
    """The operand's index for an index of an expand_shape or collapse_shape result."""
    groups = [[ir.IntegerAttr(i).value for i in group] for group in op.attributes["reassociation"]]
    source, result = list(op.operands[0].type.shape), list(op.results[0].type.shape)
    if op.name == "tensor.expand_shape":
        return tuple(flatten(tuple(index[d] for d in g), [result[d] for d in g]) for g in groups)
    found = [ZERO] * len(source)
    for group, one in zip(groups, index):
        wide = [d for d in group if source[d] != 1]
        if len(wide) > 1:
            raise CompileError(f"{op.location}: a reshape that splits a dimension inside a kernel")
        if wide:
            found[wide[0]] = one
    return tuple(found)
