"""Attributes that have fields: dimension numbers, channels, algorithms, accuracy. As Python values they are frozen
dataclasses, in the IR dictionaries (see attributes.structure); fields and their names are those of upstream."""

from __future__ import annotations

from typing import Any

from hlo.lazy_dataclasses import dataclass

Labels = list[tuple[str, int]]


@dataclass(frozen=True)
class DotDimensionNumbers:
    """Which dimensions of a dot_general are batch and which are contracted; pairs by position."""

    lhs_batching_dimensions: tuple[int, ...] = ()
    rhs_batching_dimensions: tuple[int, ...] = ()
    lhs_contracting_dimensions: tuple[int, ...] = ()
    rhs_contracting_dimensions: tuple[int, ...] = ()

    def labels(self, lhs_rank: int, rhs_rank: int) -> tuple[Labels, Labels, Labels]:
        """What the dimensions of lhs, rhs and the result are: ("batch", n) and ("contracted", n), the n-th pairs, ("m",
        d) and ("n", d), dimension d of lhs or rhs alone. Sorted labels are in this order."""
        sides: list[Labels] = [[("m", d) for d in range(lhs_rank)], [("n", d) for d in range(rhs_rank)]]
        batching = self.lhs_batching_dimensions, self.rhs_batching_dimensions
        contracting = self.lhs_contracting_dimensions, self.rhs_contracting_dimensions
        for kind, pairs in (("batch", batching), ("contracted", contracting)):
            for labels, dimensions in zip(sides, pairs):
                for number, d in enumerate(dimensions):
                    labels[d] = (kind, number)
        result = [("batch", number) for number in range(len(batching[0]))]
        return *sides, [*result, *(label for labels in sides for label in labels if label[0] in "mn")]  # type: ignore[return-value]


@dataclass(frozen=True)
class ConvDimensionNumbers:
    """Where batch, feature and spatial dimensions stand in input, kernel and output of a convolution."""

    input_batch_dimension: int = 0
    input_feature_dimension: int = 1
    input_spatial_dimensions: tuple[int, ...] = ()
    kernel_input_feature_dimension: int = 1
    kernel_output_feature_dimension: int = 0
    kernel_spatial_dimensions: tuple[int, ...] = ()
    output_batch_dimension: int = 0
    output_feature_dimension: int = 1
    output_spatial_dimensions: tuple[int, ...] = ()

    def labels(self) -> tuple[list[str], list[str], list[str]]:
        """What the dimensions of input, kernel and output are: "batch", "features" (of the output), "input features",
        "spatial 0", ... (of input and output) and "kernel 0", ..."""
        spatial = range(len(self.input_spatial_dimensions))
        inputs = {self.input_batch_dimension: "batch", self.input_feature_dimension: "input features"}
        kernel = {
            self.kernel_input_feature_dimension: "input features",
            self.kernel_output_feature_dimension: "features",
        }
        output = {self.output_batch_dimension: "batch", self.output_feature_dimension: "features"}
        inputs |= {self.input_spatial_dimensions[k]: f"spatial {k}" for k in spatial}
        kernel |= {self.kernel_spatial_dimensions[k]: f"kernel {k}" for k in spatial}
        output |= {self.output_spatial_dimensions[k]: f"spatial {k}" for k in spatial}
        return tuple([labels[d] for d in range(len(labels))] for labels in (inputs, kernel, output))  # type: ignore[return-value]


@dataclass(frozen=True)
class RaggedDotDimensionNumbers(DotDimensionNumbers):
    """A dot_general one of whose dimensions is cut into groups of different sizes."""

    lhs_ragged_dimensions: tuple[int, ...] = ()
    rhs_group_dimensions: tuple[int, ...] = ()


@dataclass(frozen=True)
class GatherDimensionNumbers:
    """How the dimensions of a gather's operand, indices and result belong together."""

    offset_dims: tuple[int, ...] = ()
    collapsed_slice_dims: tuple[int, ...] = ()
    operand_batching_dims: tuple[int, ...] = ()
    start_indices_batching_dims: tuple[int, ...] = ()
    start_index_map: tuple[int, ...] = ()
    index_vector_dim: int = 0


@dataclass(frozen=True)
class ScatterDimensionNumbers:
    """How the dimensions of a scatter's inputs, indices and updates belong together."""

    update_window_dims: tuple[int, ...] = ()
    inserted_window_dims: tuple[int, ...] = ()
    input_batching_dims: tuple[int, ...] = ()
    scatter_indices_batching_dims: tuple[int, ...] = ()
    scatter_dims_to_operand_dims: tuple[int, ...] = ()
    index_vector_dim: int = 0


@dataclass(frozen=True)
class ChannelHandle:
    """A channel's number, and its kind: 0 none, 1 device to device, 2 device to host, 3 host to device."""

    handle: int = 0
    type: int = 0


@dataclass(frozen=True)
class OutputOperandAlias:
    """An output (or a part of it) of a custom call that shares the storage of an operand (or a part of it)."""

    output_tuple_indices: tuple[int, ...] = ()
    operand_index: int = 0
    operand_tuple_indices: tuple[int, ...] = ()


@dataclass(frozen=True)
class DotAlgorithm:
    """How a dot_general may be computed: element types as builtin type attributes, and component counts."""

    lhs_precision_type: Any = None
    rhs_precision_type: Any = None
    accumulation_type: Any = None
    lhs_component_count: int = 1
    rhs_component_count: int = 1
    num_primitive_operations: int = 1
    allow_imprecise_accumulation: bool = False


@dataclass(frozen=True)
class ResultAccuracy:
    """How exact a transcendental must be. `mode` is DEFAULT, HIGHEST or TOLERANCE."""

    atol: float = 0.0
    rtol: float = 0.0
    ulps: int = 0
    mode: str = "DEFAULT"
