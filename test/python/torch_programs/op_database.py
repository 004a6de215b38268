"""PyTorch's operator database through hlo: forward and backward of its samples against eager mode.

    PYTHONPATH=test/python python -m torch_programs.op_database --samples 5 --ops add mul      # all core ops without --ops

Samples that differ are printed; the last lines count them by op. KNOWN holds those that are known to differ, each with the reason."""

from __future__ import annotations

import argparse
import collections
import logging
import time
import traceback
import warnings
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import torch
from functorch.compile import aot_function
from torch._functorch.partitioners import min_cut_rematerialization_partition
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils._pytree import tree_flatten, tree_unflatten

from hlo.torch.decompositions import decompositions
from hlo.torch.dynamo import compile_graph

DTYPES = (torch.float32, torch.float64, torch.int64, torch.bool, torch.bfloat16)

OF_CORE_OPS = {
    "_adaptive_avg_pool2d": ["nn.functional.adaptive_avg_pool2d"],
    "_adaptive_avg_pool3d": ["nn.functional.adaptive_avg_pool3d"],
    "_cdist_forward": ["cdist"],
    "_embedding_bag": ["nn.functional.embedding_bag"],
    "_fft_c2r": ["fft.irfft", "fft.hfft", "fft.irfft2", "fft.irfftn"],
    "_fft_r2c": ["fft.rfft", "fft.ihfft", "fft.rfft2", "fft.rfftn"],
    "_log_softmax": ["log_softmax"],
    "_native_batch_norm_legit": ["nn.functional.batch_norm", "nn.functional.instance_norm", "_native_batch_norm_legit"],
    "_pdist_forward": ["nn.functional.pdist"],
    "_softmax": ["softmax"],
    "_to_copy": ["to", "float", "long", "bool", "bfloat16"],
    "avg_pool2d": ["nn.functional.avg_pool1d", "nn.functional.avg_pool2d"],
    "avg_pool3d": ["nn.functional.avg_pool3d"],
    "col2im": ["nn.functional.fold"],
    "constant_pad_nd": ["nn.functional.pad"],
    "convolution": ["nn.functional.conv1d", "nn.functional.conv2d", "nn.functional.conv3d", "nn.functional.conv_transpose1d",
                    "nn.functional.conv_transpose2d", "nn.functional.conv_transpose3d"],
    "empty": [],  # holds anything
    "empty_strided": [],
    "empty_permuted": [],
    "nonzero": [],  # its size is known at run time only: nothing is captured without Dynamo
    "rand": [],  # without tensors nothing is captured, and tracing draws
    "randn": [],
    "elu": ["nn.functional.elu"],
    "embedding": ["nn.functional.embedding"],
    "gelu": ["nn.functional.gelu"],
    "grid_sampler_2d": ["grid_sampler_2d", "nn.functional.grid_sample"],
    "hardtanh": ["nn.functional.hardtanh"],
    "leaky_relu": ["nn.functional.leaky_relu"],
    "max_pool2d_with_indices": ["nn.functional.max_pool1d", "nn.functional.max_pool2d"],
    "max_pool3d_with_indices": ["nn.functional.max_pool3d"],
    "native_dropout": ["nn.functional.dropout"],
    "native_group_norm": ["nn.functional.group_norm"],
    "native_layer_norm": ["nn.functional.layer_norm"],
    "relu": ["nn.functional.relu"],
    "upsample_bilinear2d": ["nn.functional.interpolate", "nn.functional.upsample_bilinear"],
    "upsample_nearest2d": ["nn.functional.upsample_nearest"],
}  # fmt: skip
"""The database's names where they are not the op's."""

KNOWN: dict[tuple[str, str], str] = {
    (
        "index_put",
        "nonzero",
    ): "a mask as index under a gradient becomes nonzero, which Dynamo captures and tracing here does not",
    ("grid_sampl", "bfloat16"): "decomposed by PyTorch in bf16 where its kernel computes in f32: places are rounded",
    ("instance_norm", "bfloat16"): "one rounding more or less of a mean",
    ("conv_transpose", "bfloat16"): "sums near 0 whose terms are rounded in another order",
}
"""(name in the database, part of what is reported) to the reason why samples differ."""


def core_names() -> set[str]:
    """The ATen ops of PyTorch's core set, without their overloads."""
    packets = (getattr(torch.ops.aten, name) for name in dir(torch.ops.aten))
    overloads = (getattr(p, o) for p in packets if hasattr(p, "overloads") for o in p.overloads())
    return {op.overloadpacket.__name__ for op in overloads if torch.Tag.core in op.tags}


def core_infos() -> list[Any]:
    """The entries of the database that are about core ops."""
    wanted = {name for core in core_names() for name in OF_CORE_OPS.get(core, [core])}
    return [info for info in op_db if info.name in wanted]


@dataclass
class Report:
    """What came of the samples of one entry and element type."""

    right: int = 0
    wrong: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    """Of samples of which PyTorch ran a part, what it ran."""


class _Left(logging.Handler):
    """Counts warnings of ops that are not compiled."""

    def __init__(self) -> None:
        super().__init__()
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


def check(info: Any, dtype: torch.dtype, samples: int) -> Report:
    """Runs some samples of an entry, evenly taken from all."""
    report, handler = Report(), _Left()
    logger = logging.getLogger("hlo.torch")
    logger.addHandler(handler)
    with_gradient = (
        info.supports_autograd and dtype in info.supported_backward_dtypes("cpu") and dtype.is_floating_point
    )
    try:
        given = list(info.sample_inputs("cpu", dtype, requires_grad=with_gradient))
        step = max(1, len(given) // samples)
        for sample in islice(given, 0, samples * step, step):
            before = len(handler.messages)
            problem = _difference(info, sample, with_gradient)
            if problem:
                report.wrong.append(problem)
            report.right += not problem
            report.left += handler.messages[before : before + 1]
    finally:
        logger.removeHandler(handler)
    return report


def _difference(info: Any, sample: Any, with_gradient: bool) -> str:
    """What a sample gives that eager mode does not; "" if nothing."""
    leaves, spec = tree_flatten((sample.input, sample.args, sample.kwargs))
    places = [n for n, v in enumerate(leaves) if isinstance(v, torch.Tensor)]

    def function(*tensors: torch.Tensor) -> Any:
        filled = list(leaves)
        for place, tensor in zip(places, tensors):
            filled[place] = tensor
        first, rest, named = tree_unflatten(filled, spec)
        return info.op(first, *rest, **named)

    tensors = [leaves[n] for n in places]
    try:
        expected = _results(function, tensors, with_gradient)
    except Exception:
        return ""  # a sample that eager mode refuses
    try:
        compiled = aot_function(
            function,
            fw_compiler=lambda graph, _: compile_graph(graph),
            bw_compiler=lambda graph, _: compile_graph(graph),
            partition_fn=min_cut_rematerialization_partition,
            decompositions=decompositions(),
        )
        found = _results(compiled, tensors, with_gradient)
        torch.testing.assert_close(found, expected, equal_nan=True, **_tolerance(tensors))
    except Exception as error:
        message = " ".join(str(error).split())[:300]
        shapes = [tuple(t.shape) for t in tensors]
        rest = [v for v in leaves if not isinstance(v, torch.Tensor)]
        return f"{type(error).__name__}: {message} for {shapes} {rest}"
    return ""


def _tolerance(tensors: Any) -> dict[str, float]:
    """PyTorch's defaults but for bf16: a rounding more or less in what one op is made of."""
    return {"rtol": 0.016, "atol": 0.01} if any(t.dtype == torch.bfloat16 for t in tensors) else {}


def _results(function: Any, tensors: Any, with_gradient: bool) -> list[Any]:
    """Results, and the gradients of a sum of them with weights that are no ones."""
    torch.manual_seed(0)
    given = [t.detach().clone(memory_format=torch.preserve_format).requires_grad_(t.requires_grad) for t in tensors]
    results = [v for v in tree_flatten(function(*given))[0] if isinstance(v, torch.Tensor)]
    smooth = [v for v in results if v.requires_grad]
    if not with_gradient or not smooth:
        return [v.detach() for v in results]
    total = sum((v * torch.linspace(0.5, 1.5, v.numel(), dtype=v.real.dtype).reshape(v.shape)).abs().sum() if v.dtype.is_complex
                else (v * torch.linspace(0.5, 1.5, v.numel(), dtype=v.dtype).reshape(v.shape)).sum() for v in smooth)  # fmt: skip
    inputs = [t for t in given if t.requires_grad]
    gradients = torch.autograd.grad(total, inputs, allow_unused=True)
    return [v.detach() for v in results] + [g for g in gradients if g is not None]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ops", nargs="*", help="names in the database")
    parser.add_argument("--samples", type=int, default=5, help="of each op and element type")
    parser.add_argument("--dtypes", nargs="*", help="float32, ...")
    parser.add_argument("--from-op", default="", help="begin with this name in the order of the alphabet")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    dtypes = [getattr(torch, d) for d in options.dtypes] if options.dtypes else DTYPES
    infos = [i for i in sorted(core_infos(), key=lambda i: i.name) if not options.ops or i.name in options.ops]
    right = wrong = left = 0
    reasons: collections.Counter[str] = collections.Counter()
    by_op: collections.Counter[str] = collections.Counter()
    start = time.perf_counter()
    for info in infos:
        if info.name < options.from_op:
            continue
        for dtype in dtypes:
            if dtype not in info.supported_dtypes("cpu"):
                continue
            try:
                report = check(info, dtype, options.samples)
            except Exception:
                traceback.print_exc(limit=3)
                continue
            right, wrong, left = right + report.right, wrong + len(report.wrong), left + len(report.left)
            reasons.update(report.left)
            by_op[info.name] += len(report.wrong)
            for problem in report.wrong:
                what = f"{info.name} {info.variant_test_name} {dtype}: {problem}"
                known = next((r for (name, part), r in KNOWN.items() if name in info.name and part in what), None)
                print(what, f"(known: {known})" if known else "", flush=True)
    print(f"{right + wrong} samples of {len(infos)} entries, {right} equal ({right / max(right + wrong, 1):.4f}), "
          f"{left} with a part run by PyTorch, {time.perf_counter() - start:.0f} s")  # fmt: skip
    for reason, count in reasons.most_common():
        print(f"{count} times {reason}")
    print("differ:", {k: n for k, n in by_op.most_common() if n})
    return 0


if __name__ == "__main__":
    main()
