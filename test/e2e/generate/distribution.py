"""Ops between processes, of a program that runs alone: it is every group's only member, and nobody else sends to it."""

from __future__ import annotations

import ml_dtypes
import numpy as np
from cases import Case, file, file_as, function_type, ramp, tensor

GROUP = "replica_groups = dense<0> : tensor<1x1xi64>"
CHANNEL = "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>"
HOST_CHANNEL = "channel_handle = #stablehlo.channel_handle<handle = {}, type = {}>, is_host_transfer = true"
TOKEN = "!stablehlo.token"


def adding(kind: str = "f32") -> str:
    return f"""({{
^bb0(%a: tensor<{kind}>, %b: tensor<{kind}>):
  %s = stablehlo.add %a, %b : tensor<{kind}>
  stablehlo.return %s : tensor<{kind}>
}})"""


def alone(op: str, attributes: str, region: str = "") -> list[Case]:
    """The op on several element types and on nothing: what goes in comes out."""
    out = []
    for x in (ramp(2, 2), ramp(2, 4, dtype=np.int8), np.eye(2, dtype=np.complex64), ramp(0, 2)):
        kind = tensor(x).split("x", 2)[2][:-1]
        computation = f" {adding(kind)}" if region else ""
        body = f'%r = "stablehlo.{op}"(%0){computation} {{{attributes}}} : ({tensor(x)}) -> {tensor(x)}'
        out.append(Case(f"{x.dtype.name}_{'x'.join(map(str, x.shape))}", [x], body, [x]))
    return out


@file
def all_gather() -> list[Case]:
    return alone("all_gather", f"all_gather_dim = 1 : i64, {GROUP}, {CHANNEL}, use_global_device_ids")


@file
def all_reduce() -> list[Case]:
    return [*alone("all_reduce", f"{GROUP}, {CHANNEL}", "add"), _several_operands()]


def _several_operands() -> Case:
    x, y = ramp(3), -ramp(2, 2)
    body = f'%r0, %r1 = "stablehlo.all_reduce"(%0, %1) {adding()} {{{GROUP}}} : {function_type([x, y], x, y)}'
    return Case("several", [x, y], body, [x, y])


@file
def all_to_all() -> list[Case]:
    dimensions = "split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 1 : i64"
    return alone("all_to_all", f"{dimensions}, {GROUP}, {CHANNEL}")


@file
def collective_broadcast() -> list[Case]:
    x, y, roots = ramp(3), -ramp(2, 2), np.zeros(2, np.int32)
    types = function_type([x, y, roots], x, y)
    body = f'%r0, %r1 = "stablehlo.collective_broadcast"(%0, %1, %2) {{{GROUP}, has_dynamic_root}} : {types}'
    return [*alone("collective_broadcast", f"{GROUP}, {CHANNEL}"), Case("dynamic_root", [x, y, roots], body, [x, y])]


@file
def collective_reduce() -> list[Case]:
    return alone("collective_reduce", f"{GROUP}, {CHANNEL}", "add")


@file
def collective_permute() -> list[Case]:
    """Who is nobody's target gets zeros."""
    x = ramp(2, 2) + 1
    nobody = f'%r = "stablehlo.collective_permute"(%0) {{source_target_pairs = dense<> : tensor<0x2xi64>}} : ({tensor(x)}) -> {tensor(x)}'
    to_itself = alone("collective_permute", f"source_target_pairs = dense<0> : tensor<1x2xi64>, {CHANNEL}")
    return [*to_itself, Case("from_nobody", [x], nobody, [np.zeros_like(x)])]


def cross_replica_sum() -> list[Case]:
    return alone("cross-replica-sum", GROUP)


file_as("cross-replica-sum", cross_replica_sum)


@file
def reduce_scatter() -> list[Case]:
    return alone("reduce_scatter", f"scatter_dimension = 1 : i64, {GROUP}, {CHANNEL}", "add")


@file
def replica_id() -> list[Case]:
    return [Case("alone", [], "%r = stablehlo.replica_id : tensor<ui32>", [np.array(0, np.uint32)])]


@file
def partition_id() -> list[Case]:
    return [Case("alone", [], "%r = stablehlo.partition_id : tensor<ui32>", [np.array(0, np.uint32)])]


def asynchronous(inner: str, attributes: str, region: str = "") -> Case:
    x = ramp(2, 2)
    body = f"""
%future = "stablehlo.async_start"(%0) ({{
^bb0(%x: {tensor(x)}):
  %done = "stablehlo.{inner}"(%x) {region} {{{attributes}}} : ({tensor(x)}) -> {tensor(x)}
  stablehlo.return %done : {tensor(x)}
}}) : ({tensor(x)}) -> !stablehlo.future<{tensor(x)}>
%r = "stablehlo.async_done"(%future) : (!stablehlo.future<{tensor(x)}>) -> {tensor(x)}"""
    return Case(inner, [x], body, [x])


@file
def async_start() -> list[Case]:
    return [
        asynchronous("all_reduce", GROUP, adding()),
        asynchronous("all_gather", f"all_gather_dim = 0 : i64, {GROUP}"),
    ]


@file
def async_done() -> list[Case]:
    permuted = asynchronous("collective_permute", "source_target_pairs = dense<0> : tensor<1x2xi64>")
    return [permuted, *(of_several(x) for x in (ramp(3), np.array([1, -2, 7], ml_dtypes.int4), np.ones(2, F8)))]


F8 = ml_dtypes.float8_e4m3fn


def of_several(x: np.ndarray) -> Case:
    """A future of two values."""
    kind, scalar = tensor(x), tensor(x[0])
    body = f"""
%future = "stablehlo.async_start"(%0) ({{
^bb0(%x: {kind}):
  %done:2 = "stablehlo.all_reduce"(%x, %x) {adding(scalar[len("tensor<") : -1])} {{{GROUP}}} : ({kind}, {kind}) -> ({kind}, {kind})
  stablehlo.return %done#0, %done#1 : {kind}, {kind}
}}) : ({kind}) -> !stablehlo.future<{kind}, {kind}>
%r0, %r1 = "stablehlo.async_done"(%future) : (!stablehlo.future<{kind}, {kind}>) -> ({kind}, {kind})"""
    return Case(f"several_{x.dtype.name}", [x], body, [x, x])


def sent(channel: int, *kinds: str, after: str = "%token") -> str:
    """Sends the inputs to a channel of the host."""
    operands = ", ".join(f"%{i}" for i in range(len(kinds)))
    channel_text = HOST_CHANNEL.format(channel, 2)
    types = ", ".join((*kinds, TOKEN))
    return f'%sent{channel} = "stablehlo.send"({operands}, {after}) {{{channel_text}}} : ({types}) -> {TOKEN}'


def received(channel: int, *kinds: str, results: str = "%r", after: str = "%sent{}") -> str:
    channel_text = HOST_CHANNEL.format(channel, 3)
    types = ", ".join((*kinds, TOKEN))
    token = after.format(channel)
    return f'{results}, %got{channel} = "stablehlo.recv"({token}) {{{channel_text}}} : ({TOKEN}) -> ({types})'


CREATED = f"%token = stablehlo.create_token : {TOKEN}\n"


@file
def send() -> list[Case]:
    """What a program sends to a channel it takes from that channel again."""
    out = []
    for x in (ramp(3, 4, dtype=np.int32), ramp(2), np.array([True, False]), ramp(0, 2), np.eye(2, dtype=np.complex64)):
        body = CREATED + sent(11, tensor(x)) + "\n" + received(11, tensor(x))
        out.append(Case(f"{x.dtype.name}_{x.ndim}", [x], body, [x]))
    return out


@file
def recv() -> list[Case]:
    x, y = ramp(3, 4, dtype=np.int32), ramp(2)
    both = CREATED + sent(12, tensor(x), tensor(y)) + "\n" + received(12, tensor(x), tensor(y), results="%r0, %r1")
    in_turn = "\n".join(
        [
            CREATED + sent(13, tensor(y)),
            f"%twice = stablehlo.add %0, %0 : {tensor(y)}",
            sent(13, tensor(y), after="%sent13").replace("%sent13 =", "%second =").replace("(%0", "(%twice"),
            received(13, tensor(y), results="%r0", after="%second"),
            received(13, tensor(y), results="%r1", after="%got13").replace("%got13 =", "%last ="),
        ]
    )
    return [Case("several", [x, y], both, [x, y]), Case("in_turn", [y], in_turn, [y, y + y])]


@file
def create_token() -> list[Case]:
    x = ramp(2)
    body = CREATED + f"%t = stablehlo.after_all %token : {TOKEN}\n%r = stablehlo.negate %0 : {tensor(x)}"
    return [Case("beside_values", [x], body, [-x])]


@file
def after_all() -> list[Case]:
    """Both sends come before what is taken."""
    x = ramp(2)
    body = "\n".join(
        [
            CREATED + sent(14, tensor(x)),
            sent(15, tensor(x)),
            f"%both = stablehlo.after_all %sent14, %sent15 : {TOKEN}",
            received(15, tensor(x), results="%r0", after="%both"),
            received(14, tensor(x), results="%r1", after="%both"),
            f"%none = stablehlo.after_all : {TOKEN}",
        ]
    )
    return [Case("of_two", [x], body, [x, x])]
