"""What the read path looks for, and the rows of its one query as the records that they are."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import Row

from models.authority import Authority, Standing
from models.conflicts import Side
from models.controls import Catalogue
from models.entities import is_cue
from models.facts import Admission, Status
from models.ranking import Scores
from models.readers import Readable
from models.recall import Reason, RecalledFact, RecalledPassage
from models.scope import Scope
from store import persons
from store.likeness import Likeness
from store.readable import speaks_of_nothing_hidden


class Search(NamedTuple):
    """What to look for: within `scope_keys`, as of an instant, `most` of each kind by keywords and by likeness.

    The first `places` of either bring up the passages next to them. Without `likeness` words alone find anything.

    With `known_at` only what had been recorded by then counts, and only ends that had.

    `asked` has the request's own words for each canonical id and name that it looks up.

    `restrictions` names the attributes that come first when their entity is in play, and on every recall where
    they are of the scope as a whole; `standing` those that come on every recall, or, where
    they are about a cue, on each that gives it. `readable` says of which
    attributes the caller may see memories, `known` of which class each attribute is. `single` has every attribute
    that has one value at a time, by its own name and its synonyms, with its own name. `needed` names the attributes
    that the decision depends on; of the others at most `most_in_play` facts come for being about what is in play.
    """

    scope_keys: Sequence[UUID]
    as_of: datetime
    known_at: datetime | None
    canonicals: Sequence[str]
    name_keys: Sequence[str]
    asked: Mapping[str, Sequence[str]]
    terms: Sequence[str]
    restrictions: frozenset[str]
    standing: frozenset[str]
    readable: Readable
    known: Catalogue
    single: Mapping[str, str]
    needed: frozenset[str]
    most_in_play: int
    most: int
    places: int
    likeness: Likeness | None


class Found(NamedTuple):
    """What the query brought up, in no order.

    `partners` are the facts and challengers that nothing in the request brought up and that disagree with one of
    `facts`; `sides` are all of both that have one value at a time, as conflicts see them, and `said` has the values of
    all of both as they are compared. `scopes` has the key of the scope of each record, `scores` how well the words and
    the meaning of each fact and passage fit the query, `help` how often it was of use.
    """

    facts: Sequence[RecalledFact]
    passages: Sequence[RecalledPassage]
    partners: Sequence[RecalledFact]
    sides: Sequence[Side]
    said: Mapping[UUID, str]
    scopes: Mapping[UUID, UUID]
    scores: Mapping[UUID, Scores]
    help: Mapping[UUID, float]


NOT_ENDED = """(
    (:known_at IS NOT NULL OR f.ended_at IS NULL OR f.ended_at > :as_of)
    AND (:known_at IS NULL OR COALESCE((
        SELECT t.to_status = 'active' OR t.effective_at > :as_of FROM transitions t
        WHERE t.tenant_id = :tenant AND t.record_id = f.id AND t.recorded_at <= :known_at
            AND t.to_status IN ('active', 'superseded', 'retired', 'retracted')
        ORDER BY t.recorded_at DESC, t.id DESC LIMIT 1
    ), true))
)"""
"""Whether nothing has ended fact `f` at `as_of`: as its row says, or with `known_at` as the latest change of its status
said that had been recorded by then. See `models.facts.as_known`, which says the same of one fact."""

MENTIONS = "ARRAY(SELECT i.mention FROM in_play i WHERE i.entity_id = k.entity_id ORDER BY i.mention)"
"""By which words of the request the thing of fact key `k` is in play; see `store.recall.IN_PLAY`."""

# A fact of a wider scope can rest on what was said in a narrower one, from which it was promoted. The id of an event
# tells a reader of the fact no more than that somebody said it, even where its words speak of something else as well.
SOURCES = """ARRAY(
    SELECT v.event_id FROM evidence v JOIN events e ON e.tenant_id = v.tenant_id AND e.id = v.event_id
    WHERE v.tenant_id = :tenant AND v.record_id = f.id AND e.scope_key = ANY(:scope_keys)
    ORDER BY v.occurred_at, v.event_id
)"""
"""The events of the authorised scopes that fact `f` rests on, the earliest first."""

_TOLD_IN = "ARRAY(SELECT t.event_id FROM evidence t WHERE t.tenant_id = :tenant AND t.record_id = s.id)"
EPISODES = f"""ARRAY(
    SELECT DISTINCT s.id FROM evidence v
    JOIN events e ON e.tenant_id = v.tenant_id AND e.id = v.event_id
    JOIN episodes s ON s.tenant_id = e.tenant_id AND s.activity_id = e.activity_id
    WHERE v.tenant_id = :tenant AND v.record_id = f.id AND s.scope_key = ANY(:scope_keys)
        AND {speaks_of_nothing_hidden(_TOLD_IN)}
        AND NOT {persons.speak_of_what_is_off(_TOLD_IN, "anything FROM off")}
)"""
"""The episodes of the authorised scopes in which fact `f` was said and that the caller may read. It takes `off` before
it in the query."""


def _by_rank(row: Row[Any]) -> list[Reason]:
    reasons = [Reason.KEYWORDS] if row.words > 0 else []
    return [*reasons, Reason.LIKENESS] if row.alike else reasons


def fact_of(row: Row[Any], search: Search) -> RecalledFact:
    """A fact with the reasons that brought it up."""
    reasons: list[Reason] = []
    if row.mentions:
        reasons.append(_in_play(row.attribute, search))
    if row.entity_id is None and row.attribute in search.restrictions:
        reasons.append(Reason.RESTRICTION_ON_SCOPE)
    if row.attribute in search.standing and (row.mentions or not is_cue(row.canonical)):
        reasons.append(Reason.STANDING_INSTRUCTION)
    return record_of(row, search, (*reasons, *_by_rank(row)))


def record_of(
    row: Row[Any], search: Search, reasons: Sequence[Reason], status: Status = Status.ACTIVE
) -> RecalledFact:
    """A fact or a claim as it goes into an answer, not weighed yet."""
    return RecalledFact(
        id=row.id,
        canonical=row.canonical,
        entity=row.name or row.canonical,
        attribute=row.attribute,
        value=row.text,
        ends_when=row.ends_when,
        expires_at=row.expires_at,
        valid_from=row.at,
        authority=Authority(row.authority),
        authority_role=row.authority_role,
        standing=Standing(row.standing),
        statement=row.statement,
        sources=tuple(row.sources),
        episodes=tuple(row.episodes),
        about=tuple(entity for mention in row.mentions for entity in search.asked.get(mention, ())),
        score=0.0,
        reasons=tuple(reasons),
        status=status,
    )


def partner_of(row: Row[Any], search: Search) -> RecalledFact:
    """What stands against a fact that was found: it has the reasons that brought up the fact, and that it is one."""
    fact = fact_of(row, search)
    status = Status.ACTIVE if row.admission == Admission.ADMITTED else Status.DISPUTED
    return fact.model_copy(update={"reasons": (*fact.reasons, Reason.PARTNER), "status": status})


def side_of(row: Row[Any], search: Search) -> Side:
    """A fact or a challenger as conflicts see it."""
    return Side(
        id=row.id,
        thing=row.entity_id,
        attribute=search.single[row.attribute],
        value=row.said,
        scope=Scope(row.scope),
        authority=Authority(row.authority),
        valid_from=row.at,
        disputed=row.admission == Admission.DISPUTED,
    )


def _in_play(attribute: str, search: Search) -> Reason:
    return Reason.RESTRICTION_IN_PLAY if attribute in search.restrictions else Reason.ENTITY_IN_PLAY


def passage_of(row: Row[Any]) -> RecalledPassage:
    """A passage with the reasons that brought it up; its neighbours where nothing else did."""
    reasons = [*([Reason.EVIDENCE] if row.evidence else []), *_by_rank(row)]
    return RecalledPassage(
        id=row.id,
        episode_id=row.episode_id,
        occurred_at=row.at,
        text=row.text,
        sources=tuple(row.sources),
        score=0.0,
        reasons=tuple(reasons) or (Reason.NEIGHBOUR,),
    )
