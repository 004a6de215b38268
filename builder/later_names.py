"""Names of XLA's C++ builders for methods that take the same arguments, and ops that later versions of it have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hlo.builder.control import ControlMethods
from hlo.builder.ragged import ragged_all_to_all
from hlo.builder.type_syntax import type_of
from hlo.builder.value import Value
from hlo.dialect.attributes import ChannelHandle, DotDimensionNumbers
from hlo.errors import ArgumentError

ALIASES = {
    "Abs": "abs",
    "Acos": "chlo.acos",
    "Acosh": "chlo.acosh",
    "Add": "add",
    "AfterAll": "after_all",
    "And": "and_",
    "Asin": "chlo.asin",
    "Asinh": "chlo.asinh",
    "Atan": "chlo.atan",
    "Atan2": "atan2",
    "Atanh": "chlo.atanh",
    "BatchNormGrad": "batch_norm_grad",
    "BatchNormInference": "batch_norm_inference",
    "BatchNormTraining": "batch_norm_training",
    "Cbrt": "cbrt",
    "Ceil": "ceil",
    "Cholesky": "cholesky",
    "Clamp": "clamp",
    "Clz": "count_leading_zeros",
    "Collapse": "collapse",
    "CollectivePermute": "collective_permute",
    "Compare": "compare",
    "Complex": "complex",
    "ConcatInDim": "concat_in_dim",
    "ConvertElementType": "convert",
    "Conj": "chlo.conj",
    "Cos": "cosine",
    "Cosh": "chlo.cosh",
    "CreateToken": "create_token",
    "Digamma": "chlo.digamma",
    "Div": "divide",
    "Dot": "dot",
    "DotGeneral": "dot_general",
    "DynamicSlice": "dynamic_slice",
    "DynamicUpdateSlice": "dynamic_update_slice",
    "Eq": "eq",
    "Erf": "chlo.erf",
    "ErfInv": "chlo.erf_inv",
    "Erfc": "chlo.erfc",
    "Exp": "exponential",
    "Expm1": "exponential_minus_one",
    "Fft": "fft",
    "Floor": "floor",
    "Gather": "gather",
    "Ge": "ge",
    "GetDimensionSize": "get_dimension_size",
    "GetTupleElement": "get_tuple_element",
    "Gt": "gt",
    "Imag": "imag",
    "IsFinite": "is_finite",
    "Le": "le",
    "Lgamma": "chlo.lgamma",
    "Log": "log",
    "Log1p": "log_plus_one",
    "Logistic": "logistic",
    "Lt": "lt",
    "Max": "maximum",
    "Min": "minimum",
    "Mul": "multiply",
    "Ne": "ne",
    "Neg": "negate",
    "Not": "not_",
    "OptimizationBarrier": "optimization_barrier",
    "Or": "or_",
    "PartitionId": "partition_id",
    "Polygamma": "chlo.polygamma",
    "PopulationCount": "popcnt",
    "Pow": "power",
    "Real": "real",
    "Reciprocal": "reciprocal",
    "ReduceAll": "reduce_all",
    "Rem": "remainder",
    "ReplicaId": "replica_id",
    "Rev": "rev",
    "RngBernoulli": "rng_bernoulli",
    "RngNormal": "rng_normal",
    "RngUniform": "rng_uniform",
    "Round": "round_nearest_afz",
    "RoundNearestEven": "round_nearest_even",
    "Rsqrt": "rsqrt",
    "Scatter": "scatter",
    "Select": "select",
    "SetDimensionSize": "set_dimension_size",
    "ShiftLeft": "shift_left",
    "ShiftRightArithmetic": "shift_right_arithmetic",
    "ShiftRightLogical": "shift_right_logical",
    "Sign": "sign",
    "Sin": "sine",
    "Sinh": "chlo.sinh",
    "Sort": "sort",
    "Sqrt": "sqrt",
    "Square": "square",
    "Sub": "subtract",
    "Tan": "tan",
    "Tanh": "tanh",
    "TopK": "top_k",
    "Transpose": "transpose",
    "TriangularSolve": "triangular_solve",
    "Xor": "xor",
    "Zeta": "chlo.zeta",
}
"""XLA's name, and the method (or op of another dialect) that takes the same arguments in the same order."""


class LaterMethods(ControlMethods):
    def Call(self, computation: Any, operands: Sequence[Any]) -> Any:
        return self.call(computation, *operands)

    def Conditional(
        self, predicate: Any, true_operand: Any, true_computation: Any, false_operand: Any, false_computation: Any
    ) -> Any:
        """One of two computations on its operand."""
        functions = [self._library.python_function(f) for f in (true_computation, false_computation)]
        return self.if_(predicate, lambda: functions[0](true_operand), lambda: functions[1](false_operand))

    def Iota(self, shape: Any, iota_dimension: int) -> Value:
        with self._here():
            return self.iota(iota_dimension, result_type=type_of(shape))

    def BroadcastInDim(self, operand: Any, out_dim_size: Sequence[int], broadcast_dimensions: Sequence[int]) -> Value:
        """XLA has the sizes before the dimensions, `broadcast_in_dim` behind them."""
        return self.broadcast_in_dim(operand, broadcast_dimensions, list(out_dim_size))

    def BitcastConvertType(self, operand: Any, new_element_type: Any) -> Value:
        return self.op("bitcast_convert", operand, dtype=new_element_type)

    def PadInDim(self, operand: Any, padding_value: Any, dimno: int, pad_lo: int, pad_hi: int) -> Value:
        value = self.value(operand)
        return self.pad(value, padding_value, [(pad_lo, pad_hi) if d == dimno else (0, 0) for d in range(value.rank)])

    def SliceInDim(self, operand: Any, start_index: int, limit_index: int, stride: int, dimno: int) -> Value:
        return self.slice_in_dim(operand, start_index, limit_index, stride, dimno)

    def ConvGeneralDilated(
        self,
        lhs: Any,
        rhs: Any,
        window_strides: Sequence[int],
        padding: Any,
        lhs_dilation: Sequence[int],
        rhs_dilation: Sequence[int],
        dimension_numbers: Any,
        feature_group_count: int = 1,
        batch_group_count: int = 1,
    ) -> Value:
        return self.conv(
            lhs,
            rhs,
            window_strides,
            padding,
            dimension_numbers,
            feature_group_count,
            batch_group_count,
            lhs_dilation=lhs_dilation,
            rhs_dilation=rhs_dilation,
        )

    # Blocks with a scale each

    def ScaledDot(
        self,
        lhs: Any,
        rhs: Any,
        lhs_scale: Any,
        rhs_scale: Any,
        dimension_numbers: DotDimensionNumbers,
        precision_config: Any = None,
        preferred_element_type: Any = "f32",
    ) -> Value:
        """dot_general of arrays whose blocks have a scale each: dimension i of a scale divides that of its array."""
        left, right = (self._scaled(a, s, preferred_element_type) for a, s in ((lhs, lhs_scale), (rhs, rhs_scale)))
        named = {} if precision_config is None else {"precision_config": precision_config}
        return self.op("dot_general", left, right, dimension_numbers, dtype=preferred_element_type, **named)

    def _scaled(self, array: Any, scale: Any, dtype: Any) -> Value:
        value, factors = self.value(array), self.value(scale)
        sizes, blocks = value.shape, factors.shape
        if len(sizes) != len(blocks) or any(not b or n % b for n, b in zip(sizes, blocks)):  # type: ignore[operator]
            raise ArgumentError(
                f"ScaledDot: the sizes of a scale must divide those of its array, found {blocks} and {sizes}"
            )
        within = [size for n, b in zip(sizes, blocks) for size in (b, n // b)]  # type: ignore[operator]
        spread = self.broadcast_in_dim(self.convert(factors, dtype), range(0, 2 * len(sizes), 2), within)
        return self.multiply(self.convert(value, dtype), self.reshape(spread, sizes))  # type: ignore[arg-type]

    # Channels: what starts a transfer and what waits for it

    def Send(self, operand: Any, channel_handle: Any, token: Any = None) -> Value:
        """Gives a value to a channel; `SendDone` of what it returns is over when the value is there."""
        return self.op("send", operand, self._token(token), channel_handle=_channel(channel_handle))

    def SendDone(self, sent: Value) -> Value:
        """The token of a `Send`: what takes it comes after the transfer."""
        return self.value(sent)

    def Recv(self, shape: Any, channel_handle: Any, token: Any = None) -> Any:
        """Takes a value from a channel: what `RecvDone` takes."""
        return self.recv(self._token(token), shape, channel_handle=_channel(channel_handle))

    def RecvDone(self, received: Any) -> Value:
        """The value that a `Recv` takes."""
        if not (isinstance(received, tuple) and len(received) == 2):
            raise ArgumentError(f"RecvDone takes what Recv returned, found {received!r}")
        return self.value(received[0])

    def _token(self, token: Any) -> Value:
        return self.op("create_token") if token is None else token

    def RaggedAllToAll(
        self,
        input: Any,
        input_offsets: Any,
        send_sizes: Any,
        output: Any,
        output_offsets: Any,
        recv_sizes: Any,
        replica_groups: Any = (),
        channel_id: Any = None,
    ) -> Value:
        """Rows `input_offsets[i] + (0 ... send_sizes[i])` of input go to process i of the group (of several slices for each
        process, to process i divided by their number): there to the rows of output from `output_offsets[i]` on. Groups are of
        replicas; without them, of one process."""
        if channel_id is not None:
            raise ArgumentError("RaggedAllToAll runs between replicas: it takes no channel_id")
        vectors = [self.value(v) for v in (input_offsets, send_sizes, output_offsets, recv_sizes)]
        return ragged_all_to_all(
            self, self.value(input), vectors, self.value(output), [list(g) for g in replica_groups]
        )


def _channel(given: Any) -> ChannelHandle:
    """A channel's number as a handle between devices."""
    return given if isinstance(given, ChannelHandle) else ChannelHandle(int(given), 1)


def _alias(name: str, method: str) -> Any:
    def call(self: LaterMethods, *arguments: Any, **named: Any) -> Any:
        return self.op(method, *arguments, **named) if "." in method else getattr(self, method)(*arguments, **named)

    call.__name__ = name
    call.__doc__ = f"`{method}` under XLA's name."
    return call


for _name, _method in ALIASES.items():
    setattr(LaterMethods, _name, _alias(_name, _method))
