"""PyTorch's operator database through hlo: forward and backward of its samples against eager mode.

    PYTHONPATH=test/support python -m torch_programs.op_database --samples 5 --ops add mul      # all core ops without --ops

Samples that differ are printed; the last lines count them by element type and op. A sample of f32 or bf16 that differs is run in f64, too: where
hlo's error is below eager mode's it is counted as "nearer". With --report a run that was stopped goes on where it was. KNOWN holds those that are
known to differ, each with the reason."""

from __future__ import annotations

import argparse
import collections
import dataclasses
import json
import logging
import math
import warnings
from pathlib import Path
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
    ("conv3d", "float32"): "sums of many products in another order",
    ("conv_transpose3d", "float32"): "sums of many products in another order",
    ("grid_sampler_2d", "float32"): "roundings in the gradient by cubic weights: both sides are about as far from f64",
    ("eigh", "item [1]"): "an eigenvector may be turned around, and PyTorch does not say which way it points",
    ("kthvalue", "item [1]"): "the place of one of several equal elements, which PyTorch leaves open",
    ("layer_norm", "item [2] for [(1,), (1,), (1,)]"): "a gradient that is zero: both sides hold roundings",
    ("sort", "item [1]"): "the order of equal elements, which only a stable sort says",
    ("topk", "item [1]"): "the order of equal elements, which PyTorch leaves open",
}
"""(name in the database, part of what is reported) to the reason why samples differ."""


def core_names() -> set[str]:
    """The ATen ops of PyTorch's core set, without their overloads."""
    packets = (getattr(torch.ops.aten, name) for name in dir(torch.ops.aten))
    overloads = (getattr(p, o) for p in packets if hasattr(p, "overloads") for o in p.overloads())
    return {op.overloadpacket.__name__ for op in overloads if torch.Tag.core in op.tags}


def infos(beyond_core: bool = False) -> list[Any]:
    """The entries of the database that are about core ops, or all others."""
    wanted = {name for core in core_names() for name in OF_CORE_OPS.get(core, [core])}
    found = [info for info in op_db if (info.name in wanted) != beyond_core]
    return sorted(found, key=lambda i: (i.name, i.variant_test_name))


@dataclasses.dataclass
class Report:
    """What came of the samples of one entry and element type."""

    right: int = 0
    nearer: list[str] = dataclasses.field(default_factory=list)
    """Samples that differ from eager mode and are nearer to f64 than it."""
    wrong: list[str] = dataclasses.field(default_factory=list)
    left: list[str] = dataclasses.field(default_factory=list)
    """Of samples of which PyTorch ran a part, what it ran."""


class _Left(logging.Handler):
    """Counts warnings of ops that are not compiled."""

    def __init__(self) -> None:
        super().__init__()
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


def check(info: Any, dtype: torch.dtype, samples: int) -> Report:
    """Runs some samples of an entry, evenly taken from all; 0: all of them."""
    report, handler = Report(), _Left()
    logger = logging.getLogger("hlo.torch")
    logger.addHandler(handler)
    with_gradient = (
        info.supports_autograd and dtype in info.supported_backward_dtypes("cpu") and dtype.is_floating_point
    )
    try:
        given = list(info.sample_inputs("cpu", dtype, requires_grad=with_gradient))
        count = min(samples or len(given), len(given))
        for sample in (given[n * len(given) // count] for n in range(count)):
            before = len(handler.messages)
            problem, is_nearer = _difference(info, sample, with_gradient)
            if problem:
                (report.nearer if is_nearer else report.wrong).append(problem)
            report.right += not problem
            report.left += handler.messages[before : before + 1]
    finally:
        logger.removeHandler(handler)
    return report


def _difference(info: Any, sample: Any, with_gradient: bool) -> tuple[str, bool]:
    """What a sample gives that eager mode does not ("" if nothing), and whether it is nearer to f64."""
    leaves, spec = tree_flatten((sample.input, sample.args, sample.kwargs))
    places = [n for n, v in enumerate(leaves) if isinstance(v, torch.Tensor)]
    tensors = [leaves[n] for n in places]

    def with_leaves(leaves: list[Any]) -> Any:
        def function(*tensors: torch.Tensor) -> Any:
            filled = list(leaves)
            for place, tensor in zip(places, tensors):
                filled[place] = tensor
            first, rest, named = tree_unflatten(filled, spec)
            return info.op(first, *rest, **named)

        return function

    function = with_leaves(leaves)
    try:
        expected = _results(function, tensors, with_gradient)
    except Exception:
        return "", False  # a sample that eager mode refuses
    found = None
    try:
        found = _results(_compiled(function), tensors, with_gradient)
        torch.testing.assert_close(found, expected, equal_nan=True, **_tolerance(tensors))
    except Exception as error:
        message = " ".join(str(error).split())[:300]
        shapes = [tuple(t.shape) for t in tensors]
        rest = [v for v in leaves if not isinstance(v, torch.Tensor)]
        problem = f"{type(error).__name__}: {message} for {shapes} {rest}"
        if found is None or not isinstance(error, AssertionError):
            return problem, False
        try:
            exact = _results(with_leaves([_in_f64(v) for v in leaves]), [_in_f64(t) for t in tensors], with_gradient)
        except Exception:
            return problem, False  # eager mode has no f64 here
        return problem, _is_nearer(found, expected, exact, _tolerance(tensors))
    return "", False


def _compiled(function: Any) -> Any:
    return aot_function(
        function,
        fw_compiler=lambda graph, _: compile_graph(graph),
        bw_compiler=lambda graph, _: compile_graph(graph),
        partition_fn=min_cut_rematerialization_partition,
        decompositions=decompositions(),
    )


def _in_f64(leaf: Any) -> Any:
    """A sample's tensor in f64, its float type as f64, anything else as it is."""
    if isinstance(leaf, torch.dtype):
        return torch.float64 if leaf.is_floating_point else leaf
    if not isinstance(leaf, torch.Tensor) or not leaf.dtype.is_floating_point:
        return leaf
    return leaf.detach().double().requires_grad_(leaf.requires_grad)


def _is_nearer(found: list[Any], expected: list[Any], exact: list[Any], tolerance: dict[str, float]) -> bool:
    """Whether, of each tensor that differs, both the greatest and the mean error are below eager mode's."""
    if not len(found) == len(expected) == len(exact):
        return False
    for ours, eager, right in zip(found, expected, exact):
        try:
            torch.testing.assert_close(ours, eager, equal_nan=True, **tolerance)
        except AssertionError:
            if ours.dtype not in (torch.float32, torch.bfloat16) or ours.shape != right.shape or right.is_complex():
                return False
            (greatest, mean), (eager_greatest, eager_mean) = _errors(ours, right), _errors(eager, right)
            is_same_computation = (
                mean <= 0.02 * right.abs().mean().item()
            )  # not so where f64 draws other random numbers
            if not (is_same_computation and greatest <= eager_greatest and mean < eager_mean):
                return False
    return True


def _errors(found: torch.Tensor, exact: torch.Tensor) -> tuple[float, float]:
    """The greatest and the mean distance; infinities and NaN are right where both have them."""
    wide = found.double()
    is_same = (wide == exact) | (wide.isnan() & exact.isnan())
    distance = torch.where(is_same, 0.0, (wide - exact).abs()).nan_to_num(nan=math.inf)
    return distance.max().item(), distance.mean().item()


def _tolerance(tensors: Any) -> dict[str, float]:
    """PyTorch's defaults but for bf16: a rounding more or less in what one op is made of."""
    return {"rtol": 0.016, "atol": 0.01} if any(t.dtype == torch.bfloat16 for t in tensors) else {}


def _results(function: Any, tensors: Any, with_gradient: bool) -> list[Any]:
    """Results, and the gradients of a sum of them with weights that are no ones."""
    torch.manual_seed(42)  # as entries that draw random numbers do in eager mode, and in a graph when it is captured
    given = [t.detach().clone(memory_format=torch.preserve_format).requires_grad_(t.requires_grad) for t in tensors]
    results = [v for v in tree_flatten(function(*given))[0] if isinstance(v, torch.Tensor)]
    smooth = [v for v in results if v.requires_grad]
    if not with_gradient or not smooth:
        return [v.detach() for v in results]
    total = sum((v * _weights(v)).abs().sum() if v.dtype.is_complex else (v * _weights(v)).sum() for v in smooth)
    inputs = [t for t in given if t.requires_grad]
    gradients = torch.autograd.grad(total, inputs, allow_unused=True)
    return [v.detach() for v in results] + [g for g in gradients if g is not None]


def _weights(result: torch.Tensor) -> torch.Tensor:
    """Numbers from 0.5 to 1.5 that bf16 holds exactly: the same in each element type."""
    return (torch.arange(result.numel()) % 64 / 64 + 0.5).reshape(result.shape).to(result.real.dtype)


def explanation(info: Any, problem: str, dtype: torch.dtype) -> str:
    """Why a sample is known to differ; "" if it is not."""
    what = f"{info.name} {info.variant_test_name} {dtype}: {problem}"
    return next((r for (name, part), r in KNOWN.items() if name in info.name and part in what), "")


def summary(lines: list[dict[str, Any]]) -> str:
    """Counts of all lines of a report: samples that are equal, nearer to f64 than eager mode, and other."""
    total = _counts(lines)
    entries = len({(x["name"], x["variant"]) for x in lines})
    left = sum(len(line["left"]) for line in lines)
    text = [f"{sum(total)} samples of {entries} entries: {_told(total)}; {left} with a part run by PyTorch"]
    for title, key in (("by element type", "dtype"), ("by op", "name")):
        text.append(f"{title}:")
        for name in sorted({line[key] for line in lines}):
            counts = _counts([line for line in lines if line[key] == name])
            if key == "dtype" or sum(counts[1:]):
                text.append(f"  {name}: {_told(counts)}")
    reasons = collections.Counter(reason for line in lines for reason in line["left"])
    return "\n".join(text + [f"{count} times {reason}" for reason, count in reasons.most_common()])


def _counts(lines: list[dict[str, Any]]) -> tuple[int, int, int]:
    nearer, wrong = (sum(len(line[key]) for line in lines) for key in ("nearer", "wrong"))
    return sum(line["right"] for line in lines), nearer, wrong


def _told(counts: tuple[int, int, int]) -> str:
    right, nearer, wrong = counts
    share = right / max(sum(counts), 1)
    return f"{right} equal ({share:.4f}), {nearer} nearer to f64 than eager mode, {wrong} other"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ops", nargs="*", help="names in the database")
    parser.add_argument("--beyond-core", action="store_true", help="entries about other ops than core ones")
    parser.add_argument("--samples", type=int, default=5, help="of each op and element type; 0: all")
    parser.add_argument("--dtypes", nargs="*", default=[str(d).partition(".")[2] for d in DTYPES], help="float32, ...")
    parser.add_argument(
        "--report", type=Path, help="lines of JSON are added to this file; what it has already is not run again"
    )
    return parser.parse_args()


def main() -> int:
    options = _options()
    warnings.simplefilter("ignore")
    lines = (
        [json.loads(x) for x in options.report.read_text().splitlines()]
        if options.report and options.report.exists()
        else []
    )
    done = {(line["name"], line["variant"], line["dtype"]) for line in lines}
    for info in infos(options.beyond_core):
        for dtype in (getattr(torch, d) for d in options.dtypes):
            key = (info.name, info.variant_test_name, str(dtype).partition(".")[2])
            if (
                key in done
                or dtype not in info.supported_dtypes("cpu")
                or (options.ops and info.name not in options.ops)
            ):
                continue
            report = check(info, dtype, options.samples)
            for problem in report.nearer:
                print(*key, "nearer to f64:", problem, flush=True)
            for problem in report.wrong:
                why = explanation(info, problem, dtype)
                print(*key, f"{problem} (known: {why})" if why else problem, flush=True)
            lines.append({**dict(zip(("name", "variant", "dtype"), key)), **dataclasses.asdict(report)})
            if options.report:
                with options.report.open("a") as file:
                    print(json.dumps(lines[-1]), file=file)
    print(summary(lines))
    return 0


if __name__ == "__main__":
    main()
