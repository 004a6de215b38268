"""What stops a library's trial: one line that says what to do."""


class EcosystemError(Exception):
    """An environment that cannot be made, or a program that fails."""


class MissingPython(EcosystemError):
    """An interpreter that is not on PATH."""
