"""The record that a program with timers writes into: 64-bit words, whose numbers are here.

First the totals, then the threads that have been seen, then the rows, ROW_WORDS each; events are a list of their own."""

(
    RUNS, RUN_NANOSECONDS, RUN_TICKS, START_TICKS, START_NANOSECONDS, EVENTS, CAPACITY, EVENTS_AT, THREADS, THREADS_AT,
) = range(10)  # fmt: skip
"""How often the program ran, and how long that took by both clocks; when the last run began; how many events there were, for how many
there is room, and where; how many threads have a number, and the first one's identity."""

MOST_THREADS = 64
"""A row says in the bits of one word which threads it ran on."""

FIRST_ROW = THREADS_AT + MOST_THREADS

CALLS, TICKS, BUSY, WAITED, USED, PARTS = range(6)
"""Words of a row: its calls and how long they took; how long all threads took for its parts; how long the threads that called waited for
others; the threads that ran parts, as bits; how many parts there were."""
ROW_WORDS = 6

IS_LAP, IS_PART, IS_SPAN, IS_RUN = range(4)
"""Kinds of events: a call, a part of one on some thread, a loop or a layer's call, a run of the program."""

EVENT_WORDS = 4
"""Of an event: its row and, from bit 32 on, its kind; the thread's number; start; end."""
