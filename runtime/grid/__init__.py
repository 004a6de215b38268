"""Programs for several processes: where they meet, what they share, arrays of all of them."""
