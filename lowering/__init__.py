"""Rewrites, in folders named for what they produce: stablehlo, linalg, vector, memory, gpu; and `expressions`, which they read."""
