"""Measurements: `python -m bench` compares hlo with XLA:CPU and IREE; bench/accuracy.py measures errors of functions."""
