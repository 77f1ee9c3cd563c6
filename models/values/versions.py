"""Versions: names that are compared as they are written, or numbered releases where the class says so."""

import re

from packaging.version import InvalidVersion, Version

_LONGEST = 100
_SPOKEN = re.compile(r"(?:version|release) (?=v?\d)", re.IGNORECASE)
_SEMANTIC = re.compile(
    r"v?(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)"
    r"(?:-([0-9a-z-]+(?:\.[0-9a-z-]+)*))?(?:\+([0-9a-z-]+(?:\.[0-9a-z-]+)*))?",
    re.IGNORECASE | re.ASCII,
)


def read_version(text: str) -> str | None:
    """The key of a numbered release, at least three numbers long.

    Read as PEP 440 has it, and as Semantic Versioning has it where PEP 440 knows no such pre-release.

    | text | key |
    | --- | --- |
    | v1.2; 1.2; 1.2.0; version 1.2 | 1.2.0 |
    | 1.2.0-rc.1; 1.2rc1 | 1.2.0rc1 |
    | 1.2.0+build.5 | 1.2.0+build.5 |
    | 1.2.0-SNAPSHOT | 1.2.0-snapshot |
    | latest; 1.2 or newer; 1.x | None |
    """
    if len(text) > _LONGEST:
        return None
    text = _SPOKEN.sub("", text)
    try:
        version = Version(text)
    except InvalidVersion:
        return _semantic(text)
    release = list(version.release)
    while len(release) > 3 and not release[-1]:
        release.pop()
    release += [0] * (3 - len(release))
    parts = [f"{version.epoch}!" if version.epoch else "", ".".join(map(str, release))]
    if version.pre is not None:
        parts.append("".join(map(str, version.pre)))
    if version.post is not None:
        parts.append(f".post{version.post}")
    if version.dev is not None:
        parts.append(f".dev{version.dev}")
    if version.local is not None:
        parts.append(f"+{version.local}")
    return "".join(parts)


def _semantic(text: str) -> str | None:
    found = _SEMANTIC.fullmatch(text)
    if found is None:
        return None
    *release, pre, build = found.groups()
    return (
        ".".join(release) + (f"-{pre.casefold()}" if pre else "") + (f"+{build.casefold()}" if build else "")
    )
