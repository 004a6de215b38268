"""Factorisations and triangular systems of batches of matrices, of StableHLO's ops and of LAPACK's routines."""
