"""Opcodes that are no single StableHLO op: literals, tuples, calls, control flow, layouts, transfers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from mlir import ir

from hlo.dialect.attributes import ChannelHandle
from hlo.dialect.elements import make_elements
from hlo.dialect.hlo_text.custom_calls import custom_call
from hlo.dialect.hlo_text.forms import Form
from hlo.dialect.hlo_text.literals import elements
from hlo.dialect.hlo_text.shapes import Shape
from hlo.dialect.types import bit_width
from hlo.errors import ParseError

if TYPE_CHECKING:
    from hlo.dialect.hlo_text.emission import Call, Tree

REFUSED = {
    "ragged-all-to-all": "write it with all_gather and scatter",
    "ragged-dot": "lower the program without it",
    "rng-get-and-update-state": "its state is XLA's own",
    "scaled-dot": "multiply by the scales, then dot",
    "scan": "lower the program with a while",
    "stochastic-convert": "add the random bits before the conversion",
}
"""Opcodes without an op, and what to do instead."""


def _constant(call: Call) -> Tree:
    shape, literal = call.instruction.shape, call.instruction.literal
    if shape.members is not None or shape.element == "token":
        return call.fail("expected the shape of an array, found another")
    try:
        array = elements(literal.text, shape)
    except ValueError as error:
        raise ParseError(
            call.emission.module.source.diagnostic(f"constant: expected {error}", literal.position)
        ) from None
    return _array_constant(call, array, shape)


def _array_constant(call: Call, array: np.ndarray, shape: Shape) -> ir.Value:
    value = make_elements(array, shape.type())
    return call.create("stablehlo.constant", [], shape, {"value": value}).results[0]


def _tuple(call: Call) -> Tree:
    return tuple(call.operands)


def _get_tuple_element(call: Call) -> Tree:
    call.expect_operands(1)
    index, tree = call.attributes.integer("index"), call.operands[0]
    if not isinstance(tree, tuple) or not 0 <= index < len(tree):
        found = f"a tuple of {len(tree)}" if isinstance(tree, tuple) else "no tuple"
        return call.fail(f"expected a tuple with a member {index}, found {found}")
    return tree[index]


def _same(call: Call) -> Tree:
    """Of several operands the first: the others say what comes before."""
    call.expect_operands(1, 2)
    return call.operands[0]


def _call(call: Call) -> Tree:
    from hlo.dialect.hlo_text.emission import flat, rebuilt

    computation = call.attributes.computation("to_apply")
    shape = call.instruction.shape
    name = call.emission.function_of(computation)
    made = ir.Operation.create(
        "func.call",
        results=[leaf.type() for leaf in shape.leaves()],
        operands=[v for o in call.operands for v in flat(o)],
        attributes={"callee": ir.FlatSymbolRefAttr.get(name)},
    )
    return rebuilt(shape, iter(made.results))


def _fusion(call: Call) -> Tree:
    computation = call.attributes.computation("calls")
    return call.emission.inline(computation, call.operands, call.instruction)


def _async_start(call: Call) -> Tree:
    return tuple(call.operands), _fusion(call)


def _member(index: int) -> Callable[[Call], Tree]:
    def take(call: Call) -> Tree:
        from hlo.dialect.hlo_text.emission import part

        call.expect_operands(1)
        return part(call, call.operands[0], index)

    return take


def _copy_start(call: Call) -> Tree:
    call.expect_operands(1)
    return call.operands[0], call.operands[0]


def _while(call: Call) -> Tree:
    from hlo.dialect.hlo_text.emission import flat, rebuilt

    call.expect_operands(1)
    shape = call.instruction.shape
    computations = [call.attributes.computation(name) for name in ("condition", "body")]
    for computation in computations:
        if len(computation.parameters) != 1:
            return call.fail(f"expected one parameter of {computation.name}, found {len(computation.parameters)}")
    made = call.create("stablehlo.while", list(flat(call.operands[0])), shape, {}, 2)
    for region, computation in zip(made.regions, computations):
        call.emission.fill(region, computation)
    return rebuilt(shape, iter(made.results))


def _conditional(call: Call) -> Tree:
    from hlo.dialect.hlo_text.emission import rebuilt

    call.expect_operands(1, len(call.operands))
    choice, shape = call.operands[0], call.instruction.shape
    is_boolean = call.shapes[0].element == "pred"
    if "true_computation" in call.instruction.attributes:
        branches = [call.attributes.computation(name) for name in ("true_computation", "false_computation")]
    else:
        branches = call.attributes.computations("branch_computations")
    if len(branches) != len(call.operands) - 1 or (is_boolean and len(branches) != 2) or isinstance(choice, tuple):
        return call.fail(f"expected an array that chooses and an operand a branch, found {len(branches)} branches")
    made = call.create(f"stablehlo.{'if' if is_boolean else 'case'}", [choice], shape, {}, len(branches))
    for region, branch, operand in zip(made.regions, branches, call.operands[1:]):
        call.emission.fill_block(region.blocks.append(), branch, [operand], "stablehlo.return")
    return rebuilt(shape, iter(made.results))


def _bitcast(call: Call) -> Tree:
    """The same bytes under another shape: the operand's elements in the order of its layout, in that of the result's."""
    call.expect_operands(1)
    operand, before, after = call.operands[0], call.shapes[0], call.instruction.shape
    is_array = after.members is None and "token" not in (before.element, after.element)
    if isinstance(operand, tuple) or not is_array or before.is_tiled or after.is_tiled:
        return call.fail("expected arrays whose layouts are orders of dimensions, found others")
    if len(operand.type.shape) != len(before.minor_to_major) or any(
        b is not None for b in before.bounds + after.bounds
    ):
        return call.fail("expected arrays of known sizes, found others")
    is_other = before.element != after.element
    if is_other and bit_width(operand.type.element_type) != bit_width(after.type().element_type):
        return call.fail(f"expected elements of one width, found {before.element} and {after.element}")
    to_memory = tuple(reversed(before.minor_to_major))
    from_memory = tuple(reversed(after.minor_to_major))
    value = _transposed(call, operand, before, to_memory)
    stored = Shape(before.element, tuple(after.sizes[d] for d in from_memory), (None,) * len(after.sizes))
    value = call.create("stablehlo.reshape", [value], stored, {}).results[0]
    value = _transposed(call, value, stored, tuple(int(d) for d in np.argsort(from_memory)))
    return call.create("stablehlo.bitcast_convert", [value], after, {}).results[0] if is_other else value


def _transposed(call: Call, value: ir.Value, shape: Shape, order: tuple[int, ...]) -> ir.Value:
    if order == tuple(range(len(order))):
        return value
    made = Shape(shape.element, tuple(shape.sizes[d] for d in order), (None,) * len(order))
    return call.create("stablehlo.transpose", [value], made, {"permutation": order}).results[0]


def _after_all(call: Call) -> Tree:
    return call.emit(Form("stablehlo.after_all" if call.operands else "stablehlo.create_token"), call.instruction.shape)


_DISTRIBUTIONS = {"rng_uniform": "UNIFORM", "rng_normal": "NORMAL"}


def _rng(call: Call) -> Tree:
    call.expect_operands(2)
    shape = call.instruction.shape
    if shape.members is not None or any(isinstance(o, tuple) for o in call.operands):
        return call.fail("expected arrays, found a tuple")
    sizes = Shape("s64", (len(shape.sizes),), (None,))
    size = _array_constant(call, np.array(shape.sizes, np.int64), sizes)
    values = {"rng_distribution": call.attributes.one_of("distribution", _DISTRIBUTIONS)}
    return call.create("stablehlo.rng", [*call.operands, size], shape, values).results[0]


def _top_k(call: Call) -> Tree:
    if not call.attributes.flag("largest", True):
        return call.fail("expected largest=true (CHLO has no other), found false")
    return call.emit(Form("chlo.top_k", lambda a: {"k": a.integer("k")}), call.instruction.shape)


def _all_to_all(call: Call) -> Tree:
    attributes = call.attributes
    if "dimensions" not in call.instruction.attributes:
        return call.fail("expected the form with dimensions={...}; that of several operands has no StableHLO op")
    groups = attributes.groups()
    if not groups:
        return call.fail("expected replica_groups, found none")
    dimension, channel = attributes.dimension("dimensions"), attributes.integer("channel_id", 0)
    values: dict[str, Any] = {"split_dimension": dimension, "concat_dimension": dimension, "replica_groups": groups}
    values["split_count"] = len(groups[0])
    if channel:
        values["channel_handle"] = ChannelHandle(channel, 1)
    return call.emit(Form("stablehlo.all_to_all", lambda a: values), call.instruction.shape)


def _transfer(kind: int) -> Callable[[Call], dict[str, Any]]:
    def values(call: Call) -> dict[str, Any]:
        is_host = call.attributes.flag("is_host_transfer")
        channel = call.attributes.integer("channel_id", 0)
        return {"channel_handle": ChannelHandle(channel, kind if is_host else 1), "is_host_transfer": is_host}

    return values


def _send(call: Call) -> Tree:
    from hlo.dialect.hlo_text.emission import flat

    call.expect_operands(2)
    values = _transfer(2)(call)
    operands = [v for o in call.operands for v in flat(o)]
    token = call.create("stablehlo.send", operands, Shape("token"), values).results[0]
    return call.operands[0], (), token


def _recv(call: Call) -> Tree:
    from hlo.dialect.hlo_text.emission import flat, rebuilt

    call.expect_operands(1)
    members = call.instruction.shape.members
    if members is None or len(members) != 3:
        return call.fail("expected the shape (data, u32[], token[])")
    values = _transfer(3)(call)
    shape = Shape(members=(members[0], Shape("token")))
    made = call.create("stablehlo.recv", list(flat(call.operands[0])), shape, values)
    data, token = rebuilt(shape, iter(made.results))  # type: ignore[misc]
    return data, (), token


def _recv_done(call: Call) -> Tree:
    return _member(0)(call), _member(2)(call)


def _feed(name: str) -> Callable[[Call], Tree]:
    def emit(call: Call) -> Tree:
        call.attributes.text("outfeed_shape", None)
        config = call.attributes.word(f"{name}_config", '""').strip('"')
        return call.emit(Form(f"stablehlo.{name}", lambda a: {f"{name}_config": config}), call.instruction.shape)

    return emit


SPECIAL_FORMS: dict[str, Callable[[Call], Tree]] = {
    "add-dependency": _same,
    "after-all": _after_all,
    "all-to-all": _all_to_all,
    "async-done": _member(1),
    "async-start": _async_start,
    "async-update": _same,
    "bitcast": _bitcast,
    "call": _call,
    "conditional": _conditional,
    "constant": _constant,
    "copy": _same,
    "copy-done": _member(0),
    "copy-start": _copy_start,
    "custom-call": custom_call,
    "domain": _same,
    "fusion": _fusion,
    "get-tuple-element": _get_tuple_element,
    "infeed": _feed("infeed"),
    "outfeed": _feed("outfeed"),
    "recv": _recv,
    "recv-done": _recv_done,
    "rng": _rng,
    "send": _send,
    "send-done": _member(2),
    "topk": _top_k,
    "tuple": _tuple,
    "while": _while,
}
