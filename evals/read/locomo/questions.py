"""LoCoMo's questions, with the turns that its authors cite as evidence for the answer."""

import re
from collections.abc import Collection
from pathlib import Path
from typing import Any, NamedTuple, cast

from models.errors import InvalidInput
from surfaces.strict_json import parse_json, without_mark

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
"""As the authors' evaluation code uses the numbers; some publications swap 1 and 4."""

_SEPARATORS = re.compile(r"[;,\s]+")
_TURN = re.compile(r"D:?(\d+):0*(\d+)")


class Question(NamedTuple):
    """A question on one conversation and the ids of its gold turns, of which there is at least one."""

    sample_id: str
    category: int
    text: str
    gold: frozenset[str]


def read_questions(path: Path, turns: dict[str, Collection[str]]) -> list[Question]:
    """The questions that have evidence, on the conversations of `turns`: the turn ids by `sample_id`.

    A question whose evidence names no turn that exists cannot be scored and is left out.
    """
    document = parse_json(without_mark(path.read_bytes()))
    read: list[Question] = []
    for sample in cast("list[dict[str, Any]]", document):
        name = str(sample["sample_id"])
        if name not in turns:
            continue
        raw = sample.get("qa")
        if not isinstance(raw, list):
            raise InvalidInput("has no list of questions", field=f"{name}, qa")
        for number, item in enumerate(cast("list[dict[str, Any]]", raw), start=1):
            gold = gold_turns(item.get("evidence"), turns[name])
            category, text = item.get("category"), item.get("question")
            if not isinstance(text, str) or category not in CATEGORIES:
                raise InvalidInput(
                    "a question with a text and a category from 1 to 5",
                    field=f"{name}, qa, question {number}",
                )
            if gold:
                read.append(Question(name, category, text, gold))
    return read


def gold_turns(evidence: object, existing: Collection[str]) -> frozenset[str]:
    """The turns that an evidence list names. Several in one entry and odd spellings of an id are read."""
    entries = cast("list[object]", evidence) if isinstance(evidence, list) else []
    named: set[str] = set()
    for entry in entries:
        for part in _SEPARATORS.split(str(entry)):
            if match := _TURN.fullmatch(part):
                named.add(f"D{match[1]}:{match[2]}")
    return frozenset(named.intersection(existing))
