"""Shardy's ops have no classes: they are read as unregistered ops (sharding/). MLIR's bindings look for this module at the
first op of the namespace; without it they searched every folder of the path again at each op."""
