"""What the words of a record are: word 0 is zero, words from 1 on belong to the kind of object.

A buffer has its element type, its dimensions (address and number), device, memory, whether it is deleted, its size in
bytes, its event, its address; its own block of memory where it has one, and whether machine code made it; of a host
array that is used where it lies (borrowed), whether it still is, and from there on the event of the borrow's end:
whether it has happened, a function and its argument.

A device has its description, its number in its process (-1: of another one), its memories (address and number), the
default one, and whether it is of this process; a description its device's number, two texts (address and length each),
and the number of its process; a memory the text of its kind, its number, its name, and its devices (address and
number)."""

from __future__ import annotations

CODE_WORD, DIMENSIONS, DIMENSION_COUNT, DEVICE, MEMORY = range(1, 6)
DELETED, SIZE = 6, 7
EVENT, ADDRESS = 8, 9
COUNT = 10
"""Owners."""

NEXT = 11
"""Links the records that nobody owns any more until Python collects them."""

BLOCK, NATIVE = 12, 13

DEFAULT_MEMORY = 5
"""Of a device."""

MEMORY_DEVICES = 6

BORROWED, BORROW_ENDED, ON_END, ON_END_ARGUMENT = range(14, 18)

RECORD_WORDS = 18
RECORD_BYTES = 8 * RECORD_WORDS

KEPT_COUNT = 8
"""Of the options of a call: how many donated arguments are not to be overwritten; the word before has the address of their numbers."""
