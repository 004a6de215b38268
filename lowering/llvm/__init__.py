"""Rewrites on the way to the LLVM dialect: math functions, element types and instructions that processors lack, parts for threads, the entry."""
