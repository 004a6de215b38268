"""Elementary functions as vector arithmetic: no libm call in a loop, the same results on every machine with fma."""
