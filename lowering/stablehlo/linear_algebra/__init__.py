"""Factorisations: LAPACK's calls as StableHLO's ops, large ones by halves."""
