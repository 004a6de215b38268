"""PyTorch on hlo: `torch.compile(model, backend="hlo")`, and `hlo.torch.export(model, args)` for the StableHLO text of a model.

    import torch
    model = torch.compile(model, backend="hlo")       # found by the entry point torch_dynamo_backends

Parameters are arguments of the programs; tensors are read and written where they lie."""

from hlo.torch.versions import check_versions

check_versions()

from hlo.torch.dynamo import backend  # noqa: E402
from hlo.torch.exporting import export  # noqa: E402

__all__ = ["backend", "export"]
