"""The beliefs and cases of precisionMemBench as its authors publish them, in the shape that the board needs."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

from evals.read.data import data_file
from models.errors import InvalidInput

PERSON = "test-user"
_FOLDER = "precisionmembench"


class Belief(NamedTuple):
    """A belief. `key` is the name of the belief that ends its chain; `successor` the one that replaced it."""

    id: str
    person: str
    kind: str
    name: str
    key: str
    aliases: tuple[str, ...]
    content: str
    domain: str | None
    pinned: bool
    resolved: bool
    successor: str | None

    @property
    def tier(self) -> str:
        """Where its authors show it: in the prelude about the person, pinned, or as relevant to the question."""
        if self.domain is None:
            return "prelude"
        if self.kind == "open_question":
            return "question"
        return "pinned" if self.pinned else "relevant"


class Case(NamedTuple):
    """A question, and which beliefs have to come, may alone come as relevant, and must not come in which tier.

    `created` is a belief that is stated after it, `aliases` are names that a belief is given after it.
    """

    id: str
    person: str
    domains: tuple[str, ...]
    query: str
    most: int | None
    relevant: frozenset[str] | None
    wanted: frozenset[str]
    unwanted: frozenset[tuple[str, str]]
    created: Belief | None = None
    renamed: tuple[str, tuple[str, ...]] | None = None


_TIERS = {"pinnedFacts": "pinned", "openQuestions": "question", "relevantBeliefs": "relevant"}


def read_beliefs() -> dict[str, Belief]:
    """All beliefs, each after those that it replaced."""
    raw = _read("beliefs.seed.json")
    by_id = {item["_id"]: item for item in raw}

    def chain(item: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        after = item["superseded_by"]
        return [item, *(chain(by_id[after]) if after else ())]

    ordered = sorted(raw, key=lambda item: -len(chain(item)))
    return {item["_id"]: _belief(item, chain(item)[-1]) for item in ordered}


def _belief(item: Mapping[str, Any], last: Mapping[str, Any]) -> Belief:
    domain = item["scope"][0].partition(":")
    return Belief(
        id=item["_id"],
        person=item["user_id"],
        # A belief and what replaced it are one thing said twice: the last of them says of what.
        kind=last["type"],
        name=item["canonical_name"],
        key=last["canonical_name"],
        aliases=tuple(item["aliases"]),
        content=item["content"],
        domain=domain[2] if domain[0] == "domain" else None,
        pinned=last["pinned"],
        resolved=item["resolved_at"] is not None,
        successor=item["superseded_by"],
    )


def read_cases() -> tuple[list[Case], list[Case]]:
    """The retrieval cases, then the turns of the sessions in their order."""
    retrieval = [
        _case(item["caseId"], item, item["query"], item.get("budget", {}).get("maxBeliefs"))
        for item in _read("retrieval.cases.json")
    ]
    sessions: list[Case] = []
    for session in _read("session-retrieval.cases.json"):
        for turn in session["turns"]:
            case = _case(f"{session['caseId']}-{turn['turnIndex']}", turn, turn["userMessage"], None)
            created, renamed = turn.get("createBeliefAtTurn"), turn.get("updateBeliefAtTurn")
            sessions.append(
                case._replace(
                    created=_belief(created, created) if created else None,
                    renamed=(renamed["beliefId"], tuple(renamed["addAliases"])) if renamed else None,
                )
            )
    return retrieval, sessions


def _case(name: str, item: Mapping[str, Any], query: str, most: int | None) -> Case:
    expect = item["expect"]
    relevant = expect.get("relevantBeliefs", {})
    only = relevant.get("shouldOnlyInclude")
    # One turn has its pinned beliefs a level too deep.
    sections = {**expect, **({"pinnedFacts": relevant["pinnedFacts"]} if "pinnedFacts" in relevant else {})}
    wanted = {belief for section in _TIERS for belief in sections.get(section, {}).get("mustInclude", ())}
    unwanted = {
        (tier, belief)
        for section, tier in _TIERS.items()
        for belief in sections.get(section, {}).get("mustExclude", ())
    }
    unwanted |= {("relevant", belief) for belief in expect.get("noiseCheck", {}).get("mustNotSurface", ())}
    return Case(
        id=name,
        person=item.get("userId", PERSON),
        domains=tuple(each.removeprefix("domain:") for each in item["scope"] if each.startswith("domain:")),
        query=query,
        most=most,
        relevant=None if only is None else frozenset(only),
        wanted=frozenset(wanted) | frozenset(only or ()),
        unwanted=frozenset(unwanted),
    )


def _read(name: str) -> Sequence[dict[str, Any]]:
    path = data_file(_FOLDER, name)
    try:
        return cast("list[dict[str, Any]]", json.loads(path.read_text(encoding="utf-8")))
    except ValueError as malformed:
        raise InvalidInput(f"{path}: not JSON; get the file anew") from malformed
