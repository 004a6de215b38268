"""Machine code in this process: linked objects, and code that programs share."""
