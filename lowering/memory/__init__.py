"""Rewrites that produce memory."""
