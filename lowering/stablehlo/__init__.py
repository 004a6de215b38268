"""Rewrites that produce stablehlo."""
