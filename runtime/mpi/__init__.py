"""Grids whose processes are spread over the ranks of MPI (docs/parallel.md). Importing a module of this folder does not import mpi4py."""
