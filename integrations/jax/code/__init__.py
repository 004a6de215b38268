"""The machine code of the plugin, by which calls run without Python, and the facts of the PJRT C interface that it needs."""
