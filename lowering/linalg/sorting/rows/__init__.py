"""Rows of an array, taken to words and back."""
