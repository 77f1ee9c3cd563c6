"""Which words and which keys of a record name a thing: the tables behind `mentions.find_mentions`. Pure."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import Literal, NamedTuple

from keepwell.names import MAX_ID, UNSPACED
from keepwell.values import is_secret, mended

MAX_NAME = 100
"""The longest word that is taken for a name where nobody gave it as one."""
MAX_WORDS = 5_000
"""How many different words of one text are looked at."""
_MAX_KEY = 200

_CANONICAL = re.compile(r"[a-z][a-z0-9_-]*:(?!//)\S+")
_TOKEN = re.compile(r"[^\W_](?:[\w.\-/:#+@]*[^\W_])?")
_UNSPACED_WORD = re.compile(rf"[{UNSPACED}]")
_GAPS = re.compile(rf"[\s,;|=()\[\]{{}}<>\"'`“”‘’、。，；：！？（）「」{UNSPACED}]+")
_ENDS = ".:!?…*"
_MARKED = re.compile(r"[\d_:]")
"""What a word in running text has to hold to be a name; most texts are done with here."""
# Secrets as they are told, and images as text. Every repetition is bounded, or a long text of the right shape would
# be searched for seconds.
_NO_WORDS = re.compile(
    r"data:[\w/+.\-]{0,100};base64,\S*|(?:bearer|basic)\s{1,3}\S+"
    r"|(?:pass(?:word|wd|phrase)|secret|token|api[_-]?key|credential|authori[sz]ation)[\w-]{0,40}"
    r"[\"']?\s{0,3}(?:[=:]|\bis\b)\s{0,3}(?:(?:bearer|basic)\s{1,3})?\S+",
    re.IGNORECASE,
)
_OPAQUE = re.compile(r"[A-Za-z0-9]{20,}")
_VALUE = r"""
      [\d.,:/\-+_]+                                               # a number, a date, a time, an address
    | [+-]?\d[\d.,_]*(?:[a-zµ°]{1,5}|e[+-]?\d+)(?:/[a-z]{1,5})?   # a quantity, such as 72h and 10GiB; an ordinal
    | (?:\d+(?:ms|us|ns|[wdhms]))+                                # a duration, such as 1h30m
    | p(?:\d+[ymwd])*t?(?:[\d.]+[hms])*                           # the same in ISO 8601
    | \d{4}-?(?:\d{2}-?\d{2}|w\d{2}(?:-?\d)?)(?:[t\ ][\d:.]+(?:z|[+-][\d:]+)?)?z?   # an instant, a date, a week
    | [\d:.]+(?:am|pm|z)
    | \d{1,2}-[a-z]{3,9}-\d{2,4}
    | 0x[0-9a-f]+
    | [0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}                 # a UUID
"""
_NO_THING = re.compile(
    rf"(?!\d{{1,3}}(?:\.\d{{1,3}}){{3}}(?::\d+)?$)(?:{_VALUE})", re.IGNORECASE | re.VERBOSE
)
"""What names nothing even where a name is due. The address of a host names it there."""
_NO_NAME = re.compile(
    rf"""
      {_VALUE}
    | (?:utc|gmt)[+-][\d:]+
    | v?\d+(?:\.\d+)+[\w.+\-]*                                    # a version
    | \S+@\S+\.\S+                                                # a mail address
    | p\d{{1,3}} | q[1-4] | h[1-6] | [ab]2[bc]
    | utf-?\d+ | ipv[46] | sha-?\d+ | md5 | base64 | http/?[\d.]+ | x86_64 | (?:amd|arm|x|int|float)\d+
    | k8s | s3 | ec2 | i18n | l10n | oauth2 | iso-?\d+ | mp[34] | h26[45]
    """,
    re.IGNORECASE | re.VERBOSE,
)
_NO_TYPE = frozenset({"data", "mailto", "sha1", "sha256", "sha512", "md5"})
"""What stands before a colon in words that are no canonical ids, besides categories."""
_CATEGORIES = frozenset(
    {
        "status", "state", "type", "kind", "class", "category", "level", "severity", "phase", "mode", "outcome",
        "result", "effect", "version", "unit", "format", "encoding", "content_type", "mime_type", "size", "language",
        "locale", "timezone", "currency", "created_at", "updated_at", "timestamp", "etag", "cursor", "digest", "hash",
    }
)  # fmt: skip
_NAMING = re.compile(r"(?:(?P<stem>.*)_)?(?P<part>id|name|host|hostname)s?")
_THINGS = frozenset(
    {
        "service", "machine", "instance", "server", "node", "cluster", "database", "table", "queue", "topic", "bucket",
        "volume", "disk", "application", "app", "component", "deployment", "pod", "container", "namespace", "vm",
        "environment", "device", "resource", "target", "repository", "repo", "package", "pipeline", "job", "system",
        "site", "domain", "customer", "account", "user", "tenant", "project",
    }
)  # fmt: skip
"""Keys that say what sort of thing their value names."""
_PASSING = frozenset({"request", "trace", "span", "correlation", "session", "event", "log"})
"""What is numbered by the thousand and never spoken of again: each would be a new thing."""
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


class Naming(NamedTuple):
    """What a key says of its value: that it is id or name of the thing called `stem`; without one, of the record."""

    stem: str
    part: Literal["id", "name"]


@lru_cache(maxsize=5_000)
def naming_of(key: str) -> Naming | None:
    """Whether what stands under `key` names a thing, whatever word it is.

    | key | names |
    | --- | --- |
    | `id`, `name` | the record's own thing |
    | `instance_id`, `InstanceId`, `service-name` | the thing so called; an id and a name of one stem are one thing |
    | `host`, `hostname`, `db_host` | a host |
    | `service`, `cluster`, `target_bucket`, …: a noun of `_THINGS` | that |
    | `request_id`, `trace_id`, … | none: they number what nobody speaks of again |
    | the plural of any of these | each of a list |
    """
    words = snake(key)
    found = _NAMING.fullmatch(words)
    if found is None:
        noun = words.rpartition("_")[2]
        return Naming(words.removesuffix("s"), "name") if noun.removesuffix("s") in _THINGS else None
    stem, part = found["stem"] or "", found["part"]
    if stem.rpartition("_")[2] in _PASSING:
        return None
    if part in {"host", "hostname"}:
        return Naming(f"{stem}_host".lstrip("_"), "name")
    return Naming(stem, "id" if part == "id" else "name")


def snake(key: str) -> str:
    """A key in lower case, with `_` between its words."""
    return re.sub(r"[\s.\-]+", "_", _CAMEL.sub("_", key[:_MAX_KEY])).casefold()


def is_skipped(key: str, value: object) -> bool:
    """Whether what stands under `key` is not to be looked at: a category, or likely a secret."""
    return key.casefold() in _CATEGORIES or is_secret(key, value)


def is_canonical(word: str) -> bool:
    """Whether `word` is a canonical id (`type:id`)."""
    return len(word) <= MAX_ID and _CANONICAL.fullmatch(word) is not None


def named_by(text: str) -> str | None:
    """The name that a value is where a name is due: any word or few words, but no number, date, UUID, URL or secret."""
    word = mended(text[: MAX_ID + 1]).strip()
    if is_canonical(word):
        return word
    if not 1 <= len(word) <= MAX_NAME or re.search(r"[\n\r\ufffd]|://|^[a-z][a-z0-9_-]*:$", word):
        return None
    if _NO_THING.fullmatch(word) or _NO_WORDS.search(word) or not any(each.isalnum() for each in word):
        return None
    opaque = _OPAQUE.search(word)
    return None if opaque is not None and any(each.isdigit() for each in opaque.group()) else word


def names_in(text: str) -> Iterator[str]:
    """The words of a text that look like names, as they come; a text of one word has to look less like one."""
    whole = text.strip()
    if not re.search(r"\s", whole):
        # A sentence in Chinese has no spaces; it is a name with a joining mark, unless that is of a name within it.
        joined = re.search(r"[-_]", whole) and not re.search("[A-Za-z]", whole)
        if (joined or not _UNSPACED_WORD.search(whole)) and looks_like_a_name(whole, whole=True):
            yield whole
            return
    if not _MARKED.search(text):
        return
    for word in islice(dict.fromkeys(_GAPS.split(_NO_WORDS.sub(" ", text))), MAX_WORDS):
        bare = word.strip(_ENDS)
        if looks_like_a_name(bare):
            yield bare


def name_in_key(key: str) -> str | None:
    """A key of a mapping that is itself a name, as in `{"gpu-bench-01": …}`."""
    joined = any(mark in key for mark in "-:./")
    return key if joined and not is_secret(key) and looks_like_a_name(key) else None


def looks_like_a_name(word: str, *, whole: bool = False) -> bool:
    """Whether a word is a name by its looks; `whole` says that it stands alone."""
    if not 2 <= len(word) <= MAX_NAME or "://" in word or _NO_NAME.fullmatch(word):
        return False
    if _CANONICAL.fullmatch(word):
        before = word.split(":", 1)[0]
        return before not in _CATEGORIES and before not in _NO_TYPE and not is_secret(before)
    if _OPAQUE.search(word) or not _TOKEN.fullmatch(word) or not any(each.isalpha() for each in word):
        return False
    mixed = any(each.isdigit() for each in word) or "_" in word
    return mixed or (whole and any(mark in word for mark in "-./:#"))
