"""Fourier transforms as vector code: `emit.py` writes a kernel, `plan.py` decides how."""
