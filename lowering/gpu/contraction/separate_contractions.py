"""The pass `separate-contractions`: a contraction that is large enough for tiles becomes a kernel that is one launch,
with what follows it element by element; what else its kernel does is done by kernels in front of it and behind it.

Before:  %r = call @k(%a, %b, %bias)      @k: %t = transpose %b;  %p = contraction (%a, %t);  %r = sum of %p's parts + bias
After:   %t = call @k_operands(%b)        %p = call @k(%a, %t)      %r = call @k_rest(%p, %bias)

An input that the matrix instructions of the target do not read as it is, is converted or transposed by an op in front:

Before:  %r = linalg.generic multiply-add (%a, %b : i8, b at (k, n))
After:   %t = linalg.generic transpose %b    %r = linalg.generic multiply-add (%a, %t : i8, t at (n, k))

ldmatrix and wgmma transpose elements of two bytes alone: k must be contiguous in others. It costs one pass over the
input; each element is multiplied by all rows (columns) of the other one, so that pays from some tiles on. f8 is multiplied
by wgmma only (mma.sync on f8 is unpacked to f16 by sm_90 itself): elsewhere it becomes f16, exactly. f32 that may be rounded to
two bytes (`hlo.rounded_inputs`) is."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from mlir import ir
from mlir.dialects import arith, func, tensor

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.gpu.accesses import ALIGNMENT, view_of
from hlo.lowering.gpu.contraction.box_operands import has_rows
from hlo.lowering.gpu.contraction.launch import first_tiled, outputs_in
from hlo.lowering.gpu.contraction.pipeline import is_row_major
from hlo.lowering.gpu.contraction.prepare_products import Input, with_inputs
from hlo.lowering.gpu.contraction.problem import SMALL_FLOATS, Problem, innermost, matrix_types, problem_of
from hlo.lowering.gpu.contraction.warpgroups import columns_for
from hlo.lowering.kernel_calls import calls, free_name, functions_by_name, hosts, kernel_of, kind, ops_above
from hlo.lowering.kernels.form_kernels import TILED
from hlo.lowering.linalg.contraction import ROUNDED_INPUTS
from hlo.lowering.linalg.iteration import joined_dimensions
from hlo.lowering.linalg.loops import zero
from hlo.lowering.linalg.slicing import insert_slice
from hlo.lowering.linalg.structured import adds, empty, fill, generic, reduces
from hlo.lowering.memory.placement import tied_arguments
from hlo.lowering.memory.storage import element_bytes
from hlo.lowering.passes import Pass, pass_manager, register_pass
from hlo.lowering.target import Target, gpu_named
from hlo.lowering.vector.region.graph import returned_values

FOLD = "func.func(linalg-fuse-elementwise-ops,canonicalize,cse)"
"""Products are part of the sum that adds them; ops that follow have the contraction's dimensions, and it those of reshapes between them."""


@register_pass
@dataclass(frozen=True)
class SeparateContractions(Pass):
    """Cuts the kernels of contractions. `target`: what they are to run on."""

    target: str = "sm_80"

    def run(self, module: ir.Module) -> None:
        target, waiting = (
            gpu_named(self.target),
            [one for one in functions_by_name(module).values() if _may_contract(one)],
        )
        for kernel in waiting:
            waiting += _separate(module, kernel, target)


def _may_contract(kernel: Any) -> bool:
    """Whether a sum in a kernel may be one of products, of which loops may have to be joined first."""
    if kind(kernel) not in ("contraction", "region"):
        return False
    ops = [op.operation for op in kernel.regions[0].blocks[0].operations]
    return any(reduces(op) and adds(op) for op in ops)


def _separate(module: ir.Module, kernel: Any, target: Target) -> list[Any]:
    """Cuts a kernel with a contraction; kernels that may have another one."""
    manager = pass_manager(module.context, FOLD)
    manager.enable_verifier(False)
    manager.run(kernel.operation)
    op = first_tiled(kernel)
    if op is None:
        return []
    op = prepare_inputs(op, target)
    returned = returned_values(kernel)
    results = returned if outputs_in(kernel, op) is not None else [op.results[0]]
    operands = [value for value in map(_array_of, list(op.operands)[:2]) if not isinstance(value.owner, ir.Block)]
    kernel.attributes["hlo.kernel"] = ir.StringAttr.get("contraction")
    if results == returned and not operands:
        return []
    if results != returned and tied_arguments(kernel):
        kernel.attributes["hlo.kernel"] = ir.StringAttr.get("region")
        return []
    return _cut(module, kernel, list(dict.fromkeys(operands)), results)


def _array_of(value: ir.Value) -> ir.Value:
    """The array that an operand is, or is seen in."""
    view = view_of(value)
    return value if view is None else view.source


def _cut(module: ir.Module, kernel: Any, operands: Sequence[ir.Value], results: Sequence[ir.Value]) -> list[Any]:
    """`operands`: what is computed in front of the contraction; `results`: what its launch gives. The other kernels that this makes."""
    name, arguments, returned = kernel.name.value, list(kernel.regions[0].blocks[0].arguments), returned_values(kernel)
    kernel.attributes["sym_name"] = ir.StringAttr.get(free_name(f"{name}_whole", functions_by_name(module)))
    functions = functions_by_name(module)
    pieces = [(f"{name}_operands", "region", list(operands)), (name, "contraction", list(results))]
    pieces.append((f"{name}_rest", "region", [v for v in dict.fromkeys(returned) if v not in results]))
    known: set[ir.Value] = set()
    made: list[tuple[Any, list[ir.Value], list[ir.Value]]] = []
    for piece, what, wanted in [one for one in pieces if one[2]]:
        ops, inputs = ops_above(wanted, lambda value, _: value not in known)
        with kernel.location:
            made.append((kernel_of(module, free_name(piece, functions), what, ops, inputs, wanted), inputs, wanted))
        known.update(wanted)
    contraction, inputs, _ = made[1 if operands else 0]
    if "arg_attrs" in kernel.attributes and results == returned:
        attributes = dict(zip(arguments, kernel.attributes["arg_attrs"]))
        contraction.attributes["arg_attrs"] = ir.ArrayAttr.get([attributes.get(v, ir.DictAttr.get({})) for v in inputs])
    for call in [call for host in hosts(functions) for call in calls(host) if call.callee.value == name]:
        _call_pieces(call, dict(zip(arguments, call.operands)), made, returned)
    kernel.operation.erase()
    return [one for one, _, _ in made if one is not contraction]


def _call_pieces(
    call: Any, values: dict[ir.Value, ir.Value], pieces: Sequence[Any], returned: Sequence[ir.Value]
) -> None:
    """Instead of a call. `values`: what the arguments of the kernel that it calls are there."""
    with ir.InsertionPoint(call), call.location:
        for kernel, inputs, wanted in pieces:
            made = func.CallOp([v.type for v in wanted], kernel.name.value, [values[v] for v in inputs])
            values.update(zip(wanted, made.results))
    for old, value in zip(call.results, returned):
        old.replace_all_uses_with(values[value])
    call.operation.erase()


# What the target reads


K_CONTIGUOUS = ("i8", "tf32", *SMALL_FLOATS)
"""Kinds of which matrix instructions want k contiguous."""

ENOUGH = 128
"""Multiplications with an element, from which a pass of its own over an input is profitable."""

ROUNDED = ("bf16", "f16")
"""What f32 becomes in memory; tf32 is f32 there."""


@dataclass(frozen=True)
class Change:
    """Of an input: the `kind` of its elements, and the order of its dimensions; None to leave it."""

    kind: ir.Type
    order: list[int] | None


def prepare_inputs(op: ir.Operation, target: Target) -> ir.Operation:
    """A contraction, or that which replaces it, with inputs stored anew. `target`: what it is to run on."""
    problem = problem_of(op)
    assert problem is not None, "a contraction"
    changes = [_change(problem, number, target) for number in (0, 1)]
    return _rewritten(op, problem, changes) if any(changes) else op


def _change(p: Problem, number: int, target: Target) -> Change | None:
    kind, stored, windowed = p.kind(number), p.element_type(number), _is_windowed(p)
    if kind in SMALL_FLOATS and not (target.wgmma and _suits_warpgroups(p, target)):
        return Change(ir.F16Type.get(), _order(p, number) if windowed else None)
    if kind in ROUNDED and stored == ir.F32Type.get():
        return Change(ir.Type.parse(kind), None)
    if not windowed and kind in K_CONTIGUOUS and any(p.kind(n) not in K_CONTIGUOUS for n in (0, 1)):
        return None
    order = _order(p, number)
    return Change(stored, order) if order is not None else None


def _suits_warpgroups(p: Problem, target: Target) -> bool:
    """wgmma multiplies the inputs, once k is contiguous."""
    types = matrix_types(p)
    if types is None or columns_for(p, types, target) is None:
        return False
    return all(_order(p, n) is not None or has_rows(p, n, types.size) for n in (0, 1))


# In which order of its dimensions an input is stored anew.
#
# Features last: with features first (n, c, h + kh, w + kw), neighbours in memory are pixels of several windows, and no 16 bytes of it begin at
# a multiple of 16. Stored with features last it is copied as it is by TMA and cp.async; the pass that does so takes the zeros around it along.


def _order(p: Problem, number: int) -> list[int] | None:
    """None to leave the input as it is."""
    return (_features_last if _is_windowed(p) or p.kind(number) not in K_CONTIGUOUS else _k_last)(p, number)


def _is_windowed(p: Problem) -> bool:
    """An input is read at sums of dimensions."""
    return any(not isinstance(e, ir.AffineDimExpr) for one in p.nest.maps[:2] for e in one.results)


def _row_bytes(p: Problem, number: int, dimension: int) -> int:
    return p.nest.sizes[dimension] * element_bytes(p.element_type(number))


def _shape(p: Problem, number: int) -> tuple[int, ...]:
    """Of an input in memory, without the zeros around it."""
    view = view_of(p.op.operands[number])
    return view.shape if view is not None else tuple(p.op.operands[number].type.shape)


def _features_last(p: Problem, number: int) -> list[int] | None:
    """The dimension of k last that at least one input is contiguous along, if both can be; otherwise the longest."""
    elements = [prod(_shape(p, n)) for n in (0, 1)]
    able = [
        d
        for d in p.k_dims
        if all(
            ir.AffineExpr.get_dim(d) in p.nest.maps[n].results and _row_bytes(p, n, d) % ALIGNMENT == 0 for n in (0, 1)
        )
    ]
    contiguous = [innermost(p.nest.maps[n]) for n in sorted((0, 1), key=lambda n: -elements[n])]
    there = [d for d in contiguous if d in able]
    last = there[0] if there else max(able, key=lambda d: p.nest.sizes[d], default=None)
    inner, view = innermost(p.nest.maps[number]), view_of(p.op.operands[number])
    if last is None or inner == last or view is None or view.is_part:
        return None
    outer = p.rows if number == p.left else p.columns
    is_chunked = inner in outer and _row_bytes(p, number, inner) % ALIGNMENT == 0
    if is_chunked and p.kind(number) not in K_CONTIGUOUS:
        return None
    if p.m * p.n * p.k * p.batches <= ENOUGH * elements[number]:
        return None
    results = list(p.nest.maps[number].results)
    axis = results.index(ir.AffineExpr.get_dim(last))
    return [n for n in range(len(results)) if n != axis] + [axis]


def _k_last(p: Problem, number: int) -> list[int] | None:
    """As TMA can bring boxes of it, where k is not last, the input is read often enough, and can be copied 16 bytes at a time then."""
    one = p.nest.maps[number]
    dimensions = [e.position if isinstance(e, ir.AffineDimExpr) else -1 for e in one.results]
    others = p.n if number == p.left else p.m
    is_plain = -1 not in dimensions and len(set(dimensions)) == len(dimensions)
    is_along = innermost(one) == p.k_dims[-1] and is_row_major(p.op.operands[number])
    if not is_plain or is_along or others <= ENOUGH or _row_bytes(p, number, p.k_dims[-1]) % ALIGNMENT:
        return None
    inner, outer = innermost(p.nest.maps[2]), p.rows if number == p.left else p.columns
    order = (*p.batch, *sorted(outer, key=lambda d: (d == inner, d)), *p.k_dims)
    return [dimensions.index(d) for d in order if d in dimensions]  # dimensions of one element may be in no map


def _rewritten(op: ir.Operation, p: Problem, changes: Sequence[Change | None]) -> ir.Operation:
    with ir.InsertionPoint(op), op.location:
        inputs = [_input(p, number, change) for number, change in enumerate(changes)]
    if all(change is None or change.kind == p.element_type(n) for n, change in enumerate(changes)):
        made = with_inputs(op, inputs)
    else:
        made = with_inputs(op, inputs, widened_product)
        for name in (ROUNDED_INPUTS, TILED):
            if name in made.attributes:
                del made.attributes[name]
    op.results[0].replace_all_uses_with(made.results[0])
    op.erase()
    return made


def widened_product(left: ir.Value, right: ir.Value, total: ir.Value) -> ir.Value:
    """Added to the total, both operands in its type."""
    return arith.addf(total, arith.mulf(arith.extf(total.type, left), arith.extf(total.type, right)))


def _input(p: Problem, number: int, change: Change | None) -> Input:
    """What is padded is stored without the zeros around it, which are put around the new array."""
    value, one = p.op.operands[number], p.nest.maps[number]
    if change is None:
        return Input(value, one)
    order = change.order or list(range(len(one.results)))
    view = view_of(value)
    low = view.low if view is not None else ()
    made = _stored(p, number, _unpadded(value) if low else value, order, change.kind)
    if low:
        kind = ir.RankedTensorType.get([value.type.shape[axis] for axis in order], change.kind)
        made = insert_slice(made, fill(zero(change.kind), kind), [low[axis] for axis in order])
    return Input(made, ir.AffineMap.get(one.n_dims, 0, [one.results[axis] for axis in order]))


def _unpadded(value: ir.Value) -> ir.Value:
    """What is within the zeros around a tensor, whose dimensions may have been split since."""
    op, view = value.owner, view_of(value)
    if op.name == "tensor.insert_slice" or view is None:
        return op.operands[0]
    kind = ir.RankedTensorType.get(view.shape, value.type.element_type)
    return tensor.expand_shape(kind, _unpadded(op.operands[0]), joined_dimensions(op), [], view.shape)


def _stored(p: Problem, number: int, source: ir.Value, order: Sequence[int], kind: ir.Type) -> ir.Value:
    """A new tensor with the elements of one that is an input, or what is padded there, converted; `order`: its dimensions."""
    shape = [source.type.shape[axis] for axis in order]
    read = ir.AffineMap.get_permutation([order.index(axis) for axis in range(len(order))])

    def converted(value: ir.Value, _: ir.Value) -> list[ir.Value]:
        if p.kind(number) in SMALL_FLOATS and kind != value.type:
            value = arith.extf(ir.F32Type.get(), arith.bitcast(ir.Type.parse(p.kind(number)), value))
        return [value if kind == value.type else arith.truncf(kind, value)]

    made, identity = empty(ir.RankedTensorType.get(shape, kind)), ir.AffineMap.get_identity(len(shape))
    return generic([source], [read], [made], [identity], ["parallel"] * len(shape), converted)[0]
