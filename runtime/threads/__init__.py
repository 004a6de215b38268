"""Threads that run the parts of kernels: how many there are, and the pool."""
