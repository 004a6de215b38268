"""Contractions (matrix products, convolutions): one micro-kernel, packing where it is profitable, one loop nest.

Every contraction is a list of dimensions with a stride in each of A, B and C (`problem.py`): rows are dimensions of A and
C, lanes of B and C, contracted ones of A and B, batch ones of all three. A convolution is the same with more dimensions."""
