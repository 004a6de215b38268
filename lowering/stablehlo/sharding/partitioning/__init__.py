"""The program of one process from a program with shardings."""
