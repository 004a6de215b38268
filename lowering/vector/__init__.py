"""Rewrites that produce vector."""
