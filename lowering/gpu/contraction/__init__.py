"""Contractions (matrix products, convolutions) as launches: what they are, which kernel multiplies, what becomes of the sums."""
