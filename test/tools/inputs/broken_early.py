"""Code that fails when it is loaded."""

raise RuntimeError("not today")
