"""Functions of users that programs call: callbacks in Python, and machine code by XLA's FFI."""
