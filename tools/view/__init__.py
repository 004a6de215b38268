"""What `hlo-view` shows: a program's way from StableHLO to machine code, collected as data and written as one HTML page."""
