"""Passes on calls and functions: inlining, outlining, what custom calls name."""
