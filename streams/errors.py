"""What can go wrong, drawn once.

CopydeskError
├── SettingsError       a setting is unknown or has a value that is not allowed
├── InputError          a file cannot be read as what it claims to be
├── StateError          kept state cannot be used: another version, or another number of partitions
├── BusError            the broker refused, or topics are missing or of the wrong shape
└── Unusable            an item cannot be judged; it becomes a dead letter with this reason
"""


class CopydeskError(Exception):
    """Whatever the command line shows as one line instead of a traceback."""


class SettingsError(CopydeskError):
    """A setting is unknown or has a value that is not allowed."""


class InputError(CopydeskError):
    """A file cannot be read as what it claims to be."""


class StateError(CopydeskError):
    """Kept state cannot be used: it has another version or another number of partitions."""


class BusError(CopydeskError):
    """The broker refused, or topics are missing or of the wrong shape."""


class Unusable(CopydeskError):
    """An item cannot be judged: `reason` is one of `records.REASONS`, `detail` names the value."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail
