"""Ops on windows: reduce_window, running reductions, convolution, select_and_scatter."""
