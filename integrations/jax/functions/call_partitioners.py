"""What JAX says of its custom calls when a program for several devices is partitioned: `custom_partitioning` and
`inspect_array_sharding`."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from jax._src.interpreters import mlir
from jax._src.lib import xla_client

from hlo.errors import CompileError
from hlo.jax.programs.op_shardings import MANUAL, op_sharding
from hlo.lowering.stablehlo.sharding.partitioning.partition_calls import Cut, LocalProgram, ShardedCall, cut_of
from hlo.reference.values import computed_dtype


def partition_by_callback(call: ShardedCall) -> LocalProgram:
    """Asks the `partition` function of a `custom_partitioning`."""
    from jax._src.custom_partitioning import _custom_partitioning_partition

    key = call.op.attributes["backend_config"].value.encode()
    operands, results = ([_shape(v.type) for v in side] for side in (call.op.operands, call.op.results))
    given, wanted = ([_hlo_sharding(op_sharding(cut)) for cut in side] for side in (call.operands, call.results))
    if len(results) == 1:
        code, cuts, result_cut = _custom_partitioning_partition(operands, given, results[0], wanted[0], key)
        result_cuts = [result_cut]
    else:
        shape = xla_client.Shape.tuple_shape(results)
        sharding = xla_client.HloSharding.tuple_sharding(shape, wanted)
        code, cuts, result_cut = _custom_partitioning_partition(operands, given, shape, sharding, key)
        result_cuts = result_cut.tuple_elements()
    return LocalProgram(
        _text(code),
        [_cut(s, like) for s, like in zip(cuts, call.operands, strict=True)],
        [_cut(s, like) for s, like in zip(result_cuts, call.results, strict=True)],
    )


def tell_sharding(call: ShardedCall) -> None:
    """Calls the function of an `inspect_array_sharding` with the sharding of its operand."""
    _, function = np.frombuffer(bytes.fromhex(call.op.attributes["backend_config"].value), np.uint64)
    inspect = ctypes.cast(int(function), ctypes.py_object).value
    inspect(_hlo_sharding(MANUAL if call.manual else op_sharding(call.operands[0])))


def _shape(type: Any) -> Any:
    return xla_client.Shape.array_shape(computed_dtype(type), tuple(type.shape))


def _hlo_sharding(encoded: bytes) -> Any:
    sharding = xla_client.OpSharding()
    sharding.ParseFromString(encoded)
    return xla_client.HloSharding.from_proto(sharding)


def _cut(sharding: Any, like: Cut) -> Cut:
    """What a sharding of JAX says of a tensor."""
    processes, rank = len(like.parts), len(like.shape)
    if sharding.is_replicated():
        return cut_of(like.shape, like.element, [1] * rank, range(processes))
    if not sharding.is_tiled():
        raise CompileError(f"custom_partitioning: shardings that cut arrays or repeat them expected, found {sharding}")
    return cut_of(like.shape, like.element, sharding.tile_assignment_dimensions(), sharding.tile_assignment_devices())


def _text(code: bytes) -> str:
    """The program that JAX gives, as text: jaxlib's MLIR reads it."""
    with mlir.make_ir_context():
        return str(mlir.ir.Module.parse(code).operation.get_asm(print_generic_op_form=True, enable_debug_info=True))


PARTITIONERS = {"CustomSPMDPartitioning": partition_by_callback, "InspectSharding": tell_sharding}
"""By the target of the custom call."""
