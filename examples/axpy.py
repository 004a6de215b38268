"""The first example of the XLA document: alpha * x + y, with alpha, x and y as parameters, then as constants.

python examples/axpy.py"""

import numpy as np

import hlo


def axpy_parameters(alpha: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    builder = hlo.Builder()
    param_alpha = builder.parameter(alpha, name="alpha")
    param_x = builder.parameter(x, name="x")
    param_y = builder.parameter(y, name="y")
    axpy = builder.add(builder.multiply(param_alpha, param_x), param_y)
    executable = builder.compile(axpy)
    return executable(alpha, x, y)[0]


def axpy_constants(alpha: float, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    builder = hlo.Builder()
    return builder.compile(alpha * builder.constant(x) + builder.constant(y))()[0]


if __name__ == "__main__":
    x, y = np.arange(10, dtype=np.float32), np.ones(10, np.float32)
    print(axpy_parameters(np.float32(2.0), x, y))
    print(axpy_constants(2.0, x, y))
