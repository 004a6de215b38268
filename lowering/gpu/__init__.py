"""Kernels as gpu.func, and their PTX."""
