"""What elements of tensors are computed from, read off linalg ops, for CPUs and GPUs: expressions, and what is looked for in them (softmax,
masks of positions)."""
