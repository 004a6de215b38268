"""Kernels are formed on tensors: which ops run as one piece, and how (schedules)."""
