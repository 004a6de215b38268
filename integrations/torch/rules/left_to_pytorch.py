"""Core ATen ops without a rule, each with the reason; PyTorch runs them between the programs."""

from hlo.torch.registry import eager

eager("the size of the result depends on its content", "nonzero")
eager("gives a Python number", "_local_scalar_dense", "sym_stride.int", "sym_storage_offset")
eager("draws random numbers", "rand", "randn", "randperm", "native_dropout")
eager("what its last three results hold is a matter of PyTorch's kernel", "_embedding_bag")
eager("changes the size of a tensor's memory", "resize_")
