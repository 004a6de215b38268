"""Models through torch.compile(backend="hlo") beside eager mode and Inductor, in turns in one process:

    PYTHONPATH=test/support python bench/torch_models.py --seconds 5 resnet18 gpt

Prints the best time of each (inference, forward and backward, and a whole step with AdamW), how far results are apart,
and the processor's load is not looked at: run it on a machine that does nothing else. Inductor's columns are empty
where it cannot run (no C++ compiler)."""

from __future__ import annotations

import argparse
import copy
import math
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import torch
from torch_programs import models

MODELS: dict[str, Callable[[], tuple[Any, tuple[Any, ...]]]] = {
    "resnet18": lambda: (models.ResNet18(), (torch.randn(1, 3, 128, 128),)),
    "vit": lambda: (models.ViTBlock(384, 6), (torch.randn(1, 197, 384),)),
    "bert": lambda: (models.bert_layer(), (torch.randn(1, 128, 256),)),
    "llama": lambda: (models.llama_model(), (torch.randint(0, 512, (1, 64)),)),
    "lstm": lambda: (models.LSTM(), (torch.randn(8, 16, 64),)),
    "unet": lambda: (models.UNetBlock(), (torch.randn(1, 64, 32, 32),)),
    "gpt": lambda: (models.GPT(), (torch.randint(0, 512, (2, 64)), torch.randint(0, 512, (2, 64)))),
}
KINDS = ("inference", "training", "training with AdamW")
TURN = 5
"""Steps that follow each other in a turn, as in training: the first ones find the caches full of what another backend has left there."""
WITH_LOSS = {"gpt"}
"""Models whose result is a loss: a step of AdamW is measured, too."""


def infer(call: Any, inputs: tuple[Any, ...]) -> list[torch.Tensor]:
    with torch.no_grad():
        return [call(*inputs)]


def train(call: Any, inputs: tuple[Any, ...], model: Any) -> list[torch.Tensor]:
    model.zero_grad(set_to_none=True)
    torch.manual_seed(0)
    result = call(*inputs)
    (result * torch.linspace(0, 1, result.numel()).view(result.shape)).sum().backward()
    return [result.detach(), *(p.grad for p in model.parameters() if p.grad is not None)]


def update(call: Any, inputs: tuple[Any, ...], optimizer: Any, step: Any) -> list[torch.Tensor]:
    """A step of training a model whose result is its loss."""
    optimizer.zero_grad(set_to_none=True)
    loss = call(*inputs)
    loss.backward()
    step()
    return [loss.detach()]


def runner(kind: str, model: Any, backend: str, inputs: tuple[Any, ...]) -> Callable[[], list[torch.Tensor]]:
    """What is measured, on a copy of a model."""
    own = copy.deepcopy(model)
    compiled = (lambda f: f) if backend == "eager" else (lambda f: torch.compile(f, backend=backend))
    call = compiled(own)
    if kind == "inference":
        return lambda: infer(call, inputs)
    if kind == "training":
        return lambda: train(call, inputs, own)
    optimizer = torch.optim.AdamW(own.parameters(), lr=1e-3)
    step = compiled(optimizer.step)
    return lambda: update(call, inputs, optimizer, step)


def apart(found: list[torch.Tensor], expected: list[torch.Tensor]) -> float:
    """The greatest distance of two results, each beside the greatest number of its tensor."""
    return max(((a - b).abs().max() / b.abs().max().clamp_min(1e-12)).item() for a, b in zip(found, expected))


def measure(name: str, kind: str, seconds: float, backends: list[str]) -> None:
    torch._dynamo.reset()
    torch.manual_seed(0)
    model, inputs = MODELS[name]()
    model.train(kind != "inference")
    runs = {backend: runner(kind, model, backend, inputs) for backend in backends}
    first, best = {}, dict.fromkeys(runs, math.inf)
    for backend, run in list(runs.items()):
        try:
            first[backend] = [t.clone() for t in run()]
        except Exception as error:
            print(f"  {backend}: {type(error).__name__}: {str(error)[:150]}", file=sys.stderr)
            del runs[backend], best[backend]
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for backend, run in runs.items():
            for _ in range(TURN):
                start = time.perf_counter()
                run()
                best[backend] = min(best[backend], time.perf_counter() - start)
    times = " | ".join(f"{best[k] * 1e3:.2f}" if k in best else "" for k in backends)
    ratios = " | ".join(f"{best[k] / best['hlo']:.2f}" if k in best else "" for k in backends if k != "hlo")
    print(f"| {name}, {kind} | {times} | {ratios} | {apart(first['hlo'], first['eager']):.1e} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", default=list(MODELS))
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--backends", nargs="*", default=["eager", "inductor", "hlo"])
    parser.add_argument("--only", choices=KINDS)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    torch._dynamo.config.allow_rnn = True
    names = " | ".join(f"{b}, ms" for b in options.backends)
    print(f"| | {names} | {' | '.join(f'{b}/hlo' for b in options.backends if b != 'hlo')} | apart |")
    for name in options.models:
        for kind in [options.only] if options.only else KINDS if name in WITH_LOSS else KINDS[:2]:
            measure(name, kind, options.seconds, options.backends)


if __name__ == "__main__":
    main()
