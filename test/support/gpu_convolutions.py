"""Convolutions as programs for the GPU target, and what numpy says they are."""

from dataclasses import dataclass
from itertools import product

import numpy as np
from gpu_products import integers


@dataclass(frozen=True)
class Convolution:
    """`size`: batch, height, width, input features, output features, window. Layouts as letters: b, f, i, o, 0, 1."""

    size: tuple[int, int, int, int, int, int]
    stride: int = 1
    low: int = 0
    high: int = 0
    dilation: int = 1
    spread: int = 1
    reverse: bool = False
    groups: int = 1
    batch_groups: int = 1
    layout: tuple[str, str, str] = ("b01f", "01io", "b01f")
    kinds: tuple[str, str] = ("bf16", "f32")

    @property
    def inputs(self) -> tuple[list[int], list[int]]:
        """The shapes of input and kernel."""
        n, h, w, c, o, k = self.size
        input_sizes = {"b": n, "f": c, "0": h, "1": w}
        kernel_sizes = {"0": k, "1": k, "i": c // self.groups, "o": o}
        return [input_sizes[one] for one in self.layout[0]], [kernel_sizes[one] for one in self.layout[1]]

    def arrays(self) -> tuple[np.ndarray, np.ndarray]:
        rng = np.random.default_rng(3)
        x, w = (integers(rng, sizes, self.kinds[0], -2) for sizes in self.inputs)
        return x, w

    @property
    def shape(self) -> list[int]:
        """Of the result."""
        n, h, w, _, o, k = self.size
        pixels = [
            ((size - 1) * self.spread + self.low + self.high - (k - 1) * self.dilation) // self.stride + 1
            for size in (h, w)
        ]
        sizes = {"b": n // self.batch_groups, "f": o, "0": pixels[0], "1": pixels[1]}
        return [sizes[letter] for letter in self.layout[2]]

    def expected(self) -> np.ndarray:
        """As the specification says, in float64."""
        x, w = (
            np.transpose(a.astype(np.float64), [letters.index(s) for s in order])
            for a, letters, order in zip(self.arrays(), self.layout, ("b01f", "01io"))
        )
        d, s = self.dilation, self.spread
        wide = np.zeros((x.shape[0], *((n - 1) * s + 1 for n in x.shape[1:3]), x.shape[3]))
        wide[:, ::s, ::s] = x
        x = np.pad(wide, ((0, 0), (self.low, self.high), (self.low, self.high), (0, 0)))
        w = w[::-1, ::-1] if self.reverse else w
        parts = np.split(x, self.batch_groups, axis=0)
        inputs = [p for part in parts for p in np.split(part, self.groups, axis=3)]
        kernels = np.split(w, self.groups * self.batch_groups, axis=3)
        found = np.concatenate([self._windows(a, b, d) for a, b in zip(inputs, kernels)], axis=3)
        return np.transpose(found, ["b01f".index(s) for s in self.layout[2]])

    def _windows(self, x: np.ndarray, w: np.ndarray, d: int) -> np.ndarray:
        rows, columns = ((n - (k - 1) * d - 1) // self.stride + 1 for n, k in zip(x.shape[1:3], w.shape))
        total = np.zeros((x.shape[0], rows, columns, w.shape[3]))
        for i, j in product(*map(range, w.shape[:2])):
            part = x[:, i * d :: self.stride, j * d :: self.stride][:, :rows, :columns]
            total += np.einsum("bhwc,co->bhwo", part, w[i, j])
        return total

    def program(self) -> str:
        x, w = (f"tensor<{'x'.join(map(str, sizes))}x{self.kinds[0]}>" for sizes in self.inputs)
        result = f"tensor<{'x'.join(map(str, self.shape))}x{self.kinds[1]}>"
        left, kernel, out = (f"[{', '.join(letters)}]" for letters in self.layout)
        pad = f"[{self.low}, {self.high}]"
        two = {
            "stride": self.stride,
            "lhs_dilate": self.spread,
            "rhs_dilate": self.dilation,
            "reverse": str(self.reverse).lower(),
        }
        window = ", ".join([f"pad = [{pad}, {pad}]", *(f"{name} = [{v}, {v}]" for name, v in two.items())])
        return f"""func.func @main(%x: {x}, %w: {w}) -> {result} {{
          %0 = stablehlo.convolution(%x, %w) dim_numbers = {left}x{kernel}->{out}, window = {{{window}}}
            {{batch_group_count = {self.batch_groups} : i64, feature_group_count = {self.groups} : i64}} : ({x}, {w}) -> {result}
          return %0 : {result} }}"""
