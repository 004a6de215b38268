"""Processes of this Python that hlo starts."""

from __future__ import annotations

import sys

_START = "import sys; sys.path[:] = {path!r}; import runpy; runpy.run_module({module!r}, run_name='__main__', alter_sys=True)"


def module_command(module: str, *arguments: str, flags: tuple[str, ...] = ()) -> list[str]:
    """The command line that runs a module with the imports of this process. `python -m` would look in the working
    directory first: a folder of the user's that is called like a package is another one."""
    return [sys.executable, *flags, "-c", _START.format(path=sys.path, module=module), *arguments]
