"""The loop emitter: a kernel of linalg ops becomes loops over vectors.

graph.py     the kernel as stages: what is computed over which dimensions and stored where
padding.py   reads of padded arrays: bounds, and when they hold
rolls.py     reads of arrays of which the end is moved to the front
bounded_read.py   the code of both
accesses.py  every memory access of a stage as an affine position
plan.py      which dimension runs in lanes, what is unrolled, the order of loops
code.py      the function being written: loops, constants, hoisting
evaluate.py  demand-driven evaluation of a tile: one linalg value at an index, as vectors
memory.py    loads and stores of tiles
combine.py   how partial results of a reduction are merged
positions.py   positions beside values (argmax) that need no comparison
loops.py, accumulators.py, stage_loops.py   loops, partial results, the lists of loops of a stage and what is inside
emitter.py   the entry: kernel function in, code function out"""
