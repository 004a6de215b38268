"""The record that a program with timers writes into: 64-bit words, whose numbers are here.

First the totals, then the threads that have been seen, then a block of rows for each of them, ROW_WORDS each; events
are a list of their own. Threads write into blocks of their own, so that no cache line goes from one to the other while
a program runs; what several threads write (the number of events) and what all of them read (the threads) are lines of
their own, too."""

LINE_WORDS = 8
"""Words of a cache line; a record, and each block of rows in it, begins at one."""

(
    RUNS, RUN_NANOSECONDS, RUN_TICKS, START_TICKS, START_NANOSECONDS, CAPACITY, EVENTS_AT, BLOCK_WORDS, EVENTS,
) = range(9)  # fmt: skip
"""How often the program ran, and how long that took by both clocks; when the last run began; for how many events there is room, and where;
how many words lie from one thread's rows to the next's; how many events there were."""

THREADS = 2 * LINE_WORDS
THREADS_AT = THREADS + 1
"""How many threads have a number, and the first one's identity."""

MOST_THREADS = 63
"""Threads that come later use the last block together."""

FIRST_ROW = THREADS + 1 + MOST_THREADS
"""Of the first thread."""

CALLS, TICKS, BUSY, WAITED, PARTS = range(5)
"""Words of a row, as far as one thread is concerned: the calls that it made and how long they took; how long it took for parts of them and
how many these were; how long it waited for others' parts."""
ROW_WORDS = 5


def block_words(rows: int) -> int:
    """The words of a thread's block: whole cache lines."""
    return -(-rows * ROW_WORDS // LINE_WORDS) * LINE_WORDS


IS_LAP, IS_PART, IS_SPAN, IS_RUN = range(4)
"""Kinds of events: a call, a part of one on some thread, a loop or a layer's call, a run of the program."""

EVENT_WORDS = 4
"""Of an event: its row and, from bit 32 on, its kind; the thread's number; start; end."""
