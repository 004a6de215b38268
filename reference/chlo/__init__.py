"""The ops of CHLO."""
