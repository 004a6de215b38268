"""`hlo-reduce`: edits that make a program smaller, tried one by one as long as it still fails.

Edits and runs happen in a worker process (`worker.py`), as either may crash; `search.py` decides what to try next."""
