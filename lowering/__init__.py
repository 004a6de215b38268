"""Rewrites, in folders named for what they produce: stablehlo, linalg, kernels, vector, gpu, memory, llvm; and `expressions`, which they read."""
