"""What JAX's profiler asks for and gets."""
