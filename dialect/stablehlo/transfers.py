"""Data that moves between a program and its host or other devices: send, recv, infeed, outfeed."""

from __future__ import annotations

from mlir import ir

from hlo.dialect.attributes import CHANNEL_HANDLE, I64, AnyAttribute, Bool, I64Matrix, String, array_of
from hlo.dialect.choices import TYPES
from hlo.dialect.clauses import count_error
from hlo.dialect.definition import Attr, Op, Operand, Result, constraint
from hlo.dialect.stablehlo.collectives import repeated_error
from hlo.dialect.types import DYNAMIC, TensorOrPerAxis, TensorOrToken, Token, is_tensor, shape

DEVICE_TO_DEVICE, DEVICE_TO_HOST, HOST_TO_DEVICE = 1, 2, 3
"""Channel types as ChannelHandle.type holds them."""

_CHANNEL_NAMES = {0: "CHANNEL_TYPE_INVALID", 1: "DEVICE_TO_DEVICE", 2: "DEVICE_TO_HOST", 3: "HOST_TO_DEVICE"}


_Layout = array_of(I64)


class _TokenLast(Op):
    """Ops whose results end with a token."""

    IS_PURE = False
    CHOICE = (TYPES,)
    token = Operand(Token)
    outputs = Result(TensorOrToken, variadic=True)

    @constraint("C1", "C2")
    def last_result_is_token(self):
        found = [v.type for v in self.outputs]
        if not found or not Token.accepts(found[-1]):
            return f"the last result must be a token, found {found[-1] if found else 'no results'}"
        other = next((t for t in found[:-1] if not is_tensor(t)), None)
        return None if other is None else f"all results but the last must be tensors, found {other}"

    @constraint()
    def sizes_are_known(self):
        """What comes in must have the type of its result."""
        other = next((v.type for v in self.outputs if is_tensor(v.type) and DYNAMIC in shape(v.type)), None)
        return None if other is None else f"outputs must be of known sizes, found {other}"


def _pairs_error(op: Op) -> str | None:
    """The clauses of collective_permute on pairs of processes."""
    if op.source_target_pairs is None:
        return None
    columns = ir.ShapedType(op.attributes["source_target_pairs"].type).shape[1]
    if columns != 2:
        return f"source_target_pairs must have 2 columns, found {columns}"
    negative = next((p for pair in op.source_target_pairs for p in pair if p < 0), None)
    if negative is not None:
        return f"source_target_pairs must not be negative, found {negative}"
    sources, targets = ([pair[end] for pair in op.source_target_pairs] for end in (0, 1))
    return repeated_error("sources", sources) or repeated_error("targets", targets)


def _channel_error(op: Op, host: int) -> str | None:
    wanted = host if op.is_host_transfer else DEVICE_TO_DEVICE
    found = op.channel_handle.type
    if found == wanted:
        return None
    direction = "true" if op.is_host_transfer else "false"
    return (
        f"channel_type with is_host_transfer = {direction} must be {_CHANNEL_NAMES[wanted]}, "
        f"found {_CHANNEL_NAMES.get(found, found)}"
    )


class InfeedOp(_TokenLast, mnemonic="infeed"):
    """Values from the host's queue. https://openxla.org/stablehlo/spec#infeed"""

    infeed_config = Attr(String, optional=True, default="")
    layout = Attr(array_of(AnyAttribute), optional=True)

    @constraint()
    def layouts_of_values(self):
        """Upstream's clause: dimensions from minor to major for each result but the token."""
        if self.layout is None:
            return None
        other = next((part for part in self.layout if not _Layout.accepts(part)), None)
        if other is not None:
            return f"layout must be lists of integers, found {other}"
        return count_error("layout", self.layout, len(self.outputs) - 1, "one a result but the token")


class RecvOp(_TokenLast, mnemonic="recv"):
    """Values from a channel. https://openxla.org/stablehlo/spec#recv"""

    LABELS = {"last_result_is_token": "C2, C3"}
    channel_handle = Attr(CHANNEL_HANDLE)
    is_host_transfer = Attr(Bool, optional=True, default=False)
    source_target_pairs = Attr(I64Matrix, optional=True)

    @constraint("C1")
    def channel_of_direction(self):
        return _channel_error(self, HOST_TO_DEVICE)

    @constraint()
    def pairs_are_processes(self):
        return _pairs_error(self)


class _TokenResult(Op):
    IS_PURE = False

    def infer(self):
        return [ir.Type.parse("!stablehlo.token")]


class OutfeedOp(_TokenResult, mnemonic="outfeed"):
    """Values to the host's queue. https://openxla.org/stablehlo/spec#outfeed"""

    inputs = Operand(TensorOrPerAxis, variadic=True)
    token = Operand(Token)
    outfeed_config = Attr(String, optional=True, default="")
    result = Result(Token)


class SendOp(_TokenResult, mnemonic="send"):
    """Values to a channel. https://openxla.org/stablehlo/spec#send"""

    inputs = Operand(TensorOrPerAxis, variadic=True)
    token = Operand(Token)
    channel_handle = Attr(CHANNEL_HANDLE)
    is_host_transfer = Attr(Bool, optional=True, default=False)
    source_target_pairs = Attr(I64Matrix, optional=True)
    result = Result(Token)

    @constraint("C1")
    def channel_of_direction(self):
        return _channel_error(self, DEVICE_TO_HOST)

    @constraint()
    def pairs_are_processes(self):
        return _pairs_error(self)
