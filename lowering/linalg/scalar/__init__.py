"""What each elementwise op computes for one element, as arith, math and complex ops on scalars."""
