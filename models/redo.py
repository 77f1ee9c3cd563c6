"""What reading events again would change: compared before anything is applied, and nothing is compared by a model."""

from collections.abc import Collection, Sequence
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

from models.candidates import CandidateKind, Proposal, Terms
from models.extractions import Fallback
from models.text import normalise

WITHHELD = "withheld"
"""In place of an attribute whose memories are not for the reader: its name may say enough."""


class Change(StrEnum):
    """How a proposal stands to what was proposed of its event before; see `compare`."""

    NEW = "new"
    REFUSED = "refused"
    SAME = "same"
    OTHER_WORDS = "other_words"
    GONE = "no_longer_proposed"


class Known(NamedTuple):
    """A candidate that is there. `terms` is None where it has none, or its words were not kept."""

    id: UUID
    event_id: UUID
    kind: CandidateKind
    attribute: str
    mention: str | None
    terms: Terms | None
    extractor: str
    verdict: str | None
    reason: str | None


class Weighed(NamedTuple):
    """A proposal with the candidate that it is or would be, whether that is new, and why it would be discarded."""

    proposal: Proposal
    extractor: str
    candidate_id: UUID
    new: bool
    refusal: str | None


class Line(NamedTuple):
    """One line of a difference. `candidate_id`, `verdict` and `reason` are of the candidate that is there."""

    change: Change
    event_id: UUID
    kind: CandidateKind
    attribute: str
    mention: str | None
    value: str | None
    ends_when: str | None
    hedged: bool
    extractor: str
    candidate_id: UUID | None
    verdict: str | None
    reason: str | None


class Difference(NamedTuple):
    """What reading the events of one activity again came to. `fallback` says why a model was no help."""

    activity_id: UUID
    lines: Sequence[Line]
    fallback: Fallback | None


class RedoApplied(NamedTuple):
    """What applying a redo came to: new candidates, new ones that were discarded, keys that have to be decided."""

    activities: int
    candidates: int
    refused: int
    handed_over: int


def compare(known: Sequence[Known], weighed: Sequence[Weighed]) -> list[Line]:
    """The difference between the candidates of events that are `known` and those that are proposed now.

    | proposed now | a candidate of the event and key is there | change |
    | --- | --- | --- |
    | yes, to be discarded at once | no | refused, with the reason |
    | yes | no | new |
    | yes, with the same terms | yes | the same: it is decided and stays so |
    | yes, with other terms | yes | other words: each event decides once on a key, so the old ones stay |
    | no | yes, discarded | nothing is said of it |
    | no | yes | no longer proposed: it stays, as what is decided is not undone |
    """
    there = {each.id: each for each in known}
    lines = {each.candidate_id: _line(each, there.get(each.candidate_id)) for each in reversed(weighed)}
    gone = [each for each in known if each.id not in lines and each.verdict != "discard"]
    return [*reversed(lines.values()), *map(_gone, gone)]


def states(stated: Sequence[Known], proposal: Proposal) -> bool:
    """Whether the event of a proposal says so by itself, as one of the candidates that its caller has `stated`."""
    return any(
        (each.event_id, each.kind, each.attribute) == (proposal.event_id, proposal.kind, proposal.attribute)
        and _same(each.terms, proposal.terms)
        for each in stated
    )


def as_read_by(lines: Sequence[Line], readable: Collection[str]) -> list[Line]:
    """Lines without the words of attributes that the reader may not see, and of those that no class declares."""
    return [
        line
        if line.attribute in readable
        else line._replace(attribute=WITHHELD, mention=None, value=None, ends_when=None)
        for line in lines
    ]


def _line(now: Weighed, before: Known | None) -> Line:
    proposal = now.proposal
    terms = proposal.terms
    if before is None:
        change = Change.NEW if now.refusal is None else Change.REFUSED
    elif before.verdict == "discard" or _same(before.terms, terms):
        change = Change.SAME
    else:
        change = Change.OTHER_WORDS
    return Line(
        change=change,
        event_id=proposal.event_id,
        kind=proposal.kind,
        attribute=proposal.attribute,
        mention=proposal.mention,
        value=None if terms is None else terms.value,
        ends_when=None if terms is None else terms.ends_when,
        hedged=proposal.hedged,
        extractor=now.extractor,
        candidate_id=None if before is None else before.id,
        verdict=None if before is None else before.verdict,
        reason=now.refusal if before is None else before.reason,
    )


def _same(one: Terms | None, other: Terms | None) -> bool:
    if one is None or other is None:
        return one is other
    return normalise(one.value) == normalise(other.value) and one.same_limits_as(other)


def _gone(before: Known) -> Line:
    return Line(
        change=Change.GONE,
        event_id=before.event_id,
        kind=before.kind,
        attribute=before.attribute,
        mention=before.mention,
        value=None if before.terms is None else before.terms.value,
        ends_when=None if before.terms is None else before.terms.ends_when,
        hedged=False,
        extractor=before.extractor,
        candidate_id=before.id,
        verdict=before.verdict,
        reason=before.reason,
    )
