"""Kernels one after another on the same rows: a block of rows goes through all of them while it is in the cache.

A contraction and what is computed from its rows (bias and activation, softmax), perhaps a second contraction of the
result (attention). `chains.py` finds them, `binding.py` tells which dimensions of each value are the rows, `emit.py`
writes the loop over blocks, whose stages are the emitters' ordinary code for the shape of a block."""
