"""A kernel function as stages, in the order they run.

A stage computes some values over common loop dimensions and stores them: `MapStage` for values whose elements are
independent, `ReduceStage` for linalg.generics with reduction dimensions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from itertools import product
from math import gcd
from typing import Any

from mlir import ir

from hlo.errors import CompileError
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.finding import made_by
from hlo.lowering.linalg.iteration import (
    ZERO,
    Affine,
    Dim,
    Index,
    apply_map,
    flatten,
    joined_dimensions,
    kept_dimensions,
)
from hlo.lowering.linalg.structured import loop_sizes, maps_of, reduced_loops, reduces
from hlo.lowering.memory.placement import tied_arguments
from hlo.lowering.memory.storage import element_bytes
from hlo.lowering.vector.region.padding import is_dilated, is_padding

RESHAPES = ("tensor.expand_shape", "tensor.collapse_shape")
VIEWS = ("tensor.extract_slice", *RESHAPES)
"""Ops whose results have elements of their operand, at other indices."""
DYNAMIC = -(2**63)
SHORT, SHORT_OF_WORDS = 8, 16
"""Elements of a last dimension up to which a padded array is written in one go, and those of four bytes or more: more
vectors of narrower ones take too many shuffles."""
FEW, VECTOR_BYTES = 2, 64
"""Elements of a row from which the rows are copied one by one, into a fill, where one element of each is less than so
many bytes together: vectors along the rows, which are interleaved, would not be full."""
SHORT_ROW = 96
"""What is written out of rows of n elements are n loads for each lane of a vector of 64 bytes: n * n * the size of an element up
to which these are about as many as its rows."""


@dataclass(eq=False)
class Store:
    """Stores the elements of a value at `at` in the buffer of result number `to`, of type `type`, at `index` (both of the
    stage's dims)."""

    value: ir.Value
    to: int
    type: Any
    index: Index
    at: Index

    @cached_property
    def position(self) -> Affine:
        """The offset in the buffer."""
        return flatten(self.index, self.type.shape)

    def moved(self, replaced: Mapping[Dim, Affine]) -> Store:
        """The store with loops replaced by positions."""
        index, at = (tuple(one.substituted(replaced) for one in expressions) for expressions in (self.index, self.at))
        return replace(self, index=index, at=at)


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


def reads_windows(op: ir.Operation) -> bool:
    """Whether a reduction reads an array at sums of its loops: a pool."""
    maps = maps_of(op)[: -len(op.results)]
    return reduces(op) and any(isinstance(e, ir.AffineAddExpr) for m in maps for e in m.results)


def inputs_of(op: ir.Operation) -> list[ir.Value]:
    """The inputs of a linalg.generic on tensors, which has an output for each result."""
    return list(op.operands)[: -len(op.results)]


def read_stages(function: Any, tied: Mapping[int, ir.Value] | None = None) -> list[Stage]:
    """The stages of a kernel function, which leave every result in its buffer. `tied`: the arguments that are the
    storage of results, where the function does not say it yet."""
    stages: list[Stage] = []
    tied = tied_values(function) if tied is None else tied
    for number, value in enumerate(returned_values(function)):
        _materialise(value, number, tied.get(number), stages)
    return _merged(stages)


def returned_values(function: Any) -> list[ir.Value]:
    operations = function.regions[0].blocks[0].operations
    return list(operations[len(operations) - 1].operands)


def tied_values(function: Any) -> dict[int, ir.Value]:
    """The argument that is the storage of a result, by the result's number."""
    arguments = function.operation.regions[0].blocks[0].arguments
    return {result: arguments[number] for result, number in tied_arguments(function.operation).items()}


def _materialise(value: ir.Value, number: int, storage: ir.Value | None, stages: list[Stage]) -> None:
    """Appends the stages that put `value` in the buffer of a result (`storage`: the argument it is in already)."""
    insertions: list[ir.Operation] = []
    while (op := made_by(value, "tensor.insert_slice")) is not None and not _pads_short_rows(op):
        insertions.insert(0, op)
        value = op.operands[1]
    if made_by(value, "tensor.empty") or (storage is not None and value == storage):
        pass
    elif reduces(value.owner):
        stages.append(_reduction(value.owner, value, number))
    else:
        dims = [Dim(n) for n in value.type.shape]
        index = tuple(map(Affine.of, dims))
        stages.append(Stage(dims, [Store(value, number, value.type, index, index)]))
    are_short = all(map(_inserts_short_rows, insertions)) and _fill_rows(insertions)
    stages += [_insertion(op, number, are_short) for op in insertions]


def _pads_short_rows(op: ir.Operation) -> bool:
    """Whether an insertion makes rows a little longer: they are written whole, and what is around the source is read with it."""
    length, element = op.results[0].type.shape[-1:], op.results[0].type.element_type
    return (
        length != op.operands[0].type.shape[-1:]
        and max(length, default=0) <= (SHORT if element_bytes(element) < 4 else SHORT_OF_WORDS)
        and is_padding(op)
        and not is_dilated(op)
        and (op.operands[0].type.shape[-1] < FEW or _neighbouring_bytes(op) >= VECTOR_BYTES)
    )


def _neighbouring_bytes(op: ir.Operation) -> int:
    """Of one element of each row, in the loop along which vectors of them would run."""
    source, whole = op.operands[0].type, op.results[0].type
    count = 1
    for extent, padded in zip(source.shape[-2::-1], whole.shape[-2::-1]):
        count *= extent
        if extent != padded:
            break
    return count * element_bytes(source.element_type)


def _inserts_short_rows(op: ir.Operation) -> bool:
    """Whether an insertion into longer rows takes fewer loads when its rows, a loop along which would have few elements,
    are written out."""
    source, whole = op.operands[0].type, op.results[0].type
    if len(source.shape) < 2 or source.shape[-1] == whole.shape[-1]:
        return False
    return 0 < source.shape[-1] ** 2 * element_bytes(source.element_type) <= SHORT_ROW


def _fill_rows(insertions: Sequence[ir.Operation]) -> bool:
    """Whether what is inserted is as long as a row: vectors of its elements can be interleaved, where others would be scattered."""
    rows = [op.operands[0].type.shape[-1] for op in insertions]
    return all(sum(rows) >= op.results[0].type.shape[-1] for op in insertions)


def _insertion(op: ir.Operation, number: int, is_short: bool) -> Stage:
    source, whole = op.operands[0], op.results[0].type
    dims = [Dim(n) for n in source.type.shape]
    index = tuple(map(Affine.of, dims))
    stage = Stage(dims, [Store(source, number, whole, offset_index(op, source.type, index), index)])
    return written_out(stage, dims[-1:]) if is_short else stage


def written_out(stage: Stage, loops: Sequence[Dim]) -> Stage:
    """The stage without these loops: a store for each of their iterations."""
    if not loops:
        return stage
    values = product(*(range(d.size) for d in loops))
    indices = [{d: Affine((), n) for d, n in zip(loops, at)} for at in values]
    stores = [store.moved(at) for store in stage.stores for at in indices]
    return replace(stage, dims=[d for d in stage.dims if d not in loops], stores=stores)


def _reduction(op: ir.Operation, value: ir.Value, number: int) -> Stage:
    dims, reduction = loops_of(op)
    index = result_index(op, value, dims)
    return Stage(dims, [Store(value, number, value.type, index, index)], reduction, [op])


def loops_of(op: ir.Operation) -> tuple[list[Dim], list[Dim]]:
    """New dimensions for the loops of a linalg.generic, and those that are reduced."""
    dims = [Dim(n) for n in loop_sizes(op)]
    return dims, [d for d, is_reduced in zip(dims, reduced_loops(op)) if is_reduced]


def result_index(op: ir.Operation, result: ir.Value, dims: Sequence[Dim]) -> Index:
    """Where the loops write a result."""
    output_map = op.attributes["indexing_maps"][len(inputs_of(op)) + result.result_number].value
    return apply_map(output_map, [Affine.of(d) for d in dims])


def _merged(stages: list[Stage]) -> list[Stage]:
    """Neighbouring stages over equal dimensions become one, when their order does not matter: they store other results,
    or interleaved elements of one."""
    merged: list[Stage] = []
    for stage in stages:
        if merged and have_equal_loops(merged[-1], stage) and is_any_order(merged[-1], stage, _are_interleaved):
            merged[-1] = joined(merged[-1], stage)
        else:
            merged.append(stage)
    return merged


def have_equal_loops(a: Stage, b: Stage) -> bool:
    return [(d.size, d in a.reduction) for d in a.dims] == [(d.size, d in b.reduction) for d in b.dims]


def is_any_order(a: Stage, b: Stage, disjoint: Callable[[Store, Store], bool]) -> bool:
    """Whether stages over equal loops may run as one: `disjoint` holds for their stores to one result, over the loops of a."""
    later = _renamed(a, b)
    return all(disjoint(one, other) for one in a.stores for other in later if one.to == other.to)


def _are_interleaved(one: Store, other: Store) -> bool:
    """Whether the elements of two stores are interleaved: they are nearer to each other than two iterations are."""
    if one.position.terms != other.position.terms:
        return False
    distance = gcd(*(factor for dim, factor in one.position.terms if dim.size > 1))
    return 0 < abs(one.position.const - other.position.const) < distance


def are_separate(one: Store, other: Store) -> bool:
    """Whether two stores fill blocks of a result that have no element in common: the parts of a concatenation."""
    return any(a[1] < b[0] or b[1] < a[0] for a, b in zip(_block(one), _block(other)))


def _block(store: Store) -> list[tuple[int, int]]:
    """The first and the last index that a store of at least one element fills, in each dimension."""
    is_known = all(dim.value is None for one in store.index for dim, _ in one.terms)
    return [one.interval(lambda d: range(d.size)) for one in store.index] if is_known else []


def _renamed(a: Stage, b: Stage) -> list[Store]:
    """The stores of b over the loops of a."""
    loops = dict(zip(b.dims, map(Affine.of, a.dims)))
    return [store.moved(loops) for store in b.stores]


def joined(a: Stage, b: Stage) -> Stage:
    """One stage that does what two over equal loops do."""
    generics = [*a.generics, *(g for g in b.generics if g not in a.generics)]
    return replace(a, stores=[*a.stores, *_renamed(a, b)], generics=generics)


# ---- positions through slices and reshapes


def offset_index(op: ir.Operation, small: Any, index: Index) -> Index:
    """The index in the large array of an element of a slice (extract_slice or insert_slice) of the type `small`, whose dropped dimensions
    have size 1."""
    view = op.opview
    dynamic = iter(view.offsets)
    offsets = [Affine.of(Dim(1, next(dynamic))) if o == DYNAMIC else Affine((), o) for o in view.static_offsets]
    kept = kept_dimensions(list(view.static_sizes), list(small.shape))
    inner = iter(index)
    strides = list(view.static_strides)
    return tuple(o + (next(inner) * s if k else ZERO) for o, s, k in zip(offsets, strides, kept))


def source_index(op: ir.Operation, index: Index) -> Index:
    """The operand's index for an index of the result of one of these."""
    if op.name == "tensor.extract_slice":
        return offset_index(op, op.results[0].type, index)
    return _reshape_source_index(op, index)


def _reshape_source_index(op: ir.Operation, index: Index) -> Index:
    groups = joined_dimensions(op)
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
