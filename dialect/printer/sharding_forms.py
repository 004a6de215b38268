"""Shardy's ops in upstream's short forms: the inverse of dialect/reader/sharding_forms.py."""

from __future__ import annotations

from hlo.dialect.printer.attributes import number
from hlo.dialect.printer.forms import PRINTERS, block_arguments
from hlo.dialect.printer.statement import Statement
from hlo.dialect.reader.sharding_forms import DIRECTIONS


def mesh(s: Statement) -> str:
    axes = s.attributes["mesh"].removeprefix("#sdy.mesh")
    return f"{s.name} @{s.attributes['sym_name'][1:-1]} = {axes}{s.dictionary('sym_name', 'mesh')}"


def resharding(s: Statement) -> str:
    sharding = s.attributes["sharding"].removeprefix("#sdy.sharding")
    return f"{s.name}{s.listed} {sharding}{s.dictionary('sharding')} : {s.inputs[0]}"


def sharding_group(s: Statement) -> str:
    group = number(s.attributes["group_id"])
    return f"{s.name}{s.listed} group_id={group}{s.dictionary('group_id')} : {s.inputs[0]}"


def propagation_barrier(s: Statement) -> str:
    direction = DIRECTIONS[int(number(s.attributes["allowed_direction"]))]
    return f"{s.name}{s.listed} allowed_direction={direction}{s.dictionary('allowed_direction')} : {s.inputs[0]}"


def manual_computation(s: Statement) -> str:
    shown = [f"{key}={_per_value(s, key)}" for key in ("in_shardings", "out_shardings")]
    axes = s.attributes["manual_axes"]
    shown.append(f"manual_axes={axes[axes.index('{') : axes.rindex('}') + 1]}")
    rest = s.dictionary("in_shardings", "out_shardings", "manual_axes")
    return f"{s.name}({', '.join(s.operands)}) {' '.join(shown)} {_body(s)}{rest} : {s.type}"


def named_computation(s: Statement) -> str:
    shown = "".join(f" {key}={_per_value(s, key)}" for key in ("in_shardings", "out_shardings") if key in s.attributes)
    rest = s.dictionary("name", "in_shardings", "out_shardings")
    return f"{s.name}<{s.attributes['name']}>({', '.join(s.operands)}){shown} {_body(s)}{rest} : {s.type}"


def _per_value(s: Statement, key: str) -> str:
    return s.attributes[key].removeprefix("#sdy.sharding_per_value<")[:-1]


def _body(s: Statement) -> str:
    arguments, body = block_arguments(s.regions[0])
    return f"({', '.join(arguments)}) {{{body}}}"


def returned(s: Statement) -> str:
    types = f" : {', '.join(s.inputs)}" if s.inputs else ""
    return f"{s.name}{s.listed}{s.dictionary()}{types}"


PRINTERS.update(
    {
        "sdy.mesh": mesh,
        "sdy.sharding_constraint": resharding,
        "sdy.reshard": resharding,
        "sdy.sharding_group": sharding_group,
        "sdy.propagation_barrier": propagation_barrier,
        "sdy.manual_computation": manual_computation,
        "sdy.named_computation": named_computation,
        "sdy.return": returned,
    }
)
