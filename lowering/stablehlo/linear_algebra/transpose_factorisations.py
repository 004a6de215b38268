"""The pass `transpose-factorisations`: LAPACK's Cholesky factorisations take and give the transposed matrix.

Before:  %l, %info = custom_call @lapack_dpotrf_ffi(%a) {uplo = "L"}
After:   %t = transpose %a    %u, %info = custom_call @lapack_dpotrf_ffi(%t) {uplo = "U"}    %l = transpose %u

Our matrices are stored by rows, LAPACK's by columns: the upper triangle of ours is the lower one of LAPACK's, whose factor OpenBLAS computes
in 0.5 to 0.9 of the time of the upper one's. The transposes become part of what writes %a and reads %l (JAX makes %a Hermitian, and zeros in %l), or cancel
others (`cho_factor`)."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from hlo.dialect.definition import Op
from hlo.dialect.stablehlo import CustomCallOp, TransposeOp
from hlo.dialect.types import element_type, shape
from hlo.host import host_vendor
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.copying import cloned_with
from hlo.lowering.linalg.linear_algebra.small_calls import CONFIGS, letters_of, routine_of
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.stablehlo.arithmetic import Tensor, transposed
from hlo.lowering.stablehlo.rewriting import rewrite_each
from hlo.lowering.target import target as processor

ALL = 1 << 31
READ_TRANSPOSED = {"f32": 512, "f64": 384, "complex<f32>": ALL, "complex<f64>": 0}
"""Orders up to which the time that is saved is longer than that of a transposed read of the factor from beyond a core's cache, instead of one in place."""

READ_TRANSPOSED_OF = {"GenuineIntel": {"f64": ALL, "complex<f64>": 256}}
"""By vendor, where they are others: OpenBLAS has other code for Intel's AVX-512."""


@register_pass
@dataclass(frozen=True)
class TransposeFactorisations(Pass):
    """Replaces those of lower triangles that stay calls of LAPACK on the processor `target`, which has OpenBLAS's code for `vendor` (empty: this machine's)."""

    target: str = ""
    vendor: str = ""

    def run(self, module: ir.Module) -> None:
        from hlo.lowering.linalg.linear_algebra.small_factorisations import calls_cholesky  # here: few programs need it

        vector_bytes = processor(self.target).column_bytes if self.target else 0

        def transposed_call(op: CustomCallOp) -> list[ir.Value] | None:
            if routine_of(op) != "potrf" or not _is_lower(op):
                return None
            *batch, order, _ = shape(op.inputs[0].type)
            element = element_type(op.inputs[0].type)
            is_called = calls_cholesky(batch, order, element, vector_bytes)
            return _by_upper(op) if is_called and self._gains(op, order, str(element)) else None

        rewrite_each(module, CustomCallOp, transposed_call)

    def _gains(self, op: CustomCallOp, order: int, element: str) -> bool:
        most = READ_TRANSPOSED | READ_TRANSPOSED_OF.get(self.vendor or host_vendor(), {})
        return order <= most.get(element, 0) or _is_transposed(op.results[0], _exchanged(len(shape(op.inputs[0].type))))


def _is_lower(op: CustomCallOp) -> bool:
    """Whether it is a call for lower triangles of square matrices as its routine has it (runtime/custom_calls/lapack.py)."""
    a = op.inputs[0].type
    if len(op.inputs) != 1 or len(op.results) != 2 or a.rank < 2:
        return False
    return a.shape[-1] == a.shape[-2] and op.results[0].type == a and letters_of(op).get("uplo") == "L"


def _exchanged(rank: int) -> list[int]:
    """The permutation of dimensions that transposes matrices."""
    return [*range(rank - 2), rank - 1, rank - 2]


def _is_transposed(value: ir.Value, permutation: Sequence[int]) -> bool:
    """Whether all that reads it, or what is computed from it element by element, is that transpose."""
    users = [use.owner.operation.opview for use in value.uses]
    return len(users) > 0 and all(
        list(user.permutation) == permutation
        if isinstance(user, TransposeOp)
        else isinstance(user, Op) and user.ELEMENTWISE and _is_transposed(user.results[0], permutation)
        for user in users
    )


def _by_upper(op: CustomCallOp) -> list[ir.Value]:
    a = Tensor(op.inputs[0])
    permutation = _exchanged(len(a.shape))
    call = cloned_with(op, [transposed(a, permutation).value], [r.type for r in op.results])
    for key in CONFIGS:
        if isinstance(config := call.attributes.get(key, None), ir.DictAttr) and "uplo" in config:
            call.attributes[key] = _with_upper(config)
    factor, info = call.results
    return [transposed(Tensor(factor), permutation).value, info]


def _with_upper(config: ir.DictAttr) -> ir.DictAttr:
    options = {one.name: one.attr for one in config}
    return ir.DictAttr.get(options | {"uplo": ir.IntegerAttr.get(options["uplo"].type, ord("U"))})
