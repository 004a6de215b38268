"""Passes on loops: invariants, what a loop carries, functions of elements."""
