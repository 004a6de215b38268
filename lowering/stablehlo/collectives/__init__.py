"""Collectives on a grid of processes."""
