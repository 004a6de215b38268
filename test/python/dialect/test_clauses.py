"""Every clause (C1, C2, ...) of the specification has a check in its op's class, an accepted and a rejected case."""

import re
from collections import Counter

import clause_cases
import pytest
from clause_coverage import coverage
from test_quantized_clauses import ACCEPTED, REFUSED, program

from hlo.dialect import registration
from hlo.dialect.definition import OPS

registration.make_context()

OF_DOCUMENT = {
    "abs": 2, "add": 1, "after_all": 0, "all_gather": 6, "all_reduce": 6, "all_to_all": 8, "and": 1, "atan2": 1,
    "batch_norm_grad": 5, "batch_norm_inference": 7, "batch_norm_training": 7, "bitcast_convert": 2,
    "broadcast_in_dim": 5, "case": 4, "cbrt": 1, "ceil": 1, "cholesky": 3, "clamp": 4, "collective_permute": 5,
    "compare": 3, "complex": 3, "concatenate": 6, "constant": 1, "convert": 1, "convolution": 28, "cosine": 1,
    "count_leading_zeros": 1, "custom_call": 0, "divide": 1, "dot_general": 13, "dynamic_slice": 5,
    "dynamic_update_slice": 6, "exponential": 1, "exponential_minus_one": 1, "fft": 5, "floor": 1, "gather": 14,
    "get_dimension_size": 1, "get_tuple_element": 2, "if": 3, "imag": 2, "infeed": 2, "iota": 1, "is_finite": 1,
    "log": 1, "log_plus_one": 1, "logistic": 1, "map": 4, "maximum": 1, "minimum": 1, "multiply": 1, "negate": 1,
    "not": 1, "optimization_barrier": 2, "or": 1, "outfeed": 0, "pad": 4, "partition_id": 0, "popcnt": 1, "power": 1,
    "real": 2, "recv": 3, "reduce": 7, "reduce_precision": 3, "reduce_scatter": 8, "reduce_window": 16, "remainder": 1,
    "replica_id": 0, "reshape": 2, "reverse": 3, "rng": 3, "rng_bit_generator": 2, "round_nearest_afz": 1,
    "round_nearest_even": 1, "rsqrt": 1, "scatter": 16, "select": 2, "select_and_scatter": 12, "send": 1,
    "shift_left": 1, "shift_right_arithmetic": 1, "shift_right_logical": 1, "sign": 1, "sine": 1, "slice": 5, "sort": 5,
    "sqrt": 1, "subtract": 1, "tanh": 1, "transpose": 3, "triangular_solve": 4, "tuple": 2, "while": 3, "xor": 1,
}  # fmt: skip
"""How many clauses the section of each op has in the document that this project was written from."""

LATER = {
    "add": 7, "broadcast_in_dim": 6, "collective_broadcast": 3, "composite": 4, "convolution": 34, "dot_general": 24,
    "dynamic_broadcast_in_dim": 10, "dynamic_conv": 34, "dynamic_gather": 23, "dynamic_iota": 2, "dynamic_pad": 4,
    "dynamic_reshape": 4, "exp2": 1, "gather": 23, "log2": 1, "reduce": 8, "reshape": 3, "scatter": 25, "tan": 1, "transpose": 4,
    "uniform_dequantize": 2, "uniform_quantize": 2,
}  # fmt: skip
"""Ops that are newer than that document, and those that have more clauses in later editions (quantized tensors, batching
dimensions, algorithms): the code has the later numbers."""

CLAUSES = OF_DOCUMENT | LATER

PROCESSES = "how many processes there are is not part of a program"
NOT_CHECKED = {
    ("all_gather", "C3"): PROCESSES,
    ("all_reduce", "C2"): PROCESSES,
    ("reduce_scatter", "C4"): PROCESSES,
}
"""Clauses that no check of a program can see, and why."""


def numbers(label):
    return re.findall(r"C\d+", label)


def labels(mnemonic):
    op_class = OPS[f"stablehlo.{mnemonic}"]
    return {c.label for c in op_class.CONSTRAINTS if numbers(c.label)} | {op_class.INFER_LABEL} - {""}


def refused(mnemonic):
    """Cases of an op by label, those of test/dialect and of test_quantized_clauses."""
    found = Counter({label: n for (op, label), n in clause_cases.refused().items() if op == f"stablehlo.{mnemonic}"})
    words = [words or "" for name, _, _, words in REFUSED if name == mnemonic]
    return found + Counter(m[1] for w in words if (m := clause_cases.LABELS.match(w)))


@pytest.mark.parametrize("mnemonic", CLAUSES)
def test_every_clause_has_a_check(mnemonic):
    found = {number for label in labels(mnemonic) for number in numbers(label)}
    wanted = {f"C{i + 1}" for i in range(CLAUSES[mnemonic])}
    assert wanted - found == {number for op, number in NOT_CHECKED if op == mnemonic}
    assert found <= wanted, "a clause that the specification does not have"


@pytest.mark.parametrize("mnemonic", CLAUSES)
def test_every_clause_is_refused_by_name(mnemonic):
    """A label of several clauses needs as many cases that name one of them."""
    cases = refused(mnemonic)
    assert set(cases) <= labels(mnemonic), "cases of labels that the op does not have"
    for label in labels(mnemonic):
        touching = sum(n for other, n in cases.items() if set(numbers(other)) & set(numbers(label)))
        assert cases[label], f"no rejected case names {label}"
        assert touching >= len(numbers(label)), f"{label} has fewer rejected cases than clauses"


@pytest.mark.parametrize("name", sorted(OPS))
def test_every_op_is_accepted(name):
    assert name in clause_cases.accepted()


def test_every_clause_is_accepted():
    """Each way by which a check accepts is taken by an op that nothing is wrong with."""
    found = coverage(program(*case) for case in ACCEPTED)
    assert {clause: lines for clause, lines in found.missing.items() if lines} == {}
    assert len(found.missing) > 350
