"""`torch.compile(model, backend="hlo")`: AOTAutograd's graphs, forward and backward, become programs.

PyTorch decomposes what has no rule here, by its own table. What is left without a rule PyTorch runs itself, between the
programs of the rest of the graph; a warning names it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch._dynamo.backends.common import aot_autograd
from torch._functorch.aot_autograd import make_boxed_func
from torch._functorch.partitioners import min_cut_rematerialization_partition
from torch.fx import GraphModule

from hlo.errors import ArgumentError
from hlo.torch.decompositions import decompositions
from hlo.torch.partition import divide
from hlo.torch.random_draws import hoist_draws


def backend(
    graph: GraphModule, example_inputs: Sequence[Any], *, options: dict[str, Any] | None = None, **_: Any
) -> Callable[..., Any]:
    """What `torch.compile` calls for each graph that Dynamo has captured. `options`: those of `hlo.compile` (threads, cpu, isolate,
    cache). Raises ArgumentError for tensors that are not in the host's memory."""
    for number, tensor in enumerate(example_inputs):
        _check_device(number, tensor)

    def compiled(captured: GraphModule, _: Sequence[Any]) -> Callable[..., Any]:
        return compile_graph(captured, options)

    wrapped = aot_autograd(
        fw_compiler=compiled,
        bw_compiler=compiled,
        inference_compiler=compiled,
        decompositions=decompositions(),
        partition_fn=min_cut_rematerialization_partition,
        keep_inference_input_mutations=True,
    )
    return wrapped(graph, example_inputs)


def compile_graph(graph: GraphModule, options: dict[str, Any] | None = None) -> Callable[..., Any]:
    """A graph of ATen ops as a function of a list of arguments."""
    hoist_draws(graph)
    divided = divide(graph, options or {})
    return divided if getattr(divided, "_boxed_call", False) else make_boxed_func(divided)


def _check_device(number: int, tensor: Any) -> None:
    if isinstance(tensor, torch.Tensor) and tensor.device.type not in ("cpu", "meta"):
        raise ArgumentError(
            f'argument {number} is on {tensor.device}: torch.compile(..., backend="hlo") compiles for the CPU; move the model and its inputs with .cpu()'
        )
