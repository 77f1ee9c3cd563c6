"""The texts of `data/`, with and without secrets."""

import re
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

import yaml

from models.masking import mask_text
from models.sightings import SecretKind, digest_key, digest_of
from tests.world import FINDER

_DATA = Path(__file__).with_name("data")
_MARKED = re.compile(r"⟦([^⟧]*)⟧")
KEY = digest_key(bytes(range(32)), UUID(int=7))


class Planted(NamedTuple):
    """A text with secrets in it, and what it becomes."""

    text: str
    secrets: tuple[str, ...]
    masked: str


def digest(kind: SecretKind, secret: str) -> str:
    return digest_of(KEY, kind, secret)


def mask(kind: str, secret: str) -> str:
    return f"[masked:{kind}:{digest(SecretKind(kind), secret)}]"


def masked(text: str) -> str:
    return mask_text(text, FINDER, digest)


def planted() -> list[Planted]:
    read: dict[str, list[str]] = yaml.safe_load((_DATA / "secrets.yaml").read_text("utf-8"))
    return [_planted(kind, marked.replace("·", "")) for kind, texts in read.items() for marked in texts]


def _planted(kind: str, marked: str) -> Planted:
    return Planted(
        _MARKED.sub(r"\1", marked),
        tuple(_MARKED.findall(marked)),
        _MARKED.sub(lambda found: mask(kind, found[1]), marked),
    )


def innocent() -> list[str]:
    read: dict[str, list[str]] = yaml.safe_load((_DATA / "innocent.yaml").read_text("utf-8"))
    return [text for texts in read.values() for text in texts]
