"""Rewrites that produce linalg."""
