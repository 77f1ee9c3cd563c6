"""Private keys in text: armoured, on one line with escaped line ends, cut short, or without their first line."""

import re
from bisect import bisect_left
from collections.abc import Iterator

from models.sightings import SecretKind, Sighting

_BEGIN = re.compile(r"-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}")
_END = re.compile(r"-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}")
_LONGEST = 32_768
_LEAST_LINE, _LONGEST_LAST_LINE = 16, 80
_BREAK = r"""(?:\\+[nrt]|\s|["'+,>|])"""
# A key that comes as a list of its lines has NUL between them.
_BREAK_OR_NUL = _BREAK.replace(r"\s", r"\s|\x00")


def _lines(breaks: str) -> re.Pattern[str]:
    headers = rf"(?:{breaks}*[A-Z][A-Za-z\-]{{1,30}}: [^\n\\\x00]{{1,120}}(?=\n|\\n))*"
    return re.compile(rf"{headers}(?:{breaks}*[A-Za-z0-9+/]{{{_LEAST_LINE},}}={{0,2}})+")


_LINES, _LISTED_LINES = _lines(_BREAK), _lines(_BREAK_OR_NUL)
# Without its first line there is less to go by: here only ends of lines break the key.
_BARE_LINES = re.compile(
    rf"[A-Za-z0-9+/]{{{_LEAST_LINE},}}={{0,2}}(?:(?:\\+[nr]|[\r\n])+[ \t]*[A-Za-z0-9+/]{{{_LEAST_LINE},}}={{0,2}})*"
)
# The last line of what was cut may be short: then nothing follows it, or dots that say so.
_CUT_LINE = re.compile(
    rf"{_BREAK}+[A-Za-z0-9+/]{{1,{_LEAST_LINE - 1}}}={{0,2}}(?=[\"'\s]*(?:$|\x00|\.\.\.|…))"
)
_REVERSED_LINES = re.compile(rf"(?:(?:[nrt]\\+|\s|\x00|[\"'+,>|])*[A-Za-z0-9+/=]{{{_LEAST_LINE},}})+")
# How the base 64 of a private key begins: of OpenSSH, PKCS #1, PKCS #8 (RSA, EC, Ed25519) and SEC 1.
_BARE = re.compile(
    r"(?<![A-Za-z0-9+/])(?:b3BlbnNzaC1rZXktdjE|MII[A-Za-z0-9+/]{1,5}IBAAK[BC]|MII[A-Za-z0-9+/]{1,5}IBADANBgkqhkiG9w0BAQEF"
    r"|MIG[A-Za-z0-9+/]AgEAMBMGByqGSM49AgEG|MC4CAQAwBQYDK2Vw|MHcCAQEEI)"
)
_PUTTY = re.compile(r"Private-Lines: \d{1,4}")


def find(plain: str) -> Iterator[Sighting]:
    """Private keys, whole or what is there of them. A line that only names one is none."""
    if "PRIVATE KEY" in plain:
        yield from _armoured(plain)
    if "MII" in plain or "b3BlbnNz" in plain or "MIG" in plain or "MC4C" in plain or "MHcC" in plain:
        for start in _BARE.finditer(plain):
            body = _BARE_LINES.match(plain, start.start())
            if body is not None:
                yield Sighting(SecretKind.PRIVATE_KEY, start.start(), _cut_end(plain, body.end()))
    if "Private-Lines" in plain:
        for head in _PUTTY.finditer(plain):
            body = _LINES.match(plain, head.end())
            if body is not None:
                yield Sighting(SecretKind.PRIVATE_KEY, head.end(), _cut_end(plain, body.end()))


def _armoured(plain: str) -> Iterator[Sighting]:
    ends = [found.span() for found in _END.finditer(plain)]
    reached = 0
    for begin in _BEGIN.finditer(plain):
        if begin.start() < reached:
            continue
        closing = bisect_left(ends, (begin.end(), 0))
        listed = _LISTED_LINES.match(plain, begin.end())
        body = _LINES.match(plain, begin.end())
        if (
            listed is not None
            and closing < len(ends)
            and ends[closing][0] - listed.end() <= _LONGEST_LAST_LINE
        ):
            reached = ends[closing][1]
        elif body is not None:
            reached = _cut_end(plain, body.end())
        else:
            continue
        yield Sighting(SecretKind.PRIVATE_KEY, begin.start(), reached)
    yield from _headless(plain, ends)


def _headless(plain: str, ends: list[tuple[int, int]]) -> Iterator[Sighting]:
    """Keys of which the first line, or more, is missing: base 64 that runs up to a last line."""
    after = 0
    for start, end in ends:
        before = plain[max(after, start - _LONGEST) : start][::-1]
        lines = _REVERSED_LINES.match(before)
        if lines is not None:
            yield Sighting(SecretKind.PRIVATE_KEY, start - lines.end(), end)
        after = end


def _cut_end(plain: str, end: int) -> int:
    rest = _CUT_LINE.match(plain, end)
    return end if rest is None else rest.end()
