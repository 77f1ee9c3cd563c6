"""The text of an export, written record by record: never more than a page of them is held beside it."""

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from models.export import ExportCounts, ExportedEpisode, ExportedEvent, ExportHeader, Part

SECTIONS = (
    "memories",
    "events",
    "episodes",
    "confirmations",
    "changes",
    "switches",
    "policy_changes",
    "recalls",
    "withheld",
)
"""The lists of the document, in order."""


class ExportDocument:
    """Puts an export together. Its digest is that of `models.export.Export`."""

    def __init__(self, header: ExportHeader) -> None:
        text = canonical(header.model_dump(mode="json"))
        self._digest = hashlib.blake2b(text + b"\n", digest_size=32)
        self._parts = [text[:-1]]
        self._counts: Counter[str] = Counter()
        self._begun = 0

    def add(self, section: str, records: Sequence[Part]) -> None:
        """Append records to a section. Raises ValueError for a section that is over: each comes in one go, in order."""
        self._begin(SECTIONS.index(section) + 1)
        for record in records:
            text = canonical(record.model_dump(mode="json"))
            self._digest.update(text + b"\n")
            self._parts.append((b",\n" if self._counts[section] else b"\n") + text)
            self._counts[section] += 1
            if isinstance(record, ExportedEvent):
                self._counts["candidates"] += len(record.candidates)
            if isinstance(record, ExportedEpisode):
                self._counts["passages"] += len(record.passages)

    def _begin(self, number: int) -> None:
        if number < self._begun:
            raise ValueError("a section is written in one go")
        for section in SECTIONS[self._begun : number]:
            self._parts.append((b"]" if self._begun else b"") + f',\n"{section}":['.encode())
            self._begun += 1

    def finished(self) -> bytes:
        """The document."""
        self._begin(len(SECTIONS))
        counts = {name: self._counts[name] for name in ExportCounts.model_fields}
        end = canonical({"counts": counts, "digest": self._digest.hexdigest()})
        return b"".join([*self._parts, b"],\n", end[1:], b"\n"])


def canonical(value: Any) -> bytes:
    """A JSON value with sorted keys and no spaces, in UTF-8."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
