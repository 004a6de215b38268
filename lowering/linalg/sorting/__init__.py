"""sort: which of the ways of sorting a program's sort takes, and those ways."""
