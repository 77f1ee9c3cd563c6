"""Compile the rules into their cache, for the build of an image: `python -m providers.secret_scanner`."""

import sys

from providers.secret_scanner import SecretScanner


def main() -> int:
    """Compile the rules, or read them if they are compiled; the exit code."""
    SecretScanner().find("password: hunter2")
    return 0


if __name__ == "__main__":
    sys.exit(main())
