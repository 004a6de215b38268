"""The op classes of linalg, as MLIR's bindings look for them when they meet the first op.

`mlir.dialects.linalg`, which they would find otherwise, defines its named ops a second time, in a language of its own: that takes
0.06 s of the first compile, and nothing here builds named ops by it. A program that wants it imports it as always."""

from mlir.dialects._linalg_ops_gen import *  # noqa: F403
