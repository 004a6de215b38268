"""Models in the structure that torchvision and transformers give them, small, with random weights."""

from __future__ import annotations

import itertools

import torch
from torch import nn
from torch.nn import functional as F


class BasicBlock(nn.Module):
    """Two convolutions around a shortcut, as in ResNet18."""

    def __init__(self, inputs: int, outputs: int, stride: int):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = None
        if stride != 1 or inputs != outputs:
            self.downsample = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        shortcut = x if self.downsample is None else self.downsample(x)
        x = self.relu(self.bn1(self.conv1(x)))
        x = self.bn2(self.conv2(x))
        x += shortcut
        return self.relu(x)


class ResNet18(nn.Module):
    """`width`: the first layer's channels (64 in the original)."""

    def __init__(self, width: int = 64, classes: int = 1000):
        super().__init__()
        widths = [width, width, 2 * width, 4 * width, 8 * width]
        self.stem = nn.Sequential(
            nn.Conv2d(3, width, 7, 2, 3, bias=False),
            nn.BatchNorm2d(width),
            nn.ReLU(inplace=True),
            nn.MaxPool2d(3, 2, 1),
        )
        blocks = []
        for n, (inputs, outputs) in enumerate(itertools.pairwise(widths)):
            blocks += [BasicBlock(inputs, outputs, 1 if n == 0 else 2), BasicBlock(outputs, outputs, 1)]
        self.blocks = nn.Sequential(*blocks)
        self.pool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(8 * width, classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.fc(torch.flatten(self.pool(self.blocks(self.stem(x))), 1))


class ViTBlock(nn.Module):
    """torchvision's encoder block: attention and an MLP, each behind a layer norm."""

    def __init__(self, width: int = 768, heads: int = 12):
        super().__init__()
        self.ln_1 = nn.LayerNorm(width, eps=1e-6)
        self.self_attention = nn.MultiheadAttention(width, heads, batch_first=True)
        self.ln_2 = nn.LayerNorm(width, eps=1e-6)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Dropout(0.0), nn.Linear(4 * width, width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.ln_1(x)
        y, _ = self.self_attention(y, y, y, need_weights=False)
        x = x + y
        return x + self.mlp(self.ln_2(x))


class UNetBlock(nn.Module):
    """Down, a middle, and up again beside the skipped part, with group norms and SiLU."""

    def __init__(self, inputs: int = 64, inner: int = 128):
        super().__init__()
        self.down = nn.Sequential(nn.GroupNorm(8, inputs), nn.SiLU(), nn.Conv2d(inputs, inner, 3, 2, 1))
        self.middle = nn.Sequential(nn.GroupNorm(8, inner), nn.SiLU(), nn.Conv2d(inner, inner, 3, 1, 1))
        self.up = nn.ConvTranspose2d(inner, inputs, 2, 2)
        self.out = nn.Conv2d(2 * inputs, inputs, 3, 1, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.out(torch.cat([x, self.up(self.middle(self.down(x)))], 1))


class LSTM(nn.Module):
    """A classifier over the last state."""

    def __init__(self, width: int = 64, hidden: int = 128, layers: int = 2):
        super().__init__()
        self.lstm = nn.LSTM(width, hidden, layers, batch_first=True)
        self.head = nn.Linear(hidden, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.lstm(x)[0][:, -1])


class GPTLayer(nn.Module):
    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.fc, self.out = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        q, k, v = (
            part.view(batch, length, self.heads, width // self.heads).transpose(1, 2)
            for part in self.qkv(self.ln_1(x)).split(width, dim=2)
        )
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(y.transpose(1, 2).reshape(batch, length, width))
        return x + self.out(F.gelu(self.fc(self.ln_2(x)), approximate="tanh"))


class GPT(nn.Module):
    """A small language model; `forward(tokens, targets)` is its loss."""

    def __init__(self, vocabulary: int = 512, length: int = 64, width: int = 128, heads: int = 4, layers: int = 4):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
        self.layers = nn.Sequential(*(GPTLayer(width, heads) for _ in range(layers)))
        self.ln, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary, bias=False)

    def forward(self, tokens: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        x = self.tokens(tokens) + self.positions(torch.arange(tokens.shape[1]))
        return F.cross_entropy(self.head(self.ln(self.layers(x))).flatten(0, 1), targets.flatten())


def bert_layer(width: int = 256, heads: int = 4) -> nn.Module:
    """transformers' BertLayer, called with hidden states."""
    from transformers.models.bert.configuration_bert import BertConfig
    from transformers.models.bert.modeling_bert import BertLayer

    config = BertConfig(hidden_size=width, num_attention_heads=heads, intermediate_size=4 * width, num_hidden_layers=1)
    config._attn_implementation = "sdpa"
    return _First(BertLayer(config))


def llama_model(width: int = 256, heads: int = 4, layers: int = 1) -> nn.Module:
    """transformers' LlamaModel of some layers, called with token numbers."""
    from transformers import LlamaConfig, LlamaModel

    config = LlamaConfig(
        hidden_size=width, num_attention_heads=heads, num_key_value_heads=heads // 2, intermediate_size=3 * width,
        num_hidden_layers=layers, vocab_size=512, max_position_embeddings=256, use_cache=False,
    )  # fmt: skip
    return _First(LlamaModel(config))


class _First(nn.Module):
    """The first of a model's results."""

    def __init__(self, model: nn.Module):
        super().__init__()
        self.model = model

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        result = self.model(x)
        return result if isinstance(result, torch.Tensor) else result[0]
