"""ELF files: object files are read, and linked into shared libraries."""
