"""Running programs on a GPU: launch plans, drivers, executables."""
