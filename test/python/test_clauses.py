"""Every clause (C1, C2, ...) of the specification has a check in its op's class."""

import re

import pytest

from hlo.dialect import registration  # noqa: F401  (imports all op classes)
from hlo.dialect.definition import OPS

CLAUSES = {
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
"""How many clauses the section of each op has."""

OF_PROCESSES = {"all_gather": {"C3"}, "all_reduce": {"C2"}, "reduce_scatter": {"C4"}}
"""How many processes there are is not part of a program."""


@pytest.mark.parametrize("mnemonic", CLAUSES)
def test_every_clause_has_a_check(mnemonic):
    op_class = OPS[f"stablehlo.{mnemonic}"]
    labels = " ".join([c.label for c in op_class.CONSTRAINTS] + [op_class.INFER_LABEL])
    wanted = {f"C{i + 1}" for i in range(CLAUSES[mnemonic])}
    assert wanted - set(re.findall(r"C\d+", labels)) == OF_PROCESSES.get(mnemonic, set())
