"""A numpy model of a GPU: runs gpu.func on the CPU, all threads of a launch in lock step, every access checked."""
