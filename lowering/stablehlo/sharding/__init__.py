"""Programs for one device to programs for each process of a mesh: docs/sharding.md tells how."""
