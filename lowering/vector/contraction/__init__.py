"""Contractions (matrix products, convolutions): one micro-kernel, packing where it is profitable, one loop nest.

Every contraction is a list of dimensions with a stride in each of A, B and C (`problem.py`): m are dimensions of A and
C, n of B and C, k of A and B, batch ones of all three. A convolution is the same with more dimensions."""
