"""Runs in the child: give up root, ask to be signalled when the parent dies, then become the server.

`python -I -S launch.py ORDER PROGRAM ARGUMENT...` with ORDER as `LaunchOrder` in JSON; the environment of the
server is JSON in a variable, because everybody can read a command line. This is a program of its own rather
than a function between fork and exec, because the parent has threads (Temporal's client brings them) and only
async-signal-safe code may run in the fork of a process with threads. It uses the standard library alone,
never returns to the parent's code, and never keeps more than one capability.
"""

import ctypes
import json
import os
import sys
from dataclasses import asdict, dataclass

PR_SET_PDEATHSIG = 1
PR_SET_SECUREBITS = 28
PR_SET_NO_NEW_PRIVS = 38
PR_CAP_AMBIENT = 47
PR_CAP_AMBIENT_RAISE = 2
SECBIT_NO_SETUID_FIXUP = 1 << 2
CAPABILITY_VERSION_3 = 0x20080522

EXIT_REFUSED = 126
ENVIRONMENT_VARIABLE = "KEEPWELL_LAUNCH_ENVIRONMENT"


@dataclass(frozen=True, slots=True)
class LaunchOrder:
    """What the child does to itself. `uid` and `gid` are None to stay; `capability` is a Linux number."""

    parent: int
    death_signal: int
    uid: int | None = None
    gid: int | None = None
    capability: int | None = None

    def to_json(self) -> str:
        """The order as one argument of a command line."""
        return json.dumps(asdict(self))


class CapabilityHeader(ctypes.Structure):
    """`struct __user_cap_header_struct` of Linux."""

    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class CapabilityData(ctypes.Structure):
    """`struct __user_cap_data_struct` of Linux: one of two halves of 32 capabilities."""

    _fields_ = (
        ("effective", ctypes.c_uint32),
        ("permitted", ctypes.c_uint32),
        ("inheritable", ctypes.c_uint32),
    )


def launch(order: LaunchOrder, argv: list[str], environment: dict[str, str]) -> None:
    """Carry out `order` and execute `argv` with `environment` alone; returns only by an OSError."""
    linux = linux_calls()
    keep = order.capability if linux is not None else None
    if linux is not None and keep is not None:
        # Without this bit access(2) judges a user other than root as if it had no capability, and Postgres
        # asks access(2) whether it may execute itself. It also lets the capabilities outlive setuid.
        control(linux, PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP)
    if order.uid is not None and order.gid is not None:
        os.setgroups([])
        os.setgid(order.gid)
        os.setuid(order.uid)
    if linux is not None and keep is not None:
        keep_one_capability(linux, keep)
    if linux is not None:
        control(linux, PR_SET_NO_NEW_PRIVS, 1)
        # The kernel forgets this request at every change of credentials, so that it comes last.
        control(linux, PR_SET_PDEATHSIG, order.death_signal)
    if os.getppid() != order.parent:
        raise OSError(0, "the parent process is gone")
    os.execve(argv[0], argv, environment)


def linux_calls() -> ctypes.CDLL | None:
    """The C library, through which Linux takes what Python has no function for; None on other systems."""
    return ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def keep_one_capability(linux: ctypes.CDLL, capability: int) -> None:
    """Give up all capabilities but `capability` and let that one pass through exec. Raises OSError."""
    halves = (CapabilityData * 2)()
    bit = 1 << (capability % 32)
    halves[capability // 32] = CapabilityData(bit, bit, bit)
    header = CapabilityHeader(CAPABILITY_VERSION_3, 0)
    if linux.capset(ctypes.byref(header), halves) != 0:
        raise OSError(ctypes.get_errno(), "capset")
    control(linux, PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability)


def control(linux: ctypes.CDLL, option: int, *values: int) -> None:
    """prctl(2). Raises OSError."""
    # The kernel refuses some options unless the unused arguments are zero, each as wide as a long.
    arguments = [ctypes.c_ulong(value) for value in (*values, 0, 0, 0, 0)[:4]]
    if linux.prctl(ctypes.c_int(option), *arguments) != 0:
        raise OSError(ctypes.get_errno(), f"prctl {option}")


def main() -> None:
    """Read the command line, launch, and report a refusal as one line on standard error."""
    order, argv = LaunchOrder(**json.loads(sys.argv[1])), sys.argv[2:]
    try:
        launch(order, argv, json.loads(os.environ[ENVIRONMENT_VARIABLE]))
    except OSError as error:
        sys.stderr.write(f"error: cannot start {argv[0]}: {error.strerror} {error.filename or ''}\n")
        sys.exit(EXIT_REFUSED)


if __name__ == "__main__":
    main()
