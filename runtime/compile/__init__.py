"""From a module to an executable: pipelines, LLVM, object files."""
