"""Custom calls that stand for ops, mostly with shapes as operands, as `jax.export` prints them. Used by specialize-shapes."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from mlir import ir
from mlir.dialects import func

from hlo.dialect.attributes import I64Matrix
from hlo.dialect.chlo.structured import TopKOp
from hlo.dialect.locations import diagnostic
from hlo.dialect.stablehlo import CustomCallOp, ReduceWindowOp, RngBitGeneratorOp, SortOp
from hlo.dialect.stablehlo.custom_calls import SIZES_OF_RESULTS, size_operands
from hlo.dialect.types import DYNAMIC, element_type, shape, tensor
from hlo.dialect.verifier import op_error
from hlo.errors import CompileError
from hlo.lowering.copying import attributes_of
from hlo.lowering.finding import function_of
from hlo.lowering.stablehlo.arithmetic import Tensor, leading
from hlo.lowering.stablehlo.rewriting import fill_region, move_body
from hlo.lowering.stablehlo.shapes.known import DynamicOp, specializes_call


@specializes_call("shape_assertion")
def lower_assertion(dynamic: DynamicOp) -> list[ir.Value] | None:
    """A condition on shapes: nothing if it holds."""
    _check_form(dynamic.op, len(dynamic.op.operands) or 1, 0)
    _check_sizes(dynamic.op, dynamic.op.operands[0])
    holds, *values = (dynamic.integers(v) for v in dynamic.op.operands)
    if holds is None:
        return None
    if not holds[0]:
        raise CompileError(diagnostic(dynamic.op, _message(dynamic.op, [v[0] if v else "?" for v in values])))
    return []


def _message(op: Any, values: list[Any]) -> str:
    if "error_message" not in op.attributes:
        return "shape assertion failed"
    text = ir.StringAttr(op.attributes["error_message"]).value
    for number, value in enumerate(values):
        text = text.replace(f"{{{number}}}", str(value))
    return text


@specializes_call("stablehlo.dynamic_reduce_window")
def lower_reduce_window(dynamic: DynamicOp) -> list[ir.Value] | None:
    """Operands: inputs, initial values, window sizes, strides, base dilations, window dilations, paddings."""
    op = dynamic.op
    _check_form(op, 2 * len(op.results) + 5, max(len(op.results), 1), called_computations=ir.ArrayAttr)
    *arrays, sizes, strides, base, window, padding = op.operands
    known = dynamic.all_integers(sizes, strides, base, window, padding)
    if known is None:
        return None
    if min(itertools.chain(*known[:4]), default=1) < 1:
        raise CompileError(
            diagnostic(op, f"sizes, strides and dilations of windows must be positive, found {known[:4]}")
        )
    pairs = [known[4][i : i + 2] for i in range(0, len(known[4]), 2)]
    made = ReduceWindowOp.create(
        *arrays,
        results=[v.type for v in arrays[: len(op.results)]],
        window_dimensions=known[0],
        window_strides=known[1],
        base_dilations=known[2],
        window_dilations=known[3],
        padding=I64Matrix.encode(pairs),
    )
    copy_body(op, made)
    for result, t in zip(made.results, made.infer() or [v.type for v in made.results], strict=True):
        result.set_type(t)
    return _checked(op, made)


@specializes_call("stablehlo.dynamic_rng_bit_generator")
def lower_rng_bit_generator(dynamic: DynamicOp) -> list[ir.Value] | None:
    """Operands: the state, the sizes of the bits."""
    op = dynamic.op
    _check_form(op, 2, 2, rng_algorithm=ir.Attribute)
    state, sizes = op.operands
    known = dynamic.integers(sizes)
    if known is None:
        return None
    if min(known, default=0) < 0:
        raise CompileError(diagnostic(op, f"sizes of the bits must not be negative, found {known}"))
    types = [op.results[0].type, tensor(known, element_type(op.results[1].type))]
    return _checked(op, RngBitGeneratorOp.create(state, results=types, rng_algorithm=op.attributes["rng_algorithm"]))


# The largest elements


@specializes_call("stablehlo.dynamic_top_k")
def lower_top_k(dynamic: DynamicOp) -> list[ir.Value] | None:
    """Operands: the array, k."""
    _check_form(dynamic.op, 2, 2)
    operand, k = dynamic.op.operands
    _check_sizes(dynamic.op, k)
    known = dynamic.integers(k)
    if known is None:
        return None
    if not shape(operand.type):
        raise CompileError(diagnostic(dynamic.op, f"an array of one dimension or more expected, found {operand.type}"))
    _check_count(dynamic.op, known[0], shape(operand.type)[-1])
    sizes = [*shape(operand.type)[:-1], known[0]]
    types = [tensor(sizes, element_type(r.type)) for r in dynamic.op.results]
    return _checked(dynamic.op, TopKOp.create(operand, results=types, k=known[0]))


@specializes_call("stablehlo.dynamic_approx_top_k", "ApproxTopK")
def lower_approx_top_k(dynamic: DynamicOp) -> list[ir.Value] | None:
    """Operands: arrays, an initial value for each, and sizes of results that are not known otherwise. Approximate calls
    may give any answer of a certain recall; here it is the exact one.

    %v, %i = stablehlo.custom_call @ApproxTopK(%x, %positions, %least, %none) {called_computations = [@greater], ...}
    becomes a stablehlo.sort of %x and %positions by the body of @greater, and slices of its results."""
    op = dynamic.op
    least = 2 * len(op.results) + (op.call_target_name == "stablehlo.dynamic_approx_top_k")
    _check_form(op, max(len(op.operands), least), max(len(op.results), 1), called_computations=ir.ArrayAttr)
    arrays = list(op.operands)[: len(op.results)]
    dimension = _option(op, "reduction_dim")
    if not 0 <= dimension < len(shape(arrays[0].type)):
        found = f"reduction_dim must be a dimension of {arrays[0].type}, found {dimension}"
        raise CompileError(diagnostic(op, found))
    sizes = _kept(dynamic, shape(arrays[0].type), dimension)
    if sizes is None or DYNAMIC in shape(arrays[0].type):
        return None
    _check_count(op, sizes[dimension], shape(arrays[0].type)[dimension])
    sort = SortOp.create(*arrays, results=[v.type for v in arrays], dimension=dimension, is_stable=True)
    copy_body(op, sort)
    _checked(op, sort)
    return [leading(Tensor(v), sizes).value for v in sort.results]


def _check_count(op: Any, count: int, size: int) -> None:
    if not 0 <= count <= size and size != DYNAMIC:
        raise CompileError(diagnostic(op, f"{count} elements cannot be the largest of {size}"))


def _kept(dynamic: DynamicOp, sizes: Sequence[int], dimension: int) -> list[int] | None:
    """The sizes of the results. What is not aggregated is as long as the type or a size operand says."""
    op = dynamic.op
    written, count = list(shape(op.results[0].type)), len(op.results)
    if DYNAMIC not in written:
        return written
    extra = list(op.operands)[2 * count :]
    if ir.StringAttr(op.attributes["call_target_name"]).value == "stablehlo.dynamic_approx_top_k":
        number = dynamic.integers(extra[0])
    elif extra:
        of_result = dynamic.integers(extra[0])
        number = None if of_result is None else [of_result[dimension]]
    else:
        number = [_option(op, "top_k")]
    return None if number is None else [number[0] if d == dimension else n for d, n in enumerate(sizes)]


def _option(op: Any, name: str) -> int:
    """A number of the call's options. Raises CompileError where it has none."""
    config = op.attributes.get("mhlo.backend_config", None)
    found = config[name] if isinstance(config, ir.DictAttr) and name in config else None
    if not isinstance(found, ir.IntegerAttr):
        raise CompileError(diagnostic(op, f"a number {name} in mhlo.backend_config expected, found {found}"))
    return int(found.value)


def _check_form(op: Any, operands: int, results: int, **attributes: type) -> None:
    """Raises CompileError for a call that has other counts than these, or not all of the attributes: nothing else has looked at them."""
    target = ir.StringAttr(op.attributes["call_target_name"]).value
    for what, wanted, values in (("operands", operands, op.operands), ("results", results, op.results)):
        if len(values) != wanted:
            found = f"custom call @{target}: {wanted} {what} expected, found {len(values)}"
            raise CompileError(diagnostic(op, found))
    for name, kind in attributes.items():
        if name not in op.attributes or not isinstance(op.attributes[name], kind):
            raise CompileError(diagnostic(op, f"custom call @{target}: attribute {name} expected"))


def _check_sizes(op: Any, value: ir.Value) -> None:
    """Raises CompileError for an operand that holds no number."""
    if 0 in shape(value.type):
        raise CompileError(diagnostic(op, f"an operand with a number expected, found {value.type}"))


def _checked(op: Any, made: Any) -> list[ir.Value]:
    """The results of the op that a call stands for. Raises CompileError for one that the specification does not have."""
    if error := op_error(made):
        raise CompileError(diagnostic(op, f"'{made.operation.name}' op {error}"))
    return list(made.results)


# Functions


def lower_sized_call(dynamic: DynamicOp) -> list[ir.Value] | None:
    """The function itself is not given the sizes: they go, and what is said of operands by their numbers is renumbered.

    %r = stablehlo.custom_call @f(%x, %sizes) {indices_of_shape_operands = dense<1> : tensor<1xi64>}
    becomes %r = stablehlo.custom_call @f(%x), its type that of the sizes."""
    op = dynamic.op
    positions = size_operands(op)
    known = dynamic.all_integers(*(op.operands[i] for i in positions))
    if known is None:
        return None
    if any(n < 0 for sizes in known for n in sizes):
        raise CompileError(diagnostic(op, f"sizes of results must not be negative, found {known}"))
    left = [i for i in range(len(op.operands)) if i not in positions]
    attributes = attributes_of(op, SIZES_OF_RESULTS, "output_operand_aliases")
    if "operand_layouts" in attributes:
        layouts = ir.ArrayAttr(attributes["operand_layouts"])
        attributes["operand_layouts"] = ir.ArrayAttr.get([layouts[i] for i in left])
    aliases = [replace(a, operand_index=left.index(a.operand_index)) for a in op.output_operand_aliases]
    made = CustomCallOp.create(
        *(op.operands[i] for i in left),
        results=[tensor(sizes, element_type(r.type)) for sizes, r in zip(known, op.results, strict=True)],
        call_target_name=op.call_target_name,
        output_operand_aliases=aliases or None,
    )
    for name, value in attributes.items():
        made.attributes[name] = value
    if error := op_error(made):
        raise CompileError(diagnostic(op, f"'{op.operation.name}' op {error}"))
    return list(made.results)


def copy_body(call: Any, op: Any) -> None:
    """The body of the one function that the call names becomes the region of an op."""
    copy = _callee(call).operation.clone()
    source = copy.regions[0].blocks[0]
    fill_region(op.regions[0], [a.type for a in source.arguments], lambda *arguments: move_body(source, arguments))
    copy.erase()


def _callee(op: Any) -> Any:
    symbols = list(ir.ArrayAttr(op.attributes["called_computations"]))
    if len(symbols) != 1 or not isinstance(symbols[0], ir.FlatSymbolRefAttr):
        raise CompileError(diagnostic(op, f"called_computations: one function expected, found {symbols}"))
    name = symbols[0].value
    found = next(
        (f for f in function_of(op).block.operations if isinstance(f, func.FuncOp) and f.name.value == name), None
    )
    if found is None:
        raise CompileError(diagnostic(op, f"no function @{name}"))
    return found
