"""Differential tests: random programs, compiled for the CPU and compared with the reference (docs/testing.md).

    python -m hlo.tools.differential --programs 50000 -j 2 --seed 7

`families/` holds one small generator an op, `draft.py` a program being generated, `data.py` the numbers it is run on,
`moved.py` how far a correct result may lie from the reference's, `batch.py` many programs as one module."""
