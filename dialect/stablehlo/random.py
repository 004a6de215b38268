"""Random numbers."""

from __future__ import annotations

from mlir import ir

from hlo.dialect.attributes import enum
from hlo.dialect.choices import ELEMENT, SIZES, chosen_element, chosen_sizes, sizes_in
from hlo.dialect.clauses import listed
from hlo.dialect.definition import Attr, Op, Operand, Result, constraint
from hlo.dialect.known_integers import constant_integers
from hlo.dialect.types import (
    DYNAMIC,
    DimensionTensor,
    compatible,
    element_type,
    is_bool,
    is_float,
    is_integer,
    rank,
    scalar_of,
    shape,
    static_vector_of,
    tensor,
    tensor_of,
    vector_of,
)

_Element = tensor_of("integer, boolean or floating-point", is_integer, is_bool, is_float)
_Bits = tensor_of("integer or floating-point", is_integer, is_float)
_State = vector_of(tensor_of("ui64", lambda t: isinstance(t, ir.IntegerType) and t.width == 64 and not t.is_signed))


class RngOp(Op, mnemonic="rng"):
    """Numbers of a distribution, implementation-defined. https://openxla.org/stablehlo/spec#rng"""

    ASSEMBLY = "operands `,` `distribution` `=` $rng_distribution attr-dict `:` functional-type(operands, results)"
    ONE_TYPE = (("a", "b"),)
    IS_PURE = False
    CHOICE = (SIZES,)
    a = Operand(scalar_of(_Element))
    b = Operand(scalar_of(_Element))
    shape = Operand(static_vector_of(DimensionTensor))
    rng_distribution = Attr(enum("rng_distribution", "UNIFORM", "NORMAL"))
    result = Result(_Element)

    @constraint("C1")
    def one_element_type(self):
        types = [element_type(v.type) for v in (self.a, self.b, self.result)]
        if types[0] != types[1] or types[0] != types[2]:
            found = ", ".join(map(str, types))
            return f"a, b and result must have one element type, found {found}"
        return None

    @constraint("C2")
    def normal_is_of_floats(self):
        element = element_type(self.result.type)
        if self.rng_distribution == "NORMAL" and not is_float(element):
            return f"NORMAL distribution must be of a floating-point type, found {element}"
        return None

    @constraint("C3")
    def result_has_shape(self):
        size, result = shape(self.shape.type)[0], self.result.type
        if size not in (rank(result), DYNAMIC):
            return f"shape must have {rank(result)} elements as result {result} has dimensions, found {size}"
        return self._constant_shape_error()

    def _constant_shape_error(self) -> str | None:
        sizes = constant_integers(self.shape)
        found = shape(self.result.type)
        if sizes is None or all(f in (s, DYNAMIC) for f, s in zip(found, sizes)):
            return None
        return f"result must have the shape {listed(sizes)}, found {self.result.type}"

    def infer(self):
        return [tensor(chosen_sizes(self, sizes_in(self.shape)), element_type(self.a.type))]


STATE_SIZES = {"THREE_FRY": (2,), "PHILOX": (2, 3)}


def state_size_error(algorithm: str, size: int) -> str | None:
    """What is wrong with an initial state of so many elements. Programs may have any of DEFAULT, which each compiler chooses."""
    allowed = STATE_SIZES.get(algorithm)
    if allowed is None or size in allowed:
        return None
    return f"initial_state of {algorithm} must have {' or '.join(map(str, allowed))} elements, found {size}"


class RngBitGeneratorOp(Op, mnemonic="rng_bit_generator"):
    """Random bits and the next state. https://openxla.org/stablehlo/spec#rng_bit_generator"""

    ASSEMBLY = "operands `,` `algorithm` `=` $rng_algorithm attr-dict `:` functional-type(operands, results)"
    ONE_TYPE = (("initial_state", "output_state"),)
    CHOICE = (ELEMENT, SIZES)
    rng_algorithm = Attr(enum("rng_algorithm", "DEFAULT", "THREE_FRY", "PHILOX"))
    initial_state = Operand(_State)
    output_state = Result(_State)
    output = Result(_Bits)

    @constraint("C1")
    def state_keeps_its_type(self):
        before, after = self.initial_state.type, self.output_state.type
        if not compatible(before, after):
            return f"output_state must have the type of initial_state {before}, found {after}"
        return None

    @constraint("C2")
    def state_size_of_algorithm(self):
        size = shape(self.initial_state.type)[0]
        return None if size == DYNAMIC else state_size_error(self.rng_algorithm, size)

    @constraint()
    def output_size_is_known(self):
        found = self.output.type
        return f"output must have a static shape, found {found}" if DYNAMIC in shape(found) else None

    def infer(self):
        return [self.initial_state.type, tensor(chosen_sizes(self), chosen_element(self))]
