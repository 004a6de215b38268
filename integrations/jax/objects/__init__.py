"""What JAX holds: the client, devices and their memories, buffers, executables."""
