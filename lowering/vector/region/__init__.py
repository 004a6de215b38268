"""The loop emitter: a kernel of linalg ops becomes loops over vectors.

graph.py     the kernel as stages: what is computed over which dimensions and stored where
index.py     dimensions, and affine positions made of them
padding.py   reads of padded arrays: bounds, and when they hold; padded_read.py: their code
rolls.py     reads of arrays of which the end is moved to the front; rolled_read.py: their code
accesses.py  every memory access of a stage as an affine position
plan.py      which dimension runs in lanes, what is unrolled, the order of loops
code.py      the function being written: loops, constants, hoisting
evaluate.py  demand-driven evaluation of a tile: one linalg value at an index, as vectors
memory.py    loads and stores of tiles
combine.py   how partial results of a reduction are merged
tile_loops.py, accumulators.py, sweep.py   the loops of a stage, its partial results, its loop nests
emitter.py   the entry: kernel function in, code function out"""
