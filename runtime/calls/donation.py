"""Arguments whose memory a program may use for its results and temporaries.

`hlo.compile(..., donate=(0, 2))` names them by number; programs that JAX has lowered with `donate_argnums` mark them with the
argument attributes `tf.aliasing_output` or `jax.buffer_donor`. The module's `hlo.donated` says it to bufferize-host, whose
`hlo.in_donated` says which argument each result is found in."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from hlo.errors import ArgumentError
from hlo.runtime.calls.signature import ArrayType, Signature

MARKS = ("tf.aliasing_output", "jax.buffer_donor")


class Donation(NamedTuple):
    """`arguments`: numbers of those that are donated. `asked`: those that the caller of `hlo.compile` named; others, which
    the program names, may be copied. `results`: (argument, result) for results that are in an argument's memory."""

    arguments: tuple[int, ...] = ()
    asked: tuple[int, ...] = ()
    results: tuple[tuple[int, int], ...] = ()


def read_donation(function: Any, donate: Any, signature: Signature) -> Donation:
    """What a program's entry function and the option say. Raises ArgumentError for numbers that are no argument's."""
    count = len(signature.arguments)
    if not isinstance(donate, (tuple, list)) or any(type(n) is not int or not 0 <= n < count for n in donate):
        raise ArgumentError(f"donate takes numbers of arguments, from 0 to {count - 1}, found {donate!r}")
    return Donation(tuple(sorted({*donate, *_marked(function)})), tuple(donate))


def _marked(function: Any) -> list[int]:
    """Numbers of the arrays whose arguments have a mark: a tuple has several, a token none."""
    if "arg_attrs" not in function.attributes:
        return []
    from hlo.runtime.compile.read_signature import (
        flat_types,
    )  # here: programs that were compiled before are loaded without MLIR

    marks = [
        any(mark in attributes for mark in MARKS)
        for attributes, kind in zip(function.arg_attrs, function.type.inputs)
        for _ in flat_types(kind)
    ]
    return [n for n, is_marked in enumerate(marks) if is_marked]


def with_donated(
    inputs: list[np.ndarray], given: Sequence[Any], donation: Donation, types: Sequence[ArrayType]
) -> None:
    """Makes sure that nothing but the donated arrays is overwritten. Those that do not fit are copied if the program
    named them, otherwise ArgumentError says which."""
    for number in donation.arguments:
        array = inputs[number]
        others = [a for n, a in enumerate(inputs) if n != number]
        problem = _problem(array, given[number], others)
        if not problem:
            continue
        if number in donation.asked:
            raise ArgumentError(f"argument {number} ({types[number]}) is donated: {problem}")
        inputs[number] = array.copy()


def separate_donated(inputs: Sequence[list[np.ndarray]], donation: Donation) -> None:
    """Makes sure that no process of a grid overwrites what another one reads: donated arrays of the processes share no
    memory with arrays of others."""
    for number in donation.arguments:
        for process, own in enumerate(inputs):
            others = [array for other, row in enumerate(inputs) if other != process for array in row]
            if not any(np.may_share_memory(own[number], array) for array in others):
                continue
            if number in donation.asked:
                raise ArgumentError(
                    f"argument {number} is donated: it must not share memory with arguments of other processes"
                )
            own[number] = own[number].copy()


def _problem(array: np.ndarray, given: Any, others: Sequence[np.ndarray]) -> str:
    """Why an argument's memory cannot be used."""
    if array is not given and not (hasattr(given, "__array__") and np.shares_memory(array, np.asarray(given))):
        return "it must be a contiguous array of its type; this one would be copied"
    if not array.flags.writeable:
        return "it must be writable"
    if any(np.may_share_memory(array, other) for other in others):
        return "it must not share memory with other arguments"
    return ""
