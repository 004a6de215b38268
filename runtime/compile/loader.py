"""From a module in the LLVM dialect to an executable: constants, custom calls, machine code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np
from mlir import ir

from hlo.dialect.elements import read_elements
from hlo.errors import CompileError
from hlo.lowering.llvm.add_entry import ENTRY
from hlo.lowering.stablehlo.collectives.grid_attributes import MEETINGS, read_grid
from hlo.lowering.target import processor
from hlo.runtime.calls.donation import Donation
from hlo.runtime.calls.dtypes import element_dtype
from hlo.runtime.calls.executable import Executable
from hlo.runtime.calls.signature import ArrayType, Signature
from hlo.runtime.compile.engine import compile_code
from hlo.runtime.compile.machine import can_run, machine_of
from hlo.runtime.profile.rows import Row, read_row
from hlo.runtime.saved.program import Program

if TYPE_CHECKING:  # what few programs need is imported where it is needed
    from hlo.runtime.custom_calls.registry import CustomCall
    from hlo.runtime.grid.process_words import Meeting


def load(
    module: ir.Module,
    signature: Signature,
    *,
    engine: str = "llvm",
    cpu: str = "host",
    threads: int | None = None,
    donation: Donation | None = None,
    phases: Mapping[str, str] | None = None,
    profile: bool = False,
) -> Executable:
    """Makes an executable of what the last phase left. The module is changed: its constants are taken out (they stay
    where they are in its context, which they keep)."""
    attributes = module.operation.attributes
    if "hlo.arena" not in attributes:
        raise CompileError("the pipeline's last module has no hlo.arena: it must run bufferize-host and add-entry")
    if not can_run(machine_of(cpu)):
        raise CompileError(
            f"this machine's processor cannot run code for cpu={processor(cpu)!r}; "
            "hlo.aot.compile makes object files for others"
        )
    rows = _rows(attributes, profile, engine)
    with module.context:
        calls = [_custom_call(ir.DictAttr(a)) for a in ir.ArrayAttr(attributes["hlo.custom_calls"])]
        constants = take_constants(module)
        code = compile_code(module, ENTRY, engine, cpu)
    arena = ir.IntegerAttr(attributes["hlo.arena"]).value
    pairs = list(ir.DenseI64ArrayAttr(attributes["hlo.in_donated"])) if "hlo.in_donated" in attributes else []
    donation = (donation or Donation())._replace(results=tuple(zip(pairs[::2], pairs[1::2])))
    machine = machine_of(cpu) if code.objects else ""
    program = Program(
        signature,
        code.objects,
        ENTRY,
        tuple(constants),
        arena,
        tuple(calls),
        machine,
        donation,
        read_grid(module),
        _meetings(attributes),
        profile=rows,
    )
    return Executable(code, program, threads, phases=phases)


def _meetings(attributes: Any) -> tuple[Meeting, ...]:
    """The collectives of a program for a grid (lowering/stablehlo/collectives/lower_collectives.py)."""
    return tuple(_meeting(ir.DictAttr(one)) for one in attributes[MEETINGS]) if MEETINGS in attributes else ()


def _meeting(described: ir.DictAttr) -> Meeting:
    from hlo.runtime.grid.process_words import Meeting

    op, location, signature = (ir.StringAttr(described[key]).value for key in ("op", "location", "signature"))
    lists = (_rows_of(described[key]) for key in ("members", "sources", "exposed"))
    return Meeting(op, location, ir.IntegerAttr(described["channel"]).value, signature, *lists)


def _rows_of(attribute: ir.Attribute) -> tuple[tuple[int, ...], ...]:
    """Rows that are equal, as those of a group's processes are, are one object."""
    rows = list(ir.ArrayAttr(attribute))
    made = {row: tuple(ir.DenseI64ArrayAttr(row)) for row in set(rows)}
    return tuple(made[row] for row in rows)


def _rows(attributes: Any, profile: bool, engine: str) -> tuple[Row, ...] | None:
    """The rows of the profile (lowering/memory/describe_kernels.py), None for a program without timers."""
    if "hlo.profile" not in attributes:
        if profile:
            raise CompileError(
                "profile=True does nothing with an edited pipeline: edit hlo.pipelines.cpu(profile=True)"
            )
        return None
    if engine != "llvm":
        raise CompileError(f"profiles need engine='llvm', found {engine!r}")
    return tuple(_row(ir.DictAttr(one)) for one in ir.ArrayAttr(attributes["hlo.profile"]))


def _row(described: ir.DictAttr) -> Row:
    return read_row({key: _plain(described[key]) for key in (f.name for f in fields(Row)) if key in described})


def _plain(attribute: ir.Attribute) -> Any:
    if isinstance(attribute, ir.ArrayAttr):
        return [_plain(one) for one in attribute]
    return ir.IntegerAttr(attribute).value if isinstance(attribute, ir.IntegerAttr) else ir.StringAttr(attribute).value


def check_custom_calls(module: ir.Module) -> None:
    """Raises CompileError for a custom call whose target no function is registered for, before code is generated."""
    for attribute in ir.ArrayAttr(module.operation.attributes["hlo.custom_calls"]):
        _custom_call(ir.DictAttr(attribute))


def _custom_call(attributes: Any) -> CustomCall:
    from hlo.runtime.custom_calls import standard_targets  # noqa: F401  (registers hlo's own)
    from hlo.runtime.custom_calls.registry import bind

    operands = array_types(attributes, "hlo.operand_types")
    results = array_types(attributes, "hlo.result_types")
    return bind(attributes, operands, results)


def array_types(attributes: Any, key: str) -> tuple[ArrayType, ...]:
    """The types of arrays that a custom call's attributes list."""
    types = [ir.RankedTensorType(ir.TypeAttr(t).value) for t in ir.ArrayAttr(attributes[key])]
    return tuple(ArrayType(tuple(t.shape), element_dtype(t.element_type, "custom call")) for t in types)


def take_constants(module: ir.Module) -> list[np.ndarray]:
    """The arrays of a module's `hlo.constant` ops, which are erased; they lie in its context."""
    found = [op for op in module.body.operations if op.operation.name == "hlo.constant"]
    arrays = [_constant(op) for op in found]
    for op in found:
        op.operation.erase()
    return arrays


def _constant(op: Any) -> np.ndarray:
    """The data of a constant: a view, unless it is a splat (stored once) or boolean (stored as bits)."""
    array = read_elements(op.operation.attributes["value"])
    assert array is not None, "the signature check refuses element types without a numpy type"
    return np.ascontiguousarray(array).reshape(array.shape)
