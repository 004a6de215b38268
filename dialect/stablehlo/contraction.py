"""Ops that multiply and sum over dimensions of two tensors, convolution excepted."""

from __future__ import annotations

import re

from mlir import ir

from hlo.dialect.attributes import PRECISION_CONFIG, DotAlgorithm, DotDimensionNumbers, String, structure
from hlo.dialect.choices import ELEMENT, chosen_element
from hlo.dialect.clauses import range_error, same_elements_error, shape_error, unique_error
from hlo.dialect.definition import Attr, Op, Operand, Result, constraint
from hlo.dialect.quantized import (
    axis,
    has_quantized,
    is_per_axis,
    per_tensor_error,
    same_expressed_error,
    same_storage_error,
    weights_error,
    zero_points,
)
from hlo.dialect.shapes import without
from hlo.dialect.types import (
    DYNAMIC,
    AnyTensor,
    TensorOrPerAxis,
    compatible_sizes,
    element_type,
    is_bool,
    is_float,
    is_integer,
    rank,
    shape,
    tensor,
)

DEFAULT_PRECISION = ("DEFAULT", "DEFAULT")


def precision_error(config: tuple[str, ...]) -> str | None:
    """One precision an operand; programs in the wild also write one for both or none at all, as upstream allows."""
    if len(config) <= 2:
        return None
    return f"precision_config must have at most 2 elements (one an operand), found {len(config)}"


class DotGeneralOp(Op, mnemonic="dot_general"):
    """Sums of products over any pairs of dimensions. https://openxla.org/stablehlo/spec#dot_general"""

    ASSEMBLY = (
        "operands `,` custom<DotDimensionNumbers> custom<PrecisionConfigAndAlgorithm> attr-dict `:` "
        "functional-type(operands, results)"
    )
    CHOICE = (ELEMENT,)
    lhs = Operand(AnyTensor)
    rhs = Operand(TensorOrPerAxis)
    dot_dimension_numbers = Attr(structure(DotDimensionNumbers))
    precision_config = Attr(PRECISION_CONFIG, optional=True, default=DEFAULT_PRECISION)
    algorithm = Attr(structure(DotAlgorithm), optional=True)
    result = Result(TensorOrPerAxis)

    @constraint("C1")
    def same_element_types(self):
        """The clause asks for one type; frameworks also write two floats or two integers (jax.nn.dot_product_attention in a
        gradient: f32 times bf16), and XLA and stablehlo-opt take them."""
        elements = [element_type(v.type) for v in (self.lhs, self.rhs)]
        if all(map(is_float, elements)) or all(is_integer(e) and not is_bool(e) for e in elements):
            return None
        if has_quantized(self.lhs.type, self.rhs.type):
            return None
        return same_elements_error("lhs and rhs", [self.lhs.type, self.rhs.type])

    @constraint("C2")
    def as_many_batching_dimensions(self):
        d = self.dot_dimension_numbers
        return _pairs_error("batching", d.lhs_batching_dimensions, d.rhs_batching_dimensions)

    @constraint("C3")
    def as_many_contracting_dimensions(self):
        d = self.dot_dimension_numbers
        return _pairs_error("contracting", d.lhs_contracting_dimensions, d.rhs_contracting_dimensions)

    @constraint("C4")
    def lhs_dimensions_unique(self):
        d = self.dot_dimension_numbers
        both = d.lhs_batching_dimensions + d.lhs_contracting_dimensions
        return unique_error("lhs_batching_dimensions and lhs_contracting_dimensions", both)

    @constraint("C5")
    def rhs_dimensions_unique(self):
        d = self.dot_dimension_numbers
        both = d.rhs_batching_dimensions + d.rhs_contracting_dimensions
        return unique_error("rhs_batching_dimensions and rhs_contracting_dimensions", both)

    @constraint("C6")
    def lhs_batching_in_range(self):
        dimensions = self.dot_dimension_numbers.lhs_batching_dimensions
        return range_error("lhs_batching_dimensions", dimensions, rank(self.lhs.type))

    @constraint("C7")
    def lhs_contracting_in_range(self):
        dimensions = self.dot_dimension_numbers.lhs_contracting_dimensions
        return range_error("lhs_contracting_dimensions", dimensions, rank(self.lhs.type))

    @constraint("C8")
    def rhs_batching_in_range(self):
        dimensions = self.dot_dimension_numbers.rhs_batching_dimensions
        return range_error("rhs_batching_dimensions", dimensions, rank(self.rhs.type))

    @constraint("C9")
    def rhs_contracting_in_range(self):
        dimensions = self.dot_dimension_numbers.rhs_contracting_dimensions
        return range_error("rhs_contracting_dimensions", dimensions, rank(self.rhs.type))

    @constraint("C10")
    def batching_sizes_agree(self):
        d = self.dot_dimension_numbers
        return self._sizes_error("batching", d.lhs_batching_dimensions, d.rhs_batching_dimensions)

    @constraint("C11")
    def contracting_sizes_agree(self):
        d = self.dot_dimension_numbers
        return self._sizes_error("contracting", d.lhs_contracting_dimensions, d.rhs_contracting_dimensions)

    def _sizes_error(self, name: str, lhs: tuple[int, ...], rhs: tuple[int, ...]) -> str | None:
        found = [shape(self.lhs.type)[d] for d in lhs], [shape(self.rhs.type)[d] for d in rhs]
        if all(map(compatible_sizes, *found)):
            return None
        return f"{name} dimensions of lhs and rhs must have the same sizes, found {found[0]} and {found[1]}"

    @constraint("C12")
    def precision_for_each_operand(self):
        return precision_error(self.precision_config)

    @constraint("C13")
    def result_shape(self):
        return shape_error("result", self.result.type, self.result_sizes())

    def result_sizes(self) -> list[int]:
        """Batch, then what is left of lhs, then what is left of rhs."""
        d, lhs, rhs = self.dot_dimension_numbers, shape(self.lhs.type), shape(self.rhs.type)
        left = without(lhs, d.lhs_batching_dimensions + d.lhs_contracting_dimensions)
        right = without(rhs, d.rhs_batching_dimensions + d.rhs_contracting_dimensions)
        return [lhs[i] for i in d.lhs_batching_dimensions] + left + right

    def infer(self):
        return [tensor(self.result_sizes(), chosen_element(self, element_type(self.lhs.type)))]

    @constraint("C14", quantized=True)
    def quantized_with_rhs(self):
        return weights_error(self.lhs.type, self.rhs.type, self.result.type)

    @constraint("C15", quantized=True)
    def zero_points_of_rhs_are_zero(self):
        found = zero_points(self.rhs.type) if has_quantized(self.rhs.type) else []
        if not any(found):
            return None
        return f"zero points of rhs must be 0, found {', '.join(map(str, found))}"

    @constraint("C16", quantized=True)
    def quantized_dimension_is_not_contracted(self):
        contracted = self.dot_dimension_numbers.rhs_contracting_dimensions
        if not is_per_axis(self.rhs.type) or axis(self.rhs.type) not in contracted:
            return None
        return f"the quantized dimension of rhs must not be contracted, found {axis(self.rhs.type)}"

    @constraint("C17", quantized=True)
    def one_storage_type(self):
        if not has_quantized(self.lhs.type):
            return None
        return same_storage_error(lhs=self.lhs.type, rhs=self.rhs.type)

    @constraint("C18", "C20", quantized=True)
    def one_expressed_type(self):
        return same_expressed_error(lhs=self.lhs.type, rhs=self.rhs.type, result=self.result.type)

    @constraint("C19", quantized=True)
    def result_per_tensor_like_rhs(self):
        return per_tensor_error(self.lhs.type, self.rhs.type, self.result.type)

    @constraint("C21")
    def algorithm_excludes_precision(self):
        if self.algorithm is None or all(p == "DEFAULT" for p in self.precision_config):
            return None
        return f"precision_config must be DEFAULT when algorithm is given, found {', '.join(self.precision_config)}"

    @constraint("C22", "C23", "C24")
    def algorithm_counts_positive(self):
        algorithm = self.algorithm
        for name in ("lhs_component_count", "rhs_component_count", "num_primitive_operations"):
            if algorithm is not None and getattr(algorithm, name) < 1:
                return f"{name} must be at least 1, found {getattr(algorithm, name)}"
        return None

    @constraint("C22", "C23", "C24")
    def algorithm_is_known(self):
        algorithm = self.algorithm
        return None if algorithm is None or is_known_algorithm(algorithm) else _unknown_algorithm(algorithm)


_Algorithm = tuple[str, str, str, int, bool]
"""Precision types of lhs and rhs, accumulation type, number of operations, and whether the accumulation may be inexact."""

_FLOATS_OF_8_BITS = ("f8E3M4", "f8E4M3", "f8E4M3B11FNUZ", "f8E4M3FN", "f8E4M3FNUZ", "f8E5M2", "f8E5M2FNUZ")
KNOWN_ALGORITHMS: frozenset[_Algorithm] = frozenset(
    [
        *((a, b, "f32", 1, inexact) for a in _FLOATS_OF_8_BITS for b in _FLOATS_OF_8_BITS for inexact in (False, True)),
        ("f16", "f16", "f16", 1, False),
        ("f16", "f16", "f32", 1, False),
        ("bf16", "bf16", "bf16", 1, False),
        *(("bf16", "bf16", "f32", count, False) for count in (1, 3, 6, 9)),
        *(("tf32", "tf32", "f32", count, False) for count in (1, 3)),
        ("f32", "f32", "f32", 1, False),
        ("f64", "f64", "f64", 1, False),
    ]
)
"""Algorithms that some hardware has, each with one component for either side: those that upstream accepts."""


def is_known_algorithm(algorithm: DotAlgorithm) -> bool:
    types = (algorithm.lhs_precision_type, algorithm.rhs_precision_type, algorithm.accumulation_type)
    count, inexact = algorithm.num_primitive_operations, algorithm.allow_imprecise_accumulation
    components = algorithm.lhs_component_count, algorithm.rhs_component_count
    return components == (1, 1) and (*map(str, types), count, inexact) in KNOWN_ALGORITHMS


def _unknown_algorithm(algorithm: DotAlgorithm) -> str:
    found = ", ".join(f"{name} = {value}" for name, value in vars(algorithm).items())
    return f"algorithm must be one that some hardware has (f32 x f32 into f32, 3 times bf16 x bf16, ...), found {found}"


def _pairs_error(name: str, lhs: tuple[int, ...], rhs: tuple[int, ...]) -> str | None:
    if len(lhs) == len(rhs):
        return None
    return f"lhs_{name}_dimensions and rhs_{name}_dimensions must have the same size, found {len(lhs)} and {len(rhs)}"


class DotOp(Op, mnemonic="dot"):
    """Product of vectors and matrices; not in the specification (group "not in HLO")."""

    ASSEMBLY = "operands custom<PrecisionConfigAndAlgorithm> attr-dict `:` functional-type(operands, results)"
    CHOICE = (ELEMENT,)
    lhs = Operand(AnyTensor)
    rhs = Operand(TensorOrPerAxis)
    precision_config = Attr(PRECISION_CONFIG, optional=True, default=DEFAULT_PRECISION)
    result = Result(TensorOrPerAxis)

    @constraint("ranks")
    def vectors_or_matrices(self):
        ranks = rank(self.lhs.type), rank(self.rhs.type)
        if all(r in (1, 2) for r in ranks):
            return None
        return f"lhs and rhs must have rank 1 or 2, found {ranks[0]} and {ranks[1]}"

    @constraint("contracting")
    def contracting_sizes_agree(self):
        lhs, rhs = shape(self.lhs.type)[-1], shape(self.rhs.type)[0]
        if compatible_sizes(lhs, rhs):
            return None
        return f"last dimension of lhs and first of rhs must have the same size, found {lhs} and {rhs}"

    @constraint("precision_config")
    def precision_for_each_operand(self):
        return precision_error(self.precision_config)

    @constraint("result")
    def result_shape(self):
        return shape_error("result", self.result.type, self.result_sizes())

    def result_sizes(self) -> list[int]:
        return [*shape(self.lhs.type)[:-1], *shape(self.rhs.type)[1:]]

    def infer(self):
        return [tensor(self.result_sizes(), chosen_element(self, element_type(self.lhs.type)))]


_EINSUM_TERM = re.compile(r"[a-zA-Z]*")


def einsum_terms(config: str) -> tuple[list[str], str] | None:
    """The dimension letters of inputs and output ("ab,bc->ac": ["ab", "bc"], "ac"); None when it is no such text."""
    inputs, arrow, output = config.replace(" ", "").partition("->")
    terms = inputs.split(",")
    legal = bool(arrow) and all(map(_EINSUM_TERM.fullmatch, [*terms, output]))
    return (terms, output) if legal else None


def einsum_error(config: str, operands: list, result: ir.Type) -> str | None:
    """Whether a configuration fits the types; `...` in it is not looked at."""
    if "..." in config:
        return None
    parsed = einsum_terms(config)
    if parsed is None or len(parsed[0]) != len(operands):
        allowed = "one term (ab->ba)" if len(operands) == 1 else "two terms (ab,bc->ac)"
        return f"einsum_config must have {allowed}, found {config!r}"
    terms, output = parsed
    for term, operand in zip(terms, operands):
        if len(term) != rank(operand):
            return f"einsum_config must name {rank(operand)} dimensions of {operand}, found {term!r}"
    unknown = sorted(set(output) - set("".join(terms)))
    if unknown:
        return f"einsum_config must take the result's dimensions from the operands, found {', '.join(unknown)}"
    return _einsum_sizes_error(terms, operands, output, result)


_DOTS = "..."
_BEFORE_DOTS = 0x2000
"""Letters up to here stand for the dimensions of `...`."""


def einsum_labels(term: str, rank: int) -> str:
    """A term with letters of their own for the dimensions that `...` stands for: the last is the same everywhere."""
    count = rank - len(term) + len(_DOTS)
    return term.replace(_DOTS, "".join(chr(_BEFORE_DOTS - i) for i in range(count, 0, -1)))


def einsum_sizes(config: str, operands: list) -> list[int]:
    """The sizes of the result of a legal configuration; `...` is all that the operands have for it, 1 is repeated."""
    inputs, _, output = config.replace(" ", "").partition("->")
    terms = inputs.split(",")
    sizes: dict[str, int] = {}
    for term, t in zip(terms, operands):
        for letter, size in zip(einsum_labels(term, rank(t)), shape(t)):
            sizes[letter] = size if sizes.get(letter, 1) == 1 else sizes[letter]
    dotted = max((rank(t) - len(term) for term, t in zip(terms, operands) if _DOTS in term), default=0)
    return [sizes.get(letter, DYNAMIC) for letter in einsum_labels(output, len(output) + dotted)]


def _einsum_sizes_error(terms: list[str], operands: list, output: str, result: ir.Type) -> str | None:
    sizes: dict[str, int] = {}
    for term, operand in zip(terms, operands):
        for letter, size in zip(term, shape(operand)):
            if not compatible_sizes(sizes.setdefault(letter, size), size):
                return f"dimensions {letter!r} must have one size, found {sizes[letter]} and {size}"
    return shape_error("result", result, [sizes[letter] for letter in output])


class EinsumOp(Op, mnemonic="einsum"):
    """Einstein summation of two tensors; not in the specification (group "not in HLO")."""

    ASSEMBLY = "operands `,` `config` `=` $einsum_config attr-dict `:` functional-type(operands, results)"
    CHOICE = (ELEMENT,)
    lhs = Operand(AnyTensor)
    rhs = Operand(AnyTensor)
    einsum_config = Attr(String)
    result = Result(AnyTensor)

    @constraint("einsum_config")
    def config_fits_types(self):
        return einsum_error(self.einsum_config, [self.lhs.type, self.rhs.type], self.result.type)

    def infer(self):
        sizes = einsum_sizes(self.einsum_config, [self.lhs.type, self.rhs.type])
        return [tensor(sizes, chosen_element(self, element_type(self.lhs.type)))]


class UnaryEinsumOp(Op, mnemonic="unary_einsum"):
    """Einstein summation of one tensor; not in the specification (group "not in HLO")."""

    ASSEMBLY = "operands `,` `config` `=` $einsum_config attr-dict `:` functional-type(operands, results)"
    CHOICE = (ELEMENT,)
    operand = Operand(AnyTensor)
    einsum_config = Attr(String)
    result = Result(AnyTensor)

    @constraint("einsum_config")
    def config_fits_types(self):
        return einsum_error(self.einsum_config, [self.operand.type], self.result.type)

    def infer(self):
        operand = self.operand.type
        return [tensor(einsum_sizes(self.einsum_config, [operand]), chosen_element(self, element_type(operand)))]
