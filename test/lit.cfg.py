"""lit: .mlir files under test/ are programs with RUN lines. `lit test` from the project's root."""

import os
import sys
from pathlib import Path

import lit.formats
import llvm

config.name = "hlo"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir"]
config.excludes = ["inputs"]
sys.path.insert(0, str(Path(__file__).parent))  # lit_formats, for test/e2e
config.test_source_root = str(Path(__file__).parent)
config.test_exec_root = os.environ.get("HLO_LIT_OUTPUT", str(Path(__file__).parent.parent / "build" / "lit"))

tools = [str(Path(sys.executable).parent), *(str(Path(p) / "bin") for p in llvm.__path__)]
config.environment["PATH"] = os.pathsep.join([*tools, config.environment.get("PATH", "")])
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"
config.environment["HLO_CACHE_DIR"] = ""
# The checkout that PYTHONPATH names is the one under test; the others choose processor and threads.
for name in ("PYTHONPATH", "PYTHONSAFEPATH", "HLO_CPU", "HLO_THREADS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
config.substitutions.append(("%target", lit_config.params.get("target", "cpu")))
config.available_features.add("target-" + lit_config.params.get("target", "cpu"))
