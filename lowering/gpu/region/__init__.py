"""Kernels of kind "region" for many threads: read from tensors as on a CPU (`vector/region`), one launch or a few for each loop nest."""
