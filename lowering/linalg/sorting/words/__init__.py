"""Words that have keys and indices, and how vectors sort them."""
