"""Sorts by any comparator, of any operands, one element after the other."""
