"""ATen ops without a rule, each with the reason; PyTorch runs them between the programs."""

from hlo.torch.registry import eager

eager(
    "the size of the result depends on its content",
    "nonzero",
    "_unique",
    "_unique2",
    "unique_dim",
    "unique_consecutive",
)
eager("how many numbers it draws depends on its content", "rrelu_with_noise_functional", "rrelu_with_noise")
eager("gives a Python number", "_local_scalar_dense", "sym_stride.int", "sym_storage_offset")
eager("draws random numbers", "rand", "randn", "randperm", "native_dropout")
eager("changes the size of a tensor's memory", "resize_")
