"""Sorts of rows: all of each, its indices in sorted order, its first elements (`top_k`).

What is sorted. A comparator that compares keys says which they are, and the order of each is that of an unsigned number
(`keys.py`): ascending or descending, floats with one zero and one NaN or with all of them. A number and the index of
its element make words (`words/key_words.py`), which are what vectors sort; elements and indices are made of sorted
words, other operands are taken by sorted indices (`by_keys.py`, `numbers.py`). Other comparators are called.

Which algorithm. `choice.py` has the conditions, docs/kernels.md the table.

in vectors      `by_routines.py` calls routines, whose code has no shapes: `rows/` (long ones, parts for two threads,
                many short ones), `selection/`, `counting.py`, made of what sorts words in `words/`
one by one      loops over elements: `comparisons/` by any comparator, on one thread or by those of a GPU, `radix.py`
                by keys"""
