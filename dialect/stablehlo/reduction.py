"""Ops that apply a function, given as a region, over dimensions, windows or all elements."""

from __future__ import annotations

from typing import Any

from mlir import ir

from hlo.dialect.attributes import I64Array, I64Matrix
from hlo.dialect.clauses import (
    count_error,
    minimum_error,
    padding_error,
    pairwise_elements_error,
    range_error,
    representable_error,
    same_elements_error,
    same_shapes_error,
    shape_error,
    unique_error,
)
from hlo.dialect.definition import Attr, Op, Operand, Region, Result, constraint
from hlo.dialect.reducers import accumulator_elements, reducer_error
from hlo.dialect.regions import returned_types, signature_error
from hlo.dialect.shapes import dilated, padded, window_count, without
from hlo.dialect.types import AnyTensor, element_type, is_tensor, most_specific, rank, scalar_of, shape, tensor


def _types(values: list) -> list[ir.Type]:
    return [v.type for v in values]


def _counts_error(op: Any) -> str | None:
    """As many init_values as inputs, and at least one; the driver has checked that the groups have one size."""
    if not op.inputs:
        return "must have at least one input, found 0"
    return count_error("result", op.results, len(op.inputs), "the number of inputs")


class ReduceOp(Op, mnemonic="reduce"):
    """Folds dimensions away with a function. https://openxla.org/stablehlo/spec#reduce"""

    ASSEMBLY = (
        "custom<ReduceInputs> custom<AppliedOp> `across` `dimensions` `=` $dimensions attr-dict `:` "
        "functional-type(operands, results) custom<Reducer>"
    )
    inputs = Operand(AnyTensor, variadic=True)
    init_values = Operand(scalar_of(AnyTensor), variadic=True)
    dimensions = Attr(I64Array)
    body = Region()
    result = Result(AnyTensor, variadic=True)

    @constraint("C3")
    def counts_agree(self):
        return _counts_error(self)

    @constraint("C1")
    def same_shapes(self):
        return same_shapes_error("inputs", _types(self.inputs))

    @constraint("C2")
    def same_element_types(self):
        return pairwise_elements_error("inputs", _types(self.inputs), "init_values", _types(self.init_values))

    @constraint("C4")
    def dimensions_in_range(self):
        return range_error("dimensions", self.dimensions, rank(self.inputs[0].type))

    @constraint("C5")
    def dimensions_unique(self):
        return unique_error("dimensions", self.dimensions)

    @constraint("C6")
    def body_is_a_reducer(self):
        return reducer_error("body", self.body, _types(self.inputs))

    @constraint("C7", "C8")
    def infer(self):
        inputs = _types(self.inputs)
        elements = accumulator_elements(self.regions, inputs)
        return [tensor(without(shape(t), self.dimensions), e) for t, e in zip(inputs, elements)]


def _input_rank(op: Any) -> int:
    return rank(op.inputs[0].type) if op.inputs else 0


def _ones_of_inputs(op: Any) -> tuple[int, ...]:
    return (1,) * _input_rank(op)


class ReduceWindowOp(Op, mnemonic="reduce_window"):
    """Folds each window to one element. https://openxla.org/stablehlo/spec#reduce_window"""

    inputs = Operand(AnyTensor, variadic=True)
    init_values = Operand(scalar_of(AnyTensor), variadic=True)
    window_dimensions = Attr(I64Array)
    window_strides = Attr(I64Array, optional=True, default=_ones_of_inputs)
    base_dilations = Attr(I64Array, optional=True, default=_ones_of_inputs)
    window_dilations = Attr(I64Array, optional=True, default=_ones_of_inputs)
    padding = Attr(I64Matrix, optional=True, default=lambda op: ((0, 0),) * _input_rank(op))
    body = Region()
    result = Result(AnyTensor, variadic=True)

    @constraint("C1")
    def counts_agree(self):
        return _counts_error(self)

    @constraint("C2")
    def same_shapes(self):
        return same_shapes_error("inputs", _types(self.inputs))

    @constraint("C3")
    def same_element_types(self):
        return pairwise_elements_error("inputs", _types(self.inputs), "init_values", _types(self.init_values))

    def _count_error(self, name: str) -> str | None:
        return count_error(name, getattr(self, name), _input_rank(self), "the rank of inputs")

    @constraint("C4")
    def window_dimensions_count(self):
        return self._count_error("window_dimensions")

    @constraint("C5")
    def window_dimensions_positive(self):
        return minimum_error("window_dimensions", self.window_dimensions, 1)

    @constraint("C6")
    def window_strides_count(self):
        return self._count_error("window_strides")

    @constraint("C7")
    def window_strides_positive(self):
        return minimum_error("window_strides", self.window_strides, 1)

    @constraint("C8")
    def base_dilations_count(self):
        return self._count_error("base_dilations")

    @constraint("C9")
    def base_dilations_positive(self):
        return minimum_error("base_dilations", self.base_dilations, 1)

    @constraint("C10")
    def window_dilations_count(self):
        return self._count_error("window_dilations")

    @constraint("C11")
    def window_dilations_positive(self):
        return minimum_error("window_dilations", self.window_dilations, 1)

    @constraint("C12")
    def padding_shape(self):
        return padding_error(self.padding, _input_rank(self), "the rank of inputs")

    @constraint("C13")
    def body_is_a_reducer(self):
        return reducer_error("body", self.body, _types(self.inputs))

    def _sizes(self) -> list[int]:
        """The number of windows in each dimension."""
        inputs = shape(most_specific(*(tensor(shape(t), ir.F32Type.get()) for t in _types(self.inputs))))
        spread = map(dilated, inputs, self.base_dilations)
        base = [padded(size, *padding) for size, padding in zip(spread, self.padding)]
        window = map(dilated, self.window_dimensions, self.window_dilations)
        return list(map(window_count, base, window, self.window_strides))

    @constraint("C15")
    def result_representable(self):
        return representable_error("result", self._sizes())

    @constraint("C14", "C15", "C16")
    def infer(self):
        sizes = self._sizes()
        return [tensor(sizes, e) for e in accumulator_elements(self.regions, _types(self.inputs))]


def _ones_of_operand(op: Any) -> tuple[int, ...]:
    return (1,) * rank(op.operand.type)


class SelectAndScatterOp(Op, mnemonic="select_and_scatter"):
    """Scatters source to the elements that a function selects in windows of operand.
    https://openxla.org/stablehlo/spec#select_and_scatter"""

    operand = Operand(AnyTensor)
    source = Operand(AnyTensor)
    init_value = Operand(scalar_of(AnyTensor))
    window_dimensions = Attr(I64Array, optional=True, default=())
    window_strides = Attr(I64Array, optional=True, default=_ones_of_operand)
    padding = Attr(I64Matrix, optional=True, default=lambda op: ((0, 0),) * rank(op.operand.type))
    select = Region(arguments=2)
    scatter = Region(arguments=2)
    result = Result(AnyTensor)

    @constraint("C2")
    def same_element_types(self):
        return same_elements_error("operand and source", [self.operand.type, self.source.type])

    @constraint("C4")
    def init_element_type(self):
        return same_elements_error("operand and init_value", [self.operand.type, self.init_value.type])

    def _count_error(self, name: str) -> str | None:
        return count_error(name, getattr(self, name), rank(self.operand.type), "the rank of operand")

    @constraint("C1", "C5")
    def window_dimensions_count(self):
        return self._count_error("window_dimensions")

    @constraint("C6")
    def window_dimensions_positive(self):
        return minimum_error("window_dimensions", self.window_dimensions, 1)

    @constraint("C7")
    def window_strides_count(self):
        return self._count_error("window_strides")

    @constraint("C8")
    def window_strides_positive(self):
        return minimum_error("window_strides", self.window_strides, 1)

    @constraint("C9")
    def padding_shape(self):
        return padding_error(self.padding, rank(self.operand.type), "the rank of operand")

    @constraint("C3")
    def source_has_an_element_a_window(self):
        base = (padded(size, *padding) for size, padding in zip(shape(self.operand.type), self.padding))
        sizes = list(map(window_count, base, self.window_dimensions, self.window_strides))
        return shape_error("source", self.source.type, sizes)

    @constraint("C10")
    def select_is_a_predicate(self):
        scalar = tensor([], element_type(self.operand.type))
        return signature_error("select", self.select, [scalar] * 2, [tensor([], ir.IntegerType.get_signless(1))])

    @constraint("C11")
    def scatter_is_a_reducer(self):
        return reducer_error("scatter", self.scatter, [self.operand.type])

    @constraint("C12")
    def infer(self):
        elements = accumulator_elements(self.regions[1:], [self.operand.type])
        return [tensor(shape(self.operand.type), elements[0])]


class MapOp(Op, mnemonic="map"):
    """Applies a function to each element. https://openxla.org/stablehlo/spec#map"""

    inputs = Operand(AnyTensor, variadic=True)
    dimensions = Attr(I64Array)
    computation = Region()
    result = Result(AnyTensor)

    @constraint("C2")
    def has_inputs(self):
        return None if self.inputs else "must have at least one input, found 0"

    @constraint("C1")
    def same_shapes(self):
        return same_shapes_error("inputs and result", [*_types(self.inputs), self.result.type])

    @constraint("C3")
    def dimensions_are_all(self):
        wanted = list(range(rank(self.inputs[0].type)))
        if list(self.dimensions) != wanted:
            return f"dimensions must be {wanted}, found {list(self.dimensions)}"
        return None

    @constraint("C4")
    def computation_has_scalar_types(self):
        scalars = [tensor([], element_type(t)) for t in _types(self.inputs)]
        returned = returned_types(self.computation)
        legal = len(returned) == 1 and is_tensor(returned[0]) and rank(returned[0]) == 0
        output = returned[0] if legal else tensor([], element_type(self.result.type))
        return signature_error("computation", self.computation, scalars, [output])

    @constraint("C1", "C4")
    def infer(self):
        if not len(self.regions) or not len(self.regions[0].blocks):
            return None
        element = element_type(returned_types(self.computation)[0])
        return [tensor(shape(self.inputs[0].type), element)]
