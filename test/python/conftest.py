"""For all tests: nothing comes from the compile cache of the person who runs them, and nothing goes there."""

import os

os.environ["HLO_CACHE_DIR"] = ""
