"""What a program takes and gives: shapes and numpy types."""

from math import prod
from typing import NamedTuple

import numpy as np

from hlo.dialect.numpy_types import dtype_name


class ArrayType(NamedTuple):
    """The type of one argument or result. The signature of a dynamic program has None for sizes that calls choose."""

    shape: tuple[int, ...]
    dtype: np.dtype

    @property
    def nbytes(self) -> int:
        return prod(self.shape) * self.dtype.itemsize

    def __str__(self) -> str:
        return "".join(f"{'?' if d is None else d}x" for d in self.shape) + dtype_name(self.dtype)


class Signature(NamedTuple):
    """Types of the arguments and of the results, in order."""

    arguments: tuple[ArrayType, ...]
    results: tuple[ArrayType, ...]

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.arguments))}) -> ({', '.join(map(str, self.results))})"
