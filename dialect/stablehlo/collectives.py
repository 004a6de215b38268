"""Ops of many processes: collectives, process numbers.

`replica_groups` has a row a group, or names axes of a mesh (see mesh_axes); in an all_reduce, -1 fills the rows of smaller
groups. The numbers of replicas and partitions are not part of a program, so what depends on them (all groups together
holding every process) cannot be checked here."""

from __future__ import annotations

from collections import Counter

from mlir import ir

from hlo.dialect.attributes import CHANNEL_HANDLE, I64, AttributeKind, I64Matrix, Unit
from hlo.dialect.clauses import listed, vector_size_error
from hlo.dialect.definition import Attr, Op, Operand, Region, Result, constraint
from hlo.dialect.mesh_axes import groups, is_mesh_axes, mesh_axes_error
from hlo.dialect.reducers import reducer_error
from hlo.dialect.regions import returned_types
from hlo.dialect.types import (
    DYNAMIC,
    AnyTensor,
    TypeSet,
    element_type,
    rank,
    shape,
    tensor,
    with_element,
)

UNUSED = -1
"""Fills the rows of replica_groups that are shorter than others."""

ReplicaGroups = AttributeKind(
    "matrix of i64 (dense<...> : tensor<NxMxi64>) or #stablehlo.replica_group_mesh_axes<...>",
    lambda a: I64Matrix.decode(a) if I64Matrix.accepts(a) else groups(a) or a,
    lambda v: I64Matrix.encode(v),
    lambda a: I64Matrix.accepts(a) or is_mesh_axes(a),
    has_mesh_axes=True,
)
"""A tuple of groups; the attribute itself where the mesh is a symbol."""


def _channel(op: Op) -> int:
    handle = op.channel_handle
    return 0 if handle is None else handle.handle


def group_size(op: Op) -> int:
    """Processes in each group; DYNAMIC when the program does not say: no groups, a mesh that is a symbol, groups of
    replicas each of which has all partitions (a channel without global ids)."""
    rows = op.replica_groups
    if not isinstance(rows, tuple) or not _members(rows) or _spans_partitions(op):
        return DYNAMIC
    return len(rows[0])


def _spans_partitions(op: Op) -> bool:
    """The channel of an all_to_all, which knows no global ids, only makes its groups ones of partitions."""
    return isinstance(op, _Global) and _channel(op) > 0 and not op.use_global_device_ids


def _members(rows: object) -> list[int]:
    return [m for row in rows for m in row] if isinstance(rows, tuple) else []


def _groups_unique_error(rows: object) -> str | None:
    members = [m for m in _members(rows) if m != UNUSED]
    twice = next((m for m, count in Counter(members).items() if count > 1), None)
    return None if twice is None else f"replica_groups must be unique, found {twice} twice"


def _groups_range_error(rows: object, may_have_unused: bool) -> str | None:
    """Unused entries do not count."""
    members = [m for m in _members(rows) if not (may_have_unused and m == UNUSED)]
    outside = next((m for m in members if not 0 <= m < len(members)), None)
    return None if outside is None else f"replica_groups must be in [0, {len(members)}), found {outside}"


def _scaled(t: ir.Type, dimension: int, multiply: int = 1, divide: int = 1) -> ir.RankedTensorType:
    """The type with one size multiplied and divided; unknown where a factor is."""
    sizes = list(shape(t))
    unknown = DYNAMIC in (sizes[dimension], multiply, divide)
    sizes[dimension] = DYNAMIC if unknown else sizes[dimension] * multiply // divide
    return tensor(sizes, element_type(t))


def _is_multiple(size: int, part: int) -> bool:
    if DYNAMIC in (size, part):
        return True
    return size % part == 0 if part else size == 0


def _dimension_error(name: str, dimension: int, *types: ir.Type) -> str | None:
    for t in types:
        if not 0 <= dimension < rank(t):
            return f"{name} must be in [0, {rank(t)}), found {dimension}"
    return None


class _Grouped(Op):
    """Attributes and clauses of the collectives that have process groups."""

    IS_PURE = False
    OWN_ATTRIBUTES_FIRST = True
    replica_groups = Attr(ReplicaGroups)
    channel_handle = Attr(CHANNEL_HANDLE, optional=True)

    @constraint()
    def mesh_is_sound(self):
        written = self.attributes["replica_groups"]
        error = mesh_axes_error(written) if is_mesh_axes(written) else None
        return error and f"replica_groups: {error}"

    @constraint()
    def groups_are_unique(self):
        return _groups_unique_error(self.replica_groups)


class _Covering(_Grouped):
    """Ops whose groups hold every process, so that they say how many there are."""

    MAY_HAVE_UNUSED = False
    """Groups may be of different sizes, their rows filled up with -1."""

    @constraint()
    def groups_are_in_range(self):
        return _groups_range_error(self.replica_groups, self.MAY_HAVE_UNUSED)


class _Global(_Covering):
    use_global_device_ids = Attr(Unit, optional=True, default=False)

    @constraint()
    def global_ids_have_a_channel(self):
        if self.use_global_device_ids and _channel(self) <= 0:
            return f"use_global_device_ids must come with a channel_id above 0, found {_channel(self)}"
        return None

    @constraint()
    def global_ids_have_groups(self):
        if self.use_global_device_ids and isinstance(self.replica_groups, tuple) and not _members(self.replica_groups):
            return "use_global_device_ids must come with replica_groups that are not empty"
        return None


class AllGatherOp(_Global, mnemonic="all_gather"):
    """Concatenation of all processes' tensors. https://openxla.org/stablehlo/spec#all_gather"""

    LABELS = {"groups_are_unique": "C2", "groups_are_in_range": "C4", "global_ids_have_a_channel": "C5"}
    MOVES = True
    inputs = Operand(AnyTensor, variadic=True)
    all_gather_dim = Attr(I64)
    outputs = Result(AnyTensor, variadic=True)

    @constraint("C1")
    def dimension_in_range(self):
        return _dimension_error("all_gather_dim", self.all_gather_dim, *(v.type for v in self.inputs))

    @constraint("C6")
    def size_is_multiple(self):
        """Where the number of processes in a group is not known."""
        for value, result in zip(self.inputs, self.outputs):
            size, gathered = (shape(v.type)[self.all_gather_dim :][:1] for v in (value, result))
            if size[0] == 0:  # upstream's clause
                return f"size of all_gather_dim in operand must be at least 1, found {size[0]}"
            if gathered and not _is_multiple(gathered[0], size[0]):
                return f"size {gathered[0]} of all_gather_dim in result must be a multiple of operand's {size[0]}"
        return None

    @constraint("C6")
    def infer(self):
        size = group_size(self)
        return [_scaled(v.type, self.all_gather_dim, multiply=size) for v in self.inputs]


class AllReduceOp(_Global, mnemonic="all_reduce"):
    """Reduction over all processes. https://openxla.org/stablehlo/spec#all_reduce"""

    LABELS = {"groups_are_unique": "C1", "groups_are_in_range": "C3", "global_ids_have_a_channel": "C4"}
    MAY_HAVE_UNUSED = True
    inputs = Operand(AnyTensor, variadic=True)
    computation = Region()
    outputs = Result(AnyTensor, variadic=True)

    @constraint("C5")
    def computation_reduces(self):
        errors = (reducer_error("computation", self.computation, [v.type]) for v in self.inputs)
        return next((e for e in errors if e), None)

    @constraint("C6")
    def infer(self):
        elements = [element_type(t) for t in returned_types(self.computation)]
        return [with_element(v.type, (elements * len(self.inputs))[i]) for i, v in enumerate(self.inputs)]


class AllToAllOp(_Covering, mnemonic="all_to_all"):
    """Parts of every tensor to every process. https://openxla.org/stablehlo/spec#all_to_all"""

    LABELS = {"groups_are_unique": "C5", "groups_are_in_range": "C7"}
    MOVES = True
    inputs = Operand(AnyTensor, variadic=True)
    split_dimension = Attr(I64)
    concat_dimension = Attr(I64)
    split_count = Attr(I64)
    outputs = Result(AnyTensor, variadic=True)

    @constraint("C1")
    def split_dimension_in_range(self):
        return _dimension_error("split_dimension", self.split_dimension, *(v.type for v in self.inputs))

    @constraint("C3")
    def concat_dimension_in_range(self):
        return _dimension_error("concat_dimension", self.concat_dimension, *(v.type for v in self.inputs))

    @constraint("C4")
    def split_count_is_positive(self):
        return None if self.split_count > 0 else f"split_count must be above 0, found {self.split_count}"

    @constraint("C2")
    def splits_evenly(self):
        for value in self.inputs:
            size = shape(value.type)[self.split_dimension]
            if size != DYNAMIC and size % self.split_count:
                return f"size {size} of split_dimension must be a multiple of split_count {self.split_count}"
        return None

    @constraint("C6")
    def groups_have_split_count_members(self):
        """All of them are as long as the matrix is wide, which has a width even without rows."""
        written = self.attributes["replica_groups"]
        is_matrix = I64Matrix.accepts(written)
        size = ir.ShapedType(written.type).shape[1] if is_matrix else group_size(self)
        if size in (self.split_count, DYNAMIC):
            return None
        return f"groups must have split_count {self.split_count} members, found {size}"

    @constraint("C8")
    def infer(self):
        split = [_scaled(v.type, self.split_dimension, divide=self.split_count) for v in self.inputs]
        return [_scaled(t, self.concat_dimension, multiply=self.split_count) for t in split]


class _Rooted(_Grouped):
    """Ops in which one process of each group, the root, plays a part of its own: the first, or with has_dynamic_root the
    one whose position in the group the last operand holds for each value."""

    inputs = Operand(AnyTensor, variadic=True)
    has_dynamic_root = Attr(Unit, optional=True, default=False)
    outputs = Result(AnyTensor, variadic=True)

    @property
    def values(self):
        """The operands but the roots."""
        return self.inputs[:-1] if self.has_dynamic_root else self.inputs

    @constraint()
    def has_values(self):
        if not self.values:
            return "must have at least one value, found 0"
        if not self.has_dynamic_root:
            return None
        roots, count = self.inputs[-1].type, len(self.values)
        if rank(roots) == 1 and element_type(roots) == ir.IntegerType.get_signless(32):
            return vector_size_error("the last operand (the roots)", roots, count, "one a value")
        return f"the last operand (the roots) must be of type tensor<{count}xi32>, found {roots}"

    @constraint()
    def groups_are_not_negative(self):
        """How many processes there are is not part of a program."""
        outside = next((m for m in _members(self.replica_groups) if m < 0), None)
        return None if outside is None else f"replica_groups must not be negative, found {outside}"


class CollectiveBroadcastOp(_Rooted, mnemonic="collective_broadcast"):
    """The tensors of each group's root. https://openxla.org/stablehlo/spec#collective_broadcast"""

    LABELS = {"groups_are_unique": "C1", "groups_are_not_negative": "C2"}
    MOVES = True

    @constraint("C3")
    def infer(self):
        return [v.type for v in self.values]


class CollectiveReduceOp(_Rooted, mnemonic="collective_reduce"):
    """Reduction over each group, for its root; zeros for the others. Newer than the specification; its clauses are those
    of all_reduce."""

    computation = Region()

    @constraint()
    def computation_reduces(self):
        errors = (reducer_error("computation", self.computation, [v.type]) for v in self.values)
        return next((e for e in errors if e), None)

    def infer(self):
        elements = [element_type(t) for t in returned_types(self.computation)]
        return [with_element(v.type, elements[0]) for v in self.values]


class CollectivePermuteOp(Op, mnemonic="collective_permute"):
    """Tensors from sources to targets. https://openxla.org/stablehlo/spec#collective_permute"""

    ONE_TYPE = (("operand", "result"),)
    IS_PURE = False
    MOVES = True
    operand = Operand(AnyTensor)
    source_target_pairs = Attr(I64Matrix)
    channel_handle = Attr(CHANNEL_HANDLE, optional=True)
    result = Result(AnyTensor)

    @constraint("C1")
    def pairs_are_pairs(self):
        columns = ir.ShapedType(self.attributes["source_target_pairs"].type).shape[1]
        return None if columns == 2 else f"source_target_pairs must have 2 columns, found {columns}"

    @constraint("C2")
    def sources_are_unique(self):
        return repeated_error("sources", [source for source, _ in self.source_target_pairs])

    @constraint("C3")
    def targets_are_unique(self):
        return repeated_error("targets", [target for _, target in self.source_target_pairs])

    @constraint("C4")
    def pairs_are_processes(self):
        negative = next((p for pair in self.source_target_pairs for p in pair if p < 0), None)
        return None if negative is None else f"source_target_pairs must not be negative, found {negative}"

    @constraint("C5")
    def infer(self):
        return [self.operand.type]


def repeated_error(what: str, numbers: list[int]) -> str | None:
    """What is wrong with sources or targets of source_target_pairs."""
    repeated = next((n for n in numbers if numbers.count(n) > 1), None)
    return None if repeated is None else f"{what} of source_target_pairs must be unique, found {repeated} twice"


class CrossReplicaSumOp(Op, mnemonic="cross-replica-sum"):
    """Sum over replicas: the all_reduce of older programs."""

    ONE_TYPE = (("operand", "result"),)
    IS_PURE = False
    operand = Operand(AnyTensor)
    replica_groups = Attr(I64Matrix)
    result = Result(AnyTensor)

    def infer(self):
        return [self.operand.type]


class ReduceScatterOp(_Global, mnemonic="reduce_scatter"):
    """A part of the reduction to each process. https://openxla.org/stablehlo/spec#reduce_scatter"""

    LABELS = {"groups_are_unique": "C3", "groups_are_in_range": "C5", "global_ids_have_a_channel": "C6"}
    operand = Operand(AnyTensor)
    scatter_dimension = Attr(I64)
    computation = Region(arguments=2)
    result = Result(AnyTensor)

    @constraint("C2")
    def dimension_in_range(self):
        return _dimension_error("scatter_dimension", self.scatter_dimension, self.operand.type)

    @constraint("C1")
    def splits_evenly(self):
        size, parts = shape(self.operand.type)[self.scatter_dimension], group_size(self)
        if DYNAMIC not in (size, parts) and size % parts:
            return f"size {size} of scatter_dimension must be a multiple of the group size {parts}"
        return None

    @constraint("C7")
    def computation_reduces(self):
        return reducer_error("computation", self.computation, [self.operand.type])

    @constraint("C8")
    def size_divides(self):
        """Where the number of processes in a group is not known."""
        size, part = (shape(v.type)[self.scatter_dimension :][:1] for v in (self.operand, self.result))
        if 0 in (*size, *part):  # upstream's clause
            return (
                f"sizes of scatter_dimension must be at least 1, found {listed([*size, *part])} in operand and result"
            )
        if part and not _is_multiple(size[0], part[0]):
            return f"size {part[0]} of scatter_dimension in result must divide operand's {size[0]}"
        return None

    @constraint("C8")
    def infer(self):
        element = element_type(returned_types(self.computation)[0])
        parts = group_size(self)
        return [_scaled(with_element(self.operand.type, element), self.scatter_dimension, divide=parts)]


_Number = TypeSet("tensor<ui32>", lambda t: str(t) == "tensor<ui32>", only=("tensor<ui32>",))


class _ProcessNumber(Op):
    ASSEMBLY = "attr-dict `:` type(results)"
    result = Result(_Number)

    def infer(self):
        return [tensor([], ir.IntegerType.get_unsigned(32))]


class ReplicaIdOp(_ProcessNumber, mnemonic="replica_id"):
    """Which replica this process is. https://openxla.org/stablehlo/spec#replica_id"""


class PartitionIdOp(_ProcessNumber, mnemonic="partition_id"):
    """Which partition this process is. https://openxla.org/stablehlo/spec#partition_id"""
