"""Sums over what is computed from other contractions, which are computed again, tile by tile, instead of being in memory."""
