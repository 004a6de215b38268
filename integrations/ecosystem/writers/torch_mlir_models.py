"""torch-mlir's StableHLO of three models: a perceptron, a convolutional network, and attention in an encoder layer."""

from collections.abc import Iterator
from typing import Any

import torch
from torch import nn
from torch_mlir import fx

MODELS = {
    "perceptron": lambda: (
        nn.Sequential(nn.Linear(12, 32), nn.GELU(), nn.LayerNorm(32), nn.Linear(32, 5)),
        torch.randn(4, 12),
    ),
    "convolutions": lambda: (
        nn.Sequential(
            nn.Conv2d(3, 8, 3, 2, 1),
            nn.BatchNorm2d(8),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(8, 16, 3, groups=4),
            nn.AdaptiveAvgPool2d(1),
            nn.Flatten(),
            nn.Linear(16, 4),
        ),
        torch.randn(2, 3, 24, 24),
    ),
    "encoder": lambda: (
        nn.TransformerEncoderLayer(32, 4, 64, batch_first=True, activation="gelu"),
        torch.randn(2, 9, 32),
    ),
}


def programs() -> Iterator[tuple[str, str, list[Any], list[Any]]]:
    """Name, text, arguments and expected results of each program."""
    for name, make in MODELS.items():
        torch.manual_seed(0)
        model, x = make()
        model.eval()
        with torch.no_grad():
            expected = model(x)
        module = fx.export_and_import(model, x, output_type="stablehlo", func_name="main")
        yield name, module.operation.get_asm(enable_debug_info=True), [x.numpy()], [expected.numpy()]
