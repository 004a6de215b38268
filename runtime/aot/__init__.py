"""Programs as object files with a C interface (hlo.aot)."""
